//! `send`, `react`, `pause`, `resume`, `close`: each goes through the outbox
//! and waits for the server's word.
//!
//! An answer that stays unclear is said so, and its row stays in the outbox,
//! where the inbox shows it.

use std::io::Read;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde_json::json;

use crate::cli::scripting::confirming::{RefusedRow, confirmed};
use crate::cli::scripting::content::ContentArguments;
use crate::cli::scripting::{Common, ConversationArguments, FoundConversation, Session};
use crate::cli::{CliError, Misuse, print};
use crate::shell::files;
use client::Enclosed;
use model::conversations::Automation;
use model::ids::{MessageId, RowId};
use model::outbox::{Lane, Operation};
use store::outbox::NewRow;

/// The switches of `send`.
#[derive(Debug, Args)]
pub struct SendArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// The text; `-` reads it from standard input.
    pub text: Option<String>,
    #[command(flatten)]
    pub content: ContentArguments,
    /// Quote this message.
    #[arg(long, value_name = "MESSAGE")]
    pub reply_to: Option<String>,
    /// Pause the AI before sending.
    #[arg(long, conflicts_with = "beside_ai")]
    pub pause: bool,
    /// Send although the AI may answer too.
    #[arg(long)]
    pub beside_ai: bool,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `react`.
#[derive(Debug, Args)]
pub struct ReactArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// The message's id.
    pub message: String,
    /// The emoji; empty removes the reaction.
    pub emoji: String,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `pause`, `resume` and `close`.
#[derive(Debug, Args)]
pub struct ChangeArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    #[command(flatten)]
    pub common: Common,
}

/// The conversation a change is for. A phone's takes none of these, but has
/// commands of its own.
fn find(session: &Session, common: &Common, wanted: &ConversationArguments) -> Result<FoundConversation> {
    let found = session.find(common.channel.as_deref(), wanted)?;
    if found.platform.has_histories() {
        return Ok(found);
    }
    let name = &found.channel.spec().name;
    let to = found.address();
    let told = format!(
        "{to} is on {name}, which is {}: `frontdesk sms {to} TEXT` writes there, `frontdesk call {to}` calls",
        found.platform.label()
    );
    Err(Misuse(told).into())
}

/// `frontdesk send`
pub fn send(session: &Session, arguments: &SendArguments) -> Result<(), CliError> {
    let mut text = arguments.text.clone();
    if let Some(text) = text.as_mut().filter(|it| *it == "-") {
        text.clear();
        std::io::stdin().read_to_string(text).context("reading the text from standard input")?;
    }
    let found = find(session, &arguments.common, &arguments.wanted)?;
    let conversation = &found.row.conversation;
    let to = conversation
        .address
        .clone()
        .with_context(|| format!("{} has no address to send to", conversation.id))?;
    let ai_may_answer = matches!(conversation.automation, Automation::On | Automation::Unknown);
    if ai_may_answer && !arguments.pause && !arguments.beside_ai {
        return Err(CliError::Usage(
            "the AI may answer this customer too: add --pause to pause it first, or --beside-ai to send all the same"
                .to_owned(),
        ));
    }
    let mut operations = Vec::new();
    if arguments.pause && conversation.automation != Automation::Off {
        operations.push(Operation::SetAutomation { enabled: false });
    }
    let reply_to = arguments.reply_to.as_deref().map(MessageId::from);
    operations.extend(arguments.content.operations(&found.platform, to, text, reply_to)?);
    Ok(carry_out(session, &found, operations, "sent", arguments.common.json)?)
}

/// `frontdesk react`
pub fn react(session: &Session, arguments: &ReactArguments) -> Result<()> {
    let found = find(session, &arguments.common, &arguments.wanted)?;
    let operation = Operation::React {
        message: MessageId::from(arguments.message.as_str()),
        emoji: arguments.emoji.clone(),
    };
    carry_out(session, &found, vec![operation], "reacted", arguments.common.json)
}

/// `frontdesk pause` and `frontdesk resume`
pub fn switch(session: &Session, arguments: &ChangeArguments, enabled: bool) -> Result<()> {
    let found = find(session, &arguments.common, &arguments.wanted)?;
    let done = if enabled { "handed back" } else { "paused" };
    carry_out(session, &found, vec![Operation::SetAutomation { enabled }], done, arguments.common.json)
}

/// `frontdesk close`
pub fn close(session: &Session, arguments: &ChangeArguments) -> Result<()> {
    let found = find(session, &arguments.common, &arguments.wanted)?;
    carry_out(session, &found, vec![Operation::Close], "closed", arguments.common.json)
}

/// Queues operations in their order and waits until the server has confirmed
/// each of them.
fn carry_out(
    session: &Session,
    found: &FoundConversation,
    operations: Vec<Operation>,
    done: &str,
    json: bool,
) -> Result<()> {
    let id = found.row.conversation.id.clone();
    if found.channel.spec().read_only {
        bail!("{} is read-only", found.channel.spec().name);
    }
    let speaks = operations.last().is_some_and(Operation::speaks);
    let pauses = operations.iter().any(|it| matches!(it, Operation::SetAutomation { enabled: false }));
    let mut rows = Vec::new();
    for operation in operations {
        let lane = Lane::Conversation(id.clone());
        let request = match &operation {
            Operation::SendFile(file) => {
                let bytes = files::read(&file.path, file.size).map_err(|why| anyhow!(why))?;
                let enclosed = Enclosed { files: &[&bytes], ..Enclosed::default() };
                client::prepare_with(&found.platform, &lane, &operation, enclosed)?
            }
            other => client::prepare(&found.platform, &lane, other)?,
        };
        let channel = found.channel.spec().id.clone();
        // What is sent after a pause leaves only if nobody has answered since
        // it was asked for.
        let seen = if pauses && operation.speaks() { session.newest(found)? } else { None };
        rows.push(NewRow { channel, lane, operation, request, hold_micros: 0, seen, planned_at: None });
    }
    let queued = session.store().enqueue_many(rows, false, session.now())?;
    let rows: Vec<RowId> = queued.into_iter().map(|it| it.id).collect();
    confirmed(session, &found.channel, &rows, RefusedRow::GivenUp)?;
    let message =
        if speaks { rows.last().map(|it| session.store().made(it)).transpose()?.flatten() } else { None };
    let name = &found.channel.spec().name;
    if json {
        return print::json(&json!({"ok": true, "done": done, "channel": name, "test": found.is_test(),
            "conversation": id.as_str(), "address": found.row.conversation.address, "messageId": message}));
    }
    print::line(&print::columns(&[format!(
        "{done}: {} on {}",
        found.address(),
        session.label(&found.channel)
    )]))
}
