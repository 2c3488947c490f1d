//! Filter conditions on mail threads. Local values take precedence over the server's.

use rusqlite::types::Value;

use crate::filter::Clause;
use model::filter::Phrase;

/// Matches a field, ignoring case.
pub(super) fn word(column: &str, field: &str, word: &str) -> Clause {
    let word = Value::from(word.to_lowercase());
    Clause::with_values(
        &merged_condition(&format!("lower(h.{column}) = ?"), field, "lower(l.value) = ?"),
        vec![word.clone(), word],
    )
}

pub(super) fn subject(phrase: &Phrase) -> Clause {
    Clause::with_values(
        "c.number IN (SELECT t.number FROM thread h CROSS JOIN conversation t
             ON t.channel = h.channel AND t.id = h.id WHERE has_words(h.subject, ?, ?))",
        bound_values(phrase),
    )
}

/// Matches recipients of the stored mails of a thread.
pub(super) fn recipient(phrase: &Phrase) -> Clause {
    Clause::with_values(
        "c.number IN (SELECT t.number FROM letter l CROSS JOIN conversation t
             ON t.channel = l.channel AND t.id = l.thread
             WHERE has_words(concat_ws(' ', l.facts ->> '$.to', l.facts ->> '$.cc'), ?, ?))",
        bound_values(phrase),
    )
}

fn bound_values(phrase: &Phrase) -> Vec<Value> {
    vec![phrase.text.clone().into(), i64::from(phrase.exact).into()]
}

pub(super) fn flag_condition(condition: &str, field: &str, value: &str) -> Clause {
    Clause::plain(&merged_condition(&format!("h.{condition}"), field, &format!("l.value = '{value}'")))
}

/// Unread on the server for mail; otherwise not seen at this desk.
pub(super) fn unread_condition() -> Clause {
    let mail = flag_condition("is_read = 0", "read", "false");
    Clause::plain(&format!(
        "iif(EXISTS (SELECT 1 FROM thread h WHERE h.channel = c.channel AND h.id = c.id), {}, c.unread > 0)",
        mail.sql
    ))
}

fn merged_condition(condition: &str, field: &str, kept: &str) -> String {
    format!(
        "(c.number IN (SELECT t.number FROM thread h CROSS JOIN conversation t
                 ON t.channel = h.channel AND t.id = h.id WHERE {condition}
                 AND NOT EXISTS (SELECT 1 FROM desk.thread_local l WHERE l.channel = h.channel
                     AND l.thread = h.id AND l.field = '{field}'))
             OR c.number IN (SELECT t.number FROM desk.thread_local l CROSS JOIN conversation t
                 ON t.channel = l.channel AND t.id = l.thread WHERE l.field = '{field}' AND {kept}))"
    )
}
