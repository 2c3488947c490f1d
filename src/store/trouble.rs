//! The copy, on a conversation's row, of what its newest messages tell of
//! trouble with the AI, renewed in the transaction that changed them.

use rusqlite::{Connection, params};

use crate::StoreError;
use crate::rows::message::{direction, sender_from};
use model::messages::DeliveryStatus;
use model::trouble::{LAST, MessageSummary, TroubleScore, look};
use sqlite::{Queries, only};

/// Conversations looked at in one slice.
const SLICE: i64 = 200;
/// Looks at the newest messages of a conversation again.
pub(crate) fn refresh(connection: &Connection, number: i64) -> Result<(), StoreError> {
    let limit = i64::try_from(LAST).unwrap_or(i64::MAX);
    let mut said: Vec<_> = connection.all(
        "SELECT inbound, sender, content, delivery FROM message WHERE conversation = ?1 AND unreadable = 0
         ORDER BY sort_at DESC, id DESC LIMIT ?2",
        params![number, limit],
        |row| {
            let delivery = row.word("delivery", DeliveryStatus::from_word)?;
            Ok(MessageSummary::new(
                direction(row)?,
                row.word("sender", sender_from)?,
                row.text("content")?,
                &delivery,
            ))
        },
    )?;
    said.reverse();
    keep(connection, number, &look(&said))
}

fn keep(connection: &Connection, number: i64, found: &TroubleScore) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE conversation SET trouble = ?2, trouble_why = ?3
             WHERE number = ?1 AND (trouble, trouble_why) IS NOT (?2, ?3)",
        )?
        .execute(params![number, found.score(), found.line()])?;
    Ok(())
}

/// Scores some of the conversations without a score. Returns true if there may be more.
pub(crate) fn add_slice(connection: &mut Connection) -> Result<bool, StoreError> {
    let change = connection.transaction()?;
    let sql = "SELECT number FROM conversation WHERE trouble IS NULL LIMIT ?1";
    let numbers: Vec<i64> = change.all(sql, [SLICE], only)?;
    for number in &numbers {
        refresh(&change, *number)?;
    }
    change.commit()?;
    Ok(!numbers.is_empty())
}
