//! Rows of the conversation list: name and time, below one line with the mark of the row or its
//! newest message, and at its end who else is there. `model/queue.rs` defines the marks.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::features::team;
use crate::layout::Area;
use crate::screens::mail;
use crate::theme_view::Theme;
use crate::wrap;
use model::conversations::ConversationRow;
use model::queue::{self, Facts, Mark, Section};
use model::targets::TargetState;
use model::text::SafeText;
use model::time::{Timestamp, format_short_span};

/// Maximum width of the tab's name in the list over all tabs, in columns.
const MAX_TAB_NAME_WIDTH: usize = 12;
/// Maximum width of the name of a colleague who is in a conversation, in columns.
const MAX_COLLEAGUE_WIDTH: usize = 12;

pub(crate) fn draw(inbox: &Inbox, theme: Theme, row: &ConversationRow, area: Area, buffer: &mut Buffer) {
    if let Some(thread) = &row.thread {
        return mail::view::draw_row(inbox, theme, row, thread, area, buffer);
    }
    let RowStart { left, width, age_width } = draw_row_start(inbox, theme, row, area, buffer);
    let style = if is_unread(row) { theme.strong() } else { Style::new() };
    let title = row.conversation.title();
    let labels = labels(row);
    let runs = [(title.as_str(), style), (labels.as_str(), theme.dim())];
    paint_view::runs(buffer, left, area.y, width.saturating_sub(age_width + 1), &runs);
    if area.height < 2 {
        return;
    }
    let sign = colleague_sign(inbox, row, width);
    let sign_width = paint_view::runs_right(buffer, left, area.y + 1, width, &[(&sign, theme.dim())]);
    let width = if sign_width > 0 { width.saturating_sub(sign_width + 1) } else { width };
    let tag = tab_name(inbox, row);
    let line = mark_runs(inbox, theme, row).unwrap_or_else(|| vec![preview(theme, row)]);
    let line = line.iter().map(|(words, style)| (words.as_str(), *style));
    let runs: Vec<paint_view::Run<'_>> = [(tag.as_str(), theme.dim())].into_iter().chain(line).collect();
    paint_view::runs(buffer, left, area.y + 1, width, &runs);
}

/// Returns the colleague in a conversation, for the end of a row of `width` columns: `Ana`, `Ana types`; empty
/// without one. A name that is the mark of the row is not repeated.
pub(crate) fn colleague_sign(inbox: &Inbox, row: &ConversationRow, width: u16) -> String {
    let Some((presence, others)) = team::busiest_colleague(&inbox.desk, &row.conversation.id) else {
        return String::new();
    };
    let settings = &inbox.context.settings;
    let facts = Facts::of_row(row, &settings.agent, settings.pause_lease);
    let is_named = match queue::mark_of(&facts, inbox.context.now) {
        Some(Mark::Colleague(name) | Mark::ColleagueLate(name)) => name == presence.person,
        _ => false,
    };
    let name_width = MAX_COLLEAGUE_WIDTH.min(usize::from(width) / 4);
    let name = if is_named { String::new() } else { wrap::cut(presence.person.as_str(), name_width) };
    team::join_words([&name, presence.activity_word(), &others])
}

