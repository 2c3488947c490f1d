//! Where a server was seen to recognise a key that it had seen before: only
//! there may what reaches many people be asked again by itself.

use rusqlite::params;

use crate::{Store, StoreError};
use sqlite::Queries;

impl Store {
    /// Whether the server was seen to recognise a key at this path.
    pub async fn supports_idempotency(&self, base_url: &str, path: &str) -> Result<bool, StoreError> {
        let (base_url, path) = (base_url.to_owned(), path.to_owned());
        self.outbox()
            .call_async(move |connection| {
                let sql = "SELECT EXISTS (SELECT 1 FROM recognised WHERE base_url = ?1 AND path = ?2)";
                Ok(connection.scalar(sql, params![base_url, path])?)
            })
            .await
    }

    /// Notes that the server recognised a key at this path.
    pub async fn record_idempotency_support(&self, base_url: &str, path: &str) -> Result<(), StoreError> {
        let (base_url, path) = (base_url.to_owned(), path.to_owned());
        self.outbox()
            .call_async(move |connection| {
                let sql = "INSERT OR IGNORE INTO recognised (base_url, path) VALUES (?1, ?2)";
                connection.execute(sql, params![base_url, path])?;
                Ok(())
            })
            .await
    }
}
