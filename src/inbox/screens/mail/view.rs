//! Mail on screen: the account's line, rows of threads, what stands over a
//! thread, and the menus of mail.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view;
use crate::layout::Area;
use crate::screens::conversations;
use crate::screens::conversations::row_view::RowStart;
use crate::screens::history::History;
use crate::screens::mail::reading::update::current_letter;
use crate::screens::mail::thread_filing;
use crate::theme_view::Theme;
use model::conversations::ConversationRow;
use model::email::{MailAccount, Thread, ThreadField};
use model::queries::MAX_COUNTED_UNREAD;
use model::text::SafeText;
use model::time::{Timestamp, format_short_span};

pub use crate::screens::mail::triage_view::{HINTS as TRIAGE_HINTS, OVER_HINTS, summary};
pub use crate::screens::mail::writing_view::compose;

/// Between the parts of the account's line.
const SEPARATOR: &str = " · ";

/// The keys of a list of threads, the most useful first.
pub const LIST_HINTS: &[Command] = &[
    Command::Open,
    Command::Triage,
    Command::Reply,
    Command::Close,
    Command::Unseen,
    Command::Star,
    Command::DeleteThread,
    Command::MarkSpam,
    Command::MoveThread,
    Command::MakeRule,
    Command::SetCategory,
    Command::MailFolders,
    Command::Snooze,
    Command::Undo,
    Command::MailContacts,
    Command::FilterList,
    Command::Help,
    Command::Quit,
];

/// The keys of threads that are marked.
pub const MARKED_HINTS: &[Command] = &[
    Command::Mark,
    Command::Close,
    Command::Unseen,
    Command::Star,
    Command::DeleteThread,
    Command::MarkSpam,
    Command::MoveThread,
    Command::SetCategory,
    Command::Snooze,
    Command::Tags,
    Command::Claim,
    Command::MarkAll,
    Command::MarkNone,
    Command::Undo,
    Command::Help,
];

