//! Single values the service keeps about itself: secrets, the clock's shift.

use rusqlite::{Connection, ToSql, types::FromSql};

use crate::database::DatabaseError;
use sqlite::{Queries, only};

/// Reads a value.
pub fn get<T: FromSql>(db: &Connection, name: &str) -> Result<Option<T>, DatabaseError> {
    Ok(db.first("SELECT value FROM meta WHERE name = ?1", [name], only)?)
}

/// Writes a value.
pub fn set(db: &Connection, name: &str, value: &dyn ToSql) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    db.prepare_cached(sql)?.execute(rusqlite::params![name, value])?;
    Ok(())
}

/// Whether anything is kept that is sealed with the service's key.
pub fn any_sealed(db: &Connection) -> Result<bool, DatabaseError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM webhooks WHERE secret IS NOT NULL)
                   OR EXISTS (SELECT 1 FROM connections WHERE sealed IS NOT NULL)
                   OR EXISTS (SELECT 1 FROM connected_channels)";
    Ok(db.scalar(sql, [])?)
}
