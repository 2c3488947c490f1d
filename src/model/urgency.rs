//! Conversations that need a person, by urgency, and the reason in words.

use crate::conversations::ConversationRow;
use crate::time::{Timestamp, format_short_span};

pub fn describe_urgency(row: &ConversationRow, now: Timestamp) -> String {
    let waits = row.waiting_since.map(|since| format!("waits {}", format_short_span(now.since(since))));
    let failing = row.is_failing().then(|| "asked for a person".to_owned());
    let silent = row.unanswered_since(now).map(|_| "the AI has not answered".to_owned());
    let trouble = row.describe_trouble(now).filter(|_| failing.is_none());
    let stuck = (row.stopped_rows > 0).then(|| "a message could not be sent".to_owned());
    let reasons: Vec<String> = [failing, silent, trouble, waits, stuck].into_iter().flatten().collect();
    reasons.join(", ")
}

/// Returns the rows that need a person, most urgent first; ties are ordered by key, so that the
/// order is stable.
pub fn rank_rows(mut rows: Vec<ConversationRow>) -> Vec<ConversationRow> {
    rows.retain(ConversationRow::needs_person);
    rows.sort_by_key(|row| (row.place.map(|place| place.sort_key()), row.key()));
    rows
}
