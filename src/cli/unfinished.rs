//! Unfinished commands, as a line for people, a line of JSON for programs, and a common exit code.

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::CliError;
use crate::cli::channel::check::CheckError;
use client::{FailureCause, ReadError, RequestFailure};
use model::ids::RowId;
use model::selector::{Candidate, Unresolved};
use service::admin::AdminError;
use service::database::DatabaseError;
use store::StoreError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemainingState {
    /// Not done, and nothing is queued.
    Nothing,
    /// Row that was not sent yet and will be once possible.
    Queued(RowId),
    /// Row with an unknown outcome; repeated with the same key.
    Unknown(RowId),
    /// Row that needs a decision.
    Waiting(RowId),
    /// Continues by itself; with the command that follows it.
    GoesOn(String),
}

/// State in JSON of a change with an unknown outcome.
const UNKNOWN_STATE: &str = "unknown";

impl RemainingState {
    pub fn exit_code(&self) -> u8 {
        if *self == Self::Nothing { 1 } else { UNKNOWN_EXIT }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Nothing => "not done",
            Self::Queued(_) => "queued",
            Self::Unknown(_) => UNKNOWN_STATE,
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

    fn advice(&self, failure: &RequestFailure) -> String {
        match self {
            Self::Nothing => failure.cause.advice().to_owned(),
            Self::Queued(row) | Self::Unknown(row) => {
                format!("see `frontdesk outbox list`; drop it with `frontdesk outbox drop {row}`")
            }
            Self::Waiting(row) => format!(
                "see `frontdesk outbox list`; retry it with `frontdesk outbox retry {row}` or drop it with \
                 `frontdesk outbox drop {row}`"
            ),
            Self::GoesOn(command) => format!("continue with `{command}`"),
        }
    }
}

#[derive(Debug, Clone, thiserror::Error)]
pub struct Unfinished {
    pub failure: RequestFailure,
    pub remaining: RemainingState,
    pub channel: String,
    pub what: String,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { failure, remaining: left, channel, what } = self;
        write!(formatter, "{channel}: {what}: {}", failure.why)?;
        match left {
            RemainingState::Nothing => {}
            RemainingState::Queued(row) => {
                write!(formatter, "; row {row} is queued and will be sent as soon as possible")?
            }
            RemainingState::Unknown(row) => write!(
                formatter,
                "; it may or may not have been done: row {row} stays in the outbox and is retried with the same key"
            )?,
            RemainingState::Waiting(row) => {
                let is_unclear = failure.cause == FailureCause::Unclear;
                let doubt = if is_unclear { "it may or may not have been done: " } else { "" };
                write!(formatter, "; {doubt}row {row} stays in the outbox and waits for you")?;
            }
            RemainingState::GoesOn(_) => {}
        }
        if *left == RemainingState::Nothing && failure.has_remedy() {
            return Ok(());
        }
        write!(formatter, "; {}", left.advice(failure))
    }
}

/// Code and cause for a missing subject of a command.
const NOT_FOUND: (&str, &str) = ("NOT_FOUND", "not-found");

/// Command refused locally; nothing was done.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct CommandRefusal {
    code: &'static str,
    cause: &'static str,
    message: String,
    advice: &'static str,
}

impl CommandRefusal {
    /// Refuses a missing subject.
    pub fn not_found(words: impl Into<String>) -> Self {
        let (code, cause) = NOT_FOUND;
        Self { code, cause, message: words.into(), advice: "use an existing name or id" }
    }

    /// Error for an unreadable local file.
    pub fn unreadable(path: &str, why: String) -> anyhow::Error {
        if std::path::Path::new(path).exists() { anyhow::anyhow!(why) } else { Self::not_found(why).into() }
    }

    /// Refuses what does not work as it was entered.
    pub fn refused(words: impl Into<String>) -> Self {
        let advice = "correct the value that the message names";
        Self { code: "REFUSED", cause: "refused", message: words.into(), advice }
    }

    pub fn read_only(channel: &str) -> Self {
        let message = format!("{channel} is read-only");
        let advice = "remove `read_only` of the channel in config.toml, or use another channel";
        Self { code: "READ_ONLY", cause: "forbidden", message, advice }
    }

    /// Refuses a message to a customer who takes none, with the code of the servers that do.
    pub fn unreachable(channel: &str, why: &str) -> Self {
        let message = format!("{channel}: {why}; nothing was sent");
        let advice = "write on another channel, or wait until they write or allow messages again";
        Self { code: "INVALID_RECIPIENT", cause: "refused", message, advice }
    }

    /// Refuses an idempotency key used for another change.
    pub fn key_conflict(key: &str) -> Self {
        let message = format!("the idempotency key {key:?} belongs to another change; nothing was done");
        let advice = "use a different key for each change";
        Self { code: "IDEMPOTENCY_CONFLICT", cause: "refused", message, advice }
    }

