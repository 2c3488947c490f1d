//! Why a row of the outbox has not left, and what ends that. The one place for
//! both, for the screen and for scripts; words name no key, because only the
//! screen has keys.

use crate::leader::Leader;
use crate::news::Health;
use crate::outbox::{Operation, OutboxRow, RowState, StopReason};
use crate::time::{SECOND, Timestamp, format_span_ahead};

/// What a row waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitReason {
    /// The time in which it can be taken back.
    Held(Timestamp),
    /// The time a person planned it for.
    Planned(Timestamp),
    /// Its file, which is on its way.
    Uploading,
    /// Its file, which was cut off and is uploaded anew.
    UploadCutOff,
    /// Its turn to be uploaded.
    UploadNext,
    /// The answer to what is on its way.
    Answer,
    /// A clear answer: none came, and the same key asks again, at a time.
    ClearAnswer(Option<Timestamp>),
    /// A person's word; whether it can be paid for now, where that is why.
    Decision(StopReason, Option<bool>),
    /// The row before it in its lane, and why that one asks a person.
    RowBefore(Option<StopReason>),
    /// The file of the row before it.
    FileBefore,
    /// The pause before it, which failed: person and AI must not cross.
    PauseBefore,
    /// The next try after one that did nothing.
    NextTry(Option<Timestamp>),
    /// The server's rate limit.
    RateLimit(Timestamp),
    Connection,
    /// A server that answers as it should.
    Server,
    /// A channel key that is taken.
    Key,
    /// A configuration that can work.
    Configuration,
    /// A process that may send: none runs.
    Sender,
    /// The process that sends.
    OtherProcess(Leader),
    /// Nothing: it leaves next.
    Nothing,
}

/// What a person can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitRemedy {
    /// End the wait: it leaves now.
    SendNow,
    Recall,
    Decide,
    /// Decide over the one before it.
    DecideBefore,
    /// Send all that waited for credits.
    SendUnpaid,
    /// Look at the key, or try it again.
    CheckKey,
    /// Ask the server again.
    RetryConnection,
    /// Start an inbox that may send.
    StartInbox,
}

/// What is known beside the row.
#[derive(Debug, Clone, Copy)]
pub struct QueueFacts<'a> {
    pub now: Timestamp,
    pub health: &'a Health,
    pub leader: &'a Leader,
    /// Whether the balance pays for it; `None` where that is not known.
    pub has_credits: Option<bool>,
}

/// Why a row has not left. `others` are rows that may stand before it.
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
        RowState::Sending if is_upload(row) => return WaitReason::Uploading,
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
    // A row that asks waits for a person, whichever process sends.
    let before = lane_wait_reason(row, others, now);
    let asks = matches!(before, Some(WaitReason::RowBefore(Some(_)) | WaitReason::PauseBefore));
    if standstill == Some(WaitReason::Sender) && !asks {
        return WaitReason::Sender;
    }
    if let Some(before) = before {
        return before;
    }
    match row.state {
        RowState::Uncertain if is_upload(row) => return WaitReason::UploadCutOff,
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
        _ if is_upload(row) => WaitReason::UploadNext,
        _ => WaitReason::Nothing,
    }
}

/// What holds up all sending of a channel, if anything does.
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

/// What a row before it in its lane makes it wait for.
fn lane_wait_reason<'a>(
    row: &OutboxRow,
    others: impl Iterator<Item = &'a OutboxRow>,
    now: Timestamp,
) -> Option<WaitReason> {
    let speaks = row.operation.is_customer_message();
    let mut found = None;
    for it in others.filter(|outbox_row| outbox_row.channel == row.channel && outbox_row.lane == row.lane) {
        if it.sequence >= row.sequence {
            continue;
        }
        let why = match &it.state {
            RowState::Stopped(stop, _) if stop.blocks_lane() => WaitReason::RowBefore(Some(*stop)),
            RowState::Stopped(..) if speaks && is_pause(&it.operation) => WaitReason::PauseBefore,
            RowState::Stopped(..) | RowState::Done => continue,
            // What is planned lets others pass.
            RowState::Queued if it.planned_at.is_some_and(|time| time > now) => continue,
            _ if is_upload(it) && speaks => WaitReason::FileBefore,
            _ if is_upload(it) => continue,
            _ => WaitReason::RowBefore(None),
        };
        // What asks a person is what has to end.
        if found.is_none() || matches!(why, WaitReason::RowBefore(Some(_)) | WaitReason::PauseBefore) {
            found = Some(why);
        }
    }
    found
}

/// Whether a row is a file that nobody was sent yet.
fn is_upload(row: &OutboxRow) -> bool {
    matches!(row.operation, Operation::SendFile(_))
}

fn is_pause(operation: &Operation) -> bool {
    matches!(operation, Operation::SetAutomation { enabled: false })
}

impl WaitReason {
    /// The word for programs.
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

    /// When it ends by itself, where that is known.
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

    /// What ends it; nothing where it ends by itself.
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

    /// In words, for a row that wants this.
    pub fn describe(&self, operation: &Operation, now: Timestamp) -> String {
        let seconds = |at: &Timestamp| (at.since(now).max(0) + SECOND - 1) / SECOND;
        match self {
            Self::Held(until) => format!("{} in {} s", describe_verb(operation), seconds(until)),
            Self::Planned(at) => {
                format!("planned, in {} if frontdesk runs", format_span_ahead(at.since(now)))
            }
            Self::Uploading => "uploading".to_owned(),
            Self::UploadCutOff => "the upload was cut off; tries again".to_owned(),
            Self::UploadNext => "waits to be uploaded".to_owned(),
            Self::Answer => "sending".to_owned(),
            Self::ClearAnswer(Some(at)) => {
                let left = seconds(at);
                format!("no clear answer; asking again in {left} s, never sent twice")
            }
            Self::ClearAnswer(None) => "no clear answer; asking again, never sent twice".to_owned(),
            Self::Decision(stop, Some(true)) => format!("{}; enough now", stop.label()),
            Self::Decision(stop, _) => stop.label().to_owned(),
            Self::RowBefore(None) => "waits for the one before it".to_owned(),
            Self::RowBefore(Some(stop)) => {
                format!("waits for the one before it, which asks: {}", stop.label())
            }
            Self::FileBefore => "waits for the file before it".to_owned(),
            Self::PauseBefore => "waits: the pause before it failed".to_owned(),
            Self::NextTry(Some(at)) => format!("not sent yet; tries again in {} s", seconds(at)),
            Self::NextTry(None) => "not sent yet; tries again".to_owned(),
            Self::RateLimit(until) => {
                format!("waits for the server's rate limit, free in {} s", seconds(until))
            }
            Self::Connection => "waits for a connection; leaves by itself".to_owned(),
            Self::Server => "waits for the server, which is in trouble; leaves by itself".to_owned(),
            Self::Key => "waits: the channel key is not taken".to_owned(),
            Self::Configuration => "waits: the channel cannot work as configured".to_owned(),
            Self::Sender => "waits: no process that may send is running".to_owned(),
            Self::OtherProcess(leader) => {
                let named = leader.describe().unwrap_or_else(|| "another process".to_owned());
                format!("queued; {named}, does the sending")
            }
            Self::Nothing => "queued; leaves next".to_owned(),
        }
    }
}

fn describe_verb(operation: &Operation) -> &'static str {
    match operation {
        Operation::SendFile(_) => "uploads and sends",
        it if it.is_customer_message() => "sends",
        Operation::Close => "closes",
        _ => "goes",
    }
}

#[cfg(test)]
mod tests;
