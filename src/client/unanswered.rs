//! Reads without a response yet, so that a silent server is reported before the read times out.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::time::Moment;

/// Last number given, and the start of each pending read by its number.
#[derive(Debug, Default)]
pub(crate) struct Unanswered(Mutex<(u64, BTreeMap<u64, Moment>)>);

impl Unanswered {
    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Moment>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a read until the returned value is dropped, also on cancellation.
    pub(crate) fn begin(&self, at: Moment) -> UnderWay<'_> {
        let mut all = self.lock();
        all.0 += 1;
        let number = all.0;
        all.1.insert(number, at);
        UnderWay { all: self, number }
    }

    /// Returns the start of the oldest pending read.
    pub(crate) fn since(&self) -> Option<Moment> {
        self.lock().1.values().min().copied()
    }
}

pub(crate) struct UnderWay<'a> {
    all: &'a Unanswered,
    number: u64,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.all.lock().1.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_read_without_an_answer_counts() {
        let at = Moment::from_micros;
        let all = Unanswered::default();
        assert_eq!(all.since(), None);
        let first = all.begin(at(1));
        let second = all.begin(at(2));
        assert_eq!(all.since(), Some(at(1)));
        drop(first);
        assert_eq!(all.since(), Some(at(2)));
        drop(second);
        assert_eq!(all.since(), None);
    }
}
