//! The pages of rows: the outbox and the drafts.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::loading_view;
use crate::components::paged_rows::{PageRow, PagedRows};
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::layout::Area;
use crate::loads::Pane;
use crate::overlays::quoted_messages;
use crate::pages::{DRAFT_LINES, OUTBOX_LINES};
use crate::screens::outbox::row_state_view;
use crate::theme_view::Theme;
use model::email::compose::ComposedMail;
use model::ids::ChannelId;
use model::outbox::RowState;
use model::queries::{DraftEntry, OutboxEntry};
use model::text::SafeText;
use model::time::format_short_span;

/// Columns of the state's word.
const WORD: u16 = 10;

/// Draws the outbox.
pub fn outbox(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let page = &inbox.outbox.rows;
    let asks = page.rows.iter().filter(|row| row.row.is_stopped()).count();
    let asks = match asks {
        0 => String::new(),
        1 => "1 needs you · ".to_owned(),
        asks => format!("{asks} need you · "),
    };
    let empty = "Nothing waits to leave. What you send stands here until the server has taken it, and asks here \
                 if it could not be sent.";
    frame(inbox, theme, area, "Outbox", (page, &asks, empty), buffer);
    each(page, area, OUTBOX_LINES, |entry, place, chosen| {
        outbox_row(inbox, theme, entry, place, buffer);
        choose(theme, place, chosen, buffer);
    });
}

/// Draws the drafts.
pub fn drafts(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let page = &inbox.outbox.drafts;
    let empty = "No drafts. A text you begin stands here until it is sent, however you leave it.";
    frame(inbox, theme, area, "Drafts", (page, "", empty), buffer);
    each(page, area, DRAFT_LINES, |entry, place, chosen| {
        draft_row(inbox, theme, entry, place, buffer);
        choose(theme, place, chosen, buffer);
    });
}

pub(crate) fn frame<T: PageRow>(
    inbox: &Inbox,
    theme: Theme,
    area: Area,
    name: &str,
    (page, asks, empty): (&PagedRows<T>, &str, &str),
    buffer: &mut Buffer,
) {
    let scope = if page.all_tabs { "all tabs" } else { inbox.desk.tab().channel.name.as_str() };
    let title = format!("{name} · {scope}");
    let count = format!("{}{}", page.rows.len(), if page.more { "+" } else { "" });
    let right = [(asks, theme.error()), (count.as_str(), Style::new())];
    let focused = inbox.context.layers.is_empty();
    paint_view::frame(buffer, area, theme, focused, Sides::All, (&[(&title, theme.strong())], &right));
    let inner = area.inner();
    let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    if !page.loaded {
        paint_view::text(
            buffer,
            place.x,
            place.y,
            place.width,
            &loading_view::empty_pane_text(inbox, Pane::Page),
            theme.quiet(),
        );
    } else if page.rows.is_empty() {
        paint_view::paragraph(buffer, place, empty, theme.quiet());
    }
}

/// Gives each row on screen its place, and whether it is the chosen one.
pub(crate) fn each<T: PageRow>(
    page: &PagedRows<T>,
    area: Area,
    lines: usize,
    mut draw: impl FnMut(&T, Area, bool),
) {
    let inner = area.inner();
    let height = u16::try_from(lines).unwrap_or(1);
    let shown = usize::from(inner.height / height).max(1);
    let chosen = page.index();
    for (index, row) in page.rows.iter().enumerate().skip(page.first).take(shown) {
        let y = inner.y + u16::try_from(index - page.first).unwrap_or(0) * height;
        let height = height.min((inner.y + inner.height).saturating_sub(y));
        draw(row, Area { y, height, ..inner }, chosen == Some(index));
    }
}

pub(crate) fn choose(theme: Theme, area: Area, chosen: bool, buffer: &mut Buffer) {
    if chosen {
        paint_view::stripe(buffer, Area { height: 1.min(area.height), ..area }, theme.selected());
        for y in area.y..area.y + area.height {
            paint_view::text(buffer, area.x, y, 1, theme.mark(), theme.strong());
        }
    }
}

