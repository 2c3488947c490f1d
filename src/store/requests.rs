//! Recent requests of all processes on a folder. Each process adds its own from time to time. In
//! the cache, because the log is dispensable.

use rusqlite::params;

use crate::{Store, StoreError};
use model::calls::Call;
use model::text::SafeText;
use sqlite::{Queries, Row, read_row};

/// Number of newest requests kept.
const MAX_REQUESTS: i64 = 2_000;

impl Store {
    /// Stores requests of a process for the others.
    pub async fn store_calls(&self, process: String, calls: Vec<Call>) -> Result<(), StoreError> {
        if calls.is_empty() {
            return Ok(());
        }
        self.cache()
            .call_async(move |cache| {
                let change = cache.connection.transaction()?;
                let mut insert = change.prepare_cached(
                    "INSERT INTO request (at, process, channel, method, base, path, took, status, why, code,
                         replayed, key, request_id, has_body)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
                )?;
                for call in &calls {
                    let why = call.answer.as_ref().err().map(SafeText::as_str);
                    insert.execute(params![
                        call.at,
                        process,
                        call.channel,
                        call.method,
                        call.base,
                        call.redacted_path(),
                        call.duration,
                        call.answer.as_ref().ok(),
                        why,
                        call.code,
                        call.replayed,
                        call.key,
                        call.request_id,
                        call.has_body
                    ])?;
                }
                drop(insert);
                let sql = "DELETE FROM request WHERE number <= (SELECT max(number) FROM request) - ?1";
                change.execute(sql, [MAX_REQUESTS])?;
                change.commit()?;
                Ok(())
            })
            .await
    }

    /// Returns the newest requests of all other processes, newest first.
    pub async fn calls_of_others(&self, process: String, limit: u32) -> Result<Vec<Call>, StoreError> {
        self.cache()
            .call_async(move |cache| {
                let sql =
                    "SELECT at, process, channel, method, base, path, took, status, why, code, replayed, key,
                         request_id, has_body
                     FROM request WHERE process <> ?1 ORDER BY number DESC LIMIT ?2";
                Ok(cache.connection.all(sql, params![process, limit], call_from_row)?)
            })
            .await
    }
}

fn call_from_row(row: &Row<'_>) -> rusqlite::Result<Call> {
    let status: Option<u16> = row.get("status")?;
    let answer = status.ok_or(row.line("why")?);
    Ok(read_row!(row, Call {
        channel, at, method, base, path, duration = took, replayed, key, has_body, process: line, code: optional_line,
        request_id: optional_line;
        answer
    }))
}
