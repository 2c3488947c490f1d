//! The steady clock of a process, and detection of wall clock changes.
//!
//! Deadlines, spans and ages within one process use a [`Moment`]. The wall clock, a [`Timestamp`],
//! is compared with stored or sent times. Schedules based on the wall clock are shifted by each
//! [`ClockStep`].

use crate::time::{SECOND, Timestamp};

/// Minimum change of the wall clock against the steady clock that counts as set, in microseconds.
pub const MIN_CLOCK_STEP: i64 = SECOND;
/// Maximum duration of a [`ClockReading`], in microseconds.
const MAX_READING_GAP: i64 = 10_000;
/// Maximum number of attempts to read both clocks that fast.
const MAX_READ_ATTEMPTS: u8 = 8;

/// Reading of a clock that nobody sets, in microseconds since an arbitrary origin. Comparable only
/// within one process, so never stored or sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Moment(i64);

impl Moment {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Adds a span in microseconds; saturates.
    #[must_use]
    pub const fn plus(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    /// Microseconds since `earlier`; negative if `earlier` is later.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockReading {
    /// Wall clock; can be set in both directions.
    pub now: Timestamp,
    pub moment: Moment,
}

/// Change of the wall clock by a person or the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockStep {
    /// Time the clock would have shown without the change, when it was noticed.
    pub before: Timestamp,
    /// Microseconds, positive if set forward.
    pub by: i64,
    pub noticed: Moment,
}

impl ClockReading {
    /// Reads both clocks, repeatedly if the readings are too far apart: a pause of this process
    /// must not look like a change of the wall clock.
    pub(super) fn read(now: impl Fn() -> Timestamp, moment: impl Fn() -> Moment) -> Self {
        let mut times = Self { now: now(), moment: moment() };
        for _ in 0..MAX_READ_ATTEMPTS {
            let before = times.moment;
            times = Self { now: now(), moment: moment() };
            if times.moment.since(before) < MAX_READING_GAP {
                break;
            }
        }
        times
    }

    /// Reading of a test clock that is advanced but never set.
    pub const fn manual(now: Timestamp) -> Self {
        Self { now, moment: Moment::from_micros(now.micros()) }
    }

    /// Returns the wall clock time at `moment` if nobody has set the clock since this reading.
    pub const fn wall_time_at(self, moment: Moment) -> Timestamp {
        self.now.plus(moment.since(self.moment))
    }

    /// Returns the microseconds by which the wall clock was set between this reading and `later`; 0
    /// below [`MIN_CLOCK_STEP`], because slewing causes small differences.
    pub const fn clock_step(self, later: Self) -> i64 {
        let step = later.now.since(self.wall_time_at(later.moment));
        if step.saturating_abs() < MIN_CLOCK_STEP { 0 } else { step }
    }
}