/// State, recipient, age; what happens next and why; what it is.
fn outbox_row(inbox: &Inbox, theme: Theme, entry: &OutboxEntry, area: Area, buffer: &mut Buffer) {
    let row = &entry.row;
    let (word, style) = row_state_view::word(row, inbox.context.now, theme);
    paint_view::text(buffer, area.x + 1, area.y, WORD, word, style);
    let indent = area.x + 1 + WORD;
    let width = area.width.saturating_sub(WORD + 2);
    let tab = tab_name(inbox, inbox.outbox.rows.all_tabs, &row.channel);
    let tries = match row.attempts {
        0 => String::new(),
        1 => "tried once · ".to_owned(),
        times => format!("tried {times} times · "),
    };
    let age = format!("{tab}{tries}{}", format_short_span(inbox.context.now.since(row.created_at)));
    let used = paint_view::runs_right(buffer, indent, area.y, width, &[(&age, theme.quiet())]);
    let room = width.saturating_sub(used + 1);
    paint_view::text(buffer, indent, area.y, room, entry.title.as_str(), theme.strong());
    if area.height < 3 {
        return;
    }
    let others = inbox.outbox.rows.rows.iter().map(|row| &row.row);
    let (mut state, style) =
        row_state_view::line(inbox, row, others, theme, "{row-now} sends now · {row-back} takes it back");
    if let (RowState::Stopped(stop, _), Some(last)) = (&row.state, entry.newer_messages.last()) {
        let said = SafeText::line(last.content.as_str());
        state = format!("{} · {}: {said}", stop.label(), quoted_messages::speaker(last).0);
    }
    paint_view::text(buffer, indent, area.y + 1, width, &state, style);
    let what = row.operation.summary();
    let what = SafeText::line(what.as_str());
    paint_view::text(buffer, indent, area.y + 2, width, what.as_str(), Style::new());
}

/// Its recipient, since when they wait; how it begins.
fn draft_row(inbox: &Inbox, theme: Theme, entry: &DraftEntry, area: Area, buffer: &mut Buffer) {
    let width = area.width.saturating_sub(3);
    let tab = tab_name(inbox, inbox.outbox.drafts.all_tabs, &entry.channel);
    let waits = entry
        .waiting_since
        .map(|waiting_since| format!("waits {}", format_short_span(inbox.context.now.since(waiting_since))));
    let right =
        [(tab.as_str(), theme.quiet()), (waits.as_deref().unwrap_or_default(), theme.needs_a_person())];
    let used = paint_view::runs_right(buffer, area.x + 2, area.y, width, &right);
    let room = width.saturating_sub(used + 1);
    paint_view::text(buffer, area.x + 2, area.y, room, entry.title.as_str(), theme.strong());
    if area.height > 1 {
        let text = SafeText::line(&draft_words(inbox, entry));
        let (words, style) = if entry.is_note {
            (format!("NOTE # {text}"), theme.private_note())
        } else {
            (text.to_string(), Style::new())
        };
        paint_view::text(buffer, area.x + 3, area.y + 1, width.saturating_sub(1), &words, style);
    }
}

/// How a draft begins: a mail's head is shown by its subject, or by whom it
/// is for where nothing else was written.
fn draft_words(inbox: &Inbox, entry: &DraftEntry) -> String {
    let is_mail = inbox.desk.tabs.iter().any(|tab| tab.channel.id == entry.channel && tab.is_mail());
    match ComposedMail::from_draft_text(entry.text.as_str()).filter(|_| is_mail) {
        Some(mail) if mail.subject.is_empty() && mail.body.trim().is_empty() => format!("to {}", mail.to),
        Some(mail) if mail.subject.is_empty() => mail.body,
        Some(mail) => format!("{} · {}", mail.subject, mail.body),
        None => entry.text.to_string(),
    }
}

pub(crate) fn tab_name(inbox: &Inbox, wanted: bool, channel: &ChannelId) -> String {
    let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == *channel).filter(|_| wanted);
    tab.map_or_else(String::new, |tab| format!("{} · ", tab.channel.name))
}
