//! Work the simulated world has yet to do, in the order it falls due.
//!
//! Knows nothing of what the work is.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;

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
    db.prepare_cached(sql)?.execute(params![at.micros(), kind, subject, data])?;
    Ok(())
}

/// The piece that falls due next.
pub fn next(db: &Connection) -> Result<Option<Due>, DatabaseError> {
    let sql = "SELECT seq, at, kind, subject, data FROM due ORDER BY at, seq LIMIT 1";
    let mut statement = db.prepare_cached(sql)?;
    let found = statement.query_row([], |row| {
        Ok(Due {
            seq: row.get(0)?,
            at: Timestamp::from_micros(row.get(1)?),
            kind: row.get(2)?,
            subject: row.get(3)?,
            data: row.get(4)?,
        })
    });
    Ok(found.optional()?)
}

/// Takes a piece off; false when someone else has.
pub fn take(db: &Connection, seq: i64) -> Result<bool, DatabaseError> {
    Ok(db.prepare_cached("DELETE FROM due WHERE seq = ?1")?.execute([seq])? > 0)
}

/// Puts a piece off to a later time.
pub fn postpone(db: &Connection, seq: i64, at: Timestamp) -> Result<(), DatabaseError> {
    db.prepare_cached("UPDATE due SET at = ?2 WHERE seq = ?1")?.execute(params![seq, at.micros()])?;
    Ok(())
}

/// Takes off all of a kind that concerns one subject.
pub fn cancel(db: &Connection, kind: &str, subject: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("DELETE FROM due WHERE kind = ?1 AND subject = ?2")?.execute([kind, subject])?;
    Ok(())
}
