use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::loading_view;
use crate::components::paged_rows::{PageRow, PagedRows};
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::components::spoken::{SpokenPage, SpokenRow, count_rows, join_facts};
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

/// Text between two facts.
pub(crate) const SEPARATOR: &str = " · ";
const STATE_WIDTH: u16 = 10;

const NO_ROWS: &str = "Nothing is waiting to send. Messages stay here until the server accepts them; failed \
                       ones need a decision here.";
const NO_DRAFTS: &str = "No drafts. Unsent texts are kept here.";

/// Number of rows that need a decision; empty if none does.
fn decision_count(page: &PagedRows<OutboxEntry>) -> String {
    let asks = page.rows.iter().filter(|row| row.row.is_stopped()).count();
    match asks {
        0 => String::new(),
        1 => "1 needs you · ".to_owned(),
        asks => format!("{asks} need you · "),
    }
}

pub(crate) fn describe_outbox(inbox: &Inbox) -> SpokenPage {
    let page = &inbox.outbox.rows;
    describe_rows(inbox, "Outbox", (page, &decision_count(page), NO_ROWS), |entry| {
        let texts = outbox_texts(inbox, Theme::PLAIN, entry);
        let facts = [entry.title.as_str(), texts.label.0, texts.operation.as_str()];
        SpokenRow::new(facts).with_times(join_facts([texts.state.0, texts.age]).replace(SEPARATOR, ", "))
    })
}

pub(crate) fn describe_drafts(inbox: &Inbox) -> SpokenPage {
    let page = &inbox.outbox.drafts;
    describe_rows(inbox, "Drafts", (page, "", NO_DRAFTS), |entry| {
        let tab = tab_name(inbox, page.all_tabs, &entry.channel);
        let (words, _) = draft_text(inbox, Theme::PLAIN, entry);
        let facts = [entry.title.as_str(), tab.trim_end_matches(SEPARATOR), words.as_str()];
        SpokenRow::new(facts).with_times(draft_wait(inbox, entry).unwrap_or_default())
    })
}

/// Returns the text of a page of rows for plain mode.
pub(crate) fn describe_rows<T: PageRow>(
    inbox: &Inbox,
    name: &str,
    (page, asks, empty): (&PagedRows<T>, &str, &str),
    row: impl Fn(&T) -> SpokenRow,
) -> SpokenPage {
    let (title, count) = frame_titles(inbox, name, page);
    let count = count_rows(&count);
    let text = SpokenPage::new([title.as_str(), asks.trim_end_matches(SEPARATOR), count.as_str()]);
    let is_pending = page.rows.is_empty() && page.resource.is_loading();
    let empty = match is_pending {
        true => Some(loading_view::empty_pane_text(inbox, Pane::Page)),
        false => empty_text(inbox, page, empty),
    };
    text.text(empty.unwrap_or_default()).rows(page.rows.iter().map(row), page.index()).pending(is_pending)
}

pub fn draw_outbox(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let page = &inbox.outbox.rows;
    draw_frame(inbox, theme, area, "Outbox", (page, &decision_count(page), NO_ROWS), buffer);
    for_each_visible(page, area, OUTBOX_LINES, |entry, place, chosen| {
        draw_outbox_row(inbox, theme, entry, place, buffer);
        draw_selection(theme, place, chosen, buffer);
    });
}

pub fn draw_drafts(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let page = &inbox.outbox.drafts;
    draw_frame(inbox, theme, area, "Drafts", (page, "", NO_DRAFTS), buffer);
    for_each_visible(page, area, DRAFT_LINES, |entry, place, chosen| {
        draw_draft_row(inbox, theme, entry, place, buffer);
        draw_selection(theme, place, chosen, buffer);
    });
}

/// Title of a page, and its number of rows.
fn frame_titles<T: PageRow>(inbox: &Inbox, name: &str, page: &PagedRows<T>) -> (String, String) {
    let scope = if page.all_tabs { "all channels" } else { inbox.desk.tab().channel.name.as_str() };
    let count = format!("{}{}", page.rows.len(), if page.has_more { "+" } else { "" });
    (format!("{name} · {scope}"), count)
}

/// Text of a page without rows.
fn empty_text<T: PageRow>(inbox: &Inbox, page: &PagedRows<T>, empty: &str) -> Option<String> {
    match (page.loaded, page.rows.is_empty()) {
        (false, _) => Some(loading_view::empty_pane_text(inbox, Pane::Page)),
        (true, true) => Some(empty.to_owned()),
        (true, false) => None,
    }
}

pub(crate) fn draw_frame<T: PageRow>(
    inbox: &Inbox,
    theme: Theme,
    area: Area,
    name: &str,
    (page, asks, empty): (&PagedRows<T>, &str, &str),
    buffer: &mut Buffer,
) {
    let (title, count) = frame_titles(inbox, name, page);
    let right = [(asks, theme.urgent()), (count.as_str(), Style::new())];
    let focused = inbox.context.overlays.is_empty();
    paint_view::frame(buffer, area, theme, focused, Sides::All, (&[(&title, theme.strong())], &right));
    let inner = area.inner();
    let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    if let Some(words) = empty_text(inbox, page, empty) {
        paint_view::paragraph(buffer, place, &words, theme.dim());
    }
}

