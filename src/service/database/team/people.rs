//! People of a workspace, their sign-in tokens and sessions.

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, bound, single_cell};
use crate::database::session::DbSession;
use crate::keys::KeyHash;
use api::team::Role;
use model::time::Timestamp;

/// A person who was not removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub id: String,
    pub name: String,
    pub role: Role,
    pub seen_at: Timestamp,
}

const SELECT: &str = "SELECT team_people.id AS person, name, role, seen_at FROM team_people";

fn from_row(row: &DbRow<'_>) -> Result<Person, DatabaseError> {
    read_joined(row)?.ok_or(DatabaseError::NoRow)
}

/// Reads a person of an outer join; `None` if there is none.
pub fn read_joined(row: &DbRow<'_>) -> Result<Option<Person>, DatabaseError> {
    let Some(id) = row.optional_text("person")? else { return Ok(None) };
    let role = row.parse_word("role", Role::from_word)?.ok_or(DatabaseError::NoRow)?;
    Ok(Some(Person { id, name: row.get("name")?, role, seen_at: row.get("seen_at")? }))
}

pub fn insert(
    db: &dyn DbSession,
    workspace: &str,
    person: &Person,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO team_people (id, workspace, name, folded, role, created_at, seen_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let Person { id, name, role, seen_at } = person;
    db.change_later(sql, bound![id, workspace, name, name.to_lowercase(), role.word(), now, seen_at])
}

/// Lists the people of a workspace by name.
pub fn list(db: &dyn DbSession, workspace: &str) -> Result<Vec<Person>, DatabaseError> {
    let sql = format!("{SELECT} WHERE workspace = ?1 AND removed_at IS NULL ORDER BY folded, id");
    db.fetch_all(&sql, bound![workspace], from_row)
}

/// Lists all people of a workspace: those who were not removed by name, then the removed ones. The flag is true for a
/// removed person.
pub fn list_with_removed(db: &dyn DbSession, workspace: &str) -> Result<Vec<(Person, bool)>, DatabaseError> {
    let sql = "SELECT team_people.id AS person, name, role, seen_at, removed_at IS NOT NULL AS removed FROM team_people
               WHERE workspace = ?1 ORDER BY CASE WHEN removed_at IS NULL THEN 0 ELSE 1 END, folded, id";
    db.fetch_all(sql, bound![workspace], |row| Ok((from_row(row)?, row.get("removed")?)))
}

/// Finds a person by id or name, in upper or lower case.
pub fn find(db: &dyn DbSession, workspace: &str, named: &str) -> Result<Option<Person>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE workspace = ?1 AND removed_at IS NULL AND (team_people.id = ?2 OR folded = ?3)
         ORDER BY CASE WHEN team_people.id = ?2 THEN 0 ELSE 1 END LIMIT 1"
    );
    db.fetch_optional(&sql, bound![workspace, named, named.to_lowercase()], from_row)
}

/// Returns the name of a person, also of one who was removed.
pub fn name(db: &dyn DbSession, id: &str) -> Result<Option<String>, DatabaseError> {
    db.fetch_optional("SELECT name FROM team_people WHERE id = ?1", bound![id], single_cell)
}

pub fn set_role(db: &dyn DbSession, id: &str, role: Role) -> Result<(), DatabaseError> {
    db.change_later("UPDATE team_people SET role = ?2 WHERE id = ?1", bound![id, role.word()])
}

pub fn set_seen(db: &dyn DbSession, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    db.change_later("UPDATE team_people SET seen_at = ?2 WHERE id = ?1 AND seen_at < ?2", bound![id, at])
}

