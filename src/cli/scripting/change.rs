//! `send`, `react`, `pause`, `resume`, `close`: queued in the outbox, then awaited until the server confirms.
//!
//! An unknown outcome is reported, and its row stays in the outbox and in the inbox.

use std::io::Read;

use anyhow::{Context, Result, anyhow};
use clap::Args;

use crate::cli::scripting::content::ContentArguments;
use crate::cli::scripting::writing::{self, Answer, KeyArgument, WriteKey};
use crate::cli::scripting::{Common, ConversationArguments, FoundConversation, Session};
use crate::cli::unfinished::{CommandRefusal, Unfinished};
use crate::cli::{CliError, UsageError};
use crate::shell::files;
use client::Attachments;
use model::conversations::Automation;
use model::ids::MessageId;
use model::outbox::{Lane, Operation};
use store::outbox::NewRow;

/// Error if the AI may answer and no switch decides about it.
pub const AI_MAY_ANSWER_NOTICE: &str =
    "the AI may answer this customer too: add --pause to pause it first, or --beside-ai to send anyway";

/// The switches of `send`.
#[derive(Debug, Args)]
pub struct SendArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// The text; `-` reads it from standard input.
    pub text: Option<String>,
    #[command(flatten)]
    pub content: ContentArguments,
    /// Quote the message with this id.
    #[arg(long, value_name = "MESSAGE")]
    pub reply_to: Option<String>,
    /// Pause the AI before sending.
    #[arg(long, conflicts_with = "beside_ai")]
    pub pause: bool,
    /// Send even if the AI may answer too.
    #[arg(long)]
    pub beside_ai: bool,
    #[command(flatten)]
    pub key: KeyArgument,
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
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `take`, `done`, `pause`, `resume` and `close`.
#[derive(Debug, Args)]
pub struct ChangeArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// Conversation to be changed. Phone conversations support none of these commands, but have their own.
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
    Err(UsageError(told).into())
}

pub fn send(session: &Session, arguments: &SendArguments) -> Result<(), CliError> {
    let mut text = arguments.text.clone();
    if let Some(text) = text.as_mut().filter(|text| *text == "-") {
        text.clear();
        std::io::stdin().read_to_string(text).context("could not read the text from standard input")?;
    }
    let Some(key) = writing::claim_key(session, &arguments.common, arguments.key(text.as_deref()))? else {
        return Ok(());
    };
    let found = find(session, &arguments.common, &arguments.wanted)?;
    if let Some(why) = arguments.content.channel_rejection_reason(&found.platform) {
        return Err(CliError::Usage(why));
    }
    let conversation = &found.row.conversation;
    let to = conversation
        .address
        .clone()
        .with_context(|| format!("{} has no address to send to", conversation.id))?;
    let ai_may_answer = matches!(conversation.automation, Automation::On | Automation::Unknown);
    if ai_may_answer && !arguments.pause && !arguments.beside_ai {
        return Err(CliError::Usage(AI_MAY_ANSWER_NOTICE.to_owned()));
    }
    let account = session
        .runtime
        .block_on(session.store().account(&found.channel.spec().id))
        .map_err(anyhow::Error::from)?;
    let mut operations = Vec::new();
    if arguments.pause && conversation.automation != Automation::Off {
        operations.push(Operation::SetAutomation { enabled: false });
    }
    let reply_to = arguments.reply_to.as_deref().map(MessageId::from);
    operations.extend(arguments.content.operations(
        (&found.platform, account.as_ref(), session.files.config.link_preview),
        to,
        text,
        reply_to,
    )?);
    let answer = build_answer(&found, "sent").with_hidden_created_field("messageId");
    Ok(send_messages(session, &found, operations, &arguments.common, (answer, &key))?)
}

/// Sends messages one after another and reports the last. Each has a key of its own, so that the command
/// repeated with its key goes on where it stopped.
fn send_messages(
    session: &Session,
    found: &FoundConversation,
    operations: Vec<Operation>,
    common: &Common,
    (mut answer, key): (Answer, &WriteKey),
) -> Result<()> {
    let mut left = rows(session, found, operations)?;
    let count = left.iter().filter(|row| row.operation.is_customer_message()).count();
    let mut earlier = Vec::new();
    for number in 1..count {
        let first = left.iter().position(|row| row.operation.is_customer_message()).unwrap_or_default();
        let later = left.split_off(first + 1);
        let message = std::mem::replace(&mut left, later);
        let part = key.part(&format!("message {number}"));
        let sent = writing::run_rows(session, &found.channel, message, (&answer, &part));
        let sent = sent.map_err(|mut error| {
            if let Some(unfinished) = error.downcast_mut::<Unfinished>() {
                unfinished.what =
                    format!("{} ({number} of {count}; no later one is queued)", unfinished.what);
            }
            error
        })?;
        earlier.push(sent.as_message());
    }
    if !earlier.is_empty() {
        answer = answer.with_field("earlierMessages", earlier);
    }
    let outcome = writing::run_rows(session, &found.channel, left, (&answer, key))?;
    writing::print_outcome(session, &found.channel, common, &answer, &outcome)
}

