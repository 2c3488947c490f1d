//! Uploaded media. A SQLite service stores their bytes in files beside the database, a PostgreSQL
//! service in the database.

use std::collections::HashSet;

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell, table};
use crate::database::session::DbSession;
use model::time::{DAY, Timestamp};

const PART_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaRow {
    /// Also the name of its file.
    pub id: String,
    pub workspace: String,
    pub mime_type: String,
    /// In bytes.
    pub size: i64,
    pub filename: String,
}

pub fn insert(db: &dyn DbSession, row: &MediaRow, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO media (id, workspace, mime_type, size, filename, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let MediaRow { id, workspace, mime_type, size, filename } = row;
    db.change_later(sql, bound![id, workspace, mime_type, size, filename, now])
}

table!(MediaRow from media { id, workspace, mime_type, size, filename });

pub fn read(db: &dyn DbSession, id: &str) -> Result<Option<MediaRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

/// Stores the bytes of a file in the database; PostgreSQL only.
pub fn insert_bytes(db: &dyn DbSession, id: &str, bytes: &[u8]) -> Result<(), DatabaseError> {
    for (number, part) in (0_i64..).zip(bytes.chunks(PART_BYTES)) {
        db.change_later(
            "INSERT INTO media_parts (id, part, bytes) VALUES (?1, ?2, ?3)",
            bound![id, number, part],
        )?;
    }
    Ok(())
}

/// Reads a part of a file stored by [`insert_bytes`], counted from 0; `None` after the last.
pub fn read_part(db: &dyn DbSession, id: &str, number: i64) -> Result<Option<Vec<u8>>, DatabaseError> {
    db.fetch_optional(
        "SELECT bytes FROM media_parts WHERE id = ?1 AND part = ?2",
        bound![id, number],
        single_cell,
    )
}

pub fn read_all_parts(db: &dyn DbSession, id: &str) -> Result<Vec<u8>, DatabaseError> {
    let parts: Vec<Vec<u8>> =
        db.fetch_all("SELECT bytes FROM media_parts WHERE id = ?1 ORDER BY part", bound![id], single_cell)?;
    if parts.is_empty() { Err(DatabaseError::NoRow) } else { Ok(parts.concat()) }
}

pub fn remove_bytes(db: &dyn DbSession, id: &str) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM media_parts WHERE id = ?1", bound![id])
}

/// Removes bytes without a row in `media`, except those of the last day, whose row may not be
/// committed yet.
pub fn remove_orphaned_bytes(db: &dyn DbSession) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM media_parts WHERE id NOT IN (SELECT id FROM media)
               AND kept_at < CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) - ?1";
    db.change_later(sql, bound![DAY])
}

pub fn all_ids(db: &dyn DbSession) -> Result<HashSet<String>, DatabaseError> {
    db.fetch_all("SELECT id FROM media", &[], single_cell)
}
