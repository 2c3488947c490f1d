//! The outbox: every change of the server, as data that outlives a crash.
//!
//! A row stands for the exact bytes and the key that will leave; the states are
//! those of a durable send queue: a row leaves only when the server accepted it
//! or the human dropped it.

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

/// How long the same key may be retried by itself: the service keeps answers
/// for 24 h (interface, Idempotency 2), less a margin of one hour.
pub const MAX_KEY_AGE: i64 = 23 * HOUR;

crate::words! {
    /// How a request changes the server.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WriteMethod {
        /// Makes something.
        Post = "POST",
        /// Changes something.
        Patch = "PATCH",
        /// Sets a value.
        Put = "PUT",
        Delete = "DELETE",
    }
}

/// The exact request an operation became. These bytes never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedRequest {
    /// How it changes the server.
    pub method: WriteMethod,
    /// Path below the base URL, starting with `/`.
    pub path: String,
    /// The media type of the body, with a boundary where it has one; `None`
    /// for no body.
    pub content_type: Option<String>,
    /// Body bytes; empty for none.
    pub body: Vec<u8>,
}

impl PreparedRequest {
    /// A request without a body.
    pub fn without_body(method: WriteMethod, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), content_type: None, body: Vec::new() }
    }

    /// A request with a JSON body.
    pub fn json(method: WriteMethod, path: impl Into<String>, body: Vec<u8>) -> Self {
        Self { method, path: path.into(), content_type: Some("application/json".to_owned()), body }
    }
}

/// A moment by all clocks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockTimes {
    /// This desk's clock, which people set.
    pub wall: Timestamp,
    /// The server's clock, as far as it is known.
    pub server: Option<Timestamp>,
    /// Microseconds since this desk was started, its sleep included, where
    /// the system tells.
    pub since_boot: Option<i64>,
}

impl From<Timestamp> for ClockTimes {
    /// A moment of which only the wall clock is known.
    fn from(wall: Timestamp) -> Self {
        Self { wall, server: None, since_boot: None }
    }
}

/// A server tells its time in whole seconds, and the answer that tells it may
/// have been on its way for as long as a request may take: two readings differ
/// by so much without any clock having been set.
pub const SERVER_CLOCK_SLACK: i64 = MINUTE;

/// How long ago bytes first may have left under a key, in microseconds. The
/// server's clock decides, because it is the server that forgets; without it
/// the wall clock does. What passed since boot certainly passed. A wall clock
/// that was set back makes a key old, never young.
pub fn key_age(first: &ClockTimes, now: &ClockTimes) -> i64 {
    let since_boot = match (first.since_boot, now.since_boot) {
        (Some(first), Some(now)) => now.saturating_sub(first).max(0),
        // Started anew since, or not told.
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
    /// Waits for its time (a hold, or a pause after a refusal by rate).
    Queued,
    /// Bytes may have left.
    Sending,
    /// Bytes left and no answer came; the same key asks again.
    Uncertain,
    /// Waits for a person, with what the server said.
    Stopped(StopReason, SafeText),
    /// The server accepted it.
    Done,
}

/// One row of the outbox, without the bytes that leave: they may be many, and
/// only the sender needs them.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxRow {
    pub id: RowId,
    /// Grows with every row: those of a lane leave in this order.
    pub sequence: i64,
    pub channel: ChannelId,
    /// Rows of one lane leave in order.
    pub lane: Lane,
    pub operation: Operation,
    /// Pinned to the bytes that leave, which the store keeps beside the row.
    pub key: IdempotencyKey,
    pub created_at: Timestamp,
    /// Nothing leaves before: the end of a hold, or of the wait for another
    /// try.
    pub not_before: Timestamp,
    /// Since when it could have left: the end of its hold.
    pub due_at: Timestamp,
    /// When the first byte may have left.
    pub first_attempt_at: Option<Timestamp>,
    /// How often it was tried.
    pub attempts: u32,
    pub state: RowState,
    /// The newest message its writer had on screen. Answers after it stop a
    /// text that has not left; `None` asks nobody.
    pub seen: Option<HistoryPosition>,
    /// What looking for it in its history told.
    pub finding: HistoryFinding,
    /// When a person wants it to leave, where not as soon as it may.
    pub planned_at: Option<Timestamp>,
}

impl OutboxRow {
    /// Whether it still can be taken back without a trace: never tried.
    pub fn can_recall(&self) -> bool {
        self.attempts == 0 && matches!(self.state, RowState::Queued)
    }

    /// Whether it can be taken back: never tried, or a file that is still
    /// being uploaded, which nobody was sent yet.
    pub fn can_withdraw(&self) -> bool {
        let uploads = matches!(self.operation, Operation::SendFile(_));
        self.can_recall() || (uploads && !matches!(self.state, RowState::Stopped(..) | RowState::Done))
    }

    /// Whether it waits for a person.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, RowState::Stopped(..))
    }

    /// Whole seconds until the hold ends, rounded up; `None` once it has. What
    /// waits beyond its hold waits for another try.
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
