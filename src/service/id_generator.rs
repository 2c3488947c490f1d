//! Timestamps and ids of new rows, strictly increasing whatever the clock does.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use model::time::{MINUTE, Timestamp};

/// Maximum lead of a timestamp over a clock that was set back, in microseconds. After a larger step rows use
/// the clock again, and the rows of the repeated time get new timestamps (`database/redating.rs`).
pub const MAX_STAMP_LEAD: i64 = MINUTE;

pub struct IdGenerator {
    /// Last timestamp; the database raises it to the timestamps of other processes.
    last: Arc<AtomicI64>,
    random: Mutex<StdRng>,
}

impl IdGenerator {
    /// `seed` decides the random part of ids. The first timestamp is later than `latest`, the newest of
    /// earlier runs.
    pub fn new(seed: u64, latest: Timestamp, last: Arc<AtomicI64>) -> Self {
        last.fetch_max(latest.micros(), Ordering::SeqCst);
        Self { last, random: Mutex::new(StdRng::seed_from_u64(seed)) }
    }

    /// Returns `at`, or the last timestamp plus one microsecond if that is later, unless it is more than
    /// [`MAX_STAMP_LEAD`] ahead of `known`: the wall clock's time, on a machine that can detect changes of its clock.
    /// Within a transaction it is also later than the timestamps of other processes.
    pub fn next_stamp(&self, at: Timestamp, known: Option<Timestamp>) -> Timestamp {
        let after = |last: i64| {
            let astray = known.filter(|now| last > now.micros().saturating_add(MAX_STAMP_LEAD));
            at.micros().max(astray.map_or(last.saturating_add(1), Timestamp::micros))
        };
        let last = self.last.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |entry| Some(after(entry)));
        Timestamp::from_micros(last.map_or(at.micros(), after))
    }

    /// Returns an id that sorts by its timestamp.
    pub fn new_id(&self, prefix: &str, stamp: Timestamp) -> String {
        let random: u32 = self.random.lock().unwrap_or_else(PoisonError::into_inner).random();
        format!("{prefix}_{:014x}{random:08x}", stamp.micros().max(0))
    }

    /// Returns a number of the range, from the seeded generator.
    pub fn random_between(&self, from: i64, to: i64) -> i64 {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        random.random_range(from..=to.max(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_and_ids_only_grow() {
        let now = Timestamp::from_micros(1_700_000_000_000_000);
        let stamps = IdGenerator::new(1, now.plus(7), Arc::default());
        let made: Vec<_> = [0, 0, -5, 3, 10].map(|step| stamps.next_stamp(now.plus(step), None)).to_vec();
        assert!(made.is_sorted_by(|one, two| one < two));
        assert!(made[0] > now.plus(7));
        let ids: Vec<_> = made.iter().map(|stamp| stamps.new_id("msg", *stamp)).collect();
        assert!(ids.is_sorted_by(|one, two| one < two), "{ids:?}");
    }

    #[test]
    fn a_stamp_is_at_most_a_little_ahead_of_the_clock() {
        let now = Timestamp::from_micros(1_700_000_000_000_000);
        let stamps = IdGenerator::new(1, now, Arc::default());
        let next = |at: i64, clock: i64| stamps.next_stamp(now.plus(at), Some(now.plus(clock))).since(now);
        assert_eq!(
            (next(MAX_STAMP_LEAD, MAX_STAMP_LEAD), next(0, 0)),
            (MAX_STAMP_LEAD, MAX_STAMP_LEAD + 1),
            "set back by a little"
        );
        assert_eq!(next(60 * MAX_STAMP_LEAD, 60 * MAX_STAMP_LEAD), 60 * MAX_STAMP_LEAD);
        // Events due before the clock was set back keep their order.
        assert_eq!((next(0, 0), next(0, 0), next(-MAX_STAMP_LEAD, 0), next(5, 5)), (0, 1, 2, 5));
    }
}
