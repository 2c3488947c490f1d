//! Who answers customers until a person takes over: a model behind an
//! endpoint, or a script where the world is simulated. The two never mix.
//!
//! | file | what |
//! |---|---|
//! | `thinking.rs` | when an answer is thought of, how long, how often again |
//! | `manners.rs` | a typing sign, and a limit for talk with other machines |
//! | `knowledge.rs` | what is told of the business |
//! | `remote.rs` | a model behind an endpoint |
//! | `asking.rs` | the functions a model is offered |
//! | `outgoing.rs` | the words of a model as they may leave |
//! | `tools.rs` | what those functions reach, and what may be used up |
//! | `scripted.rs` | keyword rules |

mod asking;
mod knowledge;
mod manners;
mod outgoing;
mod remote;
mod scripted;
mod thinking;
mod tools;

use std::future::Future;
use std::pin::Pin;

use sha2::{Digest, Sha256};

use crate::chat::send::{self, Outgoing};
use crate::database::conversations::{self, ConversationRow};
use crate::database::proposals::{self, ProposalRow, State};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, messages};
use crate::errors::ApiError;
use crate::voice;
use crate::world::customers;
use crate::write::Work;

pub use ::assist::Endpoint;
pub use knowledge::{Knowledge, QuestionFile, QuestionMistake};
pub use remote::Remote;
pub use scripted::Scripted;
pub use thinking::{Thoughts, begin_due, in_time, run, settled, think, thinks_aside};
pub use tools::Tools;

/// Messages an assistant is shown.
const SHOWN: i64 = 20;
/// Characters of a customer's words in a summary.
const QUOTED: usize = 200;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    Customer,
    Assistant,
    /// A person of the business.
    Person,
}

/// What an assistant answers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The language the customer writes, if it is known.
    pub language: Option<String>,
    /// What was said, oldest first.
    pub said: Vec<(Speaker, String)>,
    /// The id of the message that was said last.
    pub last: String,
}

/// A call for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    pub reason: String,
    /// What the customer wants, if it is said.
    pub summary: String,
}

/// A change that a person is to decide about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub connection: String,
    pub endpoint: String,
    /// What is filled in; who the customer is stands in no proposal.
    pub answers: Vec<(String, String)>,
}

impl Proposal {
    /// The same proposal to the same message has the same id.
    fn id(&self, message: &str) -> String {
        let mut hash = Sha256::new();
        let parts = [message, &self.connection, &self.endpoint].into_iter();
        let answers = self.answers.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        for part in parts.chain(answers) {
            hash.update(part.len().to_be_bytes());
            hash.update(part.as_bytes());
        }
        let digits: String = hash.finalize().iter().take(12).map(|it| format!("{it:02x}")).collect();
        format!("prop_{digits}")
    }
}

/// What an assistant does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// What it says, if anything.
    pub text: Option<String>,
    /// That it asks for a person, if it does.
    pub handover: Option<Handover>,
    pub proposals: Vec<Proposal>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It may be tried again.
    #[error("{0}")]
    Failed(String),
    /// No more may be used up.
    #[error("{0}")]
    Spent(String),
}

/// An answer that is being thought of.
pub type Thinking<'a> = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send + 'a>>;

/// Answers customers.
pub trait Assistant: Send + Sync {
    /// Answers what was said last, and may look things up to do so.
    fn answer<'a>(&'a self, turn: &'a Turn, tools: &'a Tools) -> Thinking<'a>;

    /// Whether it answers without waiting for anything.
    fn is_instant(&self) -> bool {
        true
    }
}

/// Says what was thought of, unless a person has taken over meanwhile.
pub fn speak(work: &Work<'_>, conversation: &str, turn: &Turn, answer: Answer) -> Result<(), ApiError> {
    let Some((channel, row)) = conversations::with_channel(work.db, conversation)? else { return Ok(()) };
    if !is_assistants(&row) {
        return Ok(());
    }
    if let Some(text) = answer.text {
        let stamp = work.stamp();
        let kind = voice::manner(work.db, &channel, &row.id)?;
        let outgoing = Outgoing { sender: "ai", content: text, kind, ..Outgoing::default() };
        send::send(work, &channel, &row, work.id("msg", stamp), outgoing)?;
    }
    for it in &answer.proposals {
        let proposal = ProposalRow {
            id: it.id(&turn.last),
            conversation: row.id.clone(),
            connection: it.connection.clone(),
            endpoint: it.endpoint.clone(),
            answers: it.answers.clone(),
            state: State::Proposed,
            outcome: None,
            created_at: work.now,
        };
        proposals::insert(work.db, &proposal)?;
    }
    let proposes = answer.proposals.first().map(|it| Handover {
        reason: format!("the assistant proposes {} · {}", it.connection, it.endpoint),
        summary: quoted(turn),
    });
    if let Some(it) = answer.handover.or(proposes) {
        conversations::escalate(work.db, conversation, (&it.reason, &it.summary), work.now)?;
    }
    Ok(())
}

/// Asks for a person because the assistant has no answer.
fn give_up(work: &Work<'_>, conversation: &str, turn: &Turn, reason: &str) -> Result<(), ApiError> {
    let Some((_, row)) = conversations::with_channel(work.db, conversation)? else { return Ok(()) };
    if is_assistants(&row) {
        conversations::escalate(work.db, conversation, (reason, &quoted(turn)), work.now)?;
    }
    Ok(())
}

/// Whether the assistant, and no person, has a conversation.
fn is_assistants(row: &ConversationRow) -> bool {
    row.automation && row.status != "closed"
}

/// What the customer said last, for a summary.
fn quoted(turn: &Turn) -> String {
    let last = turn.said.iter().rev().find(|(speaker, _)| *speaker == Speaker::Customer);
    let text: String = last.map_or("", |it| it.1.as_str()).chars().take(QUOTED).collect();
    if text.is_empty() { String::new() } else { format!("the customer wrote: {text}") }
}

/// What was said; nothing when the customer did not speak last.
fn turn(db: &dyn DbSession, conversation: &str) -> Result<Option<Turn>, DatabaseError> {
    let Some((_, row)) = conversations::with_channel(db, conversation)? else { return Ok(None) };
    let mut rows = messages::newest(db, &row.id, SHOWN)?;
    // A broadcast answers nobody: whoever wrote before it still waits.
    let broadcasts = rows.iter().take_while(|it| it.broadcast.is_some()).count();
    rows.drain(..broadcasts);
    if !is_assistants(&row) || rows.first().is_none_or(|it| it.direction != "inbound") {
        return Ok(None);
    }
    rows.reverse();
    let last = rows.last().map(|it| it.id.clone()).unwrap_or_default();
    let speaker = |sender: &str| match sender {
        "customer" => Speaker::Customer,
        "ai" => Speaker::Assistant,
        _ => Speaker::Person,
    };
    let content = |it: messages::MessageRow| match it.content.is_empty() {
        true => format!("[{}]", it.kind),
        false => it.content,
    };
    let said = rows.into_iter().map(|it| (speaker(&it.sender), content(it))).collect();
    let language = customers::character(db, conversation)?.map(|it| it.language);
    Ok(Some(Turn { language, said, last }))
}
