//! Counts messages in a conversation since a position in its history.

use rusqlite::params;

use crate::rows::message;
use crate::{Store, StoreError};
use model::ids::{ChannelId, ConversationId};
use model::messages::{HistoryPosition, Message};
use model::outbox::Lane;
use sqlite::{Queries, read_row};

/// Limit of the count; callers only need to know if there are any.
const MAX_COUNTED_MESSAGES: u32 = 100;

/// Messages of conversation `?2` of channel `?1` after the position `?3`, `?4` that are not from this desk.
/// Provisional ones were sent from this desk too.
const NEWER_MESSAGES: &str = "FROM message m JOIN conversation c ON c.number = m.conversation
     WHERE c.channel = ?1 AND c.id = ?2 AND (m.sort_at, m.id) > (?3, ?4)
         AND NOT (m.inbound = 0 AND m.provisional = 1) AND m.sender <> 'broadcast'
         AND NOT EXISTS (SELECT 1 FROM desk.sent_here s WHERE s.channel = ?1 AND s.message = m.id)";

/// Messages after the newest one the author had on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewerMessages {
    /// Outbound messages not sent from this desk.
    pub answers: u32,
    /// All messages except those sent from this desk.
    pub messages: u32,
}

impl Store {
    pub async fn messages_since(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        seen: &HistoryPosition,
    ) -> Result<NewerMessages, StoreError> {
        let (channel, conversation, seen) = (channel.clone(), conversation.clone(), seen.clone());
        self.cache()
            .call_async(move |cache| {
                let sql = format!(
                    "SELECT count(*) FILTER (WHERE inbound = 0) AS answers, count(*) AS messages
                     FROM (SELECT m.inbound {NEWER_MESSAGES} ORDER BY m.inbound LIMIT ?5)"
                );
                let of = params![channel, conversation, seen.0, seen.1, MAX_COUNTED_MESSAGES];
                Ok(cache
                    .connection
                    .one(&sql, of, |row| Ok(read_row!(row, NewerMessages { answers, messages })))?)
            })
            .await
    }

    /// Returns the oldest answer that [`messages_since`](Self::messages_since) counts.
    pub async fn first_answer_since(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        seen: &HistoryPosition,
    ) -> Result<Option<Message>, StoreError> {
        let (channel, conversation, seen) = (channel.clone(), conversation.clone(), seen.clone());
        self.cache()
            .call_async(move |cache| {
                let columns = message::COLUMNS;
                let sql = format!(
                    "SELECT {columns} {NEWER_MESSAGES} AND m.inbound = 0 ORDER BY m.sort_at, m.id LIMIT 1"
                );
                let of = params![channel, conversation, seen.0, seen.1];
                Ok(cache.connection.first(&sql, of, |row| message::read(row, &conversation))?)
            })
            .await
    }

    /// True if the service window is closed, as last read: only templates may be sent.
    pub async fn window_is_closed(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<bool, StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.cache()
            .call_async(move |cache| {
                let mut statement = cache.connection.prepare_cached(
                    "SELECT 1 FROM conversation WHERE channel = ?1 AND id = ?2 AND service_window = 'closed'",
                )?;
                Ok(statement.exists(params![channel, conversation])?)
            })
            .await
    }

    /// Returns the newest stored message of a lane's conversation. Blocks.
    pub fn newest_position(
        &self,
        channel: &ChannelId,
        lane: &Lane,
    ) -> Result<Option<HistoryPosition>, StoreError> {
        let Some(conversation) = lane.conversation().cloned() else { return Ok(None) };
        let channel = channel.clone();
        self.cache().call(move |cache| {
            Ok(cache.connection.first(
                "SELECT m.sort_at, m.id FROM message m JOIN conversation c ON c.number = m.conversation
                 WHERE c.channel = ?1 AND c.id = ?2 ORDER BY m.sort_at DESC, m.id DESC LIMIT 1",
                params![channel, conversation],
                |row| Ok((row.get("sort_at")?, row.get("id")?)),
            )?)
        })
    }
}
