//! The conversations a person has in other tabs, as far as this desk has read
//! them: those with the same number or mail address.
//!
//! Knows nothing of names: two people may share one.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::bounds;
use crate::model::ids::{ChannelId, ConversationId};
use crate::model::queries::ConversationKey;
use crate::store::StoreError;

/// Conversations found at most.
const MOST: u32 = 20;

/// Finds them, in one order whoever of them is asked about.
pub(crate) fn of(connection: &Connection, key: &ConversationKey) -> Result<Vec<ConversationKey>, StoreError> {
    let known: Option<(Option<String>, Option<String>)> = connection
        .prepare_cached("SELECT address, email FROM conversation WHERE channel = ?1 AND id = ?2")?
        .query_row(params![key.channel.as_str(), key.conversation.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((address, email)) = known else { return Ok(Vec::new()) };
    // A bot chat's id is no one's number.
    let phone = address.filter(|it| bounds::is_e164(it));
    let mut statement = connection.prepare_cached(
        "SELECT channel, id FROM conversation
         WHERE channel <> ?1 AND (address = ?2 OR email = ?3 COLLATE NOCASE)
         ORDER BY channel, id LIMIT ?4",
    )?;
    let rows = statement.query_map(params![key.channel.as_str(), phone, email, MOST], |row| {
        Ok(ConversationKey {
            channel: ChannelId::new(row.get::<_, String>(0)?),
            conversation: ConversationId::new(row.get::<_, String>(1)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
