//! Channels of a workspace: one of each kind from its beginning, and further ones by name.

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, bound, single_cell};
use crate::database::session::DbSession;
use model::time::Timestamp;
use platforms::Channel;
use sqlite::read_row;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelRow {
    pub id: String,
    pub workspace: String,
    pub kind: Channel,
    /// Name of a further channel of its kind; `None` for the first one.
    pub name: Option<String>,
    pub assistant: String,
    pub assistant_name: Option<String>,
    /// Phone number, bot name or mail address; `None` until a platform is connected.
    pub address: Option<String>,
    /// Number of messages imported from before the channel was connected.
    pub earlier_messages: i64,
    /// Time until which more of them are awaited; `None` if the platform does not say, 0 after the last.
    pub earlier_awaited_until: Option<Timestamp>,
}

impl ChannelRow {
    /// Returns the name or, for the first of its kind, the word of the kind: what commands take.
    pub fn word(&self) -> &str {
        self.name.as_deref().unwrap_or(self.kind.word())
    }

    pub fn display_name(&self) -> &str {
        self.name.as_deref().unwrap_or(self.kind.display_name())
    }
}

const SELECT: &str = "SELECT id, workspace, kind, name, assistant, assistant_name, address, earlier_messages, \
     earlier_awaited_until FROM channels";

pub fn insert(db: &dyn DbSession, channel: &ChannelRow, now: Timestamp) -> Result<(), DatabaseError> {
    let sql =
        "INSERT INTO channels (id, workspace, kind, name, assistant, assistant_name, address, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let ChannelRow { id, workspace, kind, name, assistant, assistant_name, address, .. } = channel;
    db.change_later(sql, bound![id, workspace, kind.word(), name, assistant, assistant_name, address, now])
}

pub fn read(db: &dyn DbSession, id: &str) -> Result<ChannelRow, DatabaseError> {
    db.fetch_one(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

pub fn find_workspace(db: &dyn DbSession, id: &str) -> Result<Option<String>, DatabaseError> {
    db.fetch_optional("SELECT workspace FROM channels WHERE id = ?1", bound![id], single_cell)
}

/// Finds the oldest channel of a kind.
pub fn find_by_kind(db: &dyn DbSession, kind: Channel) -> Result<Option<ChannelRow>, DatabaseError> {
    db.fetch_optional(
        &format!("{SELECT} WHERE kind = ?1 ORDER BY created_at, id LIMIT 1"),
        bound![kind.word()],
        from_row,
    )
}

pub fn list_by_workspace(db: &dyn DbSession, workspace: &str) -> Result<Vec<ChannelRow>, DatabaseError> {
    db.fetch_all(
        &format!("{SELECT} WHERE workspace = ?1 ORDER BY created_at, id"),
        bound![workspace],
        from_row,
    )
}

/// Adds to the number of messages imported from before the channel was connected.
pub fn count_earlier(db: &dyn DbSession, id: &str, count: i64) -> Result<(), DatabaseError> {
    let sql = "UPDATE channels SET earlier_messages = earlier_messages + ?2 WHERE id = ?1";
    db.change_later(sql, bound![id, count])
}

/// Sets until when more messages from before the connection are awaited; 0 is final.
pub fn await_earlier(db: &dyn DbSession, id: &str, until: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE channels SET earlier_awaited_until = ?2
               WHERE id = ?1 AND coalesce(earlier_awaited_until, 1) <> 0";
    db.change_later(sql, bound![id, until])
}

pub fn set_missing_address(db: &dyn DbSession, kind: Channel, address: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE channels SET address = ?2 WHERE kind = ?1 AND name IS NULL AND address IS NULL";
    db.change_later(sql, bound![kind.word(), address])
}

fn from_row(row: &DbRow<'_>) -> Result<ChannelRow, DatabaseError> {
    let kind = row.parse_word("kind", Channel::from_word)?.ok_or(DatabaseError::NoRow)?;
    Ok(read_row!(row, ChannelRow {
        id, workspace, name, assistant, assistant_name, address, earlier_messages, earlier_awaited_until; kind
    }))
}
