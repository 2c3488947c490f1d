//! The outbox: every change of the server, as data that outlives a crash.
//!
//! Knows nothing of SQLite or HTTP. A row holds the exact bytes and the key
//! that will leave; the states are those of a durable send queue: a row
//! leaves only when the server accepted it or the human dropped it.

use crate::model::ids::{ChannelId, ConversationId, IdempotencyKey, MessageId, RowId};
use crate::model::text::SafeText;
use crate::model::time::{HOUR, Timestamp};

pub use crate::model::stops::{Finding, Stop, Verdict};

/// How long the same key may be retried by itself: the service keeps answers
/// for 24 h (interface, Idempotency 2), less a margin of one hour.
pub const KEY_AGE: i64 = 23 * HOUR;

/// What a person wants done to one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Send a text, quoting a message or not.
    SendText {
        /// The phone number or bot chat id.
        to: String,
        /// The text as typed.
        text: String,
        /// The message it answers.
        reply_to: Option<MessageId>,
    },
    /// Put an emoji on a message; an empty text removes it.
    React {
        /// The message.
        message: MessageId,
        /// The emoji, or nothing.
        emoji: String,
    },
    /// Pause the AI (`false`) or hand back (`true`).
    SetAutomation {
        /// Whether the AI shall answer.
        enabled: bool,
    },
    /// Close the conversation. The interface has no way to open it again.
    Close,
}

impl Operation {
    /// The word kept in the database and shown in the outbox.
    pub fn word(&self) -> &'static str {
        match self {
            Self::SendText { .. } => "send",
            Self::React { .. } => "react",
            Self::SetAutomation { enabled: false } => "pause",
            Self::SetAutomation { enabled: true } => "resume",
            Self::Close => "close",
        }
    }
}

/// The exact request an operation became. These bytes never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedRequest {
    /// `POST` or `PATCH`.
    pub method: &'static str,
    /// Path below the base URL, starting with `/`.
    pub path: String,
    /// Body bytes; empty for none.
    pub body: Vec<u8>,
}

/// Where a row stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowState {
    /// Waits for its time (a hold, or a pause after a refusal by rate).
    Queued,
    /// Bytes may have left.
    Sending,
    /// Bytes left and no answer came; the same key asks again.
    Uncertain,
    /// Waits for a person, with what the server said.
    Stopped(Stop, SafeText),
    /// The server accepted it.
    Done,
}

/// One row of the outbox.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxRow {
    /// Made on this desk.
    pub id: RowId,
    /// The tab whose key it leaves with.
    pub channel: ChannelId,
    /// The lane: rows of one conversation leave in order.
    pub conversation: ConversationId,
    /// What is wanted.
    pub operation: Operation,
    /// Pinned to the bytes below.
    pub key: IdempotencyKey,
    /// What leaves.
    pub request: PreparedRequest,
    /// When the human asked.
    pub created_at: Timestamp,
    /// Nothing leaves before: the end of a hold or of a pause.
    pub not_before: Timestamp,
    /// When the first byte may have left.
    pub first_attempt_at: Option<Timestamp>,
    /// How often it was tried.
    pub attempts: u32,
    /// Where it stands.
    pub state: RowState,
}

impl OutboxRow {
    /// Whether it still can be taken back without a trace: never tried.
    pub fn can_recall(&self) -> bool {
        self.attempts == 0 && matches!(self.state, RowState::Queued)
    }

    /// Whether it waits for a person.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, RowState::Stopped(..))
    }

    /// Whole seconds until the hold ends, rounded up; `None` once it has.
    pub fn hold_left(&self, now: Timestamp) -> Option<i64> {
        let left = self.not_before.since(now);
        (self.can_recall() && 0 < left).then(|| (left + 999_999) / 1_000_000)
    }
}
