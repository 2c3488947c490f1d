//! The conversations a person has in other tabs, as far as this desk has read
//! them: those with the same number or mail address.

use rusqlite::{Connection, params};

use crate::StoreError;
use model::bounds;
use model::queries::ConversationKey;
use sqlite::{Queries, read_row};

/// Conversations found at most.
const MOST: u32 = 20;

/// Finds them, in the same order for each of them.
pub(crate) fn of(connection: &Connection, key: &ConversationKey) -> Result<Vec<ConversationKey>, StoreError> {
    let known: Option<(Option<String>, Option<String>)> = connection.first(
        "SELECT address, email FROM conversation WHERE channel = ?1 AND id = ?2",
        params![key.channel, key.conversation],
        |row| Ok((row.get("address")?, row.get("email")?)),
    )?;
    let Some((address, email)) = known else { return Ok(Vec::new()) };
    // A bot chat's id is no one's number.
    let phone = address.filter(|it| bounds::is_e164(it));
    Ok(connection.all(
        "SELECT channel, id FROM conversation
         WHERE channel <> ?1 AND (address = ?2 OR email = ?3 COLLATE NOCASE)
         ORDER BY channel, id LIMIT ?4",
        params![key.channel, phone, email, MOST],
        |row| Ok(read_row!(row, ConversationKey { channel, conversation = id })),
    )?)
}
