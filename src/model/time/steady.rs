//! The steady clock of a process, and how the wall clock moves against it.
//!
//! Deadlines, spans and ages within one process go by a [`Moment`]. The wall
//! clock, a [`Timestamp`], is compared with what is stored or sent. Where times
//! of the wall clock pace something, they follow a [`ClockStep`].

use crate::time::{SECOND, Timestamp};

/// Microseconds by which the wall clock has to move against the steady one to
/// count as set.
pub const MIN_CLOCK_STEP: i64 = SECOND;
/// Microseconds the two readings of a [`ClockReading`] may lie apart.
const MAX_READING_GAP: i64 = 10_000;
/// Maximum number of readings until two lie that close.
const MAX_READ_ATTEMPTS: u8 = 8;

/// A point on a steady clock that nobody sets, in microseconds since an origin
/// of the clock's own. Paces a process: deadlines, spans, ages. Comparable only
/// within one process, so it is never stored and never sent; what is compared
/// with stored times is a [`Timestamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Moment(i64);

impl Moment {
    /// From microseconds since the clock's origin.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the clock's origin.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// This moment plus a span in microseconds, stopping at the ends of range.
    #[must_use]
    pub const fn plus(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    /// Microseconds that passed since `earlier`; negative if it is ahead.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// One reading of both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockReading {
    /// The wall clock, which people set in both directions.
    pub now: Timestamp,
    /// The steady clock.
    pub moment: Moment,
}

/// A step of the wall clock that somebody set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockStep {
    /// The time the clock would show, had nobody set it, when the step was
    /// noticed.
    pub before: Timestamp,
    /// Microseconds it was set forwards; negative if it was set back.
    pub by: i64,
    /// When the step was noticed.
    pub noticed: Moment,
}

impl ClockReading {
    /// Reads both clocks, anew where something came between the readings: a
    /// pause of this process must not look like a step of the wall clock.
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

    /// A reading of a clock that is only turned by hand and never set.
    pub const fn manual(now: Timestamp) -> Self {
        Self { now, moment: Moment::from_micros(now.micros()) }
    }

    /// The wall clock of this reading run on by the steady clock: the time it
    /// would show at `moment` had nobody set it since.
    pub const fn wall_time_at(self, moment: Moment) -> Timestamp {
        self.now.plus(moment.since(self.moment))
    }

    /// Microseconds the wall clock was set forwards between this reading and
    /// `later`, negative if it was set back; 0 for less than [`CLOCK_STEP`],
    /// by which a clock that is merely slewed may differ.
    pub const fn clock_step(self, later: Self) -> i64 {
        let step = later.now.since(self.wall_time_at(later.moment));
        if step.saturating_abs() < MIN_CLOCK_STEP { 0 } else { step }
    }
}
