//! The last look before a mail leaves, and the questions about it.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::mail::last_look::ReviewRowKind;
use crate::screens::mail::review::MailReview;
use crate::tabs_view;
use crate::theme_view::Theme;

impl OverlayView for MailReview {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let look = inbox.desk.last_look(self.preview, &inbox.context)?;
        let area = centered(inbox, look.size.0, look.size.1);
        let (label, style) = tabs_view::environment(inbox.desk.tab(), theme);
        let title = [("Send this mail? ", theme.strong()), (label, style)];
        paint_view::popup(buffer, area, theme, (&title, &[]));
        let inner = Area { x: area.x + 2, width: area.width.saturating_sub(4), ..area.inner() };
        let style = |kind| match kind {
            ReviewRowKind::Plain => Style::new(),
            ReviewRowKind::Doubt => theme.needs_a_person(),
            ReviewRowKind::Dim => theme.quiet(),
            ReviewRowKind::Keys => theme.strong(),
        };
        let first = self.first.min(look.last_first());
        for (y, (kind, words)) in (inner.y..).zip(look.rows.iter().skip(first).take(look.shown)) {
            paint_view::text(buffer, inner.x, y, inner.width, words, style(*kind));
        }
        let foot = (inner.y + inner.height).saturating_sub(u16::try_from(look.foot.len()).unwrap_or(0));
        let total = look.rows.len();
        if total > look.shown {
            let seen = format!("j k scroll · {}-{} of {total}", first + 1, first + look.shown);
            paint_view::text(buffer, inner.x, foot.saturating_sub(1), inner.width, &seen, theme.quiet());
        }
        for (y, (kind, words)) in (foot..).zip(&look.foot) {
            paint_view::text(buffer, inner.x, y, inner.width, words, style(*kind));
        }
        None
    }
}
