//! `outbox`: lists unconfirmed rows and takes decisions about stopped ones.

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::print;
use crate::cli::scripting::confirming::{RefusedRow, wait_until_confirmed};
use crate::cli::scripting::waiting::{ChannelStates, RowWait};
use crate::cli::scripting::{Common, Files, Session};
use crate::cli::unfinished::CommandRefusal;
use model::ids::RowId;
use model::outbox::{OutboxRow, RowState, StopVerdict};
use model::queries::{DeskQuery, OutboxEntry};

const MAX_LISTED_ROWS: u32 = 10_000;

/// The commands about the outbox.
#[derive(Debug, Subcommand)]
pub enum OutboxAction {
    /// List unconfirmed changes, those that wait for a person first.
    List(OutboxListArguments),
    /// Send a text although someone answered meanwhile, or although it is late.
    SendAnyway(RowArguments),
    /// Send a message written for another business from the one its channel belongs to now.
    SendFromHere(RowArguments),
    /// Retry a change that was refused or has no clear outcome.
    Retry(RowArguments),
    /// Drop a change.
    Drop(RowArguments),
}

/// The switches of `outbox list`.
#[derive(Debug, Args)]
pub struct OutboxListArguments {
    #[command(flatten)]
    pub common: Common,
}

/// The switches of a decision.
#[derive(Debug, Args)]
pub struct RowArguments {
    /// Id of the row, as shown by `outbox list`.
    pub row: String,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(files: Files, action: &OutboxAction) -> Result<()> {
    match action {
        OutboxAction::List(arguments) => list(&files, &arguments.common),
        OutboxAction::SendAnyway(arguments) => decide(files, arguments, Some(StopVerdict::SendAnyway)),
        OutboxAction::SendFromHere(arguments) => decide(files, arguments, Some(StopVerdict::SendFromHere)),
        OutboxAction::Retry(arguments) => decide(files, arguments, None),
        OutboxAction::Drop(arguments) => decide(files, arguments, Some(StopVerdict::Drop)),
    }
}

fn list(files: &Files, common: &Common) -> Result<()> {
    let channel = files.channel(common.channel.as_deref())?;
    let page = files.store.reader()?.outbox(&DeskQuery { channel, limit: MAX_LISTED_ROWS })?;
    let rows: Vec<&OutboxRow> = page.entries.iter().map(|entry| &entry.row).collect();
    let waits = ChannelStates::load(files, &rows)?;
    if common.json {
        let rows: Vec<Value> = page
            .entries
            .iter()
            .map(|entry| entry_json(files, entry, &waits.row_wait(&entry.row, &rows, files)))
            .collect();
        return print::json(&Value::Array(rows));
    }
    print::empty(page.entries.is_empty(), "messages in the outbox");
    page.entries.iter().try_for_each(|entry| {
        let (state, _) = state(entry);
        let why = waits.row_wait(&entry.row, &rows, files).describe(&entry.row);
        let columns = [
            entry.row.id.to_string(),
            files.name_of(&entry.row.channel),
            entry.title.to_string(),
            entry.row.operation.word().to_owned(),
            state,
            why,
            entry.row.operation.summary().to_string(),
        ];
        print::line(&print::columns(&columns))
    })
}

/// State of a row, with the reason if it is stopped.
fn state(entry: &OutboxEntry) -> (String, Option<String>) {
    match &entry.row.state {
        RowState::Queued => ("queued".to_owned(), None),
        RowState::Sending => ("sending".to_owned(), None),
        RowState::Uncertain => ("uncertain".to_owned(), None),
        RowState::Stopped(stop, why) => (stop.word().to_owned(), Some(why.to_string())),
        RowState::Done => ("done".to_owned(), None),
    }
}

fn entry_json(files: &Files, entry: &OutboxEntry, waits: &RowWait) -> Value {
    let (state, why) = state(entry);
    let messages =
        |all: &[model::messages::Message]| -> Vec<Value> { all.iter().map(print::message_json).collect() };
    json!({
        "id": entry.row.id.as_str(),
        "channel": files.name_of(&entry.row.channel),
        "to": entry.title.as_str(),
        "operation": entry.row.operation.word(),
        "summary": entry.row.operation.summary().as_str(),
        "state": state,
        "waitsForYou": entry.row.is_stopped(),
        "why": why,
        "waitingFor": waits.json(),
        "attempts": entry.row.attempts,
        "createdAt": entry.row.created_at.to_string(),
        "crossed": messages(&entry.newer_messages),
        "candidates": messages(&entry.candidates),
    })
}

/// Records a decision and, if the row is sent again, waits for its confirmation.
fn decide(files: Files, arguments: &RowArguments, verdict: Option<StopVerdict>) -> Result<()> {
    let id = RowId::from(arguments.row.as_str());
    let entry = files.store.reader()?.outbox_entry(&id)?;
    let Some(entry) = entry else {
        let words = format!("there is no row {id} in the outbox; `frontdesk outbox list` shows the rows");
        return Err(CommandRefusal::not_found(words).into());
    };
    // The decision needs the session's connection, so that is set up first.
    let is_dropped = verdict == Some(StopVerdict::Drop);
    let name = files.name_of(&entry.row.channel);
    let open = || Session::open(files.clone(), Some(&name), arguments.common.timeout);
    let session = if is_dropped { None } else { Some(open()?) };
    let now = files.now();
    let decided = match verdict {
        Some(verdict) => files.store.decide(&id, verdict, None, now)?,
        None => files.store.retry_stopped(&id, None, now)?,
    };
    let Some(decided) = decided else { bail!("{}", decision_refusal(&entry)) };
    if let (Some(session), Some(after)) = (session, &decided.after) {
        let channels = session.channels(Some(&name))?;
        let channel = channels.first().with_context(|| format!("{name} is no longer configured"))?;
        wait_until_confirmed(&session, channel, std::slice::from_ref(&after.id), RefusedRow::Kept)?;
    }
    let done = if is_dropped { "dropped" } else { "done" };
    if arguments.common.json {
        let item = json!({"ok": true, "done": done, "channel": name, "row": id.as_str()});
        return print::json(&item);
    }
    print::line(&format!("{done}: {} for {} on {name}", decided.before.operation.word(), entry.title))
}

/// Reason a decision does not apply to a row.
fn decision_refusal(entry: &OutboxEntry) -> String {
    match &entry.row.state {
        RowState::Stopped(stop, _) => {
            format!(
                "this decision does not apply to a row that is {:?}; see `frontdesk outbox list`",
                stop.label()
            )
        }
        _ => "the row needs no decision: it is being sent".to_owned(),
    }
}
