//! Retry times of the outbox while there is no connection. Pure.
//!
//! Polling probes the connection anyway: while nothing answers, waiting rows add one attempt at growing
//! intervals, however many they are, and all are sent once anything has been answered.

use model::time::{SECOND, Timestamp};

/// First wait, in microseconds, doubled each time.
const BASE_DELAY: i64 = 5 * SECOND;
/// Longest wait, in microseconds.
const MAX_DELAY: i64 = 120 * SECOND;

/// Failed connection attempts since the last answer.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    failures: u32,
    last: Timestamp,
}

impl Probe {
    pub(crate) fn record_failure(&mut self, now: Timestamp) {
        self.failures = self.failures.saturating_add(1);
        self.last = now;
    }

    /// Shifts stored times by `by` microseconds (negative if the wall clock was set back).
    pub(crate) fn move_times(&mut self, by: i64) {
        self.last = self.last.plus(by);
    }

    /// Returns the time until which no row may be tried; `None` if one may. `answered` is the time of the
    /// last answer.
    pub(crate) fn wait_until(&mut self, answered: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
        // A clock set back must not delay anything.
        if self.failures == 0 || answered.is_some_and(|time| time > self.last) || now < self.last {
            self.failures = 0;
            return None;
        }
        let until =
            self.last.plus(BASE_DELAY.saturating_mul(1 << (self.failures - 1).min(16)).min(MAX_DELAY));
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
        assert_eq!(probe.wait_until(None, at(0)), None);
        let mut now = 0;
        for wait in [5, 10, 20, 40, 80, 120, 120] {
            probe.record_failure(at(now));
            assert_eq!(probe.wait_until(Some(at(now)), at(now)), Some(at(now + wait)));
            assert_eq!(probe.wait_until(None, at(now + wait - 1)), Some(at(now + wait)));
            now += wait;
            assert_eq!(probe.wait_until(None, at(now)), None);
        }
        probe.record_failure(at(now));
        assert_eq!(probe.wait_until(Some(at(now + 1)), at(now + 1)), None, "something answered");
        probe.record_failure(at(now + 2));
        assert_eq!(probe.wait_until(None, at(now + 2)), Some(at(now + 7)), "and the count began anew");
        assert_eq!(probe.wait_until(None, at(-9)), None, "a clock set back");
    }
}
