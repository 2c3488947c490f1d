//! Cursors and marks of a channel's walks. They change only in the transaction that stored the data
//! they refer to.

use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::ids::ChannelId;
use sqlite::{Queries, only_cell};

/// Newest activity of the last complete walk of the list, in server time.
pub const LIST_SINCE_MARK: &str = "list_since";
/// Cursor of the part of the list not read yet, empty for the top; absent if all was read.
pub const LIST_REMAINING_MARK: &str = "list_rest";

/// Change applied in the transaction of a page; `None` removes the value.
pub type MetaChange = (&'static str, Option<String>);

impl Store {
    pub async fn meta(&self, channel: &ChannelId, name: &'static str) -> Result<Option<String>, StoreError> {
        let channel = channel.clone();
        self.cache().call_async(move |cache| read(&cache.connection, &channel, name)).await
    }

    /// Writes values that do not depend on other stored data.
    pub async fn set_meta(&self, channel: &ChannelId, changes: Vec<MetaChange>) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache().call_async(move |cache| write(&cache.connection, &channel, &changes)).await
    }
}

pub(crate) fn read(
    connection: &Connection,
    channel: &ChannelId,
    name: &str,
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT value FROM meta WHERE channel = ?1 AND name = ?2";
    Ok(connection.first(sql, params![channel, name], only_cell)?)
}

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
