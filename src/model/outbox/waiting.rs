//! Reason why an outbox row has not been sent, and its remedies. Used by the screen and by scripts;
//! texts name no keys, because only the screen has keys.

use crate::leader::Leader;
use crate::news::Health;
use crate::outbox::{Operation, OutboxRow, RowState, StopReason};
use crate::time::{SECOND, Timestamp, format_span_ahead};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitReason {
    /// The hold, during which the row can be undone.
    Held(Timestamp),
    Planned(Timestamp),
    Uploading,
    /// The upload was interrupted and starts again.
    UploadCutOff,
    UploadNext,
    /// Sent; no answer yet.
    Answer,
    /// Unknown outcome: the same key is retried at this time.
    ClearAnswer(Option<Timestamp>),
    /// A person's decision; for missing credits, true if the balance now suffices.
    Decision(StopReason, Option<bool>),
    /// The previous row of the lane, and the reason if that one needs a decision.
    RowBefore(Option<StopReason>),
    /// The upload of the previous row.
    FileBefore,
    /// A failed pause before it; person and AI must not both answer.
    PauseBefore,
    /// The retry delay after an attempt without effect.
    NextTry(Option<Timestamp>),
    RateLimit(Timestamp),
    Connection,
    /// The server's answers violate the interface.
    Server,
    /// The key is not accepted.
    Key,
    /// The configuration cannot work.
    Configuration,
    Sender,
    /// Another process sends for the channel.
    OtherProcess(Leader),
    /// Sent next.
    Nothing,
}

/// Action of a person that ends a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitRemedy {
    /// Send now, ending the hold.
    SendNow,
    Recall,
    Decide,
    DecideBefore,
    /// Send every row that waited for credits.
    SendUnpaid,
    CheckKey,
    /// Poll the server again.
    RetryConnection,
    /// Start an inbox that may send.
    StartInbox,
}

/// State of the channel on which a wait depends.
#[derive(Debug, Clone, Copy)]
pub struct QueueFacts<'a> {
    pub now: Timestamp,
    pub health: &'a Health,
    pub leader: &'a Leader,
    /// True if the balance suffices; `None` if unknown.
    pub has_credits: Option<bool>,
}

/// Returns the reason why a row has not been sent. `others` may include rows that precede it.
pub fn wait_reason<'a>(
    row: &OutboxRow,
    others: impl Iterator<Item = &'a OutboxRow>,
    facts: &QueueFacts<'_>,
) -> WaitReason {
    let now = facts.now;
    let later = Some(row.not_before).filter(|time| *time > now);
    match &row.state {
        RowState::Stopped(stop, _) => {
            return WaitReason::Decision(*stop, facts.has_credits.filter(|_| *stop == StopReason::Credits));
        }
        RowState::Sending if row.is_upload() => return WaitReason::Uploading,
        RowState::Sending | RowState::Done => return WaitReason::Answer,
        RowState::Queued | RowState::Uncertain => (),
    }
    if let Some(at) = row.planned_at.filter(|time| *time > now) {
        return WaitReason::Planned(at);
    }
    let standstill = channel_wait_reason(facts);
    if let Some(reason @ (WaitReason::Key | WaitReason::Configuration)) = &standstill {
        return reason.clone();
    }
    match facts.health {
        Health::Limited { until } if *until > now && later.is_some_and(|later| later >= *until) => {
            return WaitReason::RateLimit(*until);
        }
        _ => (),
    }
    if let Some(until) = later.filter(|_| row.remaining_hold(now).is_some()) {
        return WaitReason::Held(until);
    }
    // A row that needs a decision blocks the lane, whichever process sends.
    let before = lane_wait_reason(row, others, now);
    let asks = matches!(before, Some(WaitReason::RowBefore(Some(_)) | WaitReason::PauseBefore));
    if standstill == Some(WaitReason::Sender) && !asks {
        return WaitReason::Sender;
    }
    if let Some(before) = before {
        return before;
    }
    match row.state {
        RowState::Uncertain if row.is_upload() => return WaitReason::UploadCutOff,
        RowState::Uncertain => return WaitReason::ClearAnswer(later),
        _ => (),
    }
    match (standstill, facts.health) {
        (Some(reason), _) => return reason,
        (None, Health::Limited { until }) if *until > now => return WaitReason::RateLimit(*until),
        (None, _) => (),
    }
    match facts.leader {
        _ if later.is_some() || row.attempts > 0 => WaitReason::NextTry(later),
        Leader::Elsewhere { .. } => WaitReason::OtherProcess(facts.leader.clone()),
        _ if row.is_upload() => WaitReason::UploadNext,
        _ => WaitReason::Nothing,
    }
}

