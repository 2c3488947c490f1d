//! Data Connections in the inbox: data of the business's own systems about the customer, beside the
//! conversation.
//!
//! | file | content |
//! |---|---|
//! | `requests.rs` | requests to connections, and their results |
//! | `endpoint_form.rs` | any endpoint called by hand |
//! | `log.rs` | the log of calls |
//!
//! Answers are shown with their age; nothing ever waits for one.

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

const MAX_ANSWERS: usize = 300;
/// Age below which an answer is not requested again automatically, in microseconds.
const REFRESH_INTERVAL: i64 = MINUTE;
/// Maximum lines of an answer in a popup.
const MAX_SHOWN_LINES: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndpointAnswer {
    asked_at: Moment,
    pub is_pending: bool,
    /// Newest answer.
    pub mapped: Option<MappedAnswer>,
    /// Reason why the last request failed.
    pub error: Option<SafeText>,
}

#[derive(Debug, Default)]
pub struct ConnectionAnswers {
    answers: HashMap<AnswerKey, EndpointAnswer>,
    last_viewed: Option<ConversationKey>,
    pub(crate) calls: Vec<CallLine>,
    /// Names of conversations, by contact.
    names: HashMap<String, String>,
}

fn answer_key(key: &ConversationKey, connection: &str, endpoint: &ConnectionEndpoint) -> AnswerKey {
    AnswerKey { key: Some(key.clone()), connection: connection.to_owned(), endpoint: endpoint.name.clone() }
}
