//! Results of searching the history for a text of unknown outcome.

use crate::ids::{MessageId, RowId};
use crate::messages::{Direction, Message, MessageRow, Sender};
use crate::outbox::{OutboxRow, RowState, SERVER_CLOCK_SLACK};
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HistoryFinding {
    /// Not certain yet.
    #[default]
    Nothing,
    /// Searched twice without a match: probably not sent.
    Absent,
    Several(Vec<MessageId>),
    /// A loaded message matches while the answer to the send is pending. Set by [`match_listed`],
    /// never stored.
    Listed,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HistorySearches {
    pub count: u32,
    /// End of the first search without a match that was late enough to count.
    pub absent_at: Option<Timestamp>,
    /// End of the last search.
    pub last_at: Option<Timestamp>,
    pub finding: HistoryFinding,
}

/// Normalizes a text for comparison: as displayed, with uniform line breaks.
pub fn normalize_text(text: &str) -> String {
    SafeText::block(&text.replace("\r\n", "\n").replace('\r', "\n")).as_str().trim_end().to_owned()
}

/// True for a message sent through the interface with this text, normalized by [`normalize_text`].
pub fn is_sent_text(message: &Message, words: &str) -> bool {
    message.direction == Direction::Outbound
        && message.sender == Sender::Api
        && !message.unreadable
        && normalize_text(message.content.as_str()) == words
}

/// Matches unconfirmed rows with loaded messages, so that each text is shown once, as its row.
/// Ambiguous matches stay separate.
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

/// Returns the normalized text of a row of unknown outcome and the earliest time of its message.
fn searched_text(row: &OutboxRow) -> Option<(String, Timestamp)> {
    let may_have_left = match &row.state {
        RowState::Sending | RowState::Uncertain => true,
        RowState::Stopped(stop, _) => stop.is_ambiguous(),
        RowState::Queued | RowState::Done => false,
    };
    let text = row.operation.listed_text().filter(|_| may_have_left)?;
    Some((normalize_text(&text), row.first_attempt_at?.plus(-SERVER_CLOCK_SLACK)))
}

#[cfg(test)]
mod tests;
