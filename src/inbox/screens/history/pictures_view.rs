//! Pictures as half-block cells, or shades without colours, and places for sharp ones.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::pages::PageKind;
use crate::screens::history::lines::{HistoryItem, HistoryLine};
use crate::screens::history::pictures::{PictureState, picture_of};
use crate::theme_view::Theme;
use model::messages::MessageRow;
use model::pictures::{Dot, EncodedRows, Graphics, Picture};

/// From dark to light, without colours.
const SHADE_SYMBOLS: [&str; 5] = [" ", "░", "▒", "▓", "█"];
/// [`SHADE_SYMBOLS`] in ASCII.
const ASCII_SHADES: [&str; 5] = [" ", ".", "+", "%", "@"];

/// A picture the terminal draws, and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement<'a> {
    /// Column and row of its top left cell.
    pub at: (u16, u16),
    pub encoded: &'a EncodedRows,
}

/// Draws one row of a picture, or its state.
pub fn draw_row(
    inbox: &Inbox,
    theme: Theme,
    item: &HistoryItem,
    row: usize,
    area: Area,
    buffer: &mut Buffer,
) {
    let Some(shown) = picture_state(inbox, item) else { return };
    match shown {
        PictureState::Shown(picture) => draw_half_blocks(theme, picture, row, area, buffer),
        PictureState::Hidden(_) => (),
        PictureState::Fetching => {
            paint_view::text(buffer, area.x, area.y, area.width, "fetching the picture…", theme.strong());
        }
        PictureState::Failed(why) => {
            let words = format!("no picture: {why}");
            paint_view::text(buffer, area.x, area.y, area.width, &words, theme.urgent());
        }
    }
}

/// True if the message has a picture and pictures are enabled.
pub fn can_show(inbox: &Inbox, row: &MessageRow) -> bool {
    inbox.context.settings.graphics != Graphics::Off && picture_of(&row.message).is_some()
}

fn picture_state<'a>(inbox: &'a Inbox, item: &HistoryItem) -> Option<&'a PictureState> {
    let HistoryItem::Message(row) = item else { return None };
    inbox.desk.pictures.state_of(row.message.media_url.as_ref()?.as_str())
}

fn draw_half_blocks(theme: Theme, picture: &Picture, row: usize, area: Area, buffer: &mut Buffer) {
    let columns = usize::from(area.width);
    let (across, _) = picture.size_in(columns);
    for column in 0..across {
        let upper = picture.dot((column, row * 2), columns);
        let lower = picture.dot((column, row * 2 + 1), columns);
        let (symbol, style) = cell_symbol(theme, upper, lower);
        let x = area.x.saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
        paint_view::text(buffer, x, area.y, 1, symbol, style);
    }
}

/// Symbol and style of one cell from its upper and lower half.
fn cell_symbol(theme: Theme, upper: Option<Dot>, lower: Option<Dot>) -> (&'static str, Style) {
    if !theme.has_colored_pictures() {
        let light = |dot: Dot| (u32::from(dot[0]) * 3 + u32::from(dot[1]) * 6 + u32::from(dot[2])) / 10;
        let both: Vec<u32> = [upper, lower].into_iter().flatten().map(light).collect();
        let mean = both.iter().sum::<u32>() / u32::try_from(both.len()).unwrap_or(1).max(1);
        let shade = usize::try_from(mean * 5 / 256).unwrap_or(0).min(4);
        return (if theme.ascii { ASCII_SHADES } else { SHADE_SYMBOLS }[shade], Style::new());
    }
    let color = |dot: Dot| Color::Rgb(dot[0], dot[1], dot[2]);
    match (upper, lower) {
        (Some(upper), Some(lower)) => ("▀", Style::new().fg(color(upper)).bg(color(lower))),
        (Some(upper), None) => ("▀", Style::new().fg(color(upper))),
        (None, _) => (" ", Style::new()),
    }
}

/// Pictures with all rows on screen and nothing over them.
pub fn placements(inbox: &Inbox) -> Vec<Placement<'_>> {
    let tab = inbox.desk.tab();
    let covered = !inbox.context.overlays.is_empty() || inbox.desk.page != PageKind::Inbox || !tab.is_inbox();
    let (Some(history), Some(area), false) =
        (&tab.history, inbox.desk.areas(&inbox.context).history, covered)
    else {
        return Vec::new();
    };
    let inner = Area { height: area.height.saturating_sub(1), ..area.inner() };
    let gutter = u16::try_from(crate::desk::Desk::gutter_width(usize::from(inner.width))).unwrap_or(18);
    let columns = crate::desk::Desk::text_width(usize::from(inner.width));
    let lines: Vec<(Area, &HistoryLine)> = history.lines_in(inner).collect();
    let mut found = Vec::new();
    for (place, line) in &lines {
        let HistoryLine::Picture { item, row: 0 } = line else { continue };
        let Some(PictureState::Shown(picture)) =
            history.items.get(*item).and_then(|item| picture_state(inbox, item))
        else {
            continue;
        };
        let (_, rows) = picture.size_in(columns);
        let whole = lines
            .iter()
            .filter(|(_, line)| matches!(line, HistoryLine::Picture { item: other, .. } if other == item));
        if let Some(sharp) = &picture.encoded
            && picture.has_encoding_for(columns)
            && whole.count() == rows
        {
            found.push(Placement { at: (inner.x + gutter, place.y), encoded: sharp });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme_table_view::ThemeName;

    #[test]
    fn halves_have_colours_and_shades_do_without() {
        let (red, white) = ([255, 0, 0], [255, 255, 255]);
        let theme = Theme::new;
        let colours = cell_symbol(theme(ThemeName::Dark, false), Some(red), Some(white));
        assert_eq!(colours, ("▀", Style::new().fg(Color::Rgb(255, 0, 0)).bg(Color::Rgb(255, 255, 255))));
        let cases = [
            (Some(white), Some(white), "█", "@"),
            (Some([0, 0, 0]), Some(white), "▒", "+"),
            (Some([0, 0, 0]), None, " ", " "),
            (None, None, " ", " "),
        ];
        for (upper, lower, shade, letter) in cases {
            assert_eq!(
                cell_symbol(theme(ThemeName::Mono, false), upper, lower).0,
                shade,
                "{upper:?} {lower:?}"
            );
            assert_eq!(
                cell_symbol(theme(ThemeName::Terminal, true), upper, lower).0,
                letter,
                "{upper:?} {lower:?}"
            );
        }
    }
}
