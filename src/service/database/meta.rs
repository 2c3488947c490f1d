//! Single values the service keeps about itself: secrets, the clock's shift.

use crate::service::database::DatabaseError;
use crate::service::database::rows::{FromSqlValue, ToSqlValue, bound, only};
use crate::service::database::session::DbSession;

/// Reads a value.
pub fn get<T: FromSqlValue>(db: &dyn DbSession, name: &str) -> Result<Option<T>, DatabaseError> {
    db.first("SELECT value FROM meta WHERE name = ?1", bound![name], only)
}

/// Writes a value.
pub fn set(db: &dyn DbSession, name: &str, value: &dyn ToSqlValue) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    db.note(sql, &[name.bind(), value.bind()])
}

/// Whether anything is kept that is sealed with the service's key.
pub fn any_sealed(db: &dyn DbSession) -> Result<bool, DatabaseError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM webhooks WHERE secret IS NOT NULL)
                   OR EXISTS (SELECT 1 FROM connections WHERE sealed IS NOT NULL)";
    db.scalar(sql, &[])
}
