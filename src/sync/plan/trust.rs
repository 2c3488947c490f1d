//! Reliability of webhooks, which allows slower polling. Pure: time is an argument.
//!
//! A delivery proves that webhooks arrive. A message that a poll finds first counts as missed after a
//! short grace time for its delivery. Correctness never depends on this: polling finds everything, only
//! later.

use model::time::{HOUR, MINUTE, SECOND, Timestamp};

/// Validity of one delivery, in microseconds.
const HOLDS: i64 = HOUR;
/// Grace time of a delivery behind a poll, in microseconds.
const LATE: i64 = 10 * SECOND;
/// Maximum age of a delivered event; older ones are repeats and prove nothing.
const OLD: i64 = 5 * MINUTE;

/// Evidence about a tab's deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trust {
    shown: Option<Timestamp>,
    missed: Option<Timestamp>,
}

/// Reliability of deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookTrust {
    /// No recent proof.
    Unknown,
    /// Proven recently.
    Holds,
    /// Something arrived without a delivery.
    Doubted,
}

impl Trust {
    /// Records a delivery about an event at `at`.
    pub fn delivered(&mut self, at: Option<Timestamp>, now: Timestamp) {
        if at.is_none_or(|at| (-OLD..=OLD).contains(&now.since(at))) {
            *self = Self { shown: Some(now), missed: None };
        }
    }

    /// Shifts stored times by `step` microseconds (negative if the wall clock was set back).
    pub(crate) fn move_times(&mut self, step: i64) {
        self.shown = self.shown.map(|at| at.plus(step));
        self.missed = self.missed.map(|at| at.plus(step));
    }

    /// Records something a poll found before any delivery.
    pub fn found(&mut self, now: Timestamp) {
        self.missed.get_or_insert(now);
    }

    /// Resets the evidence: the receiver ended or nothing is registered.
    pub fn lost(&mut self) {
        *self = Self::default();
    }

    pub fn standing(&self, now: Timestamp) -> HookTrust {
        let within = |at: Timestamp, span: i64| (0..=span).contains(&now.since(at));
        match (self.shown, self.missed) {
            (None, _) => HookTrust::Unknown,
            (_, Some(missed)) if !within(missed, LATE) => HookTrust::Doubted,
            (Some(shown), _) if within(shown, HOLDS) => HookTrust::Holds,
            _ => HookTrust::Unknown,
        }
    }

    /// True if polling may be slow now.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.standing(now) == HookTrust::Holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events, each at a second.
    type Happened = [(i64, It)];

    enum It {
        Delivered(i64),
        Found,
        Lost,
    }

    #[test]
    fn deliveries_are_relied_on_while_they_come_through() {
        use It::{Delivered, Found, Lost};
        let at = |seconds: i64| Timestamp::from_micros((1_700_000_000 + seconds) * SECOND);
        // (events, time of the check, expected reliability)
        let cases: [(&Happened, i64, HookTrust); 15] = [
            (&[], 0, HookTrust::Unknown),
            (&[(0, Found)], 60, HookTrust::Unknown),
            (&[(0, Delivered(0))], 0, HookTrust::Holds),
            (&[(0, Delivered(0))], 3600, HookTrust::Holds),
            (&[(0, Delivered(0))], 3601, HookTrust::Unknown),
            // A delivery repeated an hour later, and one dated in the future.
            (&[(3600, Delivered(0))], 3600, HookTrust::Unknown),
            (&[(0, Delivered(900))], 0, HookTrust::Unknown),
            // A poll ahead of its delivery.
            (&[(0, Delivered(0)), (60, Found)], 69, HookTrust::Holds),
            (&[(0, Delivered(0)), (60, Found), (62, Delivered(60))], 100, HookTrust::Holds),
            // No delivery came; a later poll finds more.
            (&[(0, Delivered(0)), (60, Found)], 71, HookTrust::Doubted),
            (&[(0, Delivered(0)), (60, Found), (75, Found)], 76, HookTrust::Doubted),
            (&[(0, Delivered(0)), (60, Found), (90, Delivered(90))], 90, HookTrust::Holds),
            // A repeated delivery does not restore trust.
            (&[(0, Delivered(0)), (60, Found), (900, Delivered(60))], 900, HookTrust::Doubted),
            (&[(0, Delivered(0)), (1, Lost)], 1, HookTrust::Unknown),
            // Clock set back.
            (&[(0, Delivered(0))], -5, HookTrust::Unknown),
        ];
        for (number, (happened, asked, standing)) in cases.into_iter().enumerate() {
            let mut trust = Trust::default();
            for (second, it) in happened {
                match it {
                    Delivered(of) => trust.delivered(Some(at(*of)), at(*second)),
                    Found => trust.found(at(*second)),
                    Lost => trust.lost(),
                }
            }
            assert_eq!(trust.standing(at(asked)), standing, "case {number}");
            assert_eq!(trust.holds(at(asked)), standing == HookTrust::Holds, "case {number}");
        }
    }
}
