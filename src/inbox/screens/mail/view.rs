//! Mail on screen: the account line, thread rows, thread title and state, and key hints.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view;
use crate::layout::Area;
use crate::screens::conversations::row_view::{self, RowStart};
use crate::screens::history::History;
use crate::screens::mail::reading::update::current_mail;
use crate::screens::mail::thread_filing;
use crate::theme_view::Theme;
use model::conversations::ConversationRow;
use model::email::{MailAccount, Thread, ThreadField};
use model::filter::Sort;
use model::queries::MAX_COUNTED_UNREAD;
use model::text::SafeText;
use model::time::{Timestamp, format_short_span};

pub use crate::screens::mail::triage_view::{HINTS as TRIAGE_HINTS, SUMMARY_HINTS, draw_summary};
pub use crate::screens::mail::writing_view::draw;

const SEPARATOR: &str = " · ";

/// Key hints of a list of threads, most useful first.
pub const LIST_HINTS: &[Command] = &[
    Command::Open,
    Command::Take,
    Command::Done,
    Command::Later,
    Command::Triage,
    Command::Reply,
    Command::Unseen,
    Command::Star,
    Command::DeleteThread,
    Command::MarkSpam,
    Command::MoveThread,
    Command::MakeRule,
    Command::SetCategory,
    Command::MailFolders,
    Command::Undo,
    Command::MailContacts,
    Command::FilterList,
    Command::Help,
    Command::Quit,
];

pub const MARKED_HINTS: &[Command] = &[
    Command::Mark,
    Command::Done,
    Command::Unseen,
    Command::Star,
    Command::DeleteThread,
    Command::MarkSpam,
    Command::MoveThread,
    Command::SetCategory,
    Command::Later,
    Command::Tags,
    Command::Take,
    Command::MarkAll,
    Command::MarkNone,
    Command::Undo,
    Command::Help,
];

pub const HISTORY_HINTS: &[Command] = &[
    Command::Take,
    Command::Done,
    Command::Later,
    Command::Reply,
    Command::ReplyAll,
    Command::Unseen,
    Command::Star,
    Command::DeleteThread,
    Command::MarkSpam,
    Command::MoveThread,
    Command::MakeRule,
    Command::HtmlView,
    Command::QuotedText,
    Command::OpenOutside,
    Command::SaveFile,
    Command::Undo,
    Command::NextConversation,
    Command::Back,
    Command::Help,
];

/// Key hints while a mail is written, in addition to those on its border.
pub const WRITING_HINTS: &[Command] = &[
    Command::Menu,
    Command::UndoInText,
    Command::DoneInText,
    Command::EditOutside,
    Command::Leave,
    Command::HelpInText,
];

/// Draws the account line; during a triage, its progress.
pub fn draw_header(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let tab = inbox.desk.tab();
    if let Some(triage) = tab.triage() {
        return crate::screens::mail::triage_view::draw_progress(
            triage,
            inbox.context.moment,
            theme,
            area,
            buffer,
        );
    }
    let more = if tab.counts.unread_mail < MAX_COUNTED_UNREAD { "" } else { "+" };
    let unread = format!("{}{more} unread", tab.counts.unread_mail);
    let Some(account) = &tab.mail.account else {
        paint_view::runs(buffer, area.x + 1, area.y, area.width, &[(&unread, theme.strong())]);
        return;
    };
    let mut runs = vec![(unread.as_str(), theme.strong())];
    let trouble = describe_sync_trouble(account, inbox.context.now);
    if let Some(trouble) = &trouble {
        runs.extend([(SEPARATOR, theme.dim()), (trouble.as_str(), theme.soon())]);
    }
    if account.ai_auto_reply == Some(true) {
        runs.extend([(SEPARATOR, theme.dim()), ("AI auto-reply ON", theme.dim())]);
    }
    let width = area.width.saturating_sub(2);
    let needed = paint_view::run_cells(&runs);
    let room = width.saturating_sub(needed);
    let used = match room
        .checked_sub(paint_view::run_cells(&[(SEPARATOR, Style::new())]))
        .filter(|number| *number >= 12)
    {
        None => 0,
        Some(room) => {
            let used =
                paint_view::text(buffer, area.x + 1, area.y, room, account.address.as_str(), Style::new());
            used + paint_view::text(buffer, area.x + 1 + used, area.y, width - used, SEPARATOR, theme.dim())
        }
    };
    paint_view::runs(buffer, area.x + 1 + used, area.y, width - used, &runs);
}

/// Describes an account whose mail does not arrive as usual, `None` otherwise.
fn describe_sync_trouble(account: &MailAccount, now: Timestamp) -> Option<String> {
    let late = account.describe_delay(now)?;
    let age = account.last_sync_at.map(|last_sync| format_short_span(now.since(last_sync).max(0)));
    let age = match age.as_deref() {
        None => String::new(),
        Some("now") => "synced now · ".to_owned(),
        Some(span) => format!("synced {span} ago · "),
    };
    Some(format!("{age}{late}"))
}

