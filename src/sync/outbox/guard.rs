//! Checks before a queued text is sent: it must not cross an answer its writer has not seen, and must not
//! be sent long after its time. Pure: thread state and time are arguments.
//!
//! An outage is any time in which rows could not be sent: no connection, a stopped tab, a machine asleep,
//! no process running. Waiting for a turn or a rate limit is not an outage.

use std::borrow::Cow;

use model::messages::Message;
use model::stop_reasons::StopReason;
use model::time::{MINUTE, Timestamp};
use store::since::NewerMessages;

/// Maximum delay, in microseconds, after which a text is sent without asking.
const MAX_DELAY: i64 = 2 * MINUTE;
/// Loops sleep at most half of this; a longer gap between two steps means that the machine slept.
const MIN_SLEEP_GAP: i64 = MINUTE;
/// A smaller difference between two steps means that the clock was set back.
const MIN_BACKWARD_STEP: i64 = -MIN_SLEEP_GAP;

/// Jump of the clock between two steps of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockJump {
    /// Further ahead than any sleep of the loop.
    Forward,
    Backward,
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
    pub fn step(&mut self, now: Timestamp) -> Option<ClockJump> {
        let gap = now.since(std::mem::replace(&mut self.step_at, now));
        let jump = match gap {
            ..MIN_BACKWARD_STEP => ClockJump::Backward,
            MIN_BACKWARD_STEP..=MIN_SLEEP_GAP => return None,
            _ => ClockJump::Forward,
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
    pub fn start(&mut self, now: Timestamp) {
        self.began_at.get_or_insert(now);
    }

    /// Records an answer of the server, which ends the outage.
    pub fn record_answer(&mut self, at: Timestamp) {
        if self.began_at.is_some_and(|began| began <= at) {
            self.began_at = None;
            self.over_at = at;
        }
    }

    /// True if a row due at `due_at` was delayed by an outage, so that its writer may have seen an old
    /// state.
    pub fn was_delayed(&self, due_at: Timestamp) -> bool {
        self.began_at.is_some() || due_at < self.over_at
    }

    /// True if the history was not read since the last outage.
    pub fn is_behind(&self, read_at: Option<Timestamp>) -> bool {
        self.began_at.is_some() || read_at.is_none_or(|time| time < self.over_at)
    }

    /// True if the delay is too long to send without asking.
    fn is_late(&self, due_at: Timestamp, now: Timestamp) -> bool {
        let until = if self.began_at.is_some() { now } else { self.over_at };
        until.since(due_at) > MAX_DELAY
    }
}

/// Returns the reason a due text must not be sent now, with text for its writer; `None` if it may.
/// `answer` is the first answer that crossed it, if it is known.
pub fn stop_reason(
    (moved, answer): (NewerMessages, Option<&Message>),
    due_at: Timestamp,
    outage: &Outage,
    now: Timestamp,
) -> Option<(StopReason, Cow<'static, str>)> {
    if moved.answers > 0 {
        let answered = answer.map_or_else(|| "someone answered".to_owned(), Message::describe_answer);
        let why = format!("{answered} after the last message you had on screen; read the answer first");
        return Some((StopReason::ReplyConflict, Cow::Owned(why)));
    }
    if !outage.was_delayed(due_at) {
        return None;
    }
    if outage.is_late(due_at, now) {
        return Some((
            StopReason::Late,
            Cow::Borrowed("it waited more than two minutes to be sent; check that it still fits"),
        ));
    }
    (moved.messages > 0).then_some((
        StopReason::Late,
        Cow::Borrowed("new messages arrived while it waited to be sent; check that it still fits"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::at;

    /// An outage from 0 to the given second.
    fn outage(seconds: i64) -> Outage {
        let mut outage = Outage::new(at(-1000));
        outage.start(at(-500));
        outage.record_answer(at(seconds));
        outage
    }

    #[test]
    fn what_holds_a_text_back() {
        let none = NewerMessages::default();
        let answer = NewerMessages { answers: 1, messages: 1 };
        let inbound = NewerMessages { answers: 0, messages: 1 };
        let cases = [
            ("in time", none, 100, 10, 101, None),
            ("crossed in time", answer, 100, 10, 101, Some(StopReason::ReplyConflict)),
            ("the customer wrote on, no outage", inbound, 100, 10, 101, None),
            ("a short outage", none, 0, 60, 61, None),
            ("moved in a short outage", inbound, 0, 60, 61, Some(StopReason::Late)),
            ("answered in a short outage", answer, 0, 60, 61, Some(StopReason::ReplyConflict)),
            ("just not late", none, 0, 120, 121, None),
            ("late", none, 0, 121, 121, Some(StopReason::Late)),
            ("late and answered", answer, 0, 500, 501, Some(StopReason::ReplyConflict)),
            ("slow after a short outage", none, 0, 60, 900, None),
        ];
        for (name, moved, due, over, now, stop) in cases {
            let found =
                stop_reason((moved, None), at(due), &outage(over), at(now)).map(|objection| objection.0);
            assert_eq!(found, stop, "{name}");
        }
    }

    #[test]
    fn while_an_outage_lasts_a_text_grows_late() {
        let mut lasting = Outage::new(at(-1000));
        lasting.start(at(10));
        let inbound = NewerMessages { answers: 0, messages: 1 };
        let cases = [
            (0, 120, NewerMessages::default(), None),
            (0, 121, NewerMessages::default(), Some(StopReason::Late)),
            (0, 120, inbound, Some(StopReason::Late)),
            (30, 150, NewerMessages::default(), None),
            (30, 151, NewerMessages::default(), Some(StopReason::Late)),
        ];
        for (due, now, moved, stop) in cases {
            let found = stop_reason((moved, None), at(due), &lasting, at(now)).map(|objection| objection.0);
            assert_eq!(found, stop, "{due} {now}");
        }
    }

    #[test]
    fn an_outage_begins_and_ends() {
        let mut outage = Outage::new(at(0));
        assert!(outage.was_delayed(at(-1)), "queued before this desk began");
        assert!(!outage.was_delayed(at(0)) && outage.is_behind(None));
        assert!(!outage.is_behind(Some(at(0))));
        outage.step(at(30));
        outage.record_answer(at(30));
        assert!(!outage.was_delayed(at(0)), "an answer ends nothing that did not begin");
        outage.start(at(31));
        outage.start(at(40));
        outage.record_answer(at(30));
        assert!(outage.was_delayed(at(32)) && outage.is_behind(Some(at(32))), "an older answer ends nothing");
        outage.step(at(60));
        outage.record_answer(at(61));
        assert!(outage.was_delayed(at(60)) && !outage.was_delayed(at(61)));
        assert!(outage.is_behind(Some(at(60))) && !outage.is_behind(Some(at(61))));
    }

    #[test]
    fn a_machine_that_slept_or_a_clock_set_back_is_an_outage() {
        for (second, held) in [(60, false), (61, true), (3600, true), (-60, false), (-61, true)] {
            let mut outage = Outage::new(at(0));
            let jump = if second < 0 { ClockJump::Backward } else { ClockJump::Forward };
            assert_eq!(outage.step(at(second)), held.then_some(jump), "{second}");
            let due = if second < -60 { at(second - 1) } else { at(0) };
            assert_eq!(outage.was_delayed(due), held, "{second}");
        }
    }
}
