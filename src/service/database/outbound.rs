//! All that reached a platform, for `/dev/outbound`.
//!
//! Knows nothing of how it got there.

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::model::time::Timestamp;
use crate::service::channels::Channel;
use crate::service::database::DatabaseError;

/// Notes something that reached a platform.
pub fn note(
    db: &Connection,
    channel: Channel,
    recipient: &str,
    content: &str,
    key: Option<&str>,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql =
        "INSERT INTO outbound (recipient, channel, content, idempotency_key, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.prepare_cached(sql)?.execute(params![recipient, channel.word(), content, key, now.micros()])?;
    Ok(())
}

/// All of it, oldest first, as the switch tells it.
pub fn all(db: &Connection) -> Result<Vec<Value>, DatabaseError> {
    let sql = "SELECT recipient, channel, content, idempotency_key, at FROM outbound ORDER BY seq";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let (to, channel, content): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (key, at): (Option<String>, i64) = (row.get(3)?, row.get(4)?);
        Ok(json!({
            "to": to, "channel": channel, "content": content, "idempotencyKey": key,
            "at": Timestamp::from_micros(at).to_string(),
        }))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
