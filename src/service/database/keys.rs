//! API keys: found by hash, revoked, made. Interface: Authentication.
//!
//! Knows nothing of headers. The keys themselves are never stored.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::account::Environment;
use crate::model::time::Timestamp;
use crate::service::auth::{Caller, KnownKey};
use crate::service::channels::Channel;
use crate::service::database::DatabaseError;
use crate::service::keys::{FreshKey, KeyHash};

/// Whom a key stands for.
pub fn find(db: &Connection, hash: &KeyHash) -> Result<Option<KnownKey>, DatabaseError> {
    let sql =
        "SELECT keys.id, channels.workspace, channels.id, channels.kind, keys.environment, keys.revoked_at
               FROM keys JOIN channels ON channels.id = keys.channel WHERE keys.hash = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let found = statement.query_row([hash], |row| {
        let (kind, environment): (String, String) = (row.get(3)?, row.get(4)?);
        let words = Channel::from_word(&kind).zip(Environment::from_word(&environment));
        let (channel, environment) = words.ok_or(rusqlite::Error::InvalidQuery)?;
        let caller = Caller {
            key: row.get(0)?,
            workspace: row.get(1)?,
            channel_id: row.get(2)?,
            channel,
            environment,
        };
        Ok(KnownKey { caller, revoked: row.get::<_, Option<i64>>(5)?.is_some() })
    });
    Ok(found.optional()?)
}

/// Stores a key that was just made.
pub fn insert(
    db: &Connection,
    id: &str,
    channel: &str,
    environment: Environment,
    key: &FreshKey,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let sql =
        "INSERT INTO keys (id, hash, channel, environment, tail, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    db.prepare_cached(sql)?.execute(params![
        id,
        key.hash,
        channel,
        environment.word(),
        key.tail,
        now.micros()
    ])?;
    Ok(())
}

/// A key as lists show it: never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLine {
    /// Its id.
    pub id: String,
    /// What it is found by.
    pub hash: KeyHash,
    /// The channel it drives.
    pub channel: Channel,
    /// Live or test.
    pub environment: Environment,
    /// Its last four characters.
    pub tail: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// All keys, oldest first.
pub fn list(db: &Connection) -> Result<Vec<KeyLine>, DatabaseError> {
    let mut statement = db.prepare_cached(
        "SELECT keys.id, hash, kind, environment, tail, keys.created_at, revoked_at
         FROM keys JOIN channels ON channels.id = keys.channel ORDER BY keys.created_at, keys.id",
    )?;
    let rows = statement.query_map([], |row| {
        let (kind, environment): (String, String) = (row.get(2)?, row.get(3)?);
        let words = Channel::from_word(&kind).zip(Environment::from_word(&environment));
        let (channel, environment) = words.ok_or(rusqlite::Error::InvalidQuery)?;
        Ok(KeyLine {
            id: row.get(0)?,
            hash: row.get(1)?,
            channel,
            environment,
            tail: row.get(4)?,
            created_at: Timestamp::from_micros(row.get(5)?),
            revoked_at: row.get::<_, Option<i64>>(6)?.map(Timestamp::from_micros),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Revokes a key by its hash; false when there is none. A revoked key stays
/// revoked since it first was.
pub fn revoke(db: &Connection, hash: &KeyHash, now: Timestamp) -> Result<bool, DatabaseError> {
    let sql = "UPDATE keys SET revoked_at = coalesce(revoked_at, ?2) WHERE hash = ?1";
    Ok(db.prepare_cached(sql)?.execute(params![hash, now.micros()])? > 0)
}
