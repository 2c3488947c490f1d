//! What the shop's other systems told of: orders, appointments, campaigns.
//! Interface: Triggers.
//!
//! Knows nothing of what their data mean.

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;

/// Notes something. What has an id that was told before takes its place.
pub fn note(
    db: &Connection,
    workspace: &str,
    name: &str,
    id: &str,
    data: &Value,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT OR REPLACE INTO happenings (workspace, name, id, data, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.prepare_cached(sql)?.execute(params![workspace, name, id, data.to_string(), at.micros()])?;
    Ok(())
}

/// The newest of a name, newest first, with when each was told: its data with
/// its id, and with `createdAt` where the data have none.
pub fn newest(
    db: &Connection,
    workspace: &str,
    name: &str,
    count: i64,
) -> Result<Vec<(Timestamp, Value)>, DatabaseError> {
    let sql = "SELECT id, data, at FROM happenings WHERE workspace = ?1 AND name = ?2
        ORDER BY at DESC, id DESC LIMIT ?3";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(params![workspace, name, count], |row| {
        let (id, data, at): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let at = Timestamp::from_micros(at);
        let mut item = serde_json::from_str::<Value>(&data).unwrap_or_else(|_| json!({}));
        if let Some(fields) = item.as_object_mut() {
            fields.insert("id".to_owned(), id.into());
            fields.entry("createdAt").or_insert_with(|| at.to_string().into());
        }
        Ok((at, item))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
