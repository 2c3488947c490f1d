//! Channels: what each key drives.
//!
//! Knows nothing of keys.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::time::Timestamp;
use crate::service::channels::Channel;
use crate::service::database::DatabaseError;

/// A channel of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelRow {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub workspace: String,
    /// Its kind.
    pub kind: Channel,
    /// The id of its assistant.
    pub assistant: String,
    /// The name of its assistant.
    pub assistant_name: Option<String>,
    /// The number, bot name or mail address; none until one is connected.
    pub address: Option<String>,
}

const COLUMNS: &str = "SELECT id, workspace, kind, assistant, assistant_name, address FROM channels";

/// Makes a channel.
pub fn insert(db: &Connection, channel: &ChannelRow, now: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO channels (id, workspace, kind, assistant, assistant_name, address, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let ChannelRow { id, workspace, kind, assistant, assistant_name, address } = channel;
    db.execute(sql, params![id, workspace, kind.word(), assistant, assistant_name, address, now.micros()])?;
    Ok(())
}

/// Reads a channel.
pub fn read(db: &Connection, id: &str) -> Result<ChannelRow, DatabaseError> {
    let mut statement = db.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
    Ok(statement.query_row([id], map)?)
}

/// The oldest channel of a kind.
pub fn of_kind(db: &Connection, kind: Channel) -> Result<Option<ChannelRow>, DatabaseError> {
    let mut statement =
        db.prepare_cached(&format!("{COLUMNS} WHERE kind = ?1 ORDER BY created_at, id LIMIT 1"))?;
    Ok(statement.query_row([kind.word()], map).optional()?)
}

/// Gives the channels of a kind an address that have none.
pub fn address(db: &Connection, kind: Channel, address: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE channels SET address = ?2 WHERE kind = ?1 AND address IS NULL";
    db.prepare_cached(sql)?.execute([kind.word(), address])?;
    Ok(())
}

fn map(row: &Row<'_>) -> rusqlite::Result<ChannelRow> {
    let kind: String = row.get(2)?;
    Ok(ChannelRow {
        id: row.get(0)?,
        workspace: row.get(1)?,
        kind: Channel::from_word(&kind).ok_or(rusqlite::Error::InvalidQuery)?,
        assistant: row.get(3)?,
        assistant_name: row.get(4)?,
        address: row.get(5)?,
    })
}
