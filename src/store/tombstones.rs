//! Conversations deleted on the server. They are removed with their history and remembered by their
//! newest message, so that a late answer that brings one back raises no alert.

use rusqlite::{Connection, params};

use crate::erasing::{self, ErasedConversation};
use crate::{Store, StoreError};
use model::ids::{ChannelId, ConversationId};
use model::time::Timestamp;
use sqlite::{Queries, only_cell};

/// Number of newest tombstones kept.
const MAX_TOMBSTONES: i64 = 1_000;
/// Conversations removed per transaction, so that others can write in between.
const REMOVAL_BATCH: i64 = 200;

/// Comparison of the stored conversations of a channel with those in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListComparison {
    pub stored: usize,
    /// Highest row number of a stored conversation.
    pub newest: i64,
    /// True if the list contains at least one of them.
    pub names_one: bool,
}

impl Store {
    /// Returns the last activity of a conversation as reported by the list; `None` if the
    /// conversation is not stored.
    pub async fn last_activity(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<Option<Timestamp>>, StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.cache()
            .call_async(move |cache| {
                let sql = "SELECT last_message_at FROM conversation WHERE channel = ?1 AND id = ?2";
                Ok(cache.connection.first(sql, params![channel, conversation], only_cell)?)
            })
            .await
    }

    /// Compares the conversations of a channel up to a row number, or all of them, with those in a
    /// list.
    pub async fn compare_with_list(
        &self,
        channel: &ChannelId,
        listed: Vec<ConversationId>,
        up_to: Option<i64>,
    ) -> Result<ListComparison, StoreError> {
        let (channel, up_to) = (channel.clone(), up_to.unwrap_or(i64::MAX));
        self.cache()
            .call_async(move |cache| {
                let connection = &cache.connection;
                let sql = "SELECT count(*) AS stored, coalesce(max(number), 0) AS newest
                     FROM conversation WHERE channel = ?1 AND number <= ?2";
                let found = connection.first(sql, params![channel, up_to], |row| {
                    Ok(ListComparison {
                        stored: row.number("stored")?,
                        newest: row.get("newest")?,
                        names_one: false,
                    })
                })?;
                let mut found = found.unwrap_or_default();
                let mut named = connection.prepare_cached(
                    "SELECT 1 FROM conversation WHERE channel = ?1 AND id = ?2 AND number <= ?3",
                )?;
                for id in listed {
                    found.names_one = found.names_one || named.exists(params![channel, id, up_to])?;
                }
                Ok(found)
            })
            .await
    }

    /// Removes the conversations of a channel up to a row number, with their histories; returns
    /// their ids.
    pub async fn remove_conversations(
        &self,
        channel: &ChannelId,
        up_to: i64,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                cache.wiping.begin()?;
                let change = cache.connection.transaction()?;
                let sql = "SELECT id FROM conversation WHERE channel = ?1 AND number <= ?2";
                let all: Vec<ConversationId> = change.all(sql, params![channel, up_to], only_cell)?;
                all.iter().try_for_each(|id| remove(&change, &channel, id))?;
                change.commit()?;
                Ok(all)
            })
            .await
    }

    /// Removes a conversation deleted on the server with its history and its local data, because
    /// its person may have been deleted.
    pub async fn remove_conversation(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<(), StoreError> {
        let (of, conversation) = (channel.clone(), conversation.clone());
        let erased = self
            .cache()
            .call_async(move |cache| {
                cache.wiping.begin()?;
                let change = cache.connection.transaction()?;
                let sql = "SELECT address FROM conversation WHERE channel = ?1 AND id = ?2";
                let address: Option<Option<String>> =
                    change.first(sql, params![of, conversation], only_cell)?;
                let erased = ErasedConversation { id: conversation, address: address.flatten() };
                erase(&change, &of, &erased)?;
                change.commit()?;
                Ok(erased)
            })
            .await?;
        self.erase_local(channel, vec![erased]).await
    }
}

impl Store {
    /// Removes everything read for a channel, in several transactions. If interrupted, call it
    /// again.
    pub async fn forget_channel(&self, channel: &ChannelId) -> Result<(), StoreError> {
        loop {
            let channel = channel.clone();
            let removed = self
                .cache()
                .call_async(move |cache| {
                    cache.wiping.begin()?;
                    let sql = "DELETE FROM conversation WHERE number IN
                         (SELECT number FROM conversation WHERE channel = ?1 LIMIT ?2)";
                    Ok(cache.connection.execute(sql, params![channel, REMOVAL_BATCH])?)
                })
                .await?;
            if removed == 0 {
                break;
            }
        }
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let change = cache.connection.transaction()?;
                for table in tables_by_channel(&change)? {
                    change.execute(&format!("DELETE FROM {table} WHERE channel = ?1"), [channel.as_str()])?;
                }
                change.commit()?;
                Ok(())
            })
            .await
    }
}

/// Returns the tables with a `channel` column.
fn tables_by_channel(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT m.name FROM main.sqlite_schema m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND c.name = 'channel' ORDER BY m.name";
    Ok(connection.all(sql, [], only_cell)?)
}

/// Removes a conversation and leaves a tombstone, within the caller's transaction.
pub(crate) fn remove(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<(), StoreError> {
    insert_tombstone(connection, channel, conversation)?;
    connection
        .execute("DELETE FROM conversation WHERE channel = ?1 AND id = ?2", params![channel, conversation])?;
    Ok(())
}

/// Removes a conversation and the data of its customer, and leaves a tombstone, within the caller's
/// transaction.
pub(crate) fn erase(
    connection: &Connection,
    channel: &ChannelId,
    erased: &ErasedConversation,
) -> Result<(), StoreError> {
    insert_tombstone(connection, channel, &erased.id)?;
    Ok(erasing::erase(connection, &erasing::CACHE_TABLES, channel, erased)?)
}

fn insert_tombstone(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO gone (channel, id, newest_at, newest_id)
             SELECT ?1, ?2, message.sort_at, message.id FROM message
                 JOIN conversation ON conversation.number = message.conversation
             WHERE conversation.channel = ?1 AND conversation.id = ?2 AND inbound = 1
             ORDER BY message.sort_at DESC, message.id DESC LIMIT 1
         ON CONFLICT DO UPDATE SET newest_at = excluded.newest_at, newest_id = excluded.newest_id
             WHERE (excluded.newest_at, excluded.newest_id) > (newest_at, newest_id)",
        params![channel, conversation],
    )?;
    connection
        .execute("DELETE FROM gone WHERE number <= (SELECT max(number) FROM gone) - ?1", [MAX_TOMBSTONES])?;
    Ok(())
}

/// True if a message is not newer than the conversation's tombstone.
pub(crate) fn is_behind_tombstone(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    place: (i64, &str),
) -> Result<bool, StoreError> {
    let known = connection.first(
        "SELECT (newest_at, newest_id) >= (?3, ?4) FROM gone WHERE channel = ?1 AND id = ?2",
        params![channel, conversation, place.0, place.1],
        only_cell,
    )?;
    Ok(known.unwrap_or(false))
}
