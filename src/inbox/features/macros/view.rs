//! The menu of macros: each letter with what it does.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::features::macros::recording::MacroMenu;
use crate::features::macros::steps;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::theme_view::Theme;

/// The whole popup.
fn area(inbox: &Inbox) -> Area {
    let rows = u16::try_from(inbox.features.macros.macros().len()).unwrap_or(u16::MAX).max(2);
    centered(inbox, 76, rows.saturating_add(2))
}

impl OverlayView for MacroMenu {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        Some(ShownRows::around(area(inbox).inner(), inbox.features.macros.macros().len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let records = self.records;
        let macros = inbox.features.macros.macros();
        let area = area(inbox);
        let title = if records { "Record a macro" } else { "Macros" };
        let hint = match (records, macros.is_empty()) {
            (true, _) => "a letter or digit · Esc back",
            (false, true) => "Esc back",
            (false, false) => "its letter plays · Del deletes · Esc back",
        };
        let titles = ([(title, theme.strong())], [(hint, theme.quiet())]);
        paint_view::popup(buffer, area, theme, (&titles.0, &titles.1));
        let inner = area.inner();
        if macros.is_empty() {
            let words = match records {
                true => {
                    "Press the letter it shall be played with. What you do next is recorded, until you end it."
                }
                false => {
                    "No macro was recorded yet. {record-macro} and a letter begins one, {record-macro} ends it."
                }
            };
            let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
            paint_view::paragraph(buffer, place, &inbox.context.keyed(words), theme.quiet());
            return None;
        }
        let rows = ShownRows::around(inner, macros.len(), self.chosen);
        for (index, place) in rows.places() {
            let (it, y) = (&macros[index], place.y);
            let words = steps::read(&it.steps)
                .map_or_else(|| "has steps unknown to this version".to_owned(), |steps| steps::words(&steps));
            paint_view::text(buffer, inner.x + 1, y, 2, &it.letter.to_string(), theme.strong());
            paint_view::text(buffer, inner.x + 4, y, inner.width.saturating_sub(5), &words, Style::new());
            if index == rows.chosen {
                paint_view::stripe(buffer, place, theme.selected());
            }
        }
        None
    }
}
