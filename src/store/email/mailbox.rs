//! Mail account behind each key, as last read.

use rusqlite::{Connection, params};

use crate::{Reader, Store, StoreError};
use model::email::MailAccount;
use model::ids::ChannelId;
use sqlite::{Queries, json_of, only_cell};

impl Store {
    /// Stores the answer of `GET /email/account`.
    pub async fn apply_mailbox(&self, channel: &ChannelId, account: MailAccount) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                cache.connection.execute(
                    "INSERT OR REPLACE INTO mailbox (channel, facts) VALUES (?1, ?2)",
                    params![channel, json_of(&account)],
                )?;
                Ok(())
            })
            .await
    }

    pub async fn mailbox(&self, channel: &ChannelId) -> Result<Option<MailAccount>, StoreError> {
        let channel = channel.clone();
        self.cache().call_async(move |cache| read(&cache.connection, &channel)).await
    }
}

impl Reader {
    pub fn mailbox(&self, channel: &ChannelId) -> Result<Option<MailAccount>, StoreError> {
        read(&self.connection, channel)
    }

    /// Returns the folders and the categories of a tab's threads, sorted, each at most `limit`.
    /// Costs one index lookup per value, independent of the number of threads.
    pub fn folders_and_categories(
        &self,
        channel: &ChannelId,
        limit: u32,
    ) -> Result<[Vec<String>; 2], StoreError> {
        let words = |column: &str| -> Result<Vec<String>, StoreError> {
            let sql = format!(
                "WITH RECURSIVE seen(word) AS (
                     SELECT min({column}) FROM thread WHERE channel = ?1
                     UNION ALL
                     SELECT (SELECT min({column}) FROM thread WHERE channel = ?1 AND {column} > word)
                     FROM seen WHERE word IS NOT NULL LIMIT ?2)
                 SELECT word FROM seen WHERE word IS NOT NULL"
            );
            Ok(self.connection.all(&sql, params![channel, limit], only_cell)?)
        };
        Ok([words("folder")?, words("category")?])
    }
}

fn read(connection: &Connection, channel: &ChannelId) -> Result<Option<MailAccount>, StoreError> {
    let sql = "SELECT facts FROM mailbox WHERE channel = ?1";
    Ok(connection.first(sql, [channel], |row| row.json("facts"))?)
}