/// Returns what takes the place of a row's newest message: a change in progress, or the mark in
/// words.
pub(crate) fn mark_runs(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> Option<Vec<(String, Style)>> {
    let pending = match row.automation_pending {
        _ if row.close_pending => Some("closing"),
        Some(false) => Some("AI pausing"),
        Some(true) => Some("AI resuming"),
        None => None,
    };
    if let Some(words) = pending {
        return Some(vec![(words.to_owned(), theme.dim())]);
    }
    let settings = &inbox.context.settings;
    let facts = Facts::of_row(row, &settings.agent, settings.pause_lease);
    let mark = queue::mark_of(&facts, inbox.context.now)?;
    let style = match mark {
        Mark::ReplyWindow(_) => theme.soon(),
        Mark::Colleague(_) | Mark::Draft | Mark::DraftReady | Mark::OutdatedProposal => theme.dim(),
        _ if row.place.is_some_and(|place| place.is_urgent()) => theme.urgent(),
        _ => Style::new(),
    };
    let text = row.draft.as_ref().filter(|_| mark == Mark::Draft).map(|draft| format!(": {draft}"));
    Some(vec![(mark.label(), style), (text.unwrap_or_default(), theme.dim())])
}

/// Room left by the start of a row; `age_width` is the part used by the time in the first line.
pub(crate) struct RowStart {
    pub(crate) left: u16,
    pub(crate) width: u16,
    pub(crate) age_width: u16,
}

/// Draws the start of every row: unread mark, mark of a bulk action and time.
pub(crate) fn draw_row_start(
    inbox: &Inbox,
    theme: Theme,
    row: &ConversationRow,
    area: Area,
    buffer: &mut Buffer,
) -> RowStart {
    let first = if is_unread(row) { theme.unread_mark() } else { " " };
    for (y, mark) in (area.y..area.y + area.height).zip([first, " "]) {
        paint_view::text(buffer, area.x, y, 1, mark, theme.strong());
    }
    let (mut left, mut width) = (area.x + 1, area.width.saturating_sub(2));
    if !inbox.desk.list().marks.is_empty() {
        // Marks have a column while anything is marked.
        let marked = inbox.desk.list().marks.contains(&row.key());
        paint_view::text(
            buffer,
            left,
            area.y,
            1,
            if marked { theme.chosen_mark() } else { " " },
            theme.strong(),
        );
        (left, width) = (left + 2, width.saturating_sub(2));
    }
    let (time, style) = time_run(inbox, theme, row);
    let age_width = paint_view::runs_right(buffer, left, area.y, width, &[(&time, style)]);
    RowStart { left, width, age_width }
}

/// True if it has messages nobody has read.
pub(crate) fn is_unread(row: &ConversationRow) -> bool {
    row.thread.as_ref().map_or(row.unread > 0, |thread| thread.is_read == Some(false))
}

/// Draws the cursor of the selected row, below the unread mark.
pub(crate) fn mark_selected(theme: Theme, row: &ConversationRow, area: Area, buffer: &mut Buffer) {
    let first = u16::from(is_unread(row) && area.height > 1);
    for y in area.y + first..area.y + area.height {
        paint_view::text(buffer, area.x, y, 1, theme.selection_mark(), theme.strong());
    }
}

pub(crate) fn tab_name(inbox: &Inbox, row: &ConversationRow) -> String {
    let tab = inbox.desk.tabs.iter().find(|tab| inbox.desk.shows_all_tabs && tab.channel.id == row.channel);
    tab.map_or_else(String::new, |tab| format!("{} · ", wrap::cut(&tab.channel.name, MAX_TAB_NAME_WIDTH)))
}

/// Tags after the name.
pub(crate) fn labels(row: &ConversationRow) -> String {
    row.local.tags.iter().map(|tag| format!(" #{}", tag.word)).collect()
}

/// Returns the time of a row: until when it is snoozed, what is left of a response target that is
/// near or missed, the wait of those who need a person, or else the age of the newest message.
fn time_run(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> (String, Style) {
    let now = inbox.context.now;
    if row.stopped_rows == 0
        && let Some(snooze) = row.local.snooze.as_ref().filter(|snooze| snooze.is_asleep())
    {
        return (snooze.describe(now, &inbox.context.settings.zone), theme.dim());
    }
    match row.target_state(now, inbox.context.settings.targets_of(&row.channel)) {
        Some(TargetState::OnTime(left)) => return (format!("{} left", format_short_span(left)), theme.dim()),
        Some(TargetState::Near(left)) => {
            return (format!("{} left", format_short_span(left)), theme.soon());
        }
        Some(TargetState::Missed(late)) => {
            return (format!("late {}", format_short_span(late)), theme.soon());
        }
        None => (),
    }
    let wait = row.waiting_since.filter(|_| row.needs_person());
    let age = |at: Timestamp| format_short_span(now.since(at));
    (wait.or(row.conversation.last_message_at).map_or_else(String::new, age), theme.dim())
}

/// Returns the newest message of a row.
fn preview(theme: Theme, row: &ConversationRow) -> (String, Style) {
    let is_answered = row.waiting_since.is_none() && row.conversation.message_count > 0;
    if row.section() == Some(Section::Mine) && is_answered {
        return ("replied, waiting".to_owned(), theme.dim());
    }
    let preview = row.conversation.preview.as_str();
    let words = if preview.is_empty() { "[no text]" } else { preview };
    let woken = row.local.snooze.as_ref().filter(|snooze| !snooze.is_asleep());
    let words = match woken {
        // The note of the agent says why it is back.
        Some(snooze) => format!("[back] {}", snooze.note.as_ref().map_or(words, SafeText::as_str)),
        None => words.to_owned(),
    };
    let style = if is_unread(row) { Style::new() } else { theme.dim() };
    (wrap::cut(&words, 200), style)
}
