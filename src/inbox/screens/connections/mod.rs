//! Data Connections in the inbox: what the business's own systems know of
//! the customer, beside the conversation.
//!
//! | file | what |
//! |---|---|
//! | `errands.rs` | what is wanted of connections, and what comes back |
//! | `asking.rs` | any endpoint by hand: which, with what |
//! | `log.rs` | the log of calls |
//!
//! Answers are kept for a minute and shown with their age; nothing ever waits
//! for one.

pub(crate) mod commands;
pub mod endpoint_form;
pub(crate) mod log;
pub mod requests;
pub(crate) mod update;
pub(crate) mod view;

use std::collections::HashMap;

use crate::screens::connections::requests::AnswerKey;
use model::connections::{CallLine, ConnectionEndpoint, MappedAnswer};
use model::queries::ConversationKey;
use model::text::SafeText;
use model::time::{MINUTE, Moment};

/// Answers that are kept.
const MAX_ANSWERS: usize = 300;
/// How long an answer is not asked for again by itself.
const REFRESH_INTERVAL: i64 = MINUTE;
/// Lines of an answer that are shown in a layer.
const MAX_SHOWN_LINES: usize = 200;

/// What is known of one answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndpointAnswer {
    asked_at: Moment,
    /// Whether it is on its way.
    pub is_pending: bool,
    /// The last one that came.
    pub mapped: Option<MappedAnswer>,
    /// Why the last one did not come.
    pub error: Option<SafeText>,
}

/// What is known of connections.
#[derive(Debug, Default)]
pub struct ConnectionAnswers {
    answers: HashMap<AnswerKey, EndpointAnswer>,
    /// The conversation that was looked at last.
    last_viewed: Option<ConversationKey>,
    pub(crate) calls: Vec<CallLine>,
    /// How the conversations those were about are called.
    names: HashMap<String, String>,
}

fn answer_key(key: &ConversationKey, connection: &str, endpoint: &ConnectionEndpoint) -> AnswerKey {
    AnswerKey { key: Some(key.clone()), connection: connection.to_owned(), endpoint: endpoint.name.clone() }
}
