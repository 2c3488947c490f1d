//! Stored answers of writes, by idempotency key.

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use crate::idempotency::Fingerprint;
use crate::reply::Reply;
use model::bounds;
use model::time::{SECOND, Timestamp};
use sqlite::read_row;

/// ORDER BY and a literal LIMIT make the server use the indexes; with parameters it expects a third of all rows.
const PURGE: &str = "DELETE FROM idempotency WHERE (api_key, name) IN
    (SELECT api_key, name FROM idempotency WHERE at <= ?1 ORDER BY at LIMIT 50 /* skip locked */)";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyLookup {
    Nothing,
    /// Answer to an identical request.
    Same(Reply),
    Other,
}

pub fn find(
    db: &dyn DbSession,
    api_key: &str,
    name: &str,
    fingerprint: &Fingerprint,
    now: Timestamp,
) -> Result<KeyLookup, DatabaseError> {
    let sql =
        "SELECT fingerprint, status, body FROM idempotency WHERE api_key = ?1 AND name = ?2 AND at > ?3";
    let found = db.fetch_optional(sql, bound![api_key, name, expiry_cutoff(now)], |row| {
        let kept: Fingerprint = row.get("fingerprint")?;
        Ok((kept, read_row!(row, Reply { status, body; replayed: true, awaited_id: None })))
    })?;
    Ok(match found {
        None => KeyLookup::Nothing,
        Some((kept, reply)) if kept == *fingerprint => KeyLookup::Same(reply),
        Some(_) => KeyLookup::Other,
    })
}

/// Stores an answer for a day, in the transaction of its effect.
pub fn store_reply(
    db: &dyn DbSession,
    api_key: &str,
    name: &str,
    fingerprint: &Fingerprint,
    reply: &Reply,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    db.change_later(PURGE, bound![expiry_cutoff(now)])?;
    let sql = "INSERT INTO idempotency (api_key, name, fingerprint, status, body, at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT (api_key, name) DO UPDATE SET fingerprint = excluded.fingerprint,
               status = excluded.status, body = excluded.body, at = excluded.at";
    db.change_later(sql, bound![api_key, name, fingerprint, reply.status, reply.body, now])
}

/// Removes some expired answers; returns their number. `now` is elapsed time.
pub fn purge(db: &dyn DbSession, now: Timestamp) -> Result<u64, DatabaseError> {
    db.change(PURGE, bound![expiry_cutoff(now)])
}

/// Answers of this time and older have expired.
fn expiry_cutoff(now: Timestamp) -> i64 {
    now.plus(-bounds::IDEMPOTENCY_RETENTION_SECONDS * SECOND).micros()
}
