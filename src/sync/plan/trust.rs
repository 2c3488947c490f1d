//! Reliability of webhooks, which allows slower polling. Pure: time is an argument.
//!
//! A delivery proves that webhooks arrive. A message that a poll finds first counts as missed after a
//! short grace time for its delivery. Correctness never depends on this: polling finds everything, only
//! later.

use model::time::{HOUR, MINUTE, SECOND, Timestamp};

/// Validity of one delivery, in microseconds.
const TRUST_DURATION: i64 = HOUR;
/// Grace time of a delivery behind a poll, in microseconds.
const MAX_DELIVERY_DELAY: i64 = 10 * SECOND;
/// Maximum age of a delivered event; older ones are repeats and prove nothing.
const MAX_DELIVERY_AGE: i64 = 5 * MINUTE;

/// Evidence about a tab's deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WebhookTrust {
    shown: Option<Timestamp>,
    missed: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustLevel {
    /// No recent proof.
    Unknown,
    /// Proven recently.
    Trusted,
    /// Something arrived without a delivery.
    Distrusted,
}

impl WebhookTrust {
    /// Records a delivery about an event at `at`.
    pub fn record_delivery(&mut self, at: Option<Timestamp>, now: Timestamp) {
        if at.is_none_or(|at| (-MAX_DELIVERY_AGE..=MAX_DELIVERY_AGE).contains(&now.since(at))) {
            *self = Self { shown: Some(now), missed: None };
        }
    }

    /// Shifts stored times by `step` microseconds (negative if the wall clock was set back).
    pub(crate) fn move_times(&mut self, step: i64) {
        self.shown = self.shown.map(|at| at.plus(step));
        self.missed = self.missed.map(|at| at.plus(step));
    }

    /// Records something a poll found before any delivery.
    pub fn record_missed(&mut self, now: Timestamp) {
        self.missed.get_or_insert(now);
    }

    /// Resets the evidence: the receiver ended or nothing is registered.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    pub fn level(&self, now: Timestamp) -> TrustLevel {
        let within = |at: Timestamp, span: i64| (0..=span).contains(&now.since(at));
        match (self.shown, self.missed) {
            (None, _) => TrustLevel::Unknown,
            (_, Some(missed)) if !within(missed, MAX_DELIVERY_DELAY) => TrustLevel::Distrusted,
            (Some(shown), _) if within(shown, TRUST_DURATION) => TrustLevel::Trusted,
            _ => TrustLevel::Unknown,
        }
    }

    /// True if polling may be slow now.
    pub fn is_trusted(&self, now: Timestamp) -> bool {
        self.level(now) == TrustLevel::Trusted
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
        let cases: [(&Happened, i64, TrustLevel); 15] = [
            (&[], 0, TrustLevel::Unknown),
            (&[(0, Found)], 60, TrustLevel::Unknown),
            (&[(0, Delivered(0))], 0, TrustLevel::Trusted),
            (&[(0, Delivered(0))], 3600, TrustLevel::Trusted),
            (&[(0, Delivered(0))], 3601, TrustLevel::Unknown),
            // A delivery repeated an hour later, and one dated in the future.
            (&[(3600, Delivered(0))], 3600, TrustLevel::Unknown),
            (&[(0, Delivered(900))], 0, TrustLevel::Unknown),
            // A poll ahead of its delivery.
            (&[(0, Delivered(0)), (60, Found)], 69, TrustLevel::Trusted),
            (&[(0, Delivered(0)), (60, Found), (62, Delivered(60))], 100, TrustLevel::Trusted),
            // No delivery came; a later poll finds more.
            (&[(0, Delivered(0)), (60, Found)], 71, TrustLevel::Distrusted),
            (&[(0, Delivered(0)), (60, Found), (75, Found)], 76, TrustLevel::Distrusted),
            (&[(0, Delivered(0)), (60, Found), (90, Delivered(90))], 90, TrustLevel::Trusted),
            // A repeated delivery does not restore trust.
            (&[(0, Delivered(0)), (60, Found), (900, Delivered(60))], 900, TrustLevel::Distrusted),
            (&[(0, Delivered(0)), (1, Lost)], 1, TrustLevel::Unknown),
            // Clock set back.
            (&[(0, Delivered(0))], -5, TrustLevel::Unknown),
        ];
        for (number, (happened, asked, standing)) in cases.into_iter().enumerate() {
            let mut trust = WebhookTrust::default();
            for (second, event) in happened {
                match event {
                    Delivered(of) => trust.record_delivery(Some(at(*of)), at(*second)),
                    Found => trust.record_missed(at(*second)),
                    Lost => trust.reset(),
                }
            }
            assert_eq!(trust.level(at(asked)), standing, "case {number}");
            assert_eq!(trust.is_trusted(at(asked)), standing == TrustLevel::Trusted, "case {number}");
        }
    }
}
