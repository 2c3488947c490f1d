//! One going through threads: what is loaded, what is to come, what was
//! decided.

pub(crate) mod taking_back;
pub(crate) mod update;

use std::collections::{HashSet, VecDeque};

use crate::screens::mail::thread_filing::ThreadFiling;
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::time::Moment;

/// After so many alike of one sender the rest is offered.
const ALIKE: usize = 3;

/// What was decided over a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TriageDecision {
    /// Put away.
    Archived,
    /// Moved to the trash.
    Deleted,
    /// Marked as spam.
    Spam,
    /// Moved into another folder.
    Moved,
    Answered,
    /// Put aside.
    Snoozed,
    Left,
}

impl TriageDecision {
    /// How it files a thread, where any thread could be filed so.
    pub(crate) fn filing(self) -> Option<ThreadFiling> {
        match self {
            Self::Archived => Some(ThreadFiling::Archived(true)),
            Self::Deleted => Some(ThreadFiling::trash(true)),
            Self::Spam => Some(ThreadFiling::spam(true)),
            Self::Moved | Self::Answered | Self::Snoozed | Self::Left => None,
        }
    }

    /// Whether the same can be done with all of a sender.
    pub(crate) fn is_for_many(self) -> bool {
        self == Self::Left || self.filing().is_some()
    }
}

/// One decision, over one thread or all of one sender.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TriageStep {
    pub(crate) rows: Vec<ConversationRow>,
    pub(crate) what: TriageDecision,
    /// The number under which it is taken back, where it is known at once.
    pub(crate) group: Option<u64>,
    /// The number of the newest thing done when the step was.
    pub(crate) newest: Option<u64>,
}

/// A triage under way, or at its end.
#[derive(Debug, Default)]
pub struct Triage {
    pub began: Moment,
    /// The number of the newest thing done before it.
    pub(crate) before: Option<u64>,
    /// When the last thread was decided over.
    pub ended: Option<Moment>,
    /// How many threads it began with.
    pub total: usize,
    /// Threads that were given a star.
    pub starred: HashSet<ConversationId>,
    pub(crate) at: Option<ConversationRow>,
    pub(crate) queue: VecDeque<ConversationRow>,
    pub(crate) decided: Vec<TriageStep>,
    pub(crate) asked: HashSet<ConversationId>,
}

impl Triage {
    /// Over these, in their order.
    pub(crate) fn new(rows: Vec<ConversationRow>, now: Moment) -> Self {
        Self { began: now, total: rows.len(), queue: rows.into(), ..Self::default() }
    }

    /// The current thread, counted from 1.
    pub fn place(&self) -> usize {
        (self.total - self.queue.len()).max(1)
    }

    /// The thread after this one.
    pub fn next(&self) -> Option<&ConversationRow> {
        self.queue.front()
    }

    /// Whether all is decided.
    pub fn is_over(&self) -> bool {
        self.at.is_none()
    }

    /// How many were decided so.
    fn count(&self, what: TriageDecision) -> usize {
        self.decided
            .iter()
            .filter(|triage_step| triage_step.what == what)
            .map(|triage_step| triage_step.rows.len())
            .sum()
    }

    /// How many were decided in each way, in words.
    pub(crate) fn counts(&self) -> [(usize, &'static str); 8] {
        [
            (self.count(TriageDecision::Archived), "archived"),
            (self.count(TriageDecision::Deleted), "deleted"),
            (self.count(TriageDecision::Spam), "marked as spam"),
            (self.count(TriageDecision::Moved), "moved"),
            (self.count(TriageDecision::Answered), "answered"),
            (self.count(TriageDecision::Snoozed), "snoozed"),
            (self.starred.len(), "starred"),
            (self.count(TriageDecision::Left), "left"),
        ]
    }

    /// How many were seen.
    pub fn seen(&self) -> usize {
        self.decided.iter().map(|triage_step| triage_step.rows.len()).sum()
    }

    /// Keeps the number of the newest thing done for what began just now.
    pub(crate) fn note_newest(&mut self, newest: u64) {
        self.before.get_or_insert(newest);
        for step in self.decided.iter_mut().rev().take_while(|triage_step| triage_step.newest.is_none()) {
            step.newest = Some(newest);
        }
    }

    /// The number of the newest thing that was done before the current thread
    /// was come to.
    pub(crate) fn before_current(&self) -> u64 {
        let before = self.decided.iter().rev().find_map(|triage_step| triage_step.newest).or(self.before);
        before.unwrap_or_default()
    }

    /// Microseconds since it began.
    pub fn took(&self, now: Moment) -> i64 {
        self.ended.unwrap_or(now).since(self.began).max(0)
    }

    /// The threads to come from the sender of the last decision, if several
    /// from there were decided alike.
    pub(crate) fn alike(&self) -> Option<(TriageDecision, Vec<ConversationRow>)> {
        let last = self.decided.last()?;
        let sender = address(last.rows.first()?)?;
        let from = |conversation_row: &&ConversationRow| {
            address(conversation_row).is_some_and(|address| address == sender)
        };
        let before = self.decided.iter().rev().take_while(|triage_step| {
            triage_step.what == last.what
                && triage_step.rows.first().is_some_and(|row| address(row) == Some(sender))
        });
        let same = before.flat_map(|triage_step| &triage_step.rows).count();
        let at = self.at.iter().filter(from).cloned();
        let rest: Vec<ConversationRow> = at.chain(self.queue.iter().filter(from).cloned()).collect();
        (same >= ALIKE && !rest.is_empty()).then_some((last.what, rest))
    }
}

/// Counts in words, without what there is none of.
pub(crate) fn describe_counts(counts: impl IntoIterator<Item = (usize, &'static str)>) -> String {
    let some = counts.into_iter().filter(|pair| pair.0 > 0);
    some.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

pub(crate) fn address(row: &ConversationRow) -> Option<&str> {
    row.conversation.address.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_place_of_a_triage() {
        let at = |number: i64| Moment::from_micros(number);
        let mut triage = Triage::new(Vec::new(), at(5));
        assert_eq!((triage.place(), triage.took(at(9)), triage.is_over()), (1, 4, true));
        triage.ended = Some(at(7));
        assert_eq!(triage.took(at(99)), 2);
        assert!(triage.alike().is_none());
    }
}
