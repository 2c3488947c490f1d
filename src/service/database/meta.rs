//! Single values that the service stores about itself: secrets, the clock's shift.

use crate::database::DatabaseError;
use crate::database::rows::{FromSqlValue, SqlValue, ToSqlValue, bound, single_cell};
use crate::database::session::DbSession;

/// Set if the service last ran with simulated platforms.
pub const PLAYS_PLATFORMS: &str = "plays_platforms";

pub fn get<T: FromSqlValue>(db: &dyn DbSession, name: &str) -> Result<Option<T>, DatabaseError> {
    db.fetch_optional("SELECT value FROM meta WHERE name = ?1", bound![name], single_cell)
}

/// Reads a number, which an engine with one type per column stores as digits.
pub fn get_number(db: &dyn DbSession, name: &str) -> Result<Option<i64>, DatabaseError> {
    Ok(get::<StoredNumber>(db, name)?.map(|kept_number| kept_number.0))
}

struct StoredNumber(i64);

impl FromSqlValue for StoredNumber {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Int(number) => Some(Self(number)),
            SqlValue::Bytes(digits) => Some(Self(std::str::from_utf8(digits).ok()?.parse().ok()?)),
            _ => None,
        }
    }
}

pub fn set(db: &dyn DbSession, name: &str, value: &dyn ToSqlValue) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    db.change_later(sql, &[name.bind(), value.bind()])
}

pub fn has_sealed(db: &dyn DbSession) -> Result<bool, DatabaseError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM webhooks WHERE secret IS NOT NULL)
                   OR EXISTS (SELECT 1 FROM connections WHERE sealed IS NOT NULL)
                   OR EXISTS (SELECT 1 FROM connected_channels)";
    db.fetch_scalar(sql, &[])
}
