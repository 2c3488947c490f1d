//! Data Connections in the inbox: what the business's own systems know of
//! the customer, beside the conversation.
//!
//! | file | what |
//! |---|---|
//! | `errands.rs` | what is wanted of connections, and what comes back |
//! | `asking.rs` | any endpoint by hand: which, with what |
//! | `wizard.rs`, `wizard_keys.rs` | a new connection |
//! | `upkeep.rs` | another credential for one, and removing one |
//! | `log.rs` | the log of calls |
//!
//! Answers are kept for a minute and shown with their age; nothing ever waits
//! for one.

pub mod asking;
pub(crate) mod commands;
pub mod errands;
pub(crate) mod log;
pub(crate) mod update;
pub mod upkeep;
pub(crate) mod view;
pub mod wizard;
pub(crate) mod wizard_keys;

use std::collections::HashMap;

use crate::screens::connections::errands::AnswerKey;
use model::connections::{CallLine, ConnectionEndpoint, MappedAnswer};
use model::queries::ConversationKey;
use model::text::SafeText;
use model::time::{MINUTE, Moment};

/// Answers that are kept.
const KEPT: usize = 300;
/// How long an answer is not asked for again by itself.
const FRESH: i64 = MINUTE;
/// Lines of an answer that are shown in a layer.
const LINES: usize = 200;

/// What is known of one answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndpointAnswer {
    asked_at: Moment,
    /// Whether it is on its way.
    pub waits: bool,
    /// The last one that came.
    pub mapped: Option<MappedAnswer>,
    /// Why the last one did not come.
    pub failed: Option<SafeText>,
}

/// What is known of connections.
#[derive(Debug, Default)]
pub struct ConnectionAnswers {
    answers: HashMap<AnswerKey, EndpointAnswer>,
    /// The conversation that was looked at last.
    seen: Option<ConversationKey>,
    pub(crate) calls: Vec<CallLine>,
    /// How the conversations those were about are called.
    names: HashMap<String, String>,
    /// A new connection that was begun and left; it ends with this run.
    begun: Option<Box<crate::screens::connections::wizard::Wizard>>,
}

fn slot(key: &ConversationKey, connection: &str, endpoint: &ConnectionEndpoint) -> AnswerKey {
    AnswerKey { key: Some(key.clone()), connection: connection.to_owned(), endpoint: endpoint.name.clone() }
}
