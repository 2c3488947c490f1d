//! The menu of macros: each letter with what it does.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::features::macros::recording::MacroMenu;
use crate::features::macros::steps;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::theme_view::Theme;

impl OverlayView for MacroMenu {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let (chosen, records) = (self.chosen, self.records);
        let macros = inbox.features.macros.macros();
        let rows = u16::try_from(macros.len()).unwrap_or(u16::MAX).max(2);
        let area = centered(inbox, 76, rows.saturating_add(2));
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
        let height = usize::from(inner.height).max(1);
        let first = (chosen + 1).saturating_sub(height);
        for (row, (index, it)) in macros.iter().enumerate().skip(first).take(height).enumerate() {
            let y = inner.y + u16::try_from(row).unwrap_or(0);
            let words = steps::read(&it.steps)
                .map_or_else(|| "has steps unknown to this version".to_owned(), |steps| steps::words(&steps));
            paint_view::text(buffer, inner.x + 1, y, 2, &it.letter.to_string(), theme.strong());
            paint_view::text(buffer, inner.x + 4, y, inner.width.saturating_sub(5), &words, Style::new());
            if index == chosen {
                paint_view::stripe(buffer, Area { y, height: 1, ..inner }, theme.selected());
            }
        }
        None
    }
}
