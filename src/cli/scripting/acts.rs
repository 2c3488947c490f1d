//! `take`, `done`, `later`: the acts of the inbox. The server's part is queued and confirmed first, then the
//! marks of this desk change; where the channel has no part of it, only the marks change.

use anyhow::Result;
use clap::Args;
use serde_json::json;

use crate::cli::print;
use crate::cli::scripting::change::{self, ChangeArguments};
use crate::cli::scripting::writing::{self, Answer, WriteKey};
use crate::cli::scripting::{Common, ConversationArguments, FoundConversation, Session};
use crate::cli::{CliError, UsageError};
use model::conversations::{Automation, ConversationStatus};
use model::ids::ThreadId;
use model::local::{Assignment, LocalChange};
use model::outbox::Operation;
use model::outbox::content::{ThreadChange, ThreadPlace};
use model::snooze::{self, Snooze};
use model::text::SafeText;

/// Word for a snooze that only a message of the customer ends.
const UNTIL_REPLY: &str = "reply";

/// The switches of `later`.
#[derive(Debug, Args)]
pub struct LaterArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// When it comes back: `2h`, `45m`, `3d`, `14:30`, `"fri 9:00"`, `"tomorrow 14:00"`, or
    /// `reply`. A message of the customer brings it back before.
    pub until: String,
    /// Shown when it comes back, such as "call at 5".
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    #[command(flatten)]
    pub common: Common,
}

/// An act on one conversation.
struct Act {
    /// Past participle, such as `taken`.
    done: &'static str,
    /// Changes on the server, in order.
    operations: Vec<Operation>,
    /// Changes of this desk's marks, made once the server has confirmed.
    local: Vec<LocalChange>,
}

/// `frontdesk take`: pauses the AI and claims the conversation.
pub fn take(session: &Session, arguments: &ChangeArguments) -> Result<()> {
    let common = &arguments.common;
    let Some(key) = writing::claim_key(session, common, arguments.key("take"))? else { return Ok(()) };
    let found = session.find(common.channel.as_deref(), &arguments.wanted)?;
    let mut operations = Vec::new();
    if has_ai_switch(&found) && found.row.conversation.automation != Automation::Off {
        operations.push(Operation::SetAutomation { enabled: false });
    }
    let claim = Assignment { agent: session.agent(), at: session.now() };
    let local = vec![LocalChange::Claim(vec![(found.row.conversation.id.clone(), Some(claim))])];
    run(session, &found, Act { done: "taken", operations, local }, common, &key)
}

/// `frontdesk done`: hands back to the AI, releases and closes. Mail is archived; what cannot be closed is put
/// away until the customer writes.
pub fn done(session: &Session, arguments: &ChangeArguments) -> Result<()> {
    let common = &arguments.common;
    let Some(key) = writing::claim_key(session, common, arguments.key("done"))? else { return Ok(()) };
    let found = session.find(common.channel.as_deref(), &arguments.wanted)?;
    let row = &found.row;
    let id = row.conversation.id.clone();
    let is_open = row.conversation.status != ConversationStatus::Closed;
    let mut act = Act { done: "done", operations: Vec::new(), local: Vec::new() };
    if row.thread.is_some() {
        let place = Some(ThreadPlace::Archived(true));
        let change = ThreadChange { is_read: Some(true), place, ..ThreadChange::default() };
        let thread = ThreadId::from(id.as_str());
        act.operations.extend(is_open.then_some(Operation::ChangeThread { thread, change }));
    } else {
        let is_paused = row.conversation.automation == Automation::Off && row.local.draft_only.is_none();
        if has_ai_switch(&found) && is_paused {
            act.operations.push(Operation::SetAutomation { enabled: true });
        }
        if row.conversation.can_be_closed() {
            act.operations.extend(is_open.then_some(Operation::Close));
        } else {
            let away = Snooze::new(None, false, row.last_inbound_at, session.now());
            act.local.push(LocalChange::Snooze(vec![(id.clone(), Some(away))]));
        }
    }
    if row.local.claim.is_some() {
        act.local.push(LocalChange::Claim(vec![(id, None)]));
    }
    run(session, &found, act, common, &key)
}

/// `frontdesk later`: puts the conversation off until a time or a reply.
pub fn later(session: &Session, arguments: &LaterArguments) -> Result<(), CliError> {
    let LaterArguments { wanted, until, note, common } = arguments;
    let at = match until.trim() {
        UNTIL_REPLY => None,
        typed => Some(snooze::parse(typed, session.now(), session.zone()).ok_or_else(|| not_a_time(typed))?),
    };
    let note = note.as_deref().map(SafeText::line);
    if note.as_ref().is_some_and(|note| note.as_str().chars().count() > snooze::MAX_NOTE_CHARS) {
        let words = format!("the note is too long: at most {} characters", snooze::MAX_NOTE_CHARS);
        return Err(CliError::Usage(words));
    }
    let found = session.find(common.channel.as_deref(), wanted)?;
    let id = found.row.conversation.id.clone();
    let snooze = Snooze::new(at, false, found.row.last_inbound_at, session.now()).with_note(note.clone());
    let local = LocalChange::Snooze(vec![(id, Some(snooze))]);
    session.store().change_local(&found.channel.spec().id, local).map_err(anyhow::Error::from)?;
    let answer = change::build_answer(&found, "put off")
        .with_field("until", at.map(|at| at.to_string()))
        .with_field("note", note.map(|note| note.to_string()));
    Ok(print_local(session, &found, &answer, common)?)
}

fn not_a_time(typed: &str) -> CliError {
    let words = format!("{typed:?} is not a time: give 2h, 45m, 3d, 14:30, \"fri 9:00\", or reply");
    CliError::from(anyhow::Error::from(UsageError(words)))
}

fn has_ai_switch(found: &FoundConversation) -> bool {
    found.row.thread.is_none() && found.row.conversation.has_automation_switch()
}

fn run(
    session: &Session,
    found: &FoundConversation,
    act: Act,
    common: &Common,
    key: &WriteKey,
) -> Result<()> {
    writing::refuse_read_only(&found.channel)?;
    let answer = change::build_answer(found, act.done);
    let outcome = match act.operations.is_empty() {
        true => None,
        false => {
            let rows = change::rows(session, found, act.operations)?;
            Some(writing::run_rows(session, &found.channel, rows, (&answer, key))?)
        }
    };
    for local in act.local {
        session.store().change_local(&found.channel.spec().id, local)?;
    }
    match outcome {
        Some(outcome) => writing::print_outcome(session, &found.channel, common, &answer, &outcome),
        None => print_local(session, found, &answer, common),
    }
}

/// Prints an act that changed only the marks of this desk.
fn print_local(session: &Session, found: &FoundConversation, answer: &Answer, common: &Common) -> Result<()> {
    if !common.json {
        return print::line(&print::columns(&[answer.describe(session.label(&found.channel))]));
    }
    let mut told = json!({
        "ok": true,
        "channel": found.channel.spec().name,
        "test": session.is_test(&found.channel),
    });
    answer.add_fields(&mut told);
    print::json(&told)
}