pub fn draw_row(
    inbox: &Inbox,
    theme: Theme,
    row: &ConversationRow,
    thread: &Thread,
    area: Area,
    buffer: &mut Buffer,
) {
    let unread = row_view::is_unread(row);
    let RowStart { left, width, age_width } = row_view::draw_row_start(inbox, theme, row, area, buffer);
    let star = if thread.is_starred == Some(true) { "* " } else { "" };
    let name = row.conversation.title();
    let count = match row.conversation.message_count {
        0 | 1 => String::new(),
        count => format!(" ({count})"),
    };
    let labels = row_view::labels(row);
    let style = if unread { theme.strong() } else { Style::new() };
    let runs = [
        (star, theme.strong()),
        (name.as_str(), style),
        (count.as_str(), theme.dim()),
        (labels.as_str(), theme.dim()),
    ];
    paint_view::runs(buffer, left, area.y, width.saturating_sub(age_width + 1), &runs);
    if area.height < 2 {
        return;
    }
    let tag = row_view::tab_name(inbox, row);
    let style = if unread { Style::new() } else { theme.dim() };
    let line = row_view::mark_runs(inbox, theme, row);
    // A category is normal, so it is shown only in the list that it orders.
    let category = thread.category.as_ref().filter(|_| inbox.desk.list().sort == Sort::Category);
    let fact = thread_fact(row, thread).or_else(|| category.map(SafeText::to_string));
    let fact = fact.filter(|_| line.is_none()).unwrap_or_default();
    let fact_width = paint_view::runs_right(buffer, left, area.y + 1, width, &[(&fact, theme.dim())]);
    let line = line.unwrap_or_else(|| vec![(subject(thread).to_owned(), style)]);
    let line = line.iter().map(|(words, style)| (words.as_str(), *style));
    let runs: Vec<paint_view::Run<'_>> = [(tag.as_str(), theme.dim())].into_iter().chain(line).collect();
    paint_view::runs(buffer, left, area.y + 1, width.saturating_sub(fact_width + 1), &runs);
}

/// Returns the first unusual fact of a thread, which stands where a thread has no mark.
fn thread_fact(row: &ConversationRow, thread: &Thread) -> Option<String> {
    let here = (!thread.only_here.is_empty()).then(|| "here only".to_owned());
    let rule = thread.by_rule.is_some().then(|| "by rule".to_owned());
    let folder = thread_filing::folder_of(row);
    let folder = (folder != "inbox").then(|| SafeText::line(folder).to_string());
    let priority = thread.priority.as_ref().map(SafeText::to_string);
    let priority = priority.filter(|priority| !matches!(priority.as_str(), "low" | "normal" | "medium"));
    here.or(rule).or(folder).or(priority)
}

pub(crate) fn subject(thread: &Thread) -> &str {
    thread.subject.as_ref().map_or("(no subject)", SafeText::as_str)
}

pub fn new_mail_title(history: &History) -> String {
    if history.is_new_mail() { "New mail".to_owned() } else { String::new() }
}

pub fn title(row: &ConversationRow, thread: &Thread) -> String {
    format!("{} · {}", subject(thread), row.conversation.title())
}

pub fn state_runs(theme: Theme, history: &History, thread: &Thread) -> Vec<(String, Style)> {
    let mut words = Vec::new();
    if history.mail_view.prefers_html {
        words.push(("HTML as text".to_owned(), theme.dim()));
    }
    if let Some(folder) = thread.folder.as_ref().filter(|folder| folder.as_str() != "inbox") {
        words.push((folder.to_string(), theme.strong()));
    }
    if let Some(action) = &thread.by_rule {
        words.push((format!("{} by a rule", action.describe_done()), theme.strong()));
    }
    if thread.is_starred == Some(true) {
        words.push(("starred".to_owned(), theme.strong()));
    }
    if thread.is_read == Some(false) {
        words.push(("unread".to_owned(), theme.strong()));
    }
    for field in &thread.only_here {
        let word = match field {
            ThreadField::Read => "read state",
            ThreadField::Star => "star",
            ThreadField::Place => "folder",
            ThreadField::Category => "category",
            ThreadField::Priority => "priority",
        };
        words.push((format!("{word} on this desk only"), theme.strong()));
    }
    let count = words.len();
    for at in (1..count).rev() {
        words.insert(at, (" · ".to_owned(), theme.dim()));
    }
    words
}

pub fn has_both_texts(inbox: &Inbox) -> bool {
    current_mail(inbox)
        .and_then(|current_letter| current_letter.mail.as_ref())
        .is_some_and(|mail_message| mail_message.plain.is_some() && mail_message.rich.is_some())
}
