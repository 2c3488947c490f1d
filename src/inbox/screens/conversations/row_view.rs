//! A row of the conversation list: who, what is wanted, how long.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::screens::conversations::draft_only::view as draft_view;
use crate::screens::history::view::paused_by;
use crate::screens::mail;
use crate::theme_view::Theme;
use crate::wrap;
use model::conversations::{Automation, ConversationRow, ConversationStatus, ServiceWindow};
use model::service_window::window_label;
use model::targets::TargetState;
use model::time::{Timestamp, format_short_span};

/// Columns of a tab's name before a row of the list over all tabs.
const TAB_NAME: usize = 12;

/// Draws one row, of a chat or of a thread.
pub(crate) fn draw(inbox: &Inbox, theme: Theme, row: &ConversationRow, area: Area, buffer: &mut Buffer) {
    if let Some(thread) = &row.thread {
        return mail::view::row(inbox, theme, row, thread, area, buffer);
    }
    let conversation = &row.conversation;
    let unread = is_unread(row);
    let RowStart { left, width, aged } = start(inbox, theme, row, area, buffer);
    let title_style = if unread { theme.strong() } else { Style::new() };
    let title = conversation.title();
    let count = if unread { format!(" ({})", row.unread) } else { String::new() };
    let room = width.saturating_sub(aged + 1);
    let title_room = room.saturating_sub(u16::try_from(count.len()).unwrap_or(0));
    let mut used = paint_view::text(buffer, left, area.y, title_room, title.as_str(), title_style);
    used += paint_view::text(buffer, left + used, area.y, room - used, &count, theme.strong());
    paint_view::text(buffer, left + used, area.y, room - used, &labels(row), theme.quiet());
    if area.height < 2 {
        return;
    }
    let (ai, ai_style) = ai(inbox, theme, row, area.width);
    let window = window(inbox, row);
    let window = if window.is_empty() { window } else { format!(" {window:>6}") };
    let state = paint_view::runs_right(
        buffer,
        left,
        area.y + 1,
        width,
        &[(&ai, ai_style), (&window, window_style(theme, row, &window))],
    );
    let trouble = row.describe_trouble(inbox.context.now);
    let troubled = trouble.is_some();
    let preview = trouble.unwrap_or_else(|| preview(row));
    let room = width.saturating_sub(state + 2);
    let style = match (troubled, unread) {
        // Its age says in colour that it needs a person.
        (true, _) | (_, true) => Style::new(),
        (false, false) => theme.quiet(),
    };
    let tag = tab_name(inbox, row);
    paint_view::runs(buffer, left + 1, area.y + 1, room, &[(&tag, theme.strong()), (&preview, style)]);
}

/// What the beginning of a row leaves: where its words start, the cells from there,
/// and those of them that its age takes at the end of the first line.
pub(crate) struct RowStart {
    pub(crate) left: u16,
    pub(crate) width: u16,
    pub(crate) aged: u16,
}

/// Draws what every row begins with, of a chat or of a thread: whether it is unread,
/// whether it is marked, and its age.
pub(crate) fn start(
    inbox: &Inbox,
    theme: Theme,
    row: &ConversationRow,
    area: Area,
    buffer: &mut Buffer,
) -> RowStart {
    let first = if is_unread(row) { theme.unread() } else { " " };
    for (y, mark) in (area.y..area.y + area.height).zip([first, " "]) {
        paint_view::text(buffer, area.x, y, 1, mark, theme.strong());
    }
    let (mut left, mut width) = (area.x + 1, area.width.saturating_sub(2));
    if !inbox.desk.list().marks.is_empty() {
        // A column of its own, while anything is marked.
        let marked = inbox.desk.list().marks.contains(&row.key());
        paint_view::text(buffer, left, area.y, 1, if marked { theme.chosen() } else { " " }, theme.strong());
        (left, width) = (left + 2, width.saturating_sub(2));
    }
    let [(why, why_style), (span, span_style)] = age(inbox, theme, row);
    let aged = paint_view::runs_right(buffer, left, area.y, width, &[(&why, why_style), (&span, span_style)]);
    RowStart { left, width, aged }
}

/// Whether there is something in it that nobody here has seen.
pub(crate) fn is_unread(row: &ConversationRow) -> bool {
    row.thread.as_ref().map_or(row.unread > 0, |thread| thread.is_read == Some(false))
}

/// Draws the mark of the selected row, below that of an unread one.
pub(crate) fn mark_selected(theme: Theme, row: &ConversationRow, area: Area, buffer: &mut Buffer) {
    let first = u16::from(is_unread(row) && area.height > 1);
    for y in area.y + first..area.y + area.height {
        paint_view::text(buffer, area.x, y, 1, theme.mark(), theme.strong());
    }
}

/// In the list over all tabs, the name of the row's tab.
pub(crate) fn tab_name(inbox: &Inbox, row: &ConversationRow) -> String {
    let tab = inbox.desk.tabs.iter().find(|tab| inbox.desk.everywhere && tab.channel.id == row.channel);
    tab.map_or_else(String::new, |tab| format!("{} · ", wrap::cut(&tab.channel.name, TAB_NAME)))
}

