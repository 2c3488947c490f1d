//! The form of a webhook, and the questions before one is registered or
//! removed.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::webhooks::form::WebhookForm;
use crate::tabs_view;
use crate::theme_view::Theme;
use model::text::SafeText;

/// Columns of an event's name.
const NAME: u16 = 27;

impl OverlayView for WebhookForm {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        let wanted = u16::try_from(form.events.len() + 6).unwrap_or(u16::MAX);
        let area = centered(inbox, columns.min(84), wanted.min(rows.saturating_sub(2)));
        let (label, style) = tabs_view::environment(inbox.desk.tab(), theme);
        let title = [("New webhook", theme.strong())];
        paint_view::popup(buffer, area, theme, (&title, &[(label, style)]));
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let at = |place: usize| if place == form.focus { theme.selected() } else { theme.quiet() };
        paint_view::text(buffer, x, inner.y, 9, "address", at(0));
        let (before, after) = (SafeText::line(form.url.before()), SafeText::line(form.url.after()));
        let cursor = if form.focus == 0 { "_" } else { "" };
        let runs =
            [(before.as_str(), Style::new()), (cursor, theme.strong()), (after.as_str(), Style::new())];
        paint_view::runs(buffer, x + 9, inner.y, width.saturating_sub(9), &runs);
        paint_view::text(buffer, x, inner.y + 1, width, "It is told when", theme.quiet());
        let mut y = inner.y + 2;
        for (place, (name, what, wanted)) in form.events.iter().enumerate() {
            let mark = if *wanted { "[x] " } else { "[ ] " };
            paint_view::text(buffer, x + 1, y, 4, mark, Style::new());
            paint_view::text(
                buffer,
                x + 5,
                y,
                NAME,
                name,
                if place + 1 == form.focus { theme.selected() } else { Style::new() },
            );
            paint_view::text(buffer, x + 5 + NAME, y, width.saturating_sub(6 + NAME), what, theme.quiet());
            y += 1;
        }
        let mark = if form.signs { "[x] " } else { "[ ] " };
        paint_view::text(buffer, x + 1, y, 4, mark, Style::new());
        let secret = "signed with a secret made here, shown once: on the next page";
        paint_view::text(buffer, x + 5, y, width.saturating_sub(6), secret, at(form.events.len() + 1));
        bottom(theme, form, area, buffer);
        None
    }
}

fn bottom(theme: Theme, form: &WebhookForm, area: Area, buffer: &mut Buffer) {
    let (words, style) = match form.wrong().filter(|_| form.tried) {
        Some(why) => (format!(" {why} · Esc back "), theme.needs_a_person()),
        None => (" Enter goes on · Tab next · Space chooses · Esc back ".to_owned(), theme.quiet()),
    };
    let y = area.y + area.height.saturating_sub(1);
    paint_view::text(buffer, area.x + 1, y, area.width.saturating_sub(2), &words, style);
}
