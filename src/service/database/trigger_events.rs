//! Trigger events reported by the business's other systems: orders, appointments, campaigns.

use serde_json::Value;

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use api::triggers::TriggerEventBody;
use model::time::Timestamp;

/// Records an event; one with a known id replaces the earlier one.
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

/// Lists the newest events of a name, newest first, each with its time.
pub fn newest(
    db: &dyn DbSession,
    workspace: &str,
    name: &str,
    count: i64,
) -> Result<Vec<(Timestamp, TriggerEventBody)>, DatabaseError> {
    let sql = "SELECT id, data, at FROM happenings WHERE workspace = ?1 AND name = ?2
        ORDER BY at DESC, id DESC LIMIT ?3";
    db.fetch_all(sql, bound![workspace, name, count], |row| {
        let (id, at): (String, Timestamp) = (row.get("id")?, row.get("at")?);
        let fields = row.parse_word("data", |row| serde_json::from_str(row).unwrap_or_default())?;
        Ok((at, TriggerEventBody::new(id, fields, at)))
    })
}