/// The keys of a thread that is read.
pub const HISTORY_HINTS: &[Command] = &[
    Command::Reply,
    Command::ReplyAll,
    Command::Close,
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

/// The keys of a mail that is written, beside those on its border.
pub const WRITING_HINTS: &[Command] = &[
    Command::Menu,
    Command::EditOutside,
    Command::UndoEdit,
    Command::DeleteWord,
    Command::Leave,
    Command::HelpInText,
];

/// The line about the account: whose mail it is, how much is unread, whether
/// it may be late, whether the AI answers.
pub fn header(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let tab = inbox.desk.tab();
    if let Some(triage) = tab.triage() {
        return crate::screens::mail::triage_view::progress(
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
    let (sync, style) = sync_words(account, inbox.context.now, theme);
    let reply = format!(" · AI auto-reply {}", reply_word(account));
    let runs = [
        (unread.as_str(), theme.strong()),
        (SEPARATOR, theme.quiet()),
        (sync.as_str(), style),
        (reply.as_str(), theme.quiet()),
    ];
    let width = area.width.saturating_sub(2);
    let needed = paint_view::cells(&runs);
    let room = width.saturating_sub(needed);
    let used = match room
        .checked_sub(paint_view::cells(&[(SEPARATOR, Style::new())]))
        .filter(|number| *number >= 12)
    {
        None => 0,
        Some(room) => {
            let used =
                paint_view::text(buffer, area.x + 1, area.y, room, account.address.as_str(), Style::new());
            used + paint_view::text(buffer, area.x + 1 + used, area.y, width - used, SEPARATOR, theme.quiet())
        }
    };
    paint_view::runs(buffer, area.x + 1 + used, area.y, width - used, &runs);
}

fn reply_word(account: &MailAccount) -> &'static str {
    match account.ai_auto_reply {
        Some(true) => "ON",
        Some(false) => "OFF",
        None => "unknown",
    }
}

fn sync_words(account: &MailAccount, now: Timestamp, theme: Theme) -> (String, Style) {
    let status = account.sync_status.as_ref().map_or("sync unknown", SafeText::as_str);
    let age = account.last_sync_at.map(|last_sync| now.since(last_sync));
    let age = match age.map(|age| format_short_span(age.max(0))) {
        None => String::new(),
        Some(span) if span == "now" => ", synced now".to_owned(),
        Some(span) => format!(", synced {span} ago"),
    };
    let status = if status == "active" { "account ok" } else { status };
    match account.describe_delay(now) {
        Some(late) => (format!("{status}{age} · {late}"), theme.needs_a_person()),
        None => (format!("{status}{age}"), Style::new()),
    }
}

/// A row of the list: contact and age, subject.
pub fn row(
    inbox: &Inbox,
    theme: Theme,
    row: &ConversationRow,
    thread: &Thread,
    area: Area,
    buffer: &mut Buffer,
) {
    let unread = conversations::row_view::is_unread(row);
    let RowStart { left, width, aged } = conversations::row_view::start(inbox, theme, row, area, buffer);
    let star = if thread.is_starred == Some(true) { "* " } else { "" };
    let name = row.conversation.title();
    let count = match row.conversation.message_count {
        0 | 1 => String::new(),
        count => format!(" ({count})"),
    };
    let labels = conversations::row_view::labels(row);
    let style = if unread { theme.strong() } else { Style::new() };
    let runs = [
        (star, theme.strong()),
        (name.as_str(), style),
        (count.as_str(), theme.quiet()),
        (labels.as_str(), theme.quiet()),
    ];
    paint_view::runs(buffer, left, area.y, width.saturating_sub(aged + 1), &runs);
    if area.height < 2 {
        return;
    }
    let facts = facts(theme, row, thread);
    let facts: Vec<paint_view::Run<'_>> =
        facts.iter().map(|(words, style)| (words.as_str(), *style)).collect();
    let state = paint_view::runs_right(buffer, left, area.y + 1, width, &facts);
    let tag = conversations::row_view::tab_name(inbox, row);
    let draft = if row.draft.is_some() { "[draft] " } else { "" };
    let subject = subject(thread);
    let style = if unread { Style::new() } else { theme.quiet() };
    let runs = [(tag.as_str(), theme.strong()), (draft, theme.strong()), (subject, style)];
    paint_view::runs(buffer, left + 1, area.y + 1, width.saturating_sub(state + 2), &runs);
}

/// Category, priority, and what is not as it seems.
fn facts(theme: Theme, row: &ConversationRow, thread: &Thread) -> Vec<(String, Style)> {
    let mut facts = Vec::new();
    let folder = thread_filing::folder_of(row);
    if folder != "inbox" {
        facts.push((SafeText::line(folder).to_string(), theme.quiet()));
    }
    if let Some(priority) =
        thread.priority.as_ref().filter(|priority| !matches!(priority.as_str(), "normal" | "medium"))
    {
        let loud = matches!(priority.as_str(), "urgent" | "high" | "critical");
        facts.push((priority.to_string(), if loud { theme.error() } else { theme.quiet() }));
    }
    facts.extend(thread.category.as_ref().map(|category| (category.to_string(), theme.quiet())));
    if thread.by_rule.is_some() {
        facts.push(("by rule".to_owned(), theme.quiet()));
    }
    if !thread.only_here.is_empty() {
        facts.push(("here only".to_owned(), theme.strong()));
    }
    let count = facts.len();
    for at in (1..count).rev() {
        facts.insert(at, (" ".to_owned(), Style::new()));
    }
    facts
}

pub(crate) fn subject(thread: &Thread) -> &str {
    thread.subject.as_ref().map_or("(no subject)", SafeText::as_str)
}

/// What stands over a mail that has no thread yet.
pub fn title_of_new(history: &History) -> String {
    if history.is_new_mail() { "New mail".to_owned() } else { String::new() }
}

/// The title of a thread: the subject, and the contact.
pub fn title(row: &ConversationRow, thread: &Thread) -> String {
    format!("{} · {}", subject(thread), row.conversation.title())
}

/// How a thread stands, at the right of its title.
pub fn state(theme: Theme, history: &History, thread: &Thread) -> Vec<(String, Style)> {
    let mut words = Vec::new();
    if history.letters.rich {
        words.push(("HTML as text".to_owned(), theme.quiet()));
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
        words.insert(at, (" · ".to_owned(), theme.quiet()));
    }
    words
}

/// Whether the current mail has HTML beside its plain text.
pub fn has_both(inbox: &Inbox) -> bool {
    current_letter(inbox)
        .and_then(|current_letter| current_letter.mail.as_ref())
        .is_some_and(|mail_message| mail_message.plain.is_some() && mail_message.rich.is_some())
}