/// Claim, tags and, for a thread, the state of its draft.
pub(crate) fn labels(row: &ConversationRow) -> String {
    let claim = row.local.claim.iter().map(|assignment| format!(" @{}", assignment.agent));
    // A thread has no line for the AI's state.
    let drafts =
        row.thread.iter().filter_map(|_| draft_view::draft_only_label(row)).map(|text| format!(" {text}"));
    let tags = row.local.tags.iter().map(|tag| format!(" #{}", tag.word));
    claim.chain(tags).chain(drafts).collect()
}

/// Why the row needs a person, and for how long; else how old the newest
/// message is. Only the word has a colour.
fn age(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> [(String, Style); 2] {
    let now = inbox.context.now;
    let since = |word: &str, style, at: Option<Timestamp>| {
        let span = at.map_or_else(String::new, |time| format!(" {}", format_short_span(now.since(time))));
        [(word.to_owned(), style), (span, Style::new())]
    };
    let plain = |words: String| [(words, theme.quiet()), (String::new(), Style::new())];
    if row.local.is_asleep()
        && let Some(snooze) = &row.local.snooze
        && row.stopped_rows == 0
    {
        return plain(snooze.describe(now, &inbox.context.settings.zone));
    }
    if row.stopped_rows > 0 {
        return since("needs you", theme.error(), None);
    }
    if let Some(silent) = row.unanswered_since(now) {
        return since("AI silent", theme.error(), Some(silent));
    }
    let open = row.conversation.status != ConversationStatus::Closed;
    if row.is_failing() {
        return since("AI failing", theme.error(), row.waiting_since.or(row.conversation.last_message_at));
    }
    let left = |word: String, style| [(word, style), (String::new(), Style::new())];
    match row.target_state(now, inbox.context.settings.targets_of(&row.channel)) {
        Some(TargetState::OnTime(span)) => {
            return left(format!("{} left", format_short_span(span)), theme.needs_a_person());
        }
        Some(TargetState::Near(span)) => {
            return left(format!("{} left!", format_short_span(span)), theme.error());
        }
        Some(TargetState::Missed(span)) => {
            return left(format!("late {}", format_short_span(span)), theme.error());
        }
        None => (),
    }
    match (row.waiting_since.filter(|_| open), row.conversation.last_message_at) {
        (Some(at), _) => since("waits", theme.needs_a_person(), Some(at)),
        (None, Some(at)) => plain(format_short_span(now.since(at))),
        (None, None) => plain(String::new()),
    }
}

/// The AI's state, and what is on its way.
fn ai(inbox: &Inbox, theme: Theme, row: &ConversationRow, width: u16) -> (String, Style) {
    if row.close_pending {
        return ("closing".to_owned(), theme.under_way());
    }
    if row.conversation.status == ConversationStatus::Closed {
        return ("closed".to_owned(), theme.quiet());
    }
    match (row.automation_pending, row.conversation.automation) {
        (Some(false), _) => ("AI pausing".to_owned(), theme.under_way()),
        (Some(true), _) => ("AI waking".to_owned(), theme.under_way()),
        (None, Automation::Off | Automation::NotApplicable) if row.local.draft_only.is_some() => {
            draft_view::state(theme, row)
        }
        (None, state @ Automation::On) => (state.label().to_owned(), theme.ai_on()),
        (None, Automation::Off) => {
            let by = paused_by(inbox, row);
            // A narrow list keeps the room for what was said.
            let words = match (width < 60, row.paused_here) {
                (false, _) => format!("AI OFF by {by}"),
                (true, true) => format!("OFF {by}"),
                (true, false) => "OFF elsewhere".to_owned(),
            };
            (words, theme.ai_off(row.paused_here))
        }
        (None, state @ Automation::Unknown) => (state.label().to_owned(), theme.quiet()),
        (None, Automation::NotApplicable) => (String::new(), theme.quiet()),
    }
}

fn window(inbox: &Inbox, row: &ConversationRow) -> String {
    window_label(row.conversation.window, row.last_inbound_at, inbox.context.now)
}

fn window_style(theme: Theme, row: &ConversationRow, label: &str) -> Style {
    let near = label.contains('~') || label.contains('<');
    match row.conversation.window {
        ServiceWindow::Closed => Style::new(),
        _ if near => theme.needs_a_person(),
        _ => theme.quiet(),
    }
}

/// The newest message, or how the draft begins that waits.
fn preview(row: &ConversationRow) -> String {
    let preview = row.conversation.preview.as_str();
    let words = if preview.is_empty() { "[no text]" } else { preview };
    let words = row.draft.as_ref().map_or_else(|| words.to_owned(), |draft| format!("[draft] {draft}"));
    let back = row.local.snooze.as_ref().is_some_and(|snooze| !snooze.is_asleep());
    let words = if back { format!("[back] {words}") } else { words };
    wrap::cut(&words, 200)
}
