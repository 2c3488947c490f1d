//! Uploaded media: what they are and whose; the bytes lie in files. Interface:
//! Uploaded media.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use crate::database::DatabaseError;
use model::time::Timestamp;
use sqlite::{Queries, columns, only};

/// An uploaded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaRow {
    /// Its id, which is also the name of its file.
    pub id: String,
    /// Whose it is.
    pub workspace: String,
    /// Its media type.
    pub mime_type: String,
    /// Its bytes.
    pub size: i64,
    /// What it was called.
    pub filename: String,
}

/// Notes a file.
pub fn insert(db: &Connection, row: &MediaRow, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO media (id, workspace, mime_type, size, filename, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let MediaRow { id, workspace, mime_type, size, filename } = row;
    db.prepare_cached(sql)?.execute(params![id, workspace, mime_type, size, filename, now])?;
    Ok(())
}

columns!(MediaRow from media { id, workspace, mime_type, size, filename });

/// Reads what is known of a file.
pub fn read(db: &Connection, id: &str) -> Result<Option<MediaRow>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE id = ?1"), [id], from_row)?)
}

/// The ids of all files.
pub fn all_ids(db: &Connection) -> Result<HashSet<String>, DatabaseError> {
    Ok(db.all("SELECT id FROM media", [], only)?)
}
