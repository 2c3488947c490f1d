//! Record of everything that reached a platform, for `GET /dev/outbound`.

use serde_json::{Value, json};

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use model::time::Timestamp;
use platforms::Channel;

const MAX_ROWS: i64 = 100_000;

pub fn record(
    db: &dyn DbSession,
    channel: Channel,
    recipient: &str,
    content: &str,
    key: Option<&str>,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql =
        "INSERT INTO outbound (recipient, channel, content, idempotency_key, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.change_later(sql, bound![recipient, channel.word(), content, key, now])?;
    let forget = "DELETE FROM outbound WHERE seq <= (SELECT max(seq) FROM outbound) - ?1";
    db.change_later(forget, bound![MAX_ROWS])
}

pub fn clear(db: &dyn DbSession) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM outbound", &[])
}

/// Lists all entries in the JSON of the interface, oldest first.
pub fn list(db: &dyn DbSession) -> Result<Vec<Value>, DatabaseError> {
    let sql = "SELECT recipient, channel, content, idempotency_key, at FROM outbound ORDER BY seq";
    db.fetch_all(sql, &[], |row| {
        Ok(json!({
            "to": row.get::<String>("recipient")?, "channel": row.get::<String>("channel")?,
            "content": row.get::<String>("content")?,
            "idempotencyKey": row.get::<Option<String>>("idempotency_key")?,
            "at": row.get::<Timestamp>("at")?.to_string(),
        }))
    })
}
