//! Small facts about a channel's walks: cursors and marks. They move only in
//! the transaction that saved what they stand for.

use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::ids::ChannelId;
use sqlite::{Queries, only_cell};

/// The newest activity of the last complete walk of the list, in the server's
/// time.
pub const LIST_SINCE_MARK: &str = "list_since";
/// Where the part of the list begins that was not read on this desk yet; empty
/// for the top. Absent when all was read.
pub const LIST_REMAINING_MARK: &str = "list_rest";

/// A change that joins the transaction of a page; `None` removes the value.
pub type MetaChange = (&'static str, Option<String>);

impl Store {
    /// Reads one value.
    pub async fn meta(&self, channel: &ChannelId, name: &'static str) -> Result<Option<String>, StoreError> {
        let channel = channel.clone();
        self.cache().call_async(move |cache| read(&cache.connection, &channel, name)).await
    }

    /// Writes values that stand for nothing else being saved.
    pub async fn set_meta(&self, channel: &ChannelId, changes: Vec<MetaChange>) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache().call_async(move |cache| write(&cache.connection, &channel, &changes)).await
    }
}

/// Reads one value.
pub(crate) fn read(
    connection: &Connection,
    channel: &ChannelId,
    name: &str,
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT value FROM meta WHERE channel = ?1 AND name = ?2";
    Ok(connection.first(sql, params![channel, name], only_cell)?)
}

/// Applies changes within the caller's transaction.
pub(crate) fn write(
    connection: &Connection,
    channel: &ChannelId,
    changes: &[MetaChange],
) -> Result<(), StoreError> {
    for (name, value) in changes {
        match value {
            Some(value) => connection.execute(
                "INSERT INTO meta (channel, name, value) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET value = excluded.value",
                params![channel, name, value],
            )?,
            None => connection
                .execute("DELETE FROM meta WHERE channel = ?1 AND name = ?2", params![channel, name])?,
        };
    }
    Ok(())
}
