//! The palette: a line of text over what fits it.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::layout::Area;
use crate::overlays::palette::{CommandPalette, PaletteItem, SHOWN};
use crate::overlays::view::OverlayView;
use crate::theme_view::Theme;
use crate::wrap;

/// Columns of the kind before a name.
const KIND: u16 = 8;

impl CommandPalette {
    /// The whole popup.
    fn area(inbox: &Inbox) -> Area {
        let (columns, rows) = inbox.context.size;
        let shown = SHOWN.min(usize::from(rows.saturating_sub(6)));
        let width = 96.min(columns.saturating_sub(2));
        let height = u16::try_from(shown).unwrap_or(0) + 3;
        Area { x: (columns - width) / 2, y: 2.min(rows.saturating_sub(height)), width, height }
    }
}

impl OverlayView for CommandPalette {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        // Its first line is what was typed.
        let inner = Self::area(inbox).inner();
        let area = Area { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        Some(ShownRows::around(area, self.rows.len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let palette = self;
        let area = Self::area(inbox);
        let title = if palette.is_menu { "What can be done here" } else { "Go to or do" };
        let title = [(title, theme.strong())];
        let hint = [("Enter does it · Esc back", theme.quiet())];
        paint_view::popup(buffer, area, theme, (&title, &hint));
        let inner = area.inner();
        let room = inner.width.saturating_sub(2);
        paint_view::text(buffer, inner.x + 1, inner.y, room, palette.text.text(), Style::new());
        let before = u16::try_from(wrap::cells(palette.text.before())).unwrap_or(u16::MAX);
        match OverlayView::rows(self, inbox).filter(|_| !palette.rows.is_empty()) {
            Some(rows) => list(theme, palette, rows, buffer),
            None => {
                let words = "nothing is called so";
                paint_view::text(buffer, inner.x + 1, inner.y + 1, inner.width, words, theme.quiet());
            }
        }
        Some(Position { x: inner.x + 1 + before.min(room), y: inner.y })
    }
}

fn list(theme: Theme, palette: &CommandPalette, rows: ShownRows, buffer: &mut Buffer) {
    for (index, place) in rows.places() {
        line(theme, &palette.rows[index], place, buffer);
        if index == rows.chosen {
            paint_view::stripe(buffer, place, theme.selected());
        }
    }
}

fn line(theme: Theme, entry: &PaletteItem, place: Area, buffer: &mut Buffer) {
    let (x, width) = (place.x + 1, place.width.saturating_sub(2));
    paint_view::text(buffer, x, place.y, KIND, entry.choice.kind(), theme.quiet());
    let used = paint_view::runs_right(buffer, x, place.y, width, &[(&entry.beside, theme.own())]);
    let room = width.saturating_sub(KIND + used + 2);
    let style = if entry.off.is_some() { theme.quiet() } else { Style::new() };
    let name = match &entry.off {
        Some(reason) => format!("{} (off: {reason})", entry.name),
        None if entry.doc.is_empty() => entry.name.clone(),
        None => format!("{} · {}", entry.name, entry.doc),
    };
    paint_view::text(buffer, x + KIND + 1, place.y, room, &name, style);
}
