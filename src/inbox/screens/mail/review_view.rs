use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::spoken::SpokenPage;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::mail::review::MailReview;
use crate::screens::mail::review_layout;
use crate::screens::mail::review_layout::{REVIEW_TITLE, ReviewRowKind};
use crate::tabs_view;
use crate::theme_view::Theme;

impl OverlayView for MailReview {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        review_layout::describe_review(&inbox.desk, self.preview, &inbox.context).unwrap_or_default()
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let look = review_layout::lay_out_review(&inbox.desk, self.preview, &inbox.context)?;
        let area = centered(inbox, look.size.0, look.size.1);
        let (label, style) = tabs_view::environment_label(inbox.desk.tab(), theme);
        let title = [(REVIEW_TITLE, theme.strong()), (" ", theme.strong()), (label, style)];
        paint_view::popup(buffer, area, theme, (&title, &[]));
        let inner = Area { x: area.x + 2, width: area.width.saturating_sub(4), ..area.inner() };
        let style = |kind| match kind {
            ReviewRowKind::Plain => Style::new(),
            ReviewRowKind::Warning => theme.soon(),
            ReviewRowKind::Dim => theme.dim(),
            ReviewRowKind::Keys => theme.strong(),
        };
        let first = self.first.min(look.max_first_row());
        for (y, (kind, words)) in (inner.y..).zip(look.rows.iter().skip(first).take(look.visible_rows)) {
            paint_view::text(buffer, inner.x, y, inner.width, words, style(*kind));
        }
        let foot = (inner.y + inner.height).saturating_sub(u16::try_from(look.footer.len()).unwrap_or(0));
        let total = look.rows.len();
        if total > look.visible_rows {
            let seen = format!("j k scroll · {}-{} of {total}", first + 1, first + look.visible_rows);
            paint_view::text(buffer, inner.x, foot.saturating_sub(1), inner.width, &seen, theme.dim());
        }
        for (y, (kind, words)) in (foot..).zip(&look.footer) {
            paint_view::text(buffer, inner.x, y, inner.width, words, style(*kind));
        }
        None
    }
}
