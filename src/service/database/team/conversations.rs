//! Claims, tags and snoozes of conversations and threads, shared by the team.

use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::rows::{DbRow, SqlValue, bound, single_cell};
use crate::database::session::DbSession;
use model::time::Timestamp;
use sqlite::read_row;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamConversation {
    pub id: String,
    /// Id of the person who has claimed it.
    pub person: Option<String>,
    /// Name of that person.
    pub name: Option<String>,
    pub claimed_at: Option<Timestamp>,
    /// Id of the person who handed it over to the one who has it.
    pub assigned_by: Option<String>,
    pub version: i64,
    pub tags: Vec<String>,
    pub tagged_at: Timestamp,
    pub snoozed_until: Option<Timestamp>,
    pub snooze_note: Option<String>,
    pub snooze_set_at: Timestamp,
    pub changed_at: Timestamp,
}

const SELECT: &str =
    "SELECT team_conversations.id, team_conversations.person, team_people.name, claimed_at, assigned_by, version,
     tags, tagged_at, snoozed_until, snooze_note, snooze_set_at, changed_at
     FROM team_conversations LEFT JOIN team_people ON team_people.id = team_conversations.person";

fn from_row(row: &DbRow<'_>) -> Result<TeamConversation, DatabaseError> {
    Ok(read_row!(
        row,
        TeamConversation {
            id,
            person,
            name,
            claimed_at,
            assigned_by,
            version,
            tags: json,
            tagged_at,
            snoozed_until,
            snooze_note,
            snooze_set_at,
            changed_at
        }
    ))
}

pub fn read(db: &dyn DbSession, id: &str) -> Result<Option<TeamConversation>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE team_conversations.id = ?1"), bound![id], from_row)
}

/// Reads a row of a workspace, which is inserted if it is missing.
pub fn read_or_insert(
    db: &dyn DbSession,
    workspace: &str,
    id: &str,
    now: Timestamp,
) -> Result<TeamConversation, DatabaseError> {
    let sql =
        "INSERT INTO team_conversations (id, workspace, version, tags, tagged_at, snooze_set_at, changed_at)
               VALUES (?1, ?2, 0, '[]', 0, 0, ?3) ON CONFLICT (id) DO NOTHING";
    db.change_later(sql, bound![id, workspace, now])?;
    read(db, id)?.ok_or(DatabaseError::NoRow)
}

pub fn list(
    db: &dyn DbSession,
    workspace: &str,
    ids: &[String],
) -> Result<Vec<TeamConversation>, DatabaseError> {
    let mut query =
        SqlQuery::new(format!("{SELECT} WHERE team_conversations.workspace = ?1"), bound![workspace]);
    let marks = vec!["?"; ids.len()].join(", ");
    let values: Vec<SqlValue<'_>> = ids.iter().map(|id| SqlValue::Text(id)).collect();
    query.push(&format!(" AND team_conversations.id IN ({marks})"), &values);
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, from_row)
}

/// Lists rows changed after a time, oldest change first.
pub fn list_changed(
    db: &dyn DbSession,
    workspace: &str,
    after: Timestamp,
    count: i64,
) -> Result<Vec<TeamConversation>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE team_conversations.workspace = ?1 AND changed_at > ?2 ORDER BY changed_at, team_conversations.id
         LIMIT ?3"
    );
    db.fetch_all(&sql, bound![workspace, after, count], from_row)
}

/// Claims a conversation for a person, or releases it. `assigned_by` is the person who handed it over.
pub fn set_claim(
    db: &dyn DbSession,
    id: &str,
    (person, assigned_by): (Option<&str>, Option<&str>),
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let at = person.map(|_| now);
    let sql =
        "UPDATE team_conversations SET person = ?2, claimed_at = ?3, version = version + 1, changed_at = ?4,
                   assigned_by = ?5 WHERE id = ?1";
    db.change_later(sql, bound![id, person, at, now, assigned_by])
}

pub fn claimed_by(db: &dyn DbSession, person: &str) -> Result<Vec<String>, DatabaseError> {
    db.fetch_all("SELECT id FROM team_conversations WHERE person = ?1", bound![person], single_cell)
}

/// A conversation or thread that a person has claimed, with the customer's name.
pub struct HeldRow {
    pub id: String,
    pub title: String,
    pub claimed_at: Timestamp,
}

/// Lists the newest claims of a person.
pub fn list_held(db: &dyn DbSession, person: &str, count: i64) -> Result<Vec<HeldRow>, DatabaseError> {
    let sql = "SELECT team_conversations.id, claimed_at, coalesce(nullif(conversations.name, ''), conversations.peer,
                   nullif(threads.contact_name, ''), threads.contact_email, '') AS title
               FROM team_conversations LEFT JOIN conversations ON conversations.id = team_conversations.id
               LEFT JOIN threads ON threads.id = team_conversations.id
               WHERE person = ?1 AND claimed_at IS NOT NULL
               ORDER BY claimed_at DESC, team_conversations.id LIMIT ?2";
    db.fetch_all(sql, bound![person, count], |row| Ok(read_row!(row, HeldRow { id, title, claimed_at })))
}

pub fn count_held(db: &dyn DbSession, person: &str) -> Result<i64, DatabaseError> {
    db.fetch_scalar("SELECT count(*) FROM team_conversations WHERE person = ?1", bound![person])
}

/// Stores tags as of `at`.
pub fn set_tags(
    db: &dyn DbSession,
    id: &str,
    tags: &[String],
    (at, now): (Timestamp, Timestamp),
) -> Result<(), DatabaseError> {
    let tags = sqlite::json_of(&tags);
    let sql = "UPDATE team_conversations SET tags = ?2, tagged_at = ?3, changed_at = ?4 WHERE id = ?1";
    db.change_later(sql, bound![id, tags, at, now])
}

/// Stores a snooze as of `at`; without an end it wakes the conversation.
pub fn set_snooze(
    db: &dyn DbSession,
    id: &str,
    (until, note): (Option<Timestamp>, Option<&str>),
    (at, now): (Timestamp, Timestamp),
) -> Result<(), DatabaseError> {
    let sql = "UPDATE team_conversations SET snoozed_until = ?2, snooze_note = ?3, snooze_set_at = ?4, changed_at = ?5
               WHERE id = ?1";
    db.change_later(sql, bound![id, until, note, at, now])
}

pub fn set_changed(db: &dyn DbSession, id: &str, now: Timestamp) -> Result<(), DatabaseError> {
    db.change_later("UPDATE team_conversations SET changed_at = ?2 WHERE id = ?1", bound![id, now])
}
