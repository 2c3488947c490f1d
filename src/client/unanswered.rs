//! Reads that were asked and have had no answer yet, so that a silent server
//! is named long before a read is given up.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::time::Moment;

/// When each read that is under way was asked.
#[derive(Debug, Default)]
pub(crate) struct Unanswered(Mutex<(u64, BTreeMap<u64, Moment>)>);

impl Unanswered {
    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Moment>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A read is asked; it ends when what comes back is dropped, also where
    /// nobody waits for its answer any more.
    pub(crate) fn begin(&self, at: Moment) -> UnderWay<'_> {
        let mut all = self.lock();
        all.0 += 1;
        let number = all.0;
        all.1.insert(number, at);
        UnderWay { all: self, number }
    }

    /// When the oldest of them was asked.
    pub(crate) fn since(&self) -> Option<Moment> {
        self.lock().1.values().min().copied()
    }
}

/// One read that is under way.
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
