//! Server answers to executed rows. In the cache, because they are informational.

use rusqlite::params;

use crate::{Store, StoreError};
use model::ids::RowId;
use sqlite::{Queries, read_row};

/// Number of newest receipts kept.
const MAX_RECEIPTS: i64 = 10_000;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredReceipt {
    /// Status word of the server, such as `sent`.
    pub status: Option<String>,
    pub credits_used: Option<f64>,
    /// Balance after the row.
    pub credits_remaining: Option<f64>,
}

impl Store {
    pub async fn record_receipt(&self, row: &RowId, note: StoredReceipt) -> Result<(), StoreError> {
        let row = row.clone();
        self.cache()
            .call_async(move |cache| {
                cache.connection.execute(
                    "INSERT OR REPLACE INTO receipt (row, status, credits_used, credits_remaining)
                     VALUES (?1, ?2, ?3, ?4)",
                    params![row, note.status, note.credits_used, note.credits_remaining],
                )?;
                cache.connection.execute(
                    "DELETE FROM receipt WHERE number <= (SELECT max(number) FROM receipt) - ?1",
                    [MAX_RECEIPTS],
                )?;
                Ok(())
            })
            .await
    }

    /// Returns the receipt of a row, empty if none is stored. Blocks.
    pub fn receipt(&self, row: &RowId) -> Result<StoredReceipt, StoreError> {
        let row = row.clone();
        self.cache().call(move |cache| {
            let sql = "SELECT status, credits_used, credits_remaining FROM receipt WHERE row = ?1";
            let found = cache.connection.first(sql, [row.as_str()], |row| {
                Ok(read_row!(row, StoredReceipt { status, credits_used, credits_remaining }))
            })?;
            Ok(found.unwrap_or_default())
        })
    }
}
