//! Records which server paths recognized a repeated idempotency key. Only there may a request that
//! reaches many people be retried automatically.

use rusqlite::params;

use crate::{Store, StoreError};
use sqlite::Queries;

impl Store {
    /// True if the server has recognized a repeated key at this path.
    pub async fn supports_idempotency(&self, base_url: &str, path: &str) -> Result<bool, StoreError> {
        let (base_url, path) = (base_url.to_owned(), path.to_owned());
        self.outbox()
            .call_async(move |connection| {
                let sql = "SELECT EXISTS (SELECT 1 FROM recognised WHERE base_url = ?1 AND path = ?2)";
                Ok(connection.scalar(sql, params![base_url, path])?)
            })
            .await
    }

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
