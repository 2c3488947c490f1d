//! Which conversation needs a person most.
//!
//! Pure. Knows nothing of lists or keys.

use std::cmp::Reverse;

use crate::model::conversations::ConversationRow;
use crate::model::time::{Timestamp, short_span};

/// How urgent a conversation is; greater is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Urgency {
    /// The AI asks for a person, or did not wake up.
    failing: bool,
    /// Since when the customer waits.
    waiting: Option<Reverse<Timestamp>>,
    /// Something written here could not be sent.
    stuck: bool,
}

/// How urgent a conversation is now.
pub fn of(row: &ConversationRow, now: Timestamp) -> Urgency {
    let failing = row.is_failing() || row.unanswered_since(now).is_some();
    Urgency { failing, waiting: row.waiting_since.map(Reverse), stuck: row.stuck > 0 }
}

/// Why a conversation is urgent, in words.
pub fn reason(row: &ConversationRow, now: Timestamp) -> String {
    let waits = row.waiting_since.map(|since| format!("waits {}", short_span(now.since(since))));
    let failing = row.is_failing().then(|| "the AI asks for a person".to_owned());
    let silent = row.unanswered_since(now).map(|_| "the AI has not answered".to_owned());
    let stuck = (row.stuck > 0).then(|| "a message could not be sent".to_owned());
    let reasons: Vec<String> = [failing, silent, waits, stuck].into_iter().flatten().collect();
    reasons.join(", ")
}

/// The rows that need a person, the most urgent first; ties in the order of
/// their names, so that asking twice gives the same.
pub fn ranked(mut rows: Vec<ConversationRow>, now: Timestamp) -> Vec<ConversationRow> {
    rows.retain(ConversationRow::needs_reply);
    rows.sort_by(|one, other| of(other, now).cmp(&of(one, now)).then_with(|| one.key().cmp(&other.key())));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(failing: bool, waiting: Option<i64>, stuck: bool) -> Urgency {
        Urgency { failing, waiting: waiting.map(|it| Reverse(Timestamp::from_micros(it))), stuck }
    }

    #[test]
    fn failing_comes_first_then_the_longest_wait() {
        let order = [
            key(true, Some(5), false),
            key(true, Some(9), false),
            key(true, None, false),
            key(false, Some(1), false),
            key(false, Some(2), true),
            key(false, Some(2), false),
            key(false, None, true),
        ];
        assert!(order.is_sorted_by(|one, other| one > other), "{order:?}");
    }
}
