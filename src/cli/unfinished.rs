//! What a command could not finish, as one line for people, one line of JSON
//! for programs, and an exit code that is the same for every command.

use std::fmt;

use serde_json::{Value, json};

use crate::cli::CliError;
use client::{FailureCause, RequestFailure};
use model::ids::RowId;
use model::selector::Unresolved;
use store::StoreError;

/// What is left of what a command was asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// Nothing was done and nothing is queued.
    Nothing,
    /// A row that has not left, and leaves as soon as it may.
    Queued(RowId),
    /// A row that may have been done; the same key asks again.
    Unknown(RowId),
    /// A row about which a person decides.
    Waiting(RowId),
    /// Something that goes on by itself; the command that follows it.
    GoesOn(String),
}

impl Left {
    /// The exit code.
    pub fn exit(&self) -> u8 {
        if *self == Self::Nothing { 1 } else { 3 }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Nothing => "not done",
            Self::Queued(_) => "queued",
            Self::Unknown(_) => "unknown",
            Self::Waiting(_) => "waits for you",
            Self::GoesOn(_) => "goes on",
        }
    }

    fn row(&self) -> Option<&RowId> {
        match self {
            Self::Queued(row) | Self::Unknown(row) | Self::Waiting(row) => Some(row),
            Self::Nothing | Self::GoesOn(_) => None,
        }
    }

    /// What to do about what is left.
    fn advice(&self, failure: &RequestFailure) -> String {
        match self {
            Self::Nothing => failure.cause.advice().to_owned(),
            Self::Queued(row) | Self::Unknown(row) => {
                format!("`frontdesk outbox list` shows it, `frontdesk outbox drop {row}` gives it up")
            }
            Self::Waiting(row) => format!(
                "`frontdesk outbox list` shows it, `frontdesk outbox retry {row}` tries again, \
                 `frontdesk outbox drop {row}` gives it up"
            ),
            Self::GoesOn(command) => format!("`{command}` goes on with it"),
        }
    }
}

/// What a command could not finish, and why.
#[derive(Debug, Clone, thiserror::Error)]
pub struct Unfinished {
    pub failure: RequestFailure,
    pub left: Left,
    pub channel: String,
    pub what: String,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { failure, left, channel, what } = self;
        write!(formatter, "{channel}: {what}: {}; ", failure.why)?;
        match left {
            Left::Nothing => {}
            Left::Queued(row) => write!(formatter, "row {row} is queued and leaves when it may; ")?,
            Left::Unknown(row) => write!(
                formatter,
                "it may or may not have been done: row {row} stays in the outbox and is asked again with \
                 the same key; "
            )?,
            Left::Waiting(row) => {
                let is_unclear = failure.cause == FailureCause::Unclear;
                let doubt = if is_unclear { "it may or may not have been done: " } else { "" };
                write!(formatter, "{doubt}row {row} is kept in the outbox and waits for you; ")?;
            }
            Left::GoesOn(_) => {}
        }
        formatter.write_str(&left.advice(failure))
    }
}

/// What several channels could not do; the others did theirs.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.0.iter().map(|it| format!("{it:#}")).collect::<Vec<_>>().join("; "))]
pub struct Several(pub Vec<anyhow::Error>);

/// The exit code of an error.
pub fn exit(error: &CliError) -> u8 {
    match error {
        CliError::Usage(_) => 2,
        CliError::Failed(error) => {
            let each = each(error);
            each.iter().filter_map(|it| unfinished(it)).map(|it| it.left.exit()).max().unwrap_or(1)
        }
    }
}

/// An error in lines, one for each channel that failed.
pub fn lines(error: &CliError) -> Vec<String> {
    match error {
        CliError::Usage(words) => vec![words.clone()],
        CliError::Failed(error) => each(error).iter().map(|it| format!("{it:#}")).collect(),
    }
}

/// The same as JSON.
pub fn as_json(error: &CliError) -> Vec<Value> {
    match error {
        CliError::Usage(words) => vec![usage(words)],
        CliError::Failed(error) => each(error).into_iter().map(item).collect(),
    }
}

/// Wrong usage as JSON.
pub fn usage(words: &str) -> Value {
    let error =
        json!({"code": "USAGE", "cause": "usage", "message": words, "advice": "--help tells the usage"});
    json!({"ok": false, "exit": 2, "error": error})
}

fn each(error: &anyhow::Error) -> Vec<&anyhow::Error> {
    match error.downcast_ref::<Several>() {
        Some(Several(all)) => all.iter().collect(),
        None => vec![error],
    }
}

fn unfinished(error: &anyhow::Error) -> Option<&Unfinished> {
    error.chain().find_map(|it| it.downcast_ref())
}

fn item(error: &anyhow::Error) -> Value {
    let mut told = json!({"message": format!("{error:#}"), "state": Left::Nothing.word()});
    let (mut exit, mut code, mut cause) = (1, "FAILED", "failed");
    if let Some(it) = unfinished(error) {
        exit = it.left.exit();
        (code, cause) = (it.failure.code.as_str(), it.failure.cause.word());
        told["advice"] = it.left.advice(&it.failure).into();
        told["state"] = it.left.word().into();
        told["channel"] = it.channel.clone().into();
        told["row"] = it.left.row().map(|row| row.as_str()).into();
    } else if let Some(unresolved) = error.chain().find_map(|it| it.downcast_ref::<Unresolved>()) {
        (code, cause) = match unresolved {
            Unresolved::Nobody(_) => ("NOT_FOUND", "not-found"),
            Unresolved::Several(..) => ("AMBIGUOUS", "ambiguous"),
            Unresolved::Unread(_) => ("NOT_ALL_READ", "no-answer"),
        };
        if let Unresolved::Several(_, all) = unresolved {
            let candidate = |it: &model::selector::Candidate| {
                let conversation = &it.row.conversation;
                json!({"id": conversation.id.as_str(), "address": conversation.address, "test": it.is_test(),
                    "channel": it.row.channel.as_str()})
            };
            told["candidates"] = all.iter().map(candidate).collect();
        }
        told["advice"] = "name it by its id or address; `frontdesk list` shows them".into();
    } else if error.chain().any(|it| it.is::<StoreError>()) {
        (code, cause) = ("FILES", "files");
        told["advice"] = FailureCause::Files.advice().into();
    }
    told["code"] = code.into();
    told["cause"] = cause.into();
    json!({"ok": false, "exit": exit, "error": told})
}
