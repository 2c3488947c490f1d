//! Calls placed from here. Interface: Voice and SMS.
//!
//! Knows nothing of the messages they are shown as.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRow {
    /// Its id, also that of its message.
    pub id: String,
    /// The channel it goes through.
    pub channel: String,
    /// The conversation it belongs to.
    pub conversation: String,
    /// A JSON object for the assistant.
    pub metadata: String,
    /// queued, ringing, in_progress, completed, failed.
    pub status: String,
    /// Credits so far.
    pub cost: i64,
    /// When it was placed.
    pub created_at: Timestamp,
    /// When somebody answered.
    pub answered_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// Stores a call whose message is there.
pub fn insert(db: &Connection, row: &CallRow) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO calls (id, channel, conversation, metadata, status, cost, created_at, answered_at,
        ended_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    db.prepare_cached(sql)?.execute(params![
        row.id,
        row.channel,
        row.conversation,
        row.metadata,
        row.status,
        row.cost,
        row.created_at.micros(),
        row.answered_at.map(Timestamp::micros),
        row.ended_at.map(Timestamp::micros),
    ])?;
    Ok(())
}

/// One by id.
pub fn read(db: &Connection, id: &str) -> Result<Option<CallRow>, DatabaseError> {
    let sql = "SELECT id, channel, conversation, metadata, status, cost, created_at, answered_at, ended_at
        FROM calls WHERE id = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let found = statement.query_row([id], |row| {
        let optional =
            |index| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(index)?.map(Timestamp::from_micros));
        Ok(CallRow {
            id: row.get(0)?,
            channel: row.get(1)?,
            conversation: row.get(2)?,
            metadata: row.get(3)?,
            status: row.get(4)?,
            cost: row.get(5)?,
            created_at: Timestamp::from_micros(row.get(6)?),
            answered_at: optional(7)?,
            ended_at: optional(8)?,
        })
    });
    Ok(found.optional()?)
}

/// Writes what changes of a call: status, times and cost.
pub fn change(db: &Connection, row: &CallRow) -> Result<(), DatabaseError> {
    let sql = "UPDATE calls SET status = ?2, cost = ?3, answered_at = ?4, ended_at = ?5 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![
        row.id,
        row.status,
        row.cost,
        row.answered_at.map(Timestamp::micros),
        row.ended_at.map(Timestamp::micros),
    ])?;
    Ok(())
}
