use crate::database::DatabaseError;
use crate::database::rows::{bound, table};
use crate::database::session::DbSession;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRow {
    /// Also the id of its message.
    pub id: String,
    pub channel: String,
    pub conversation: String,
    /// JSON object for the assistant.
    pub metadata: String,
    /// queued, ringing, in_progress, completed, failed.
    pub status: String,
    pub cost: i64,
    pub created_at: Timestamp,
    pub answered_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

table!(CallRow in calls {
    id, channel, conversation, metadata, status, cost, created_at, answered_at, ended_at
});

/// Stores a call; its message must exist.
pub fn insert(db: &dyn DbSession, row: &CallRow) -> Result<(), DatabaseError> {
    store(db, row)
}

pub fn read(db: &dyn DbSession, id: &str) -> Result<Option<CallRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

/// Stores the changing columns: status, times and cost.
pub fn update(db: &dyn DbSession, row: &CallRow) -> Result<(), DatabaseError> {
    let sql = "UPDATE calls SET status = ?2, cost = ?3, answered_at = ?4, ended_at = ?5 WHERE id = ?1";
    db.change_later(sql, bound![row.id, row.status, row.cost, row.answered_at, row.ended_at])
}

/// Lists the calls of a channel that have not ended, oldest first.
pub fn list_open(db: &dyn DbSession, channel: &str, count: i64) -> Result<Vec<CallRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE channel = ?1 AND ended_at IS NULL ORDER BY created_at, id LIMIT ?2");
    db.fetch_all(&sql, bound![channel, count], from_row)
}
