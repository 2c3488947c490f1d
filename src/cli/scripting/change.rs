//! `send`, `react`, `pause`, `resume`, `close`: each goes through the outbox
//! and waits for the server's word.
//!
//! Knows nothing of requests. An answer that stays unclear is said so, and its
//! row stays in the outbox, where the inbox shows it.

use std::io::Read;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde_json::json;

use crate::cli::scripting::content::ContentArguments;
use crate::cli::scripting::session::Work;
use crate::cli::scripting::{Common, ConversationArguments, Found, Session, waiting};
use crate::cli::{CliError, Misuse, print};
use crate::client::Enclosed;
use crate::model::conversations::Automation;
use crate::model::ids::{MessageId, RowId};
use crate::model::news::Health;
use crate::model::outbox::{Lane, Operation, OutboxRow, RowState};
use crate::model::time::SECOND;
use crate::shell::files;
use crate::store::outbox::NewRow;
use crate::sync::Channel;

/// How often a row is looked at that another process may be sending.
const LOOK: Duration = Duration::from_millis(100);

/// The switches of `send`.
#[derive(Debug, Args)]
pub struct SendArguments {
    /// Which conversation.
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// The text; `-` reads it from standard input.
    pub text: Option<String>,
    /// What is more than a text.
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
    /// What all have.
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `react`.
#[derive(Debug, Args)]
pub struct ReactArguments {
    /// Which conversation.
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// The message's id.
    pub message: String,
    /// The emoji; empty removes the reaction.
    pub emoji: String,
    /// What all have.
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `pause`, `resume` and `close`.
#[derive(Debug, Args)]
pub struct ChangeArguments {
    /// Which conversation.
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// What all have.
    #[command(flatten)]
    pub common: Common,
}

/// The conversation a change is for. A phone's takes none of these, but has
/// commands of its own.
fn find(session: &Session, common: &Common, wanted: &ConversationArguments) -> Result<Found> {
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
    found: &Found,
    operations: Vec<Operation>,
    done: &str,
    json: bool,
) -> Result<()> {
    let id = found.row.conversation.id.clone();
    if found.channel.spec().read_only {
        bail!("{} is read-only", found.channel.spec().name);
    }
    let pauses = operations.iter().any(|it| matches!(it, Operation::SetAutomation { enabled: false }));
    let mut rows = Vec::new();
    for operation in operations {
        let lane = Lane::Conversation(id.clone());
        let request = match &operation {
            Operation::SendFile(file) => {
                let bytes = files::read(&file.path, file.size).map_err(|why| anyhow!(why))?;
                let enclosed = Enclosed { files: &[&bytes], ..Enclosed::default() };
                crate::client::prepare_with(&found.platform, &lane, &operation, enclosed)?
            }
            other => crate::client::prepare(&found.platform, &lane, other)?,
        };
        let channel = found.channel.spec().id.clone();
        // What is sent after a pause leaves only if nobody has answered since
        // it was asked for.
        let seen = if pauses && operation.speaks() { session.newest(found)? } else { None };
        rows.push(NewRow { channel, lane, operation, request, hold_micros: 0, seen, planned_at: None });
    }
    let queued = session.store().enqueue_many(rows, false, session.now())?;
    for row in &queued {
        confirmed(session, &found.channel, &row.id)?;
    }
    let name = &found.channel.spec().name;
    if json {
        return print::json(&json!({"ok": true, "done": done, "channel": name, "test": found.is_test(),
            "conversation": id.as_str(), "address": found.row.conversation.address}));
    }
    print::line(&print::columns(&[format!(
        "{done}: {} on {}",
        found.address(),
        session.label(&found.channel)
    )]))
}

/// Waits until a row is confirmed; whoever sends it meanwhile. What failed is
/// told with its channel and its row, and with what shows it.
///
/// # Errors
/// In words.
pub fn confirmed(session: &Session, channel: &Channel, row: &RowId) -> Result<()> {
    let until = session.now().plus(session.patience);
    let name = &channel.spec().name;
    loop {
        let work = session.work(channel, "script")?;
        let rows = session.runtime.block_on(session.store().lane_rows(&channel.spec().id))?;
        let others: Vec<OutboxRow> = rows.iter().map(|it| it.row.clone()).collect();
        let Some(left) = rows.into_iter().find(|it| it.row.id == *row) else {
            return match session.store().ending(row)?.as_deref() {
                Some("done") => Ok(()),
                Some(event) => bail!("{name}: row {row} was not confirmed: it was {event}"),
                None => bail!("{name}: row {row} was not confirmed, and left the outbox"),
            };
        };
        let word = left.row.operation.word();
        if let RowState::Stopped(_, why) = &left.row.state {
            bail!(
                "{name}: {word}: {why}; row {row} is kept in the outbox: `frontdesk outbox list` shows it, \
                 `frontdesk outbox retry {row}` tries again, `frontdesk outbox drop {row}` gives it up"
            );
        }
        let refused = match &work {
            Work::Halted => true,
            Work::Elsewhere(other) => matches!(other.vitals.health, Some(Health::Refused { .. })),
            Work::Moved | Work::Waits => false,
        };
        if refused {
            bail!(
                "{name}: {word}: the server does not take this channel's key; row {row} is kept in the outbox: \
                 `frontdesk outbox list` shows it, `frontdesk channel test` looks at the key"
            );
        }
        if session.now() > until {
            bail!(
                "{name}: {word}: no clear answer in {} s: {}; row {row} stays in the outbox and is asked again with \
                 the same key: `frontdesk outbox list` shows it",
                session.patience / SECOND,
                waiting::words(session, channel, &work, (&left.row, &others))
            );
        }
        if work != Work::Moved {
            session.sleep(LOOK);
        }
    }
}
