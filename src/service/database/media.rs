//! Uploaded media: what they are and whose; the bytes lie in files. Interface:
//! Uploaded media.

use std::collections::HashSet;

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;
use crate::service::database::rows::{bound, only, table};
use crate::service::database::session::DbSession;

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
pub fn insert(db: &dyn DbSession, row: &MediaRow, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO media (id, workspace, mime_type, size, filename, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let MediaRow { id, workspace, mime_type, size, filename } = row;
    db.note(sql, bound![id, workspace, mime_type, size, filename, now])
}

table!(MediaRow from media { id, workspace, mime_type, size, filename });

/// Reads what is known of a file.
pub fn read(db: &dyn DbSession, id: &str) -> Result<Option<MediaRow>, DatabaseError> {
    db.first(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

/// The ids of all files.
pub fn all_ids(db: &dyn DbSession) -> Result<HashSet<String>, DatabaseError> {
    db.all("SELECT id FROM media", &[], only)
}