/// Removes a person, with their tokens, sessions and keys.
pub fn remove(db: &dyn DbSession, id: &str, now: Timestamp) -> Result<(), DatabaseError> {
    db.change_later("UPDATE team_people SET removed_at = ?2 WHERE id = ?1", bound![id, now])?;
    db.change_later("DELETE FROM team_tokens WHERE person = ?1", bound![id])?;
    let keys = "UPDATE keys SET revoked_at = coalesce(revoked_at, ?2)
                WHERE session IN (SELECT team_sessions.id FROM team_sessions WHERE person = ?1)";
    db.change_later(keys, bound![id, now])?;
    let sessions = "UPDATE team_sessions SET ended_at = coalesce(ended_at, ?2) WHERE person = ?1";
    db.change_later(sessions, bound![id, now])
}

pub fn insert_token(
    db: &dyn DbSession,
    hash: &KeyHash,
    person: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO team_tokens (hash, person, created_at) VALUES (?1, ?2, ?3)";
    db.change_later(sql, bound![hash, person, now])
}

/// Returns the workspace and the person of a token made after `since` that was not used.
pub fn find_token(
    db: &dyn DbSession,
    hash: &KeyHash,
    since: Timestamp,
) -> Result<Option<(String, Person)>, DatabaseError> {
    let sql = "SELECT workspace, team_people.id AS person, name, role, seen_at
               FROM team_tokens JOIN team_people ON team_people.id = team_tokens.person
               WHERE hash = ?1 AND used_at IS NULL AND team_tokens.created_at > ?2 AND removed_at IS NULL";
    db.fetch_optional(sql, bound![hash, since], |row| Ok((row.get("workspace")?, from_row(row)?)))
}

/// Marks a token as used; false if it was used before.
pub fn use_token(db: &dyn DbSession, hash: &KeyHash, now: Timestamp) -> Result<bool, DatabaseError> {
    let sql = "UPDATE team_tokens SET used_at = ?2 WHERE hash = ?1 AND used_at IS NULL";
    Ok(db.change(sql, bound![hash, now])? > 0)
}

pub fn insert_session(
    db: &dyn DbSession,
    id: &str,
    hash: &KeyHash,
    (person, device): (&str, &str),
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO team_sessions (id, hash, person, device, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.change_later(sql, bound![id, hash, person, device, now])
}

/// A session as found by its text.
pub struct SessionRow {
    pub id: String,
    pub workspace: String,
    pub person: Person,
    pub ended: bool,
    pub suspended: bool,
}

pub fn find_session(db: &dyn DbSession, hash: &KeyHash) -> Result<Option<SessionRow>, DatabaseError> {
    let sql =
        "SELECT team_sessions.id AS session, workspace, team_people.id AS person, team_people.name, role,
               seen_at, ended_at IS NOT NULL AS ended, workspaces.suspended_at IS NOT NULL AS suspended
               FROM team_sessions JOIN team_people ON team_people.id = team_sessions.person
               JOIN workspaces ON workspaces.id = team_people.workspace WHERE hash = ?1";
    db.fetch_optional(sql, bound![hash], |row| {
        let (id, workspace) = (row.get("session")?, row.get("workspace")?);
        let (ended, suspended) = (row.get("ended")?, row.get("suspended")?);
        Ok(SessionRow { id, workspace, person: from_row(row)?, ended, suspended })
    })
}

pub fn is_session_open(db: &dyn DbSession, id: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM team_sessions WHERE id = ?1 AND ended_at IS NULL)";
    db.fetch_scalar(sql, bound![id])
}

pub fn end_session(db: &dyn DbSession, id: &str, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE team_sessions SET ended_at = coalesce(ended_at, ?2) WHERE id = ?1";
    db.change_later(sql, bound![id, now])
}

/// Number of open sessions of each person who has signed in at least once.
pub fn count_sessions(db: &dyn DbSession, workspace: &str) -> Result<Vec<(String, i64)>, DatabaseError> {
    let sql = "SELECT person, count(CASE WHEN ended_at IS NULL THEN 1 END) AS sessions FROM team_sessions
               JOIN team_people ON team_people.id = team_sessions.person
               WHERE workspace = ?1 GROUP BY person";
    db.fetch_all(sql, bound![workspace], |row| Ok((row.get("person")?, row.get("sessions")?)))
}
