//! Trouble score of the AI on a conversation's row, computed from the newest messages in the
//! transaction that changes them.

use rusqlite::{Connection, params};

use crate::StoreError;
use crate::rows::message::{direction_from_row, parse_sender};
use model::messages::DeliveryStatus;
use model::trouble::{MAX_MESSAGES, MessageSummary, TroubleKind, TroubleScore, score_messages};
use sqlite::{Queries, only_cell};

const SCORE_BATCH: i64 = 200;
pub(crate) fn refresh_score(connection: &Connection, number: i64) -> Result<(), StoreError> {
    let limit = i64::try_from(MAX_MESSAGES).unwrap_or(i64::MAX);
    let mut said: Vec<_> = connection.all(
        "SELECT inbound, sender, content, delivery FROM message WHERE conversation = ?1 AND unreadable = 0
         ORDER BY sort_at DESC, id DESC LIMIT ?2",
        params![number, limit],
        |row| {
            let delivery = row.parse_word("delivery", DeliveryStatus::from_word)?;
            Ok(MessageSummary::new(
                direction_from_row(row)?,
                row.parse_word("sender", parse_sender)?,
                row.text("content")?,
                &delivery,
            ))
        },
    )?;
    said.reverse();
    store_score(connection, number, &score_messages(&said))
}

fn store_score(connection: &Connection, number: i64, found: &TroubleScore) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE conversation SET trouble = ?2, trouble_why = ?3, asked_for_person = ?4
             WHERE number = ?1 AND (trouble, trouble_why, asked_for_person) IS NOT (?2, ?3, ?4)",
        )?
        .execute(params![
            number,
            found.score(),
            found.to_stored(),
            found.kind() == Some(TroubleKind::AsksForPerson)
        ])?;
    Ok(())
}

/// Scores some of the conversations without a score. Returns true if there may be more.
pub(crate) fn score_batch(connection: &mut Connection) -> Result<bool, StoreError> {
    let change = connection.transaction()?;
    let sql = "SELECT number FROM conversation WHERE trouble IS NULL LIMIT ?1";
    let numbers: Vec<i64> = change.all(sql, [SCORE_BATCH], only_cell)?;
    for number in &numbers {
        refresh_score(&change, *number)?;
    }
    change.commit()?;
    Ok(!numbers.is_empty())
}