    /// Refuses an idempotency key whose change a person gave up.
    pub fn abandoned(key: &str, row: &RowId) -> Self {
        let message = format!(
            "the change with the idempotency key {key:?} was dropped by a person (row {row}); it may have been \
             done before, and nothing was done now"
        );
        let advice = "check whether it was done; to do it again, use another key";
        Self { code: "IDEMPOTENCY_GIVEN_UP", cause: "undecided", message, advice }
    }
}

/// Change of the service's own commands that may or may not have been done; exit code 3.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct OutcomeUnknown(pub String);

/// Failures of several channels; the others succeeded.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.0.iter().map(|entry| format!("{entry:#}")).collect::<Vec<_>>().join("; "))]
pub struct ChannelErrors(pub Vec<anyhow::Error>);

pub fn exit_code(error: &CliError) -> u8 {
    match error {
        CliError::Usage(_) => 2,
        CliError::Failed(error) => {
            let each = channel_errors(error);
            each.iter()
                .map(|error| match unfinished(error) {
                    Some(unfinished) => unfinished.remaining.exit_code(),
                    None if is_unknown(error) => UNKNOWN_EXIT,
                    None => 1,
                })
                .max()
                .unwrap_or(1)
        }
    }
}

/// Exit code of a command whose change is queued or not known to be done.
const UNKNOWN_EXIT: u8 = 3;

fn is_unknown(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<OutcomeUnknown>()
            || matches!(cause.downcast_ref(), Some(DatabaseError::Unknown))
            || matches!(
                cause.downcast_ref(),
                Some(AdminError::Database(DatabaseError::Unknown) | AdminError::Unknown(_))
            )
    })
}

/// True if nothing was done and nothing is left.
pub fn is_certainly_not_done(error: &anyhow::Error) -> bool {
    unfinished(error).is_some_and(|unfinished| unfinished.remaining == RemainingState::Nothing)
}

/// Lines of an error, one for each failed channel.
pub fn lines(error: &CliError) -> Vec<String> {
    match error {
        CliError::Usage(words) => vec![words.clone()],
        CliError::Failed(error) => channel_errors(error).iter().map(|error| format!("{error:#}")).collect(),
    }
}

/// Errors as JSON, one object for each failed channel.
pub fn as_json(error: &CliError) -> Vec<Value> {
    match error {
        CliError::Usage(words) => vec![usage(words)],
        CliError::Failed(error) => {
            channel_errors(error).into_iter().map(|error| report(error).json()).collect()
        }
    }
}

pub fn usage(words: &str) -> Value {
    let error = ErrorDetail {
        code: "USAGE".to_owned(),
        cause: "usage".to_owned(),
        message: words.to_owned(),
        advice: "see --help".to_owned(),
        ..ErrorDetail::default()
    };
    ErrorReport { ok: false, exit: 2, error }.json()
}

/// Detail of an error, for a list with several items.
pub fn detail(error: &anyhow::Error) -> Value {
    json!(report(error).error)
}

/// Error for programs: every field is always present, `null` or empty if it does not apply.
#[derive(Debug, Serialize)]
struct ErrorReport {
    ok: bool,
    exit: u8,
    error: ErrorDetail,
}

#[derive(Debug, Serialize)]
struct ErrorDetail {
    code: String,
    cause: String,
    message: String,
    advice: String,
    /// Remaining state: `not done`, `queued`, `unknown`, `waits for you` or `goes on`.
    state: &'static str,
    channel: Option<String>,
    row: Option<String>,
    /// Matching conversations, if there are several.
    candidates: Vec<Value>,
}

impl Default for ErrorDetail {
    fn default() -> Self {
        Self {
            code: "FAILED".to_owned(),
            cause: "failed".to_owned(),
            message: String::new(),
            advice: "run `frontdesk doctor`".to_owned(),
            state: RemainingState::Nothing.word(),
            channel: None,
            row: None,
            candidates: Vec::new(),
        }
    }
}

impl ErrorReport {
    fn json(&self) -> Value {
        json!(self)
    }
}

fn channel_errors(error: &anyhow::Error) -> Vec<&anyhow::Error> {
    match error.downcast_ref::<ChannelErrors>() {
        Some(ChannelErrors(all)) => all.iter().collect(),
        None => vec![error],
    }
}

fn unfinished(error: &anyhow::Error) -> Option<&Unfinished> {
    error.chain().find_map(|error| error.downcast_ref())
}