impl SendArguments {
    /// Idempotency key of the message. Pausing the AI is not part of it: a first run may have done so.
    fn key(&self, text: Option<&str>) -> WriteKey {
        if !self.key.is_given() {
            return WriteKey::NONE;
        }
        let mut wish = self.wanted.request_parts();
        wish.extend([text.unwrap_or_default(), self.reply_to.as_deref().unwrap_or_default()]);
        let content = self.content.request_parts();
        wish.extend(content.iter().map(String::as_str));
        WriteKey::of(&self.key, "send", &self.common, &wish)
    }
}

impl ChangeArguments {
    pub(super) fn key(&self, command: &str) -> WriteKey {
        WriteKey::of(&self.key, command, &self.common, &self.wanted.request_parts())
    }
}

pub(super) fn build_answer(found: &FoundConversation, done: &str) -> Answer {
    Answer::new(done, found.address())
        .with_field("conversation", found.row.conversation.id.as_str())
        .with_field("address", found.row.conversation.address.clone())
}

pub fn react(session: &Session, arguments: &ReactArguments) -> Result<()> {
    let ReactArguments { wanted, message, emoji, common, .. } = arguments;
    let mut wish = wanted.request_parts();
    wish.extend([message.as_str(), emoji]);
    let key = WriteKey::of(&arguments.key, "react", common, &wish);
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let found = find(session, common, wanted)?;
    let operation = Operation::React { message: MessageId::from(message.as_str()), emoji: emoji.clone() };
    let answer = build_answer(&found, "reacted").with_field("message", message.as_str());
    queue_operations(session, &found, vec![operation], common, (&answer, &key))
}

/// `frontdesk pause` and `frontdesk resume`
pub fn switch(session: &Session, arguments: &ChangeArguments, enabled: bool) -> Result<()> {
    let (command, done) = if enabled { ("resume", "handed back") } else { ("pause", "paused") };
    let operation = Operation::SetAutomation { enabled };
    change(session, arguments, command, (done, operation))
}

pub fn close(session: &Session, arguments: &ChangeArguments) -> Result<()> {
    change(session, arguments, "close", ("closed", Operation::Close))
}

fn change(
    session: &Session,
    arguments: &ChangeArguments,
    command: &str,
    (done, operation): (&str, Operation),
) -> Result<()> {
    let common = &arguments.common;
    let Some(key) = writing::claim_key(session, common, arguments.key(command))? else { return Ok(()) };
    let found = find(session, common, &arguments.wanted)?;
    queue_operations(session, &found, vec![operation], common, (&build_answer(&found, done), &key))
}

/// Queues operations in order, waits until the server has confirmed all, and prints the last.
pub fn queue_operations(
    session: &Session,
    found: &FoundConversation,
    operations: Vec<Operation>,
    common: &Common,
    (answer, key): (&Answer, &WriteKey),
) -> Result<()> {
    let rows = rows(session, found, operations)?;
    let outcome = writing::run_rows(session, &found.channel, rows, (answer, key))?;
    writing::print_outcome(session, &found.channel, common, answer, &outcome)
}

pub fn rows(session: &Session, found: &FoundConversation, operations: Vec<Operation>) -> Result<Vec<NewRow>> {
    let id = found.row.conversation.id.clone();
    writing::refuse_read_only(&found.channel)?;
    if let Some(why) = found.row.conversation.describe_no_messages()
        && operations.iter().any(Operation::may_cross)
    {
        return Err(CommandRefusal::unreachable(&found.channel.spec().name, &why).into());
    }
    let pauses =
        operations.iter().any(|operation| matches!(operation, Operation::SetAutomation { enabled: false }));
    let mut rows = Vec::new();
    for operation in operations {
        let lane = operation.lane(Some(&id)).unwrap_or_else(|| Lane::Conversation(id.clone()));
        let request = match &operation {
            Operation::SendFile(file) => {
                let bytes = files::read(&file.path, file.size).map_err(|why| anyhow!(why))?;
                let enclosed = Attachments { files: &[&bytes], ..Attachments::default() };
                client::prepare_with(&found.platform, &lane, &operation, enclosed)?
            }
            other => client::prepare(&found.platform, &lane, other)?,
        };
        let channel = found.channel.spec().id.clone();
        // A text after a pause is sent only if nobody has answered since the command started.
        let seen = if pauses && operation.is_customer_message() { session.newest(found)? } else { None };
        rows.push(NewRow { channel, lane, operation, request, hold_micros: 0, seen, planned_at: None });
    }
    Ok(rows)
}