/// Returns the reason why the whole channel sends nothing, if there is one.
pub fn channel_wait_reason(facts: &QueueFacts<'_>) -> Option<WaitReason> {
    match (facts.health, facts.leader) {
        (Health::Refused { .. }, _) => Some(WaitReason::Key),
        (Health::Misconfigured { .. }, _) => Some(WaitReason::Configuration),
        (_, Leader::Nobody) => Some(WaitReason::Sender),
        (Health::Offline { .. } | Health::Silent { .. }, _) => Some(WaitReason::Connection),
        (Health::Trouble { .. }, _) => Some(WaitReason::Server),
        _ => None,
    }
}

/// Returns the reason that a preceding row of the lane causes.
fn lane_wait_reason<'a>(
    row: &OutboxRow,
    others: impl Iterator<Item = &'a OutboxRow>,
    now: Timestamp,
) -> Option<WaitReason> {
    let speaks = row.operation.is_customer_message();
    let mut found = None;
    for other in others.filter(|outbox_row| outbox_row.channel == row.channel && outbox_row.lane == row.lane)
    {
        if other.sequence >= row.sequence {
            continue;
        }
        let why = match &other.state {
            RowState::Stopped(stop, _) if stop.blocks_lane() => WaitReason::RowBefore(Some(*stop)),
            RowState::Stopped(..) if speaks && is_pause(&other.operation) => WaitReason::PauseBefore,
            RowState::Stopped(..) | RowState::Done => continue,
            // Scheduled rows do not block the lane.
            RowState::Queued if other.planned_at.is_some_and(|time| time > now) => continue,
            _ if other.is_upload() && speaks => WaitReason::FileBefore,
            _ if other.is_upload() => continue,
            _ => WaitReason::RowBefore(None),
        };
        // A row that needs a decision takes precedence as the reason.
        if found.is_none() || matches!(why, WaitReason::RowBefore(Some(_)) | WaitReason::PauseBefore) {
            found = Some(why);
        }
    }
    found
}

fn is_pause(operation: &Operation) -> bool {
    matches!(operation, Operation::SetAutomation { enabled: false })
}

