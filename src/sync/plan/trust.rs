//! Whether webhooks may be relied on, so that polling may be slow. Pure: time
//! comes in as a value.
//!
//! A delivery shows that they come through. A message that a poll finds first
//! is doubted after a moment, in which its delivery may still come. Nothing of
//! this decides what is true: a poll finds everything, only later.

use model::time::{HOUR, MINUTE, SECOND, Timestamp};

/// How long one delivery is enough.
const HOLDS: i64 = HOUR;
/// How much later than a poll a delivery may come.
const LATE: i64 = 10 * SECOND;
/// How old a delivery may be: one that was made again says nothing of now.
const OLD: i64 = 5 * MINUTE;

/// What is known of the deliveries of a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trust {
    shown: Option<Timestamp>,
    missed: Option<Timestamp>,
}

/// How far they may be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookTrust {
    /// Nothing has shown that they come through, or that is long ago.
    Unknown,
    /// They come through.
    Holds,
    /// Something came that they did not tell.
    Doubted,
}

impl Trust {
    /// A delivery has come, of something that happened then.
    pub fn delivered(&mut self, at: Option<Timestamp>, now: Timestamp) {
        if at.is_none_or(|at| (-OLD..=OLD).contains(&now.since(at))) {
            *self = Self { shown: Some(now), missed: None };
        }
    }

    /// Moves its times along with a wall clock that was set forwards by `step`
    /// microseconds (back if negative).
    pub(crate) fn move_times(&mut self, step: i64) {
        self.shown = self.shown.map(|at| at.plus(step));
        self.missed = self.missed.map(|at| at.plus(step));
    }

    /// A poll found what no delivery has told yet.
    pub fn found(&mut self, now: Timestamp) {
        self.missed.get_or_insert(now);
    }

    /// Nobody listens, or nothing is registered.
    pub fn lost(&mut self) {
        *self = Self::default();
    }

    /// How far they may be relied on now.
    pub fn standing(&self, now: Timestamp) -> HookTrust {
        let within = |at: Timestamp, span: i64| (0..=span).contains(&now.since(at));
        match (self.shown, self.missed) {
            (None, _) => HookTrust::Unknown,
            (_, Some(missed)) if !within(missed, LATE) => HookTrust::Doubted,
            (Some(shown), _) if within(shown, HOLDS) => HookTrust::Holds,
            _ => HookTrust::Unknown,
        }
    }

    /// Whether polling may be slow now.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.standing(now) == HookTrust::Holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What happened, each at a second.
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
        // What happened, when it is asked, how they stand.
        let cases: [(&Happened, i64, HookTrust); 15] = [
            (&[], 0, HookTrust::Unknown),
            (&[(0, Found)], 60, HookTrust::Unknown),
            (&[(0, Delivered(0))], 0, HookTrust::Holds),
            (&[(0, Delivered(0))], 3600, HookTrust::Holds),
            (&[(0, Delivered(0))], 3601, HookTrust::Unknown),
            // A delivery made again an hour later, or one from the future.
            (&[(3600, Delivered(0))], 3600, HookTrust::Unknown),
            (&[(0, Delivered(900))], 0, HookTrust::Unknown),
            // A poll was faster than the delivery.
            (&[(0, Delivered(0)), (60, Found)], 69, HookTrust::Holds),
            (&[(0, Delivered(0)), (60, Found), (62, Delivered(60))], 100, HookTrust::Holds),
            // No delivery came; the next poll finds more, later.
            (&[(0, Delivered(0)), (60, Found)], 71, HookTrust::Doubted),
            (&[(0, Delivered(0)), (60, Found), (75, Found)], 76, HookTrust::Doubted),
            (&[(0, Delivered(0)), (60, Found), (90, Delivered(90))], 90, HookTrust::Holds),
            // One made again does not take the doubt away.
            (&[(0, Delivered(0)), (60, Found), (900, Delivered(60))], 900, HookTrust::Doubted),
            (&[(0, Delivered(0)), (1, Lost)], 1, HookTrust::Unknown),
            // The clock is set back.
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
