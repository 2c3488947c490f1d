//! Who answers customers until a person takes over. One trait; a script by
//! default.
//!
//! Knows nothing of HTTP paths. Its answer is thrown away when a person took
//! over while it was thinking.

mod asking;
mod remote;
mod scripted;
mod tools;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rusqlite::Connection;

use crate::model::time::{Clock, MINUTE};
use crate::service::chat::send::{self, Outgoing};
use crate::service::database::conversations;
use crate::service::database::due::{self, Due};
use crate::service::database::{DatabaseError, messages};
use crate::service::errors::ApiError;
use crate::service::state::Service;
use crate::service::voice;
use crate::service::world::customers;
use crate::service::write::Work;

pub use remote::{Endpoint, Remote};
pub use scripted::Scripted;
pub use tools::Tools;

/// Messages an assistant is shown.
const SHOWN: i64 = 20;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The customer.
    Customer,
    /// The assistant.
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
}

/// What an assistant does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// What it says, if anything.
    pub text: Option<String>,
    /// Why it asks for a person, if it does.
    pub escalation: Option<String>,
}

/// An answer that is being thought of.
pub type Thinking<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// Answers customers.
pub trait Assistant: Send + Sync {
    /// Answers what was said last, and may look things up to do so.
    fn answer<'a>(&'a self, turn: &'a Turn, tools: &'a Tools) -> Thinking<'a>;

    /// Whether it answers without waiting for anything.
    fn is_instant(&self) -> bool {
        true
    }
}

/// How many conversations are thought about at a time.
pub const THOUGHTS: u32 = 4;
/// How long a thought may take before it is begun anew, as after a crash.
const LEASE: i64 = MINUTE;

/// Thinks beside everything else, when an answer takes its time: the world
/// does not wait for it. The work stays on the list until it is done.
///
/// # Errors
/// When the database fails.
pub async fn think_aside(service: &Service, due: Due) -> Result<(), ApiError> {
    let until = service.clock.now().plus(LEASE);
    let seq = due.seq;
    let postponed: Result<(), DatabaseError> =
        service.database.write(move |db| due::postpone(db, seq, until)).await;
    postponed?;
    let service = service.clone();
    let Ok(place) = Arc::clone(&service.thoughts).acquire_owned().await else { return Ok(()) };
    tokio::spawn(async move {
        if let Err(error) = think_and_speak(&service, &due).await {
            tracing::error!(%error.message, "an answer of the assistant was lost");
        }
        drop(place);
    });
    Ok(())
}

async fn think_and_speak(service: &Service, due: &Due) -> Result<(), ApiError> {
    let answer = think(service, &due.subject).await?;
    let (state, due) = (service.clone(), due.clone());
    service
        .database
        .write(move |db| {
            if !due::take(db, due.seq)? {
                return Ok(());
            }
            let work = Work { db, service: &state, now: state.clock.now(), test: false, key: None };
            speak(&work, &due.subject, answer)
        })
        .await
}

/// Waits until nothing is thought about.
pub async fn settled(service: &Service) {
    // Fails only when the semaphore is closed, which it never is.
    drop(service.thoughts.acquire_many(THOUGHTS).await);
}

/// Lets the assistant think about a conversation, outside any transaction.
///
/// # Errors
/// When the database fails.
pub async fn think(service: &Service, conversation: &str) -> Result<Option<Answer>, ApiError> {
    let Some(assistant) = &service.assistant else { return Ok(None) };
    let id = conversation.to_owned();
    let turn: Result<_, DatabaseError> = service.database.read(move |db| turn(db, &id)).await;
    match turn? {
        Some(turn) => {
            let tools = Tools::of(service, conversation).await?;
            Ok(Some(assistant.answer(&turn, &tools).await))
        }
        None => Ok(None),
    }
}

/// Says what was thought of, unless a person has taken over meanwhile.
///
/// # Errors
/// When the database or the platform refuses.
pub fn speak(work: &Work<'_>, conversation: &str, answer: Option<Answer>) -> Result<(), ApiError> {
    let Some(answer) = answer else { return Ok(()) };
    let Some((channel, row)) = conversations::with_channel(work.db, conversation)? else { return Ok(()) };
    if !row.automation || row.status == "closed" {
        return Ok(());
    }
    if let Some(text) = answer.text {
        let stamp = work.stamp();
        let kind = voice::manner(work.db, &channel, &row.id)?;
        let outgoing = Outgoing { sender: "ai", content: text, kind, ..Outgoing::default() };
        send::send(work, &channel, &row, work.id("msg", stamp), outgoing)?;
    }
    if let Some(reason) = answer.escalation {
        conversations::escalate(work.db, conversation, &reason, work.now)?;
    }
    Ok(())
}

/// What was said; nothing when the customer did not speak last.
fn turn(db: &Connection, conversation: &str) -> Result<Option<Turn>, DatabaseError> {
    let Some((_, row)) = conversations::with_channel(db, conversation)? else { return Ok(None) };
    let mut rows = messages::newest(db, &row.id, SHOWN)?;
    if rows.first().is_none_or(|it| it.direction != "inbound") {
        return Ok(None);
    }
    rows.reverse();
    let speaker = |sender: &str| match sender {
        "customer" => Speaker::Customer,
        "ai" => Speaker::Assistant,
        _ => Speaker::Person,
    };
    let said = rows.into_iter().map(|it| (speaker(&it.sender), it.content)).collect();
    let language = customers::character(db, conversation)?.map(|it| it.language);
    Ok(Some(Turn { language, said }))
}
