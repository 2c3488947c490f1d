//! API keys, found by hash. The keys themselves are never stored.

use crate::auth::{Caller, StoredKey};
use crate::database::rows::{DbRow, bound};
use crate::database::session::DbSession;
use crate::database::team::people;
use crate::database::{DatabaseError, REVISION_COLUMN};
use crate::keys::{FreshKey, KeyHash};
use model::account::Environment;
use model::time::Timestamp;
use platforms::Channel;
use sqlite::read_row;

fn channel_and_environment(row: &DbRow<'_>) -> Result<(Channel, Environment), DatabaseError> {
    let (channel, environment) =
        (row.parse_word("kind", Channel::from_word)?, row.parse_word("environment", Environment::from_word)?);
    channel.zip(environment).ok_or(DatabaseError::NoRow)
}

/// Finds the caller of a key; on a shared database with the revision of its workspace.
pub fn find(db: &dyn DbSession, hash: &KeyHash, is_shared: bool) -> Result<Option<StoredKey>, DatabaseError> {
    let revision = if is_shared { REVISION_COLUMN } else { "NULL" };
    let sql = format!(
        "SELECT keys.id AS key, channels.workspace, channels.id AS channel_id, channels.kind,
         keys.environment, keys.revoked_at IS NOT NULL AS revoked, {revision} AS revision,
         workspaces.suspended_at IS NOT NULL AS suspended,
         team_people.id AS person, team_people.name, team_people.role, team_people.seen_at
         FROM keys JOIN channels ON channels.id = keys.channel
         JOIN workspaces ON workspaces.id = channels.workspace
         LEFT JOIN team_sessions ON team_sessions.id = keys.session
         LEFT JOIN team_people ON team_people.id = team_sessions.person WHERE keys.hash = ?1"
    );
    db.fetch_optional(&sql, bound![hash], |row| {
        let (channel, environment) = channel_and_environment(row)?;
        let person = people::read_joined(row)?;
        let caller = read_row!(row, Caller {
            key, workspace, channel_id, revision, suspended; channel, environment, person
        });
        Ok(read_row!(row, StoredKey { revoked; caller }))
    })
}

pub fn insert(
    db: &dyn DbSession,
    id: &str,
    channel: &str,
    environment: Environment,
    key: &FreshKey,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql =
        "INSERT INTO keys (id, hash, channel, environment, tail, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    db.change_later(sql, bound![id, key.hash, channel, environment.word(), key.tail, now])
}

/// Inserts a live key that belongs to a person's session.
pub fn insert_for_session(
    db: &dyn DbSession,
    id: &str,
    (channel, session): (&str, &str),
    key: &FreshKey,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    insert(db, id, channel, Environment::Live, key, now)?;
    db.change_later("UPDATE keys SET session = ?2 WHERE id = ?1", bound![id, session])
}

/// Lists the hashes of a session's keys for a channel that are not revoked.
pub fn list_of_session(
    db: &dyn DbSession,
    session: &str,
    channel: &str,
) -> Result<Vec<KeyHash>, DatabaseError> {
    let sql = "SELECT hash FROM keys WHERE session = ?1 AND channel = ?2 AND revoked_at IS NULL";
    db.fetch_all(sql, bound![session, channel], |row| row.get::<KeyHash>("hash"))
}

/// Revokes the keys of a session for a channel.
pub fn revoke_of_session_in(
    db: &dyn DbSession,
    session: &str,
    channel: &str,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE keys SET revoked_at = ?3 WHERE session = ?1 AND channel = ?2 AND revoked_at IS NULL";
    db.change_later(sql, bound![session, channel, now])
}

pub fn revoke_of_session(db: &dyn DbSession, session: &str, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE keys SET revoked_at = coalesce(revoked_at, ?2) WHERE session = ?1";
    db.change_later(sql, bound![session, now])
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLine {
    pub id: String,
    pub hash: KeyHash,
    pub workspace: String,
    pub channel: Channel,
    /// Name of a further channel of its kind.
    pub channel_name: Option<String>,
    pub environment: Environment,
    pub tail: String,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

pub fn list(db: &dyn DbSession) -> Result<Vec<KeyLine>, DatabaseError> {
    let sql = "SELECT keys.id, hash, channels.workspace, kind, channels.name AS channel_name, environment, tail, keys.created_at, revoked_at
         FROM keys JOIN channels ON channels.id = keys.channel ORDER BY keys.created_at, keys.id";
    db.fetch_all(sql, &[], |row| {
        let (channel, environment) = channel_and_environment(row)?;
        Ok(read_row!(row, KeyLine {
            id, hash, workspace, channel_name, tail, created_at, revoked_at; channel, environment
        }))
    })
}

/// Revokes a key; false if there is none. A second call keeps the time of the first.
pub fn revoke(db: &dyn DbSession, hash: &KeyHash, now: Timestamp) -> Result<bool, DatabaseError> {
    let sql = "UPDATE keys SET revoked_at = coalesce(revoked_at, ?2) WHERE hash = ?1";
    Ok(db.change(sql, bound![hash, now])? > 0)
}
