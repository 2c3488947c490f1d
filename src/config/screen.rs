//! Terminal settings of `[ui]` other than cells and colours.

use crate::config::Mistakes;
use crate::config::reading::Section;
use crate::shell::links::LinkMode;
use inbox::settings::Footer;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenConfig {
    /// True if the mouse is read from the start.
    pub mouse: bool,
    pub footer: Footer,
    /// True if the window title shows the number of waiting conversations.
    pub title: bool,
    pub links: LinkMode,
    /// Minutes without a key press after which the person counts as away; 0 for never.
    pub away_minutes: i64,
}

impl Default for ScreenConfig {
    fn default() -> Self {
        Self {
            mouse: true,
            footer: Footer::default(),
            title: true,
            links: LinkMode::default(),
            away_minutes: 30,
        }
    }
}

/// Reads the settings; a mistaken value counts as absent.
pub(super) fn read(ui: &Section<'_>, mistakes: &mut Mistakes) -> ScreenConfig {
    let default = ScreenConfig::default();
    let footer = mistakes.value(ui.word("footer")).and_then(|text| Footer::from_word(&text));
    let links = mistakes.value(ui.word("links")).and_then(|text| LinkMode::from_word(&text));
    ScreenConfig {
        mouse: mistakes.value(ui.boolean("mouse")).unwrap_or(default.mouse),
        footer: footer.unwrap_or_default(),
        title: mistakes.value(ui.boolean("title")).unwrap_or(default.title),
        links: links.unwrap_or_default(),
        away_minutes: mistakes.value(ui.integer("away_minutes")).unwrap_or(default.away_minutes),
    }
}
