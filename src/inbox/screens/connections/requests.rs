//! What the inbox wants of connections, and what comes back. Plain data.

use model::connections::{CallLine, ContactFacts, MappedAnswer};
use model::queries::ConversationKey;

/// Which answer: an endpoint's, about a conversation's contact.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnswerKey {
    /// The conversation, if it is about one.
    pub key: Option<ConversationKey>,
    pub connection: String,
    pub endpoint: String,
}

/// Something wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionRequest {
    /// Ask an endpoint.
    Call {
        slot: AnswerKey,
        facts: ContactFacts,
        answers: Vec<(String, String)>,
        /// Whether a person asked for it and waits.
        by_hand: bool,
    },
    /// Read the log of calls.
    Log,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionResult {
    /// An endpoint's answer, or why there is none.
    Called {
        slot: AnswerKey,
        /// Whether a person waits for it.
        by_hand: bool,
        mapped: Result<MappedAnswer, String>,
    },
    /// The newest calls, newest first.
    Log(Vec<CallLine>),
}