impl WaitReason {
    /// Machine-readable word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Held(_) => "hold",
            Self::Planned(_) => "planned_time",
            Self::Uploading | Self::UploadCutOff | Self::UploadNext => "upload",
            Self::Answer => "answer",
            Self::ClearAnswer(_) => "clear_answer",
            Self::Decision(StopReason::Credits, _) => "credits",
            Self::Decision(..) => "decision",
            Self::RowBefore(_) => "row_before",
            Self::FileBefore => "upload_before",
            Self::PauseBefore => "pause_before",
            Self::NextTry(_) => "next_try",
            Self::RateLimit(_) => "rate_limit",
            Self::Connection => "connection",
            Self::Server => "server",
            Self::Key => "key",
            Self::Configuration => "configuration",
            Self::Sender => "sender",
            Self::OtherProcess(_) => "other_process",
            Self::Nothing => "nothing",
        }
    }

    pub fn until(&self) -> Option<Timestamp> {
        match self {
            Self::Held(at) | Self::Planned(at) | Self::RateLimit(at) => Some(*at),
            Self::ClearAnswer(at) | Self::NextTry(at) => *at,
            _ => None,
        }
    }

    pub fn blocking_process(&self) -> Option<u32> {
        match self {
            Self::OtherProcess(Leader::Elsewhere { process, .. }) => *process,
            _ => None,
        }
    }

    /// Returns the remedies; empty if the wait ends automatically.
    pub fn remedies(&self) -> &'static [WaitRemedy] {
        match self {
            Self::Held(_) | Self::Planned(_) => &[WaitRemedy::Recall, WaitRemedy::SendNow],
            Self::Uploading | Self::UploadCutOff | Self::UploadNext => &[WaitRemedy::Recall],
            Self::Decision(StopReason::Auth, _) => &[WaitRemedy::CheckKey, WaitRemedy::Decide],
            Self::Decision(_, Some(true)) => &[WaitRemedy::SendUnpaid, WaitRemedy::Decide],
            Self::Decision(..) => &[WaitRemedy::Decide],
            Self::RowBefore(Some(_)) | Self::PauseBefore => &[WaitRemedy::DecideBefore],
            Self::Connection | Self::Server => &[WaitRemedy::RetryConnection],
            Self::Key | Self::Configuration => &[WaitRemedy::CheckKey],
            Self::Sender => &[WaitRemedy::StartInbox],
            Self::Answer
            | Self::ClearAnswer(_)
            | Self::RowBefore(None)
            | Self::FileBefore
            | Self::NextTry(_)
            | Self::RateLimit(_)
            | Self::OtherProcess(_)
            | Self::Nothing => &[],
        }
    }

    pub fn describe(&self, operation: &Operation, now: Timestamp) -> String {
        let seconds = |at: &Timestamp| (at.since(now).max(0) + SECOND - 1) / SECOND;
        match self {
            Self::Held(until) => format!("{} in {} s", describe_verb(operation), seconds(until)),
            Self::Planned(at) => {
                format!("scheduled, in {} if frontdesk runs", format_span_ahead(at.since(now)))
            }
            Self::Uploading => "uploading".to_owned(),
            Self::UploadCutOff => "upload interrupted; retrying".to_owned(),
            Self::UploadNext => "waiting to upload".to_owned(),
            Self::Answer => "sending".to_owned(),
            Self::ClearAnswer(Some(at)) => {
                let left = seconds(at);
                format!("no clear answer; asking again in {left} s, never sent twice")
            }
            Self::ClearAnswer(None) => "no clear answer; asking again, never sent twice".to_owned(),
            Self::Decision(stop, Some(true)) => format!("{}; enough now", stop.label()),
            Self::Decision(stop, _) => stop.label().to_owned(),
            Self::RowBefore(None) => "waiting for the message before it".to_owned(),
            Self::RowBefore(Some(stop)) => {
                format!("waiting for the message before it: {}", stop.label())
            }
            Self::FileBefore => "waiting for the file before it".to_owned(),
            Self::PauseBefore => "waiting: pausing the AI failed".to_owned(),
            Self::NextTry(Some(at)) => format!("not sent yet; retrying in {} s", seconds(at)),
            Self::NextTry(None) => "not sent yet; retrying".to_owned(),
            Self::RateLimit(until) => {
                format!("rate limit; sending in {} s", seconds(until))
            }
            Self::Connection => "waiting for a connection; then sent automatically".to_owned(),
            Self::Server => "server trouble; retried automatically".to_owned(),
            Self::Key => "waiting: key refused".to_owned(),
            Self::Configuration => "waiting: this channel cannot be used as configured".to_owned(),
            Self::Sender => "waiting: no process that may send is running".to_owned(),
            Self::OtherProcess(leader) => {
                let named = leader.describe().unwrap_or_else(|| "another process".to_owned());
                format!("queued; sent by {named}")
            }
            Self::Nothing => "queued; next to send".to_owned(),
        }
    }
}

fn describe_verb(operation: &Operation) -> &'static str {
    match operation {
        Operation::SendFile(_) => "Uploading and sending",
        Operation::Close => "Closing",
        _ => "Sending",
    }
}

#[cfg(test)]
mod tests;
