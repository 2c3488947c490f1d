//! Times and ids of new rows: one order for all rows, whatever the clock
//! does.

use std::sync::{Mutex, PoisonError};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use model::time::Timestamp;

/// Makes stamps and ids.
pub struct Stamps {
    state: Mutex<(Timestamp, StdRng)>,
}

impl Stamps {
    /// With the seed that decides the ids' random part; the first stamp comes
    /// after `latest`, the newest one an earlier run has left.
    pub fn new(seed: u64, latest: Timestamp) -> Self {
        Self { state: Mutex::new((latest, StdRng::seed_from_u64(seed))) }
    }

    /// `now`, but at least one microsecond after the last stamp.
    pub fn next(&self, now: Timestamp) -> Timestamp {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = now.max(state.0.plus(1));
        state.0 = stamp;
        stamp
    }

    /// An id that sorts by its stamp.
    pub fn id(&self, prefix: &str, stamp: Timestamp) -> String {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{prefix}_{:014x}{:08x}", stamp.micros().max(0), state.1.random::<u32>())
    }

    /// A number from a range, from the same seed.
    pub fn between(&self, from: i64, to: i64) -> i64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1.random_range(from..=to.max(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_and_ids_only_grow() {
        let now = Timestamp::from_micros(1_700_000_000_000_000);
        let stamps = Stamps::new(1, now.plus(7));
        let made: Vec<_> = [0, 0, -5, 3, 10].map(|step| stamps.next(now.plus(step))).to_vec();
        assert!(made.is_sorted_by(|one, two| one < two));
        assert!(made[0] > now.plus(7));
        let ids: Vec<_> = made.iter().map(|stamp| stamps.id("msg", *stamp)).collect();
        assert!(ids.is_sorted_by(|one, two| one < two), "{ids:?}");
    }
}