/// Calls `draw` for each visible row with its area, and true for the selected one.
pub(crate) fn for_each_visible<T: PageRow>(
    page: &PagedRows<T>,
    area: Area,
    lines: usize,
    mut draw: impl FnMut(&T, Area, bool),
) {
    let inner = area.inner();
    let height = u16::try_from(lines).unwrap_or(1);
    let shown = usize::from(inner.height / height).max(1);
    let chosen = page.index();
    for (index, row) in page.rows.iter().enumerate().skip(page.first_visible).take(shown) {
        let y = inner.y + u16::try_from(index - page.first_visible).unwrap_or(0) * height;
        let height = height.min((inner.y + inner.height).saturating_sub(y));
        draw(row, Area { y, height, ..inner }, chosen == Some(index));
    }
}

pub(crate) fn draw_selection(theme: Theme, area: Area, chosen: bool, buffer: &mut Buffer) {
    if chosen {
        paint_view::stripe(buffer, Area { height: 1.min(area.height), ..area }, theme.selected());
        for y in area.y..area.y + area.height {
            paint_view::text(buffer, area.x, y, 1, theme.selection_mark(), theme.strong());
        }
    }
}

struct OutboxTexts {
    label: (&'static str, Style),
    /// Tab, attempts and age.
    age: String,
    state: (String, Style),
    operation: SafeText,
}

fn outbox_texts(inbox: &Inbox, theme: Theme, entry: &OutboxEntry) -> OutboxTexts {
    let row = &entry.row;
    let tab = tab_name(inbox, inbox.outbox.rows.all_tabs, &row.channel);
    let tries = match row.attempts {
        0 => String::new(),
        1 => "tried once · ".to_owned(),
        times => format!("tried {times} times · "),
    };
    let others = inbox.outbox.rows.rows.iter().map(|row| &row.row);
    let (mut state, style) =
        row_state_view::state_line(inbox, row, others, theme, "{row-now} sends now · {row-back} undo");
    if let (RowState::Stopped(stop, _), Some(last)) = (&row.state, entry.newer_messages.last()) {
        let said = SafeText::line(last.content.as_str());
        state = format!("{} · {}: {said}", stop.label(), quoted_messages::sender_name(last).0);
    }
    OutboxTexts {
        label: row_state_view::state_label(row, inbox.context.now, theme),
        age: format!("{tab}{tries}{}", format_short_span(inbox.context.now.since(row.created_at))),
        state: (state, style),
        operation: SafeText::line(row.operation.summary().as_str()),
    }
}

fn draw_outbox_row(inbox: &Inbox, theme: Theme, entry: &OutboxEntry, area: Area, buffer: &mut Buffer) {
    let OutboxTexts { label: (word, style), age, state, operation } = outbox_texts(inbox, theme, entry);
    paint_view::text(buffer, area.x + 1, area.y, STATE_WIDTH, word, style);
    let indent = area.x + 1 + STATE_WIDTH;
    let width = area.width.saturating_sub(STATE_WIDTH + 2);
    let used = paint_view::runs_right(buffer, indent, area.y, width, &[(&age, theme.dim())]);
    let room = width.saturating_sub(used + 1);
    paint_view::text(buffer, indent, area.y, room, entry.title.as_str(), theme.strong());
    if area.height < 3 {
        return;
    }
    paint_view::text(buffer, indent, area.y + 1, width, &state.0, state.1);
    paint_view::text(buffer, indent, area.y + 2, width, operation.as_str(), Style::new());
}

fn draw_draft_row(inbox: &Inbox, theme: Theme, entry: &DraftEntry, area: Area, buffer: &mut Buffer) {
    let width = area.width.saturating_sub(3);
    let tab = tab_name(inbox, inbox.outbox.drafts.all_tabs, &entry.channel);
    let waits = draft_wait(inbox, entry);
    let right = [(tab.as_str(), theme.dim()), (waits.as_deref().unwrap_or_default(), theme.soon())];
    let used = paint_view::runs_right(buffer, area.x + 2, area.y, width, &right);
    let room = width.saturating_sub(used + 1);
    paint_view::text(buffer, area.x + 2, area.y, room, entry.title.as_str(), theme.strong());
    if area.height > 1 {
        let (words, style) = draft_text(inbox, theme, entry);
        paint_view::text(buffer, area.x + 3, area.y + 1, width.saturating_sub(1), &words, style);
    }
}

fn draft_wait(inbox: &Inbox, entry: &DraftEntry) -> Option<String> {
    let since = entry.waiting_since?;
    Some(format!("waiting {}", format_short_span(inbox.context.now.since(since))))
}

fn draft_text(inbox: &Inbox, theme: Theme, entry: &DraftEntry) -> (String, Style) {
    let text = SafeText::line(&draft_preview(inbox, entry));
    match entry.is_note {
        true => (format!("NOTE # {text}"), theme.private_note()),
        false => (text.to_string(), Style::new()),
    }
}

/// Start of a draft; for a mail its subject, or its recipients if nothing else is written.
fn draft_preview(inbox: &Inbox, entry: &DraftEntry) -> String {
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
    tab.map_or_else(String::new, |tab| format!("{}{SEPARATOR}", tab.channel.name))
}
