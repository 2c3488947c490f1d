//! What the inbox wants of connections, and what comes back. Plain data.

use model::connections::mapping::MappingCandidate;
use model::connections::{CallLine, Connection, ContactFacts, MappedAnswer};
use model::queries::ConversationKey;
use model::secret::Secret;

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
    /// Ask a new connection's only endpoint; nothing is kept.
    Try {
        /// Which attempt of the form it is.
        attempt: u32,
        connection: Connection,
        secret: Secret,
        /// What is known of the contact it is tried with.
        facts: ContactFacts,
    },
    /// Keep a connection that has answered, with its credential.
    Save { connection: Connection, secret: Secret },
    /// Ask a connection with another credential, and keep that if it answers.
    Credential {
        connection: String,
        secret: Secret,
        /// What is known of the contact it is tried with.
        facts: ContactFacts,
    },
    /// Forget a connection and its credential.
    Remove(String),
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
    /// What a new connection answered to this attempt: the status and what
    /// can be picked.
    Tried(u32, Result<(u16, Vec<MappingCandidate>), String>),
    /// All connections, with the one that was kept.
    Saved(Result<Vec<Connection>, String>),
    /// The connection that was tried with another credential, and the status it
    /// answered with; then it is kept.
    Accepted(String, Result<u16, String>),
    /// The connection that is forgotten, and all that are left.
    Removed(Result<(String, Vec<Connection>), String>),
    /// The newest calls, newest first.
    Log(Vec<CallLine>),
}
