//! The outbox: every change to the server, stored so that it survives a crash.
//!
//! A row holds the exact bytes and the idempotency key to send. Rows form a durable send queue: a
//! row leaves the outbox only when the server accepted it or a person dropped it.

pub mod account;
pub mod content;
mod lane;
mod operation;
mod summary;
pub mod waiting;

pub use account::SendingAccount;
pub use lane::Lane;
pub use operation::{Operation, RetryClass};

use crate::ids::{ChannelId, IdempotencyKey, RowId};
use crate::messages::HistoryPosition;
use crate::text::SafeText;
use crate::time::{HOUR, MINUTE, Timestamp};

pub use crate::history_search::{HistoryFinding, HistorySearches};
pub use crate::stop_reasons::{StopReason, StopVerdict};

/// Age up to which a key may be retried automatically, in microseconds. The service keeps answers
/// for 24 h; one hour is margin.
pub const MAX_KEY_AGE: i64 = 23 * HOUR;

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WriteMethod {
        Post = "POST",
        Patch = "PATCH",
        Put = "PUT",
        Delete = "DELETE",
    }
}

/// The exact request of an operation; never changes after it is prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedRequest {
    pub method: WriteMethod,
    /// Path below the base URL, starting with `/`.
    pub path: String,
    /// Media type of the body with its boundary; `None` without a body.
    pub content_type: Option<String>,
    pub body: Vec<u8>,
}

