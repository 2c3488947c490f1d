//! Checks before a queued text is sent: it must not cross an answer its writer has not seen, and must not
//! be sent long after its time. Pure: thread state and time are arguments.
//!
//! An outage is any time in which rows could not be sent: no connection, a stopped tab, a machine asleep,
//! no process running. Waiting for a turn or a rate limit is not an outage.

use model::stops::Stop;
use model::time::{MINUTE, Timestamp};
use store::since::Moved;

/// Maximum delay, in microseconds, after which a text is sent without asking.
const LATE: i64 = 2 * MINUTE;
/// Loops sleep at most half of this; a longer gap between two steps means that the machine slept.
const GAP: i64 = MINUTE;
/// A smaller difference between two steps means that the clock was set back.
const MINUS_GAP: i64 = -GAP;

/// Jump of the clock between two steps of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jump {
    /// Further ahead than any sleep of the loop.
    Ahead,
    Back,
}

/// Latest time in which rows could not be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// Last step of the loop.
    step_at: Timestamp,
    /// Start of the present outage; `None` while rows can be sent.
    began_at: Option<Timestamp>,
    /// End of the latest outage. The start of the process counts as one.
    over_at: Timestamp,
}

impl Outage {
    /// State at the start of the process.
    pub fn new(now: Timestamp) -> Self {
        Self { step_at: now, began_at: None, over_at: now }
    }

    /// Records a step of the loop. A long gap since the last one, or a clock set back, counts as an
    /// outage that ends now.
    pub fn step(&mut self, now: Timestamp) -> Option<Jump> {
        let gap = now.since(std::mem::replace(&mut self.step_at, now));
        let jump = match gap {
            ..MINUS_GAP => Jump::Back,
            MINUS_GAP..=GAP => return None,
            _ => Jump::Ahead,
        };
        self.over_at = now;
        Some(jump)
    }

    /// Shifts stored times by `by` microseconds (negative if the wall clock was set back).
    pub(crate) fn move_times(&mut self, by: i64) {
        self.step_at = self.step_at.plus(by);
        self.began_at = self.began_at.map(|at| at.plus(by));
        self.over_at = self.over_at.plus(by);
    }

    /// Starts an outage unless one is in progress.
    pub fn begins(&mut self, now: Timestamp) {
        self.began_at.get_or_insert(now);
    }

    /// Records an answer of the server, which ends the outage.
    pub fn heard(&mut self, at: Timestamp) {
        if self.began_at.is_some_and(|began| began <= at) {
            self.began_at = None;
            self.over_at = at;
        }
    }

    /// True if a row due at `due_at` was delayed by an outage, so that its writer may have seen an old
    /// state.
    pub fn held_up(&self, due_at: Timestamp) -> bool {
        self.began_at.is_some() || due_at < self.over_at
    }

    /// True if the history was not read since the last outage.
    pub fn is_behind(&self, read_at: Option<Timestamp>) -> bool {
        self.began_at.is_some() || read_at.is_none_or(|time| time < self.over_at)
    }

    /// True if the delay is too long to send without asking.
    fn is_late(&self, due_at: Timestamp, now: Timestamp) -> bool {
        let until = if self.began_at.is_some() { now } else { self.over_at };
        until.since(due_at) > LATE
    }
}

/// Returns the reason a due text must not be sent now, with text for its writer; `None` if it may.
pub fn objection(
    moved: Moved,
    due_at: Timestamp,
    outage: &Outage,
    now: Timestamp,
) -> Option<(Stop, &'static str)> {
    if moved.answers > 0 {
        return Some((Stop::Crossed, "someone answered after what you had on screen; read it first"));
    }
    if !outage.held_up(due_at) {
        return None;
    }
    if outage.is_late(due_at, now) {
        return Some((Stop::Late, "it could not leave for more than two minutes; does it still fit?"));
    }
    (moved.messages > 0)
        .then_some((Stop::Late, "the conversation moved on while it could not leave; does it still fit?"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::at;

    /// An outage from 0 to the given second.
    fn outage(seconds: i64) -> Outage {
        let mut outage = Outage::new(at(-1000));
        outage.begins(at(-500));
        outage.heard(at(seconds));
        outage
    }

    #[test]
    fn what_holds_a_text_back() {
        let none = Moved::default();
        let answer = Moved { answers: 1, messages: 1 };
        let inbound = Moved { answers: 0, messages: 1 };
        let cases = [
            ("in time", none, 100, 10, 101, None),
            ("crossed in time", answer, 100, 10, 101, Some(Stop::Crossed)),
            ("the customer wrote on, no outage", inbound, 100, 10, 101, None),
            ("a short outage", none, 0, 60, 61, None),
            ("moved in a short outage", inbound, 0, 60, 61, Some(Stop::Late)),
            ("answered in a short outage", answer, 0, 60, 61, Some(Stop::Crossed)),
            ("just not late", none, 0, 120, 121, None),
            ("late", none, 0, 121, 121, Some(Stop::Late)),
            ("late and answered", answer, 0, 500, 501, Some(Stop::Crossed)),
            ("slow after a short outage", none, 0, 60, 900, None),
        ];
        for (name, moved, due, over, now, stop) in cases {
            let found = objection(moved, at(due), &outage(over), at(now)).map(|objection| objection.0);
            assert_eq!(found, stop, "{name}");
        }
    }

    #[test]
    fn while_an_outage_lasts_a_text_grows_late() {
        let mut lasting = Outage::new(at(-1000));
        lasting.begins(at(10));
        let inbound = Moved { answers: 0, messages: 1 };
        let cases = [
            (0, 120, Moved::default(), None),
            (0, 121, Moved::default(), Some(Stop::Late)),
            (0, 120, inbound, Some(Stop::Late)),
            (30, 150, Moved::default(), None),
            (30, 151, Moved::default(), Some(Stop::Late)),
        ];
        for (due, now, moved, stop) in cases {
            let found = objection(moved, at(due), &lasting, at(now)).map(|objection| objection.0);
            assert_eq!(found, stop, "{due} {now}");
        }
    }

    #[test]
    fn an_outage_begins_and_ends() {
        let mut outage = Outage::new(at(0));
        assert!(outage.held_up(at(-1)), "queued before this desk began");
        assert!(!outage.held_up(at(0)) && outage.is_behind(None));
        assert!(!outage.is_behind(Some(at(0))));
        outage.step(at(30));
        outage.heard(at(30));
        assert!(!outage.held_up(at(0)), "an answer ends nothing that did not begin");
        outage.begins(at(31));
        outage.begins(at(40));
        outage.heard(at(30));
        assert!(outage.held_up(at(32)) && outage.is_behind(Some(at(32))), "an older answer ends nothing");
        outage.step(at(60));
        outage.heard(at(61));
        assert!(outage.held_up(at(60)) && !outage.held_up(at(61)));
        assert!(outage.is_behind(Some(at(60))) && !outage.is_behind(Some(at(61))));
    }

    #[test]
    fn a_machine_that_slept_or_a_clock_set_back_is_an_outage() {
        for (second, held) in [(60, false), (61, true), (3600, true), (-60, false), (-61, true)] {
            let mut outage = Outage::new(at(0));
            let jump = if second < 0 { Jump::Back } else { Jump::Ahead };
            assert_eq!(outage.step(at(second)), held.then_some(jump), "{second}");
            let due = if second < -60 { at(second - 1) } else { at(0) };
            assert_eq!(outage.held_up(due), held, "{second}");
        }
    }
}
