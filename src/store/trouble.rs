//! The copy, on a conversation's row, of what its newest messages tell of
//! trouble with the AI, renewed in the transaction that changed them.
//!
//! Knows nothing of the rules.

use rusqlite::{Connection, params};

use crate::model::messages::{Delivery, Direction};
use crate::model::trouble::{LAST, Said, look};
use crate::store::StoreError;
use crate::store::rows::message::sender_from;

/// Conversations looked at in one slice.
const SLICE: i64 = 200;

/// Looks at the newest messages of a conversation again.
pub(crate) fn refresh(connection: &Connection, number: i64) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT inbound, sender, content, delivery FROM message WHERE conversation = ?1 AND unreadable = 0
         ORDER BY sort_at DESC, id DESC LIMIT ?2",
    )?;
    let limit = i64::try_from(LAST).unwrap_or(i64::MAX);
    let said = statement.query_map(params![number, limit], |row| {
        let direction = if row.get(0)? { Direction::Inbound } else { Direction::Outbound };
        let (sender, text, delivery): (String, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(Said::new(direction, sender_from(&sender), &text, &Delivery::from_word(&delivery)))
    })?;
    let mut said = said.collect::<Result<Vec<_>, _>>()?;
    said.reverse();
    let found = look(&said);
    connection
        .prepare_cached(
            "UPDATE conversation SET trouble = ?2, trouble_why = ?3
             WHERE number = ?1 AND (trouble, trouble_why) IS NOT (?2, ?3)",
        )?
        .execute(params![number, found.score(), found.line()])?;
    Ok(())
}

/// Looks at some of the conversations that were here before; tells whether
/// more are to come. Done while no one waits for the cache.
pub(crate) fn add_slice(connection: &mut Connection) -> Result<bool, StoreError> {
    let change = connection.transaction()?;
    let numbers = {
        let mut statement =
            change.prepare_cached("SELECT number FROM conversation WHERE trouble IS NULL LIMIT ?1")?;
        let numbers = statement.query_map([SLICE], |row| row.get::<_, i64>(0))?;
        numbers.collect::<Result<Vec<_>, _>>()?
    };
    for number in &numbers {
        refresh(&change, *number)?;
    }
    change.commit()?;
    Ok(!numbers.is_empty())
}
