//! When the outbox may try again while there is no connection. Pure.
//!
//! Polling probes anyway: as long as nothing answers, rows that wait add one
//! try now and then, however many they are, and leave as soon as anything has
//! been answered.

use model::time::{SECOND, Timestamp};

/// The first wait, doubled each time.
const BASE: i64 = 5 * SECOND;
/// The longest wait.
const CAP: i64 = 120 * SECOND;

/// Tries that found no connection since anything was answered.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    failures: u32,
    last: Timestamp,
}

impl Probe {
    /// A try found no connection.
    pub(crate) fn failed(&mut self, now: Timestamp) {
        self.failures = self.failures.saturating_add(1);
        self.last = now;
    }

    /// Moves its times along with a wall clock that was set forwards by `by`
    /// microseconds (back if negative).
    pub(crate) fn move_times(&mut self, by: i64) {
        self.last = self.last.plus(by);
    }

    /// Until when no row may try, if it may not now. `answered` is when
    /// anything was answered last.
    pub(crate) fn wait(&mut self, answered: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
        // A clock set back must not hold anything up.
        if self.failures == 0 || answered.is_some_and(|time| time > self.last) || now < self.last {
            self.failures = 0;
            return None;
        }
        let until = self.last.plus(BASE.saturating_mul(1 << (self.failures - 1).min(16)).min(CAP));
        (now < until).then_some(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::at;

    #[test]
    fn tries_become_rare_until_anything_answers() {
        let mut probe = Probe::default();
        assert_eq!(probe.wait(None, at(0)), None);
        let mut now = 0;
        for wait in [5, 10, 20, 40, 80, 120, 120] {
            probe.failed(at(now));
            assert_eq!(probe.wait(Some(at(now)), at(now)), Some(at(now + wait)));
            assert_eq!(probe.wait(None, at(now + wait - 1)), Some(at(now + wait)));
            now += wait;
            assert_eq!(probe.wait(None, at(now)), None);
        }
        probe.failed(at(now));
        assert_eq!(probe.wait(Some(at(now + 1)), at(now + 1)), None, "something answered");
        probe.failed(at(now + 2));
        assert_eq!(probe.wait(None, at(now + 2)), Some(at(now + 7)), "and the count began anew");
        assert_eq!(probe.wait(None, at(-9)), None, "a clock set back");
    }
}
