//! Which conversation needs a person most.

use std::cmp::Reverse;

use crate::conversations::ConversationRow;
use crate::time::{Timestamp, format_short_span};

/// How urgent a conversation is; greater is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Urgency {
    /// The AI asks for a person, or did not wake up.
    failing: bool,
    /// How much trouble there is with the AI.
    trouble: u32,
    /// Since when the customer waits.
    waiting: Option<Reverse<Timestamp>>,
    /// Something written here could not be sent.
    stuck: bool,
}

/// How urgent a conversation is now.
pub fn urgency_of(row: &ConversationRow, now: Timestamp) -> Urgency {
    let failing = row.is_failing() || row.unanswered_since(now).is_some();
    Urgency {
        failing,
        trouble: trouble_score_of(row, now),
        waiting: row.waiting_since.map(Reverse),
        stuck: row.stopped_rows > 0,
    }
}

/// How much trouble there is with the AI; a little is none.
fn trouble_score_of(row: &ConversationRow, now: Timestamp) -> u32 {
    row.describe_trouble(now).map_or(0, |_| row.trouble_score(now))
}

/// Why a conversation is urgent, in words.
pub fn describe_urgency(row: &ConversationRow, now: Timestamp) -> String {
    let waits = row.waiting_since.map(|since| format!("waits {}", format_short_span(now.since(since))));
    let failing = row.is_failing().then(|| "the AI asks for a person".to_owned());
    let silent = row.unanswered_since(now).map(|_| "the AI has not answered".to_owned());
    let trouble = row.describe_trouble(now);
    let stuck = (row.stopped_rows > 0).then(|| "a message could not be sent".to_owned());
    let reasons: Vec<String> = [failing, silent, trouble, waits, stuck].into_iter().flatten().collect();
    reasons.join(", ")
}

/// The rows that need a person, the most urgent first; ties in the order of
/// their names, so that asking twice gives the same.
pub fn rank_rows(mut rows: Vec<ConversationRow>, now: Timestamp) -> Vec<ConversationRow> {
    rows.retain(ConversationRow::needs_reply);
    rows.sort_by(|one, other| {
        urgency_of(other, now).cmp(&urgency_of(one, now)).then_with(|| one.key().cmp(&other.key()))
    });
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(failing: bool, trouble: u32, waiting: Option<i64>, stuck: bool) -> Urgency {
        Urgency {
            failing,
            trouble,
            waiting: waiting.map(|number| Reverse(Timestamp::from_micros(number))),
            stuck,
        }
    }

    #[test]
    fn failing_comes_first_then_trouble_then_the_longest_wait() {
        let order = [
            key(true, 0, Some(5), false),
            key(true, 0, Some(9), false),
            key(true, 0, None, false),
            key(false, 90, Some(9), false),
            key(false, 40, Some(5), false),
            key(false, 0, Some(1), false),
            key(false, 0, Some(2), true),
            key(false, 0, Some(2), false),
            key(false, 0, None, true),
        ];
        assert!(order.is_sorted_by(|one, other| one > other), "{order:?}");
    }
}
