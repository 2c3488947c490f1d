//! The copy, on a conversation's row, of how many of its outbox rows wait for
//! a person, so that "needs reply" is one walk of an index.
//!
//! The two files cannot change in one transaction; the copy follows the
//! outbox at once and is mended at every start.

use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::ids::{ChannelId, ConversationId};
use model::outbox::Lane;

const COUNT_STOPPED_ROWS: &str = "(SELECT count(*) FROM desk.outbox o WHERE o.channel = conversation.channel
     AND o.conversation = conversation.id AND o.state = 'stopped')";

/// Mends the copy everywhere it may be wrong: one look for each row of the
/// outbox, however many conversations there are. Returns how many were wrong.
pub(crate) fn repair_counts(connection: &mut Connection) -> Result<usize, StoreError> {
    let rows = "SELECT number FROM conversation INDEXED BY conversation_stuck WHERE stuck > 0
         UNION SELECT c.number FROM desk.outbox o CROSS JOIN conversation c
             ON c.channel = o.channel AND c.id = o.conversation WHERE o.state = 'stopped'";
    let wrong = format!("number IN ({rows}) AND stuck <> {COUNT_STOPPED_ROWS}");
    Ok(connection
        .execute(&format!("UPDATE conversation SET stuck = {COUNT_STOPPED_ROWS} WHERE {wrong}"), [])?)
}

/// Renews the copy of one conversation.
pub(crate) fn refresh_count(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(&format!(
            "UPDATE conversation SET stuck = {COUNT_STOPPED_ROWS} WHERE channel = ?1 AND id = ?2 AND stuck <> {COUNT_STOPPED_ROWS}"
        ))?
        .execute(params![channel, conversation])?;
    Ok(())
}

impl Store {
    /// Renews the copy after a change of the outbox; blocks. Lanes that are
    /// no conversation have none.
    pub(crate) fn refresh_stopped_rows(&self, channel: &ChannelId, lane: &Lane) -> Result<(), StoreError> {
        let Some(conversation) = lane.conversation().cloned() else { return Ok(()) };
        let channel = channel.clone();
        self.cache().call(move |cache| refresh_count(&cache.connection, &channel, &conversation))
    }
}
