//! The account behind each mail key, as last read.
//!
//! Knows nothing of keys.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::email::MailAccount;
use crate::model::ids::ChannelId;
use crate::store::email::rows::{read_mailbox, write_mailbox};
use crate::store::{Reader, Store, StoreError};

impl Store {
    /// Keeps what `GET /email/account` told.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn apply_mailbox(&self, channel: &ChannelId, account: MailAccount) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache()
            .later(move |cache| {
                cache.connection.execute(
                    "INSERT OR REPLACE INTO mailbox (channel, facts) VALUES (?1, ?2)",
                    params![channel.as_str(), write_mailbox(&account)],
                )?;
                Ok(())
            })
            .await
    }

    /// The account as last read.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn mailbox(&self, channel: &ChannelId) -> Result<Option<MailAccount>, StoreError> {
        let channel = channel.clone();
        self.cache().later(move |cache| read(&cache.connection, &channel)).await
    }
}

impl Reader {
    /// The account behind a mail key, as last read.
    ///
    /// # Errors
    /// When the database fails.
    pub fn mailbox(&self, channel: &ChannelId) -> Result<Option<MailAccount>, StoreError> {
        read(&self.connection, channel)
    }

    /// The words seen as folders and as categories of a tab's threads, the
    /// most used first, each at most so many.
    ///
    /// # Errors
    /// When the database fails.
    pub fn thread_words(&self, channel: &ChannelId, limit: u32) -> Result<[Vec<String>; 2], StoreError> {
        let words = |column: &str| -> Result<Vec<String>, StoreError> {
            let sql = format!(
                "SELECT {column} FROM thread WHERE channel = ?1 AND {column} IS NOT NULL
                 GROUP BY {column} ORDER BY count(*) DESC, {column} LIMIT ?2"
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![channel.as_str(), limit], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        Ok([words("folder")?, words("category")?])
    }
}

fn read(connection: &Connection, channel: &ChannelId) -> Result<Option<MailAccount>, StoreError> {
    let facts: Option<String> = connection
        .prepare_cached("SELECT facts FROM mailbox WHERE channel = ?1")?
        .query_row([channel.as_str()], |row| row.get(0))
        .optional()?;
    Ok(facts.map(|it| read_mailbox(&it)))
}
