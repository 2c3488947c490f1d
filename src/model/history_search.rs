//! What is known from looking for a text in its history that may have been
//! sent.

use crate::ids::{MessageId, RowId};
use crate::messages::{Direction, Message, MessageRow, Sender};
use crate::outbox::{Operation, OutboxRow, RowState, SERVER_CLOCK_SLACK};
use crate::text::SafeText;
use crate::time::Timestamp;

/// What the looks for a row told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HistoryFinding {
    /// Nothing certain yet.
    #[default]
    Nothing,
    /// Looked for twice and not there: probably not sent.
    Absent,
    /// More than one message could be it.
    Several(Vec<MessageId>),
    /// One loaded message must be it, while its answer has not come. Told by
    /// [`find_listed`], never kept.
    Listed,
}

/// The looks for one row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HistorySearches {
    pub count: u32,
    /// When the first one ended that found nothing, late enough to count.
    pub absent_at: Option<Timestamp>,
    /// When the last one ended, however it ended.
    pub last_at: Option<Timestamp>,
    pub finding: HistoryFinding,
}

/// Words are compared as they are shown, with line breaks of one kind.
pub fn normalize_text(text: &str) -> String {
    SafeText::block(&text.replace("\r\n", "\n").replace('\r', "\n")).as_str().trim_end().to_owned()
}

/// Whether a message went out through the interface with these
/// [`comparable`] words.
pub fn is_sent_text(message: &Message, words: &str) -> bool {
    message.direction == Direction::Outbound
        && message.sender == Sender::Api
        && !message.unreadable
        && normalize_text(message.content.as_str()) == words
}

/// Finds the texts among loaded messages that may have left and are not
/// confirmed: each is then shown once, as its row. Where two messages or two
/// rows are alike, all stay as they are.
pub fn match_listed(messages: &mut Vec<MessageRow>, rows: &mut [OutboxRow]) {
    let mut found: Vec<(MessageId, RowId)> = Vec::new();
    for row in rows.iter() {
        let Some((words, since)) = searched_text(row) else { continue };
        let fits = |message_row: &&MessageRow| {
            let in_time = message_row.message.created_at.is_some_and(|at| at >= since);
            !message_row.sent_here && in_time && is_sent_text(&message_row.message, &words)
        };
        let mut fitting = messages.iter().filter(fits);
        if let (Some(only), None) = (fitting.next(), fitting.next()) {
            found.push((only.message.id.clone(), row.id.clone()));
        }
    }
    let is_alone = |id: &MessageId| found.iter().filter(|pair| pair.0 == *id).count() == 1;
    for row in rows.iter_mut() {
        if found.iter().any(|pair| pair.1 == row.id && is_alone(&pair.0)) {
            row.finding = HistoryFinding::Listed;
        }
    }
    messages.retain(|message| !is_alone(&message.message.id));
}

/// The words of a text that may have left, and since when they can be listed.
fn searched_text(row: &OutboxRow) -> Option<(String, Timestamp)> {
    let may_have_left = match &row.state {
        RowState::Sending | RowState::Uncertain => true,
        RowState::Stopped(stop, _) => stop.is_ambiguous(),
        RowState::Queued | RowState::Done => false,
    };
    match &row.operation {
        Operation::SendText { text, .. } if may_have_left => {
            Some((normalize_text(text), row.first_attempt_at?.plus(-SERVER_CLOCK_SLACK)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
