//! Menu of the macros: each letter with its steps.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::features::macros::{playback, steps};
use crate::keys::{KeyCode, KeyPress};
use crate::layout::Area;
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::overlays::view::{OverlayView, centered};
use crate::theme_view::Theme;

const TITLE: &str = "Macros";
const NO_MACROS: &str = "No macros yet. [[macros]] in config.toml adds one.";

#[derive(Debug, Default)]
pub(crate) struct MacroMenu {
    chosen: usize,
}

impl Overlay for MacroMenu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let macros = &inbox.context.settings.macros;
        let letter = match (key.code, key.typed()) {
            (KeyCode::Esc, _) => return KeyOutcome::Done,
            (KeyCode::Down, _) => {
                self.chosen = (self.chosen + 1).min(macros.len().saturating_sub(1));
                None
            }
            (KeyCode::Up, _) => {
                self.chosen = self.chosen.saturating_sub(1);
                None
            }
            (KeyCode::Enter, _) => macros.get(self.chosen).map(|configured| configured.letter),
            (_, typed) => typed.filter(|character| character.is_alphanumeric()),
        };
        let Some(letter) = letter else { return KeyOutcome::Stay };
        playback::play_macro(inbox, letter);
        KeyOutcome::Done
    }
}

fn menu_keys(inbox: &Inbox) -> &'static str {
    if inbox.context.settings.macros.is_empty() { "Esc back" } else { "letter plays · Esc back" }
}

fn menu_area(inbox: &Inbox) -> Area {
    let rows = u16::try_from(inbox.context.settings.macros.len()).unwrap_or(u16::MAX).max(2);
    centered(inbox, 76, rows.saturating_add(2))
}

impl OverlayView for MacroMenu {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let macros = &inbox.context.settings.macros;
        let rows = macros.iter().map(|configured| {
            SpokenRow::new([configured.letter.to_string(), steps::describe(&configured.steps)])
        });
        let empty = if macros.is_empty() { NO_MACROS } else { "" };
        SpokenPage::new([TITLE]).text(empty).rows(rows, Some(self.chosen)).keys(menu_keys(inbox))
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        Some(ShownRows::centered(menu_area(inbox).inner(), inbox.context.settings.macros.len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let macros = &inbox.context.settings.macros;
        let area = menu_area(inbox);
        let titles = ([(TITLE, theme.strong())], [(menu_keys(inbox), theme.dim())]);
        paint_view::popup(buffer, area, theme, (&titles.0, &titles.1));
        let inner = area.inner();
        if macros.is_empty() {
            let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
            paint_view::paragraph(buffer, place, NO_MACROS, theme.dim());
            return None;
        }
        let rows = ShownRows::centered(inner, macros.len(), self.chosen);
        for (index, place) in rows.areas() {
            let (configured, y) = (&macros[index], place.y);
            let words = steps::describe(&configured.steps);
            paint_view::text(buffer, inner.x + 1, y, 2, &configured.letter.to_string(), theme.strong());
            paint_view::text(buffer, inner.x + 4, y, inner.width.saturating_sub(5), &words, Style::new());
            if index == rows.chosen {
                paint_view::stripe(buffer, place, theme.selected());
            }
        }
        None
    }
}
