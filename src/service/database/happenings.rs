//! What the shop's other systems told of: orders, appointments, campaigns.
//! Interface: Triggers.

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::database::DatabaseError;
use model::time::Timestamp;
use sqlite::Queries;

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
    db.prepare_cached(sql)?.execute(params![workspace, name, id, data.to_string(), at])?;
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
    Ok(db.all(sql, params![workspace, name, count], |row| {
        let (id, at): (String, Timestamp) = (row.get("id")?, row.get("at")?);
        let mut item = row.word("data", |it| serde_json::from_str(it).unwrap_or_else(|_| json!({})))?;
        if let Some(fields) = item.as_object_mut() {
            fields.insert("id".to_owned(), id.into());
            fields.entry("createdAt").or_insert_with(|| at.to_string().into());
        }
        Ok((at, item))
    })?)
}
