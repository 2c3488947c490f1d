//! Times and ids of new rows: one order for all rows, whatever the clock does.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use model::time::{MINUTE, Timestamp};

/// Microseconds by which a stamp may be ahead of a clock that was set back. After a
/// longer step rows are dated by the clock again, and those of the time it was set back
/// over are dated anew (`database/redating.rs`).
pub const LEAD: i64 = MINUTE;

/// Makes stamps and ids.
pub struct Stamps {
    /// The last stamp, which the database raises to those of other processes.
    last: Arc<AtomicI64>,
    random: Mutex<StdRng>,
}

impl Stamps {
    /// With the seed that decides the ids' random part; the first stamp comes
    /// after `latest`, the newest one an earlier run has left.
    pub fn new(seed: u64, latest: Timestamp, last: Arc<AtomicI64>) -> Self {
        last.fetch_max(latest.micros(), Ordering::SeqCst);
        Self { last, random: Mutex::new(StdRng::seed_from_u64(seed)) }
    }

    /// `at`, but at least one microsecond after the last stamp, unless that is more
    /// than [`LEAD`] ahead of `known`: the clock's time, where it is known that the clock
    /// was set back. Other processes come after it, too, where it is made inside a
    /// transaction.
    pub fn next(&self, at: Timestamp, known: Option<Timestamp>) -> Timestamp {
        let after = |last: i64| {
            let astray = known.filter(|now| last > now.micros().saturating_add(LEAD));
            at.micros().max(astray.map_or(last.saturating_add(1), Timestamp::micros))
        };
        let last = self.last.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| Some(after(it)));
        Timestamp::from_micros(last.map_or(at.micros(), after))
    }

    /// An id that sorts by its stamp.
    pub fn id(&self, prefix: &str, stamp: Timestamp) -> String {
        let random: u32 = self.random.lock().unwrap_or_else(PoisonError::into_inner).random();
        format!("{prefix}_{:014x}{random:08x}", stamp.micros().max(0))
    }

    /// A number from a range, from the same seed.
    pub fn between(&self, from: i64, to: i64) -> i64 {
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
        let stamps = Stamps::new(1, now.plus(7), Arc::default());
        let made: Vec<_> = [0, 0, -5, 3, 10].map(|step| stamps.next(now.plus(step), None)).to_vec();
        assert!(made.is_sorted_by(|one, two| one < two));
        assert!(made[0] > now.plus(7));
        let ids: Vec<_> = made.iter().map(|stamp| stamps.id("msg", *stamp)).collect();
        assert!(ids.is_sorted_by(|one, two| one < two), "{ids:?}");
    }

    #[test]
    fn a_stamp_is_at_most_a_little_ahead_of_the_clock() {
        let now = Timestamp::from_micros(1_700_000_000_000_000);
        let stamps = Stamps::new(1, now, Arc::default());
        let next = |at: i64, clock: i64| stamps.next(now.plus(at), Some(now.plus(clock))).since(now);
        assert_eq!((next(LEAD, LEAD), next(0, 0)), (LEAD, LEAD + 1), "set back by a little");
        assert_eq!(next(60 * LEAD, 60 * LEAD), 60 * LEAD);
        // What fell due before it was set back happens in its time, in order.
        assert_eq!((next(0, 0), next(0, 0), next(-LEAD, 0), next(5, 5)), (0, 1, 2, 5));
    }
}
