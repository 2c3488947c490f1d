//! Reads without a response yet, so that a silent server is reported before the read times out.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::time::Moment;

/// Last number given, and the start of each pending read by its number.
#[derive(Debug, Default)]
pub(crate) struct PendingReads(Mutex<(u64, BTreeMap<u64, Moment>)>);

impl PendingReads {
    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Moment>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a read until the returned value is dropped, also on cancellation.
    pub(crate) fn begin(&self, at: Moment) -> PendingRead<'_> {
        let mut all = self.lock();
        all.0 += 1;
        let number = all.0;
        all.1.insert(number, at);
        PendingRead { all: self, number }
    }

    /// Returns the start of the oldest pending read.
    pub(crate) fn oldest(&self) -> Option<Moment> {
        self.lock().1.values().min().copied()
    }
}

pub(crate) struct PendingRead<'a> {
    all: &'a PendingReads,
    number: u64,
}

impl Drop for PendingRead<'_> {
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
        let all = PendingReads::default();
        assert_eq!(all.oldest(), None);
        let first = all.begin(at(1));
        let second = all.begin(at(2));
        assert_eq!(all.oldest(), Some(at(1)));
        drop(first);
        assert_eq!(all.oldest(), Some(at(2)));
        drop(second);
        assert_eq!(all.oldest(), None);
    }
}
