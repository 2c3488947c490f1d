//! Canned replies that a workspace shares.

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, bound};
use crate::database::session::DbSession;
use model::time::Timestamp;
use sqlite::read_row;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyRow {
    pub name: String,
    pub text: String,
    /// Id of the person who changed it last.
    pub person: String,
    pub person_name: String,
    pub version: i64,
    pub changed_at: Timestamp,
}

const SELECT: &str =
    "SELECT team_replies.name, text, person, team_people.name AS person_name, version, changed_at
     FROM team_replies JOIN team_people ON team_people.id = team_replies.person
     WHERE team_replies.workspace = ?1";

fn from_row(row: &DbRow<'_>) -> Result<ReplyRow, DatabaseError> {
    Ok(read_row!(row, ReplyRow { name, text, person, person_name, version, changed_at }))
}

pub fn list(db: &dyn DbSession, workspace: &str) -> Result<Vec<ReplyRow>, DatabaseError> {
    db.fetch_all(&format!("{SELECT} ORDER BY team_replies.name"), bound![workspace], from_row)
}

pub fn find(db: &dyn DbSession, workspace: &str, name: &str) -> Result<Option<ReplyRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} AND team_replies.name = ?2"), bound![workspace, name], from_row)
}

pub fn count(db: &dyn DbSession, workspace: &str) -> Result<i64, DatabaseError> {
    db.fetch_scalar("SELECT count(*) FROM team_replies WHERE workspace = ?1", bound![workspace])
}

pub fn put(
    db: &dyn DbSession,
    workspace: &str,
    (name, text): (&str, &str),
    person: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO team_replies (workspace, name, text, person, version, changed_at)
               VALUES (?1, ?2, ?3, ?4, 1, ?5) ON CONFLICT (workspace, name) DO UPDATE SET text = excluded.text,
               person = excluded.person, version = team_replies.version + 1, changed_at = excluded.changed_at";
    db.change_later(sql, bound![workspace, name, text, person, now])
}

/// Deletes a reply; false if there is none.
pub fn delete(db: &dyn DbSession, workspace: &str, name: &str) -> Result<bool, DatabaseError> {
    let sql = "DELETE FROM team_replies WHERE workspace = ?1 AND name = ?2";
    Ok(db.change(sql, bound![workspace, name])? > 0)
}
