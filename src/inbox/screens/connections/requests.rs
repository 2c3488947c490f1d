//! Requests of the inbox to connections, and their results. Plain data.

use model::connections::{CallLine, ContactFacts, MappedAnswer};
use model::queries::ConversationKey;

/// Identifies an answer: an endpoint, about the contact of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnswerKey {
    /// Conversation the answer is about, if any.
    pub key: Option<ConversationKey>,
    pub connection: String,
    pub endpoint: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionRequest {
    /// Call an endpoint.
    Call {
        slot: AnswerKey,
        facts: ContactFacts,
        answers: Vec<(String, String)>,
        /// True if a person requested it and waits.
        by_hand: bool,
    },
    /// Read the log of calls.
    Log,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionResult {
    /// Answer of an endpoint, or the reason why there is none.
    Called {
        slot: AnswerKey,
        /// True if a person waits for it.
        by_hand: bool,
        mapped: Result<MappedAnswer, String>,
    },
    /// The newest calls, newest first.
    Log(Vec<CallLine>),
}