impl PreparedRequest {
    pub fn without_body(method: WriteMethod, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), content_type: None, body: Vec::new() }
    }

    pub fn json(method: WriteMethod, path: impl Into<String>, body: Vec<u8>) -> Self {
        Self { method, path: path.into(), content_type: Some("application/json".to_owned()), body }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockTimes {
    /// Wall clock of this desk; can be changed by people.
    pub wall: Timestamp,
    /// Clock of the server, if known.
    pub server: Option<Timestamp>,
    /// Microseconds since boot, including sleep, if the system reports them.
    pub since_boot: Option<i64>,
}

impl From<Timestamp> for ClockTimes {
    fn from(wall: Timestamp) -> Self {
        Self { wall, server: None, since_boot: None }
    }
}

/// Tolerance between two readings of the server's clock, in microseconds. Servers report whole
/// seconds, and an answer may be delayed by up to the request timeout.
pub const SERVER_CLOCK_SLACK: i64 = MINUTE;

/// Returns the age of a key since the first possible send, in microseconds. Uses the server's
/// clock, because the server expires keys, else the wall clock; at least the time since boot. A
/// clock that was set back makes a key old, never young.
pub fn key_age(first: &ClockTimes, now: &ClockTimes) -> i64 {
    let since_boot = match (first.since_boot, now.since_boot) {
        (Some(first), Some(now)) => now.saturating_sub(first).max(0),
        // Restarted in between, or not reported.
        _ => 0,
    };
    let told = match (first.server, now.server) {
        (Some(first), Some(now)) => now.since(first),
        _ => now.wall.since(first.wall),
    };
    if told < -SERVER_CLOCK_SLACK { MAX_KEY_AGE.max(since_boot) } else { told.max(since_boot) }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowState {
    /// Waits for its time: the end of a hold, or a retry delay.
    Queued,
    Sending,
    /// Bytes were sent without an answer; retried with the same key.
    Uncertain,
    /// Needs a decision; holds the server's message.
    Stopped(StopReason, SafeText),
    Done,
}

/// A row of the outbox without its request body, which may be large and is needed only by the
/// sender.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxRow {
    pub id: RowId,
    /// Grows with every row; orders the rows of a lane.
    pub sequence: i64,
    pub channel: ChannelId,
    /// Rows of one lane are sent in order.
    pub lane: Lane,
    pub operation: Operation,
    /// Bound to the request bytes, which the store keeps beside the row.
    pub key: IdempotencyKey,
    pub created_at: Timestamp,
    /// Earliest time of the next attempt: end of the hold or of the retry delay.
    pub not_before: Timestamp,
    /// End of the hold; earliest time of the first attempt.
    pub due_at: Timestamp,
    /// Time at which the first byte may have been sent.
    pub first_attempt_at: Option<Timestamp>,
    pub attempts: u32,
    pub state: RowState,
    /// Newest message its author had on screen. A later answer by others stops an unsent message;
    /// `None` disables the check.
    pub seen: Option<HistoryPosition>,
    pub finding: HistoryFinding,
    /// Time scheduled by a person; `None` means as soon as possible.
    pub planned_at: Option<Timestamp>,
}

impl OutboxRow {
    /// True if the row was never attempted, so that undoing it leaves no trace.
    pub fn can_recall(&self) -> bool {
        self.attempts == 0 && matches!(self.state, RowState::Queued)
    }

    /// True if the row can be undone: never attempted, or a file that is still being uploaded and
    /// not yet sent to anyone.
    pub fn can_withdraw(&self) -> bool {
        self.can_recall()
            || (self.is_upload() && !matches!(self.state, RowState::Stopped(..) | RowState::Done))
    }

    /// True for a file that has not been sent to anybody: it is uploaded first.
    pub fn is_upload(&self) -> bool {
        matches!(self.operation, Operation::SendFile(_))
    }

    pub fn is_stopped(&self) -> bool {
        matches!(self.state, RowState::Stopped(..))
    }

    /// Seconds until the hold ends, rounded up; `None` once it has ended. A retry delay does not
    /// count as a hold.
    pub fn remaining_hold(&self, now: Timestamp) -> Option<i64> {
        let left = self.not_before.since(now);
        (self.can_recall() && self.not_before <= self.due_at && 0 < left)
            .then(|| (left + 999_999) / 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(wall: i64, server: Option<i64>, since_boot: Option<i64>) -> ClockTimes {
        let at = |hours: i64| Timestamp::from_micros(500_000 * HOUR + hours * HOUR);
        ClockTimes {
            wall: at(wall),
            server: server.map(at),
            since_boot: since_boot.map(|since_boot| since_boot * HOUR),
        }
    }

    #[test]
    fn the_age_of_a_key() {
        let cases = [
            ("wall only", (0, None, None), (5, None, None), 5),
            ("the server's clock decides", (0, Some(100), None), (9000, Some(102), None), 2),
            ("a year ahead on the desk", (0, Some(-8760), None), (3, Some(-8757), None), 3),
            ("server known only now", (0, None, None), (5, Some(90), None), 5),
            ("asleep under a clock that stood", (0, None, Some(10)), (0, None, Some(34)), 24),
            ("boot is more than the server", (0, Some(0), Some(1)), (0, Some(2), Some(6)), 5),
            ("started anew", (0, None, Some(100)), (4, None, Some(1)), 4),
            ("set back", (10, None, None), (9, None, None), 23),
            ("set back by less than passed", (10, None, Some(0)), (9, None, Some(30)), 30),
            ("the server set back", (0, Some(10), None), (1, Some(9), None), 23),
        ];
        for (name, first, now, hours) in cases {
            let (first, now) = (moment(first.0, first.1, first.2), moment(now.0, now.1, now.2));
            assert_eq!(key_age(&first, &now), hours * HOUR, "{name}");
        }
    }

    #[test]
    fn two_readings_of_a_clock_in_whole_seconds_make_no_key_old() {
        let first = moment(0, Some(0), None);
        for back in [1, 900_000, SERVER_CLOCK_SLACK] {
            let server = first.server.map(|server| server.plus(-back));
            let now = ClockTimes { wall: first.wall.plus(-back), server, since_boot: None };
            assert_eq!(key_age(&first, &now), 0, "{back}");
            assert_eq!(key_age(&first, &ClockTimes { server: None, ..now }), 0, "{back}");
        }
        let back = ClockTimes::from(first.wall.plus(-SERVER_CLOCK_SLACK - 1));
        assert_eq!(key_age(&first, &back), MAX_KEY_AGE);
    }
}
