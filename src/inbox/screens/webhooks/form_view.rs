//! Draws the webhook form and its confirmations.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::overlays::view::{OverlayView, centered};
use crate::screens::webhooks::form::WebhookForm;
use crate::tabs_view;
use crate::theme_view::Theme;
use model::text::SafeText;

const EVENT_NAME_WIDTH: u16 = 27;

const TITLE: &str = "New webhook";
const EVENTS_TITLE: &str = "Events";
const SECRET_LABEL: &str = "signed with a secret made here, shown once: on the next page";

fn check_mark(is_set: bool) -> &'static str {
    if is_set { "[x] " } else { "[ ] " }
}

impl OverlayView for WebhookForm {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let (label, _) = tabs_view::environment_label(inbox.desk.tab(), Theme::PLAIN);
        let state = |is_set: bool| if is_set { "chosen" } else { "not chosen" };
        let address = SpokenRow::new([format!("address {}", SafeText::line(self.url.text()))]);
        let events =
            self.events.iter().map(|(name, what, wanted)| SpokenRow::new([state(*wanted), name, what]));
        let secret = SpokenRow::new([state(self.signs), SECRET_LABEL]);
        let rows = std::iter::once(address).chain(events).chain([secret]);
        let page = SpokenPage::new([TITLE, label]).text(EVENTS_TITLE).rows(rows, Some(self.focus));
        page.keys(&footer_text(Theme::PLAIN, self).0)
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        let wanted = u16::try_from(form.events.len() + 6).unwrap_or(u16::MAX);
        let area = centered(inbox, columns.min(84), wanted.min(rows.saturating_sub(2)));
        let (label, style) = tabs_view::environment_label(inbox.desk.tab(), theme);
        let title = [(TITLE, theme.strong())];
        paint_view::popup(buffer, area, theme, (&title, &[(label, style)]));
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let at = |place: usize| if place == form.focus { theme.selected() } else { theme.dim() };
        paint_view::text(buffer, x, inner.y, 9, "address", at(0));
        let (before, after) = (SafeText::line(form.url.before()), SafeText::line(form.url.after()));
        let cursor = if form.focus == 0 { "_" } else { "" };
        let runs =
            [(before.as_str(), Style::new()), (cursor, theme.strong()), (after.as_str(), Style::new())];
        paint_view::runs(buffer, x + 9, inner.y, width.saturating_sub(9), &runs);
        paint_view::text(buffer, x, inner.y + 1, width, EVENTS_TITLE, theme.dim());
        let mut y = inner.y + 2;
        for (place, (name, what, wanted)) in form.events.iter().enumerate() {
            paint_view::text(buffer, x + 1, y, 4, check_mark(*wanted), Style::new());
            paint_view::text(
                buffer,
                x + 5,
                y,
                EVENT_NAME_WIDTH,
                name,
                if place + 1 == form.focus { theme.selected() } else { Style::new() },
            );
            paint_view::text(
                buffer,
                x + 5 + EVENT_NAME_WIDTH,
                y,
                width.saturating_sub(6 + EVENT_NAME_WIDTH),
                what,
                theme.dim(),
            );
            y += 1;
        }
        paint_view::text(buffer, x + 1, y, 4, check_mark(form.signs), Style::new());
        let style = at(form.events.len() + 1);
        paint_view::text(buffer, x + 5, y, width.saturating_sub(6), SECRET_LABEL, style);
        paint_view::footer(buffer, area, &footer_text(theme, form));
        None
    }
}

/// The keys, or what is wrong.
fn footer_text(theme: Theme, form: &WebhookForm) -> (String, Style) {
    match form.first_error().filter(|_| form.shows_all_errors) {
        Some(why) => (format!("{why} · Esc back"), theme.soon()),
        None => ("Enter goes on · Tab next · Space chooses · Esc back".to_owned(), theme.dim()),
    }
}
