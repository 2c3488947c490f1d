//! The assistant, which answers customers until a person takes over: a model behind an HTTP endpoint, or
//! keyword rules.

mod guardrails;
mod knowledge;
mod outgoing;
mod remote;
mod scripted;
mod tasks;
mod tool_calls;
mod tools;

use std::future::Future;
use std::pin::Pin;

use sha2::{Digest, Sha256};

use crate::database::conversations::{self, ConversationRow};
use crate::database::proposals::{self, ProposalRow, ProposalState};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, messages, workspaces};
use crate::errors::ApiError;
use crate::sending::accept::{ComposedMessage, accept_send};
use crate::voice;
use crate::world::customers;
use crate::write::WriteContext;

pub use knowledge::{Knowledge, QuestionError, QuestionFile};
pub use net::assist::Endpoint;
pub use remote::RemoteAssistant;
pub use scripted::ScriptedAssistant;
pub use tasks::{
    AssistantTasks, answer_before_deadline, answers_in_background, request_answer, run, run_until_idle,
    start_due_tasks,
};
pub use tools::Tools;

const MAX_SHOWN_MESSAGES: i64 = 20;
/// Maximum length of the customer's words in a summary, in characters.
const MAX_QUOTE_CHARS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    Customer,
    Assistant,
    /// Member of the business's staff.
    Person,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatTranscript {
    /// Customer's language, if known.
    pub language: Option<String>,
    /// Oldest first.
    pub messages: Vec<(Speaker, String)>,
    /// Id of the last message.
    pub last: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    pub reason: String,
    /// Customer's request; may be empty.
    pub summary: String,
}

/// Changing call that a person has to decide on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub connection: String,
    pub endpoint: String,
    /// Arguments; never those that identify the customer.
    pub answers: Vec<(String, String)>,
}

impl Proposal {
    /// Derives the id from content and message, so that a repeated proposal has the same id.
    fn id(&self, message: &str) -> String {
        let mut hash = Sha256::new();
        let parts = [message, &self.connection, &self.endpoint].into_iter();
        let answers = self.answers.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        for part in parts.chain(answers) {
            hash.update(part.len().to_be_bytes());
            hash.update(part.as_bytes());
        }
        let digits: String = hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        format!("prop_{digits}")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    pub text: Option<String>,
    pub handover: Option<Handover>,
    pub proposals: Vec<Proposal>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Worth a retry.
    #[error("{0}")]
    Failed(String),
    /// Not worth a retry, for example because the token limit is reached.
    #[error("{0}")]
    Spent(String),
}

pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Result<Answer, AnswerError>> + Send + 'a>>;

pub trait Assistant: Send + Sync {
    /// Answers the last message; may use `tools` to look things up.
    fn answer<'a>(&'a self, turn: &'a ChatTranscript, tools: &'a Tools) -> AnswerFuture<'a>;

    /// Returns true if it answers without I/O.
    fn is_instant(&self) -> bool {
        true
    }
}

/// Sends an answer, unless a person has taken over meanwhile.
pub fn post_answer(
    work: &WriteContext<'_>,
    conversation: &str,
    turn: &ChatTranscript,
    answer: Answer,
) -> Result<(), ApiError> {
    let Some((channel, row)) = conversations::with_channel(work.db, conversation)? else { return Ok(()) };
    if !is_assigned_to_assistant(&row) {
        return Ok(());
    }
    if let Some(text) = answer.text {
        let stamp = work.stamp();
        let kind = voice::conversation_mode(work.db, &channel, &row.id)?;
        let outgoing = ComposedMessage { sender: "ai", content: text, kind, ..ComposedMessage::default() };
        accept_send(work, &channel, &row, work.id("msg", stamp), outgoing)?;
    }
    for proposed in &answer.proposals {
        let proposal = ProposalRow {
            id: proposed.id(&turn.last),
            conversation: row.id.clone(),
            connection: proposed.connection.clone(),
            endpoint: proposed.endpoint.clone(),
            answers: proposed.answers.clone(),
            state: ProposalState::Proposed,
            outcome: None,
            created_at: work.now,
        };
        proposals::insert(work.db, &proposal)?;
    }
    let proposes = answer.proposals.first().map(|proposal| Handover {
        reason: format!("the assistant proposes {} · {}", proposal.connection, proposal.endpoint),
        summary: quote_customer(turn),
    });
    if let Some(handover) = answer.handover.or(proposes) {
        conversations::escalate(work.db, conversation, (&handover.reason, &handover.summary), work.now)?;
    }
    Ok(())
}

fn escalate_failure(
    work: &WriteContext<'_>,
    conversation: &str,
    turn: &ChatTranscript,
    reason: &str,
) -> Result<(), ApiError> {
    let Some((_, row)) = conversations::with_channel(work.db, conversation)? else { return Ok(()) };
    if is_assigned_to_assistant(&row) {
        conversations::escalate(work.db, conversation, (reason, &quote_customer(turn)), work.now)?;
    }
    Ok(())
}

/// Returns true if the assistant is on in an open conversation.
fn is_assigned_to_assistant(row: &ConversationRow) -> bool {
    row.automation && row.status != "closed"
}

/// Quotes the customer's last message for a summary.
fn quote_customer(turn: &ChatTranscript) -> String {
    let last = turn.messages.iter().rev().find(|(speaker, _)| *speaker == Speaker::Customer);
    let text: String = last.map_or("", |pair| pair.1.as_str()).chars().take(MAX_QUOTE_CHARS).collect();
    if text.is_empty() { String::new() } else { format!("the customer wrote: {text}") }
}

/// Reads the conversation; `None` unless the customer's message is the last.
fn load_transcript(db: &dyn DbSession, conversation: &str) -> Result<Option<ChatTranscript>, DatabaseError> {
    let Some((channel, row)) = conversations::with_channel(db, conversation)? else { return Ok(None) };
    if workspaces::is_channel_suspended(db, &channel.id)? {
        return Ok(None);
    }
    let mut rows = messages::newest(db, &row.id, MAX_SHOWN_MESSAGES)?;
    // A broadcast is no answer to the customer's message before it.
    let broadcasts = rows.iter().take_while(|row| row.broadcast.is_some()).count();
    rows.drain(..broadcasts);
    if !is_assigned_to_assistant(&row) || rows.first().is_none_or(|row| row.direction != "inbound") {
        return Ok(None);
    }
    rows.reverse();
    let last = rows.last().map(|row| row.id.clone()).unwrap_or_default();
    let speaker = |sender: &str| match sender {
        "customer" => Speaker::Customer,
        "ai" => Speaker::Assistant,
        _ => Speaker::Person,
    };
    let said = rows.iter().map(|row| (speaker(&row.sender), row.preview().into_owned())).collect();
    let language = customers::read_customer(db, conversation)?.map(|character| character.language);
    Ok(Some(ChatTranscript { language, messages: said, last }))
}