fn report(error: &anyhow::Error) -> ErrorReport {
    let mut told = ErrorDetail { message: format!("{error:#}"), ..ErrorDetail::default() };
    let mut exit = 1;
    if let Some(unfinished) = unfinished(error) {
        let Unfinished { failure, remaining: left, channel, .. } = unfinished;
        exit = left.exit_code();
        (told.code, told.cause) = (failure.code.to_string(), failure.cause.word().to_owned());
        told.advice = left.advice(failure);
        told.state = left.word();
        told.channel = Some(channel.clone());
        told.row = left.row().map(RowId::to_string);
    } else if let Some(refusal) = error.chain().find_map(|cause| cause.downcast_ref::<CommandRefusal>()) {
        (told.code, told.cause) = (refusal.code.to_owned(), refusal.cause.to_owned());
        told.advice = refusal.advice.to_owned();
    } else if let Some(unresolved) = error.chain().find_map(|cause| cause.downcast_ref::<Unresolved>()) {
        let (code, cause) = match unresolved {
            Unresolved::Nobody(_) => (NOT_FOUND.0, NOT_FOUND.1),
            Unresolved::Several(..) => ("AMBIGUOUS", "ambiguous"),
            Unresolved::Unread(_) => ("NOT_ALL_READ", "no-answer"),
        };
        (told.code, told.cause) = (code.to_owned(), cause.to_owned());
        if let Unresolved::Several(_, all) = unresolved {
            told.candidates = all.iter().map(candidate).collect();
        }
        told.advice = "use its id or address, as shown by `frontdesk list`".to_owned();
    } else if is_unknown(error) {
        let failure = RequestFailure::new(FailureCause::Unclear, "");
        exit = UNKNOWN_EXIT;
        (told.code, told.cause) = (failure.code.to_string(), failure.cause.word().to_owned());
        told.advice = "check whether it was done; do it again or drop it".to_owned();
        told.state = UNKNOWN_STATE;
    } else if error.chain().any(|cause| cause.is::<StoreError>()) {
        let failure = RequestFailure::new(FailureCause::Files, "");
        (told.code, told.cause) = (failure.code.to_string(), failure.cause.word().to_owned());
        told.advice = failure.cause.advice().to_owned();
    } else if error.chain().any(is_not_found) {
        (told.code, told.cause) = (NOT_FOUND.0.to_owned(), NOT_FOUND.1.to_owned());
        told.advice = "use an existing name or id".to_owned();
    } else if let Some((cause, advice)) = service_failure(error) {
        let failure = RequestFailure::new(cause, "");
        (told.code, told.cause) = (failure.code.to_string(), cause.word().to_owned());
        told.advice = advice.to_owned();
    } else if let Some(failure) = read_failure(error) {
        (told.code, told.cause) = (failure.code.to_string(), failure.cause.word().to_owned());
        told.advice = failure.cause.advice().to_owned();
    }
    ErrorReport { ok: false, exit, error: told }
}

/// True if the service reports that something does not exist.
fn is_not_found(cause: &(dyn std::error::Error + 'static)) -> bool {
    matches!(cause.downcast_ref(), Some(AdminError::Absent(_) | AdminError::Missing(_)))
}

/// Returns the cause of an [`AdminError`] and what to do.
fn service_failure(error: &anyhow::Error) -> Option<(FailureCause, &'static str)> {
    let refused = (FailureCause::Refused, "correct the value that the message names");
    let failed = (FailureCause::Files, "stop the program that uses the database, or try again later");
    Some(match error.chain().find_map(|cause| cause.downcast_ref::<AdminError>())? {
        AdminError::Damaged(_) => (FailureCause::Files, "restore a copy of the database"),
        AdminError::Database(cause) if !cause.is_refusal() => failed,
        _ => refused,
    })
}

/// Failure of a read made without a session.
fn read_failure(error: &anyhow::Error) -> Option<RequestFailure> {
    error.chain().find_map(|cause| match cause.downcast_ref::<CheckError>() {
        Some(CheckError::Read { error, .. }) => RequestFailure::of_read(error),
        _ => cause.downcast_ref::<ReadError>().and_then(RequestFailure::of_read),
    })
}

fn candidate(found: &Candidate) -> Value {
    let conversation = &found.row.conversation;
    json!({"id": conversation.id.as_str(), "address": conversation.address, "test": found.is_test(),
        "channel": found.row.channel.as_str()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_outcome_of_a_service_command_exits_3() {
        let unknown = || anyhow::Error::from(OutcomeUnknown("p1 is not known to be done".to_owned()));
        let commit = || AdminError::Database(DatabaseError::Unknown);
        for (error, exit) in [
            (unknown(), 3),
            (unknown().context("carrying it out"), 3),
            (anyhow::Error::from(commit()).context("changing the balance"), 3),
            (anyhow::Error::from(AdminError::Unknown("it may be there".to_owned())), 3),
            (anyhow::anyhow!("refused"), 1),
        ] {
            let report = report(&error).json();
            assert_eq!(report["exit"], exit, "{report}");
            assert_eq!(report["error"]["state"] == "unknown", exit == 3, "{report}");
            assert_eq!(exit_code(&CliError::Failed(error)), exit);
        }
    }
}
