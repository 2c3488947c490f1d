//! The quick list of reactions.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::history::reactions::ReactionPicker;
use crate::theme_view::Theme;

impl OverlayView for ReactionPicker {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let offered = inbox.desk.quick_reactions(&self.channel);
        let area = centered(inbox, 56, 4);
        let title = [("React · free", theme.strong())];
        paint_view::popup(buffer, area, theme, (&title, &[]));
        let inner = area.inner();
        let mut x = inner.x + 1;
        for (index, emoji) in offered.iter().enumerate() {
            let words = format!("{} {emoji} ", index + 1);
            let style = if index == self.chosen { theme.selected() } else { Style::new() };
            x += paint_view::text(
                buffer,
                x,
                inner.y,
                (inner.x + inner.width).saturating_sub(x),
                &words,
                style,
            ) + 1;
        }
        let hint = "1-8 or Enter chooses · arrows move · Esc back";
        paint_view::text(
            buffer,
            inner.x + 1,
            inner.y + 1,
            inner.width.saturating_sub(2),
            hint,
            theme.quiet(),
        );
        None
    }
}
