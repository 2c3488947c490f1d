//! Private notes of the team.

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, bound};
use crate::database::session::DbSession;
use model::time::Timestamp;
use sqlite::read_row;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRow {
    pub id: String,
    pub person: String,
    /// Name of the person.
    pub name: String,
    pub text: String,
    /// Ids of people.
    pub mentions: Vec<String>,
    pub created_at: Timestamp,
    pub edited_at: Option<Timestamp>,
    pub deleted: bool,
}

const SELECT: &str = "SELECT team_notes.id, team_notes.person, team_people.name, text, mentions,
     team_notes.created_at, edited_at, deleted_at IS NOT NULL AS deleted
     FROM team_notes JOIN team_people ON team_people.id = team_notes.person WHERE conversation = ?1";

fn from_row(row: &DbRow<'_>) -> Result<NoteRow, DatabaseError> {
    Ok(read_row!(row, NoteRow { id, person, name, text, mentions: json, created_at, edited_at, deleted }))
}

/// Finds a note, also a deleted one.
pub fn find(db: &dyn DbSession, conversation: &str, id: &str) -> Result<Option<NoteRow>, DatabaseError> {
    let sql = format!("{SELECT} AND team_notes.id = ?2");
    db.fetch_optional(&sql, bound![conversation, id], from_row)
}

/// Lists the notes that were not deleted, oldest first.
pub fn list(db: &dyn DbSession, conversation: &str) -> Result<Vec<NoteRow>, DatabaseError> {
    let sql = format!("{SELECT} AND deleted_at IS NULL ORDER BY team_notes.created_at, team_notes.id");
    db.fetch_all(&sql, bound![conversation], from_row)
}

/// Number of notes of a conversation, deleted ones included.
pub fn count(db: &dyn DbSession, conversation: &str) -> Result<i64, DatabaseError> {
    db.fetch_scalar("SELECT count(*) FROM team_notes WHERE conversation = ?1", bound![conversation])
}

/// Number of notes that a person wrote after a time.
pub fn count_since(db: &dyn DbSession, person: &str, since: Timestamp) -> Result<i64, DatabaseError> {
    let sql = "SELECT count(*) FROM team_notes WHERE person = ?1 AND created_at > ?2";
    db.fetch_scalar(sql, bound![person, since])
}

pub fn insert(
    db: &dyn DbSession,
    conversation: &str,
    (id, person): (&str, &str),
    (text, mentions): (&str, &[String]),
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let mentions = sqlite::json_of(&mentions);
    let sql = "INSERT INTO team_notes (conversation, id, person, text, mentions, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    db.change_later(sql, bound![conversation, id, person, text, mentions, now])
}

pub fn edit(
    db: &dyn DbSession,
    (conversation, id): (&str, &str),
    (text, mentions): (&str, &[String]),
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let mentions = sqlite::json_of(&mentions);
    let sql =
        "UPDATE team_notes SET text = ?3, mentions = ?4, edited_at = ?5 WHERE conversation = ?1 AND id = ?2";
    db.change_later(sql, bound![conversation, id, text, mentions, now])
}

/// Deletes the text of a note; its id stays.
pub fn delete(db: &dyn DbSession, conversation: &str, id: &str, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE team_notes SET text = '', mentions = '[]', deleted_at = ?3 WHERE conversation = ?1 AND id = ?2";
    db.change_later(sql, bound![conversation, id, now])
}
