//! What the shop's other systems told of: orders, appointments, campaigns.
//! Interface: Triggers.

use serde_json::{Value, json};

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use model::time::Timestamp;

/// Notes something. What has an id that was told before takes its place.
pub fn record(
    db: &dyn DbSession,
    workspace: &str,
    name: &str,
    id: &str,
    data: &Value,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO happenings (workspace, name, id, data, at) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (workspace, name, id) DO UPDATE SET data = excluded.data, at = excluded.at";
    db.change_later(sql, bound![workspace, name, id, data.to_string(), at])
}

/// The newest of a name, newest first, with when each was told: its data with
/// its id, and with `createdAt` where the data have none.
pub fn newest(
    db: &dyn DbSession,
    workspace: &str,
    name: &str,
    count: i64,
) -> Result<Vec<(Timestamp, Value)>, DatabaseError> {
    let sql = "SELECT id, data, at FROM happenings WHERE workspace = ?1 AND name = ?2
        ORDER BY at DESC, id DESC LIMIT ?3";
    db.fetch_all(sql, bound![workspace, name, count], |row| {
        let (id, at): (String, Timestamp) = (row.get("id")?, row.get("at")?);
        let mut item =
            row.parse_word("data", |row| serde_json::from_str(row).unwrap_or_else(|_| json!({})))?;
        if let Some(fields) = item.as_object_mut() {
            fields.insert("id".to_owned(), id.into());
            fields.entry("createdAt").or_insert_with(|| at.to_string().into());
        }
        Ok((at, item))
    })
}
