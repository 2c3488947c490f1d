//! Triage: deciding over a list of threads one after the other.

pub(crate) mod undo_steps;
pub(crate) mod update;

use std::collections::{HashSet, VecDeque};

use crate::screens::mail::thread_filing::ThreadFiling;
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::time::Moment;

/// Number of equal decisions for one sender after which the rest is offered.
const MIN_EQUAL_DECISIONS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TriageDecision {
    Archived,
    Deleted,
    Spam,
    Moved,
    Answered,
    Snoozed,
    Left,
}

impl TriageDecision {
    /// Returns the filing that applies to any thread; `None` if the decision needs more than that.
    pub(crate) fn filing(self) -> Option<ThreadFiling> {
        match self {
            Self::Archived => Some(ThreadFiling::Archived(true)),
            Self::Deleted => Some(ThreadFiling::trash(true)),
            Self::Spam => Some(ThreadFiling::spam(true)),
            Self::Moved | Self::Answered | Self::Snoozed | Self::Left => None,
        }
    }

    /// True if the decision can be applied to all threads of a sender.
    pub(crate) fn is_for_many(self) -> bool {
        self == Self::Left || self.filing().is_some()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TriageStep {
    pub(crate) rows: Vec<ConversationRow>,
    pub(crate) decision: TriageDecision,
    /// Undo group of the decision, if known at once.
    pub(crate) group: Option<u64>,
    pub(crate) newest_group: Option<u64>,
}

/// A triage, running or finished.
#[derive(Debug, Default)]
pub struct Triage {
    pub started_at: Moment,
    /// Newest undo group before the triage.
    pub(crate) group_before: Option<u64>,
    /// Time of the last decision, once the triage is over.
    pub ended_at: Option<Moment>,
    pub total: usize,
    pub starred: HashSet<ConversationId>,
    pub(crate) current: Option<ConversationRow>,
    pub(crate) queue: VecDeque<ConversationRow>,
    pub(crate) decided: Vec<TriageStep>,
    pub(crate) requested: HashSet<ConversationId>,
}

impl Triage {
    pub(crate) fn new(rows: Vec<ConversationRow>, now: Moment) -> Self {
        Self { started_at: now, total: rows.len(), queue: rows.into(), ..Self::default() }
    }

    /// Position of the current thread, from 1.
    pub fn position(&self) -> usize {
        (self.total - self.queue.len()).max(1)
    }

    pub fn next(&self) -> Option<&ConversationRow> {
        self.queue.front()
    }

    pub fn is_over(&self) -> bool {
        self.current.is_none()
    }

    fn count(&self, what: TriageDecision) -> usize {
        self.decided
            .iter()
            .filter(|triage_step| triage_step.decision == what)
            .map(|triage_step| triage_step.rows.len())
            .sum()
    }

    /// Number of threads per decision, with a label for each.
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

    pub fn decided_count(&self) -> usize {
        self.decided.iter().map(|triage_step| triage_step.rows.len()).sum()
    }

    /// Records the newest undo group for the steps that have none yet.
    pub(crate) fn record_newest_group(&mut self, newest: u64) {
        self.group_before.get_or_insert(newest);
        for step in self.decided.iter_mut().rev().take_while(|triage_step| triage_step.newest_group.is_none())
        {
            step.newest_group = Some(newest);
        }
    }

    /// Newest undo group before the current thread was shown.
    pub(crate) fn group_before_current(&self) -> u64 {
        let before =
            self.decided.iter().rev().find_map(|triage_step| triage_step.newest_group).or(self.group_before);
        before.unwrap_or_default()
    }

    /// Duration so far, in microseconds.
    pub fn duration(&self, now: Moment) -> i64 {
        self.ended_at.unwrap_or(now).since(self.started_at).max(0)
    }

    /// Remaining threads of the last decision's sender, if [`MIN_EQUAL_DECISIONS`] in a row were decided alike.
    pub(crate) fn remaining_alike(&self) -> Option<(TriageDecision, Vec<ConversationRow>)> {
        let last = self.decided.last()?;
        let sender = address(last.rows.first()?)?;
        let from = |conversation_row: &&ConversationRow| {
            address(conversation_row).is_some_and(|address| address == sender)
        };
        let before = self.decided.iter().rev().take_while(|triage_step| {
            triage_step.decision == last.decision
                && triage_step.rows.first().is_some_and(|row| address(row) == Some(sender))
        });
        let same = before.flat_map(|triage_step| &triage_step.rows).count();
        let at = self.current.iter().filter(from).cloned();
        let rest: Vec<ConversationRow> = at.chain(self.queue.iter().filter(from).cloned()).collect();
        (same >= MIN_EQUAL_DECISIONS && !rest.is_empty()).then_some((last.decision, rest))
    }
}

/// Joins the non-zero counts with their labels.
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
        assert_eq!((triage.position(), triage.duration(at(9)), triage.is_over()), (1, 4, true));
        triage.ended_at = Some(at(7));
        assert_eq!(triage.duration(at(99)), 2);
        assert!(triage.remaining_alike().is_none());
    }
}
