//! Work the simulated world has yet to do, in the order it falls due.
//!
//! Knows nothing of what the work is.

use rusqlite::{Connection, params};

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;
use crate::sqlite::{Queries, columns, only};

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Its number.
    pub seq: i64,
    /// When it falls due.
    pub at: Timestamp,
    /// What it is.
    pub kind: String,
    /// What it concerns: the id of a row.
    pub subject: String,
    /// What else it needs.
    pub data: String,
}

/// Adds work.
pub fn add(
    db: &Connection,
    at: Timestamp,
    kind: &str,
    subject: &str,
    data: &str,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO due (at, kind, subject, data) VALUES (?1, ?2, ?3, ?4)";
    db.prepare_cached(sql)?.execute(params![at, kind, subject, data])?;
    Ok(())
}

/// The piece that falls due next.
pub fn next(db: &Connection) -> Result<Option<Due>, DatabaseError> {
    first(db, "kind <> ?1", "")
}

/// The piece that falls due next and is of another kind.
pub fn next_beside(db: &Connection, kind: &str) -> Result<Option<Due>, DatabaseError> {
    first(db, "kind <> ?1", kind)
}

/// The piece of a kind that falls due next.
pub fn next_of(db: &Connection, kind: &str) -> Result<Option<Due>, DatabaseError> {
    first(db, "kind = ?1", kind)
}

columns!(Due from due { seq, at, kind, subject, data });

fn first(db: &Connection, condition: &str, kind: &str) -> Result<Option<Due>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE {condition} ORDER BY at, seq LIMIT 1"), [kind], from_row)?)
}

/// Takes a piece off; false when someone else has.
pub fn take(db: &Connection, seq: i64) -> Result<bool, DatabaseError> {
    Ok(db.prepare_cached("DELETE FROM due WHERE seq = ?1")?.execute([seq])? > 0)
}

/// Puts a piece off to a later time; false when it is no longer there.
pub fn postpone(db: &Connection, seq: i64, at: Timestamp) -> Result<bool, DatabaseError> {
    let changed = db.prepare_cached("UPDATE due SET at = ?2 WHERE seq = ?1")?.execute(params![seq, at])?;
    Ok(changed > 0)
}

/// When a piece falls due; nothing when it was taken off.
pub fn at(db: &Connection, seq: i64) -> Result<Option<Timestamp>, DatabaseError> {
    Ok(db.first("SELECT at FROM due WHERE seq = ?1", [seq], only)?)
}

/// Puts a piece off and notes what the next attempt needs to know.
pub fn again(db: &Connection, seq: i64, at: Timestamp, data: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE due SET at = ?2, data = ?3 WHERE seq = ?1";
    db.prepare_cached(sql)?.execute(params![seq, at, data])?;
    Ok(())
}

/// Takes off all of a kind that concerns one subject.
pub fn cancel(db: &Connection, kind: &str, subject: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("DELETE FROM due WHERE kind = ?1 AND subject = ?2")?.execute([kind, subject])?;
    Ok(())
}
