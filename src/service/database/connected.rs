//! Channels connected to a platform.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell, table};
use crate::database::session::DbSession;
use api::carriers::MailboxCursor;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedRow {
    pub channel: String,
    /// JSON: API address, account, and how updates arrive.
    pub settings: String,
    /// JSON: sealed secrets.
    pub sealed: Vec<u8>,
    /// Changes with each connection.
    pub version: String,
    pub trouble: Option<String>,
    /// Position up to which the platform was read.
    pub mark: String,
    pub connected_at: Timestamp,
}

table!(ConnectedRow from connected_channels {
    channel, settings, sealed, version, trouble, mark, connected_at
});

pub fn list(db: &dyn DbSession) -> Result<Vec<ConnectedRow>, DatabaseError> {
    db.fetch_all(&format!("{SELECT} ORDER BY channel"), &[], from_row)
}

pub fn read(db: &dyn DbSession, channel: &str) -> Result<Option<ConnectedRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE channel = ?1"), bound![channel], from_row)
}

pub fn put(db: &dyn DbSession, row: &ConnectedRow) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO connected_channels
               (channel, settings, sealed, version, trouble, mark, reader, read_until, connected_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, 0, ?7)
               ON CONFLICT (channel) DO UPDATE SET settings = excluded.settings, sealed = excluded.sealed,
               version = excluded.version, trouble = excluded.trouble, mark = excluded.mark, reader = NULL,
               read_until = 0, connected_at = excluded.connected_at";
    let ConnectedRow { channel, settings, sealed, version, trouble, mark, connected_at } = row;
    db.change_later(sql, bound![channel, settings, sealed, version, trouble, mark, connected_at])
}

/// Replaces the secrets of a channel, unless it was connected again.
pub fn reseal(
    db: &dyn DbSession,
    (channel, version): (&str, &str),
    sealed: &[u8],
) -> Result<(), DatabaseError> {
    let sql = "UPDATE connected_channels SET sealed = ?3 WHERE channel = ?1 AND version = ?2";
    db.change_later(sql, bound![channel, version, sealed])
}

pub fn remove(db: &dyn DbSession, channel: &str) -> Result<bool, DatabaseError> {
    Ok(db.change("DELETE FROM connected_channels WHERE channel = ?1", bound![channel])? > 0)
}

pub fn set_address(db: &dyn DbSession, channel: &str, address: Option<&str>) -> Result<(), DatabaseError> {
    db.change_later("UPDATE channels SET address = ?2 WHERE id = ?1", bound![channel, address])
}

pub fn set_trouble(db: &dyn DbSession, channel: &str, trouble: Option<&str>) -> Result<(), DatabaseError> {
    let sql = "UPDATE connected_channels SET trouble = ?2 WHERE channel = ?1";
    db.change_later(sql, bound![channel, trouble])
}

/// Acquires the right to read a platform until a time; false while another process holds it.
pub fn acquire_lease(
    db: &dyn DbSession,
    (channel, version): (&str, &str),
    reader: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, DatabaseError> {
    let sql = "UPDATE connected_channels SET reader = ?3, read_until = ?5
               WHERE channel = ?1 AND version = ?2 AND (reader IS NULL OR reader = ?3 OR read_until <= ?4)";
    Ok(db.change(sql, bound![channel, version, reader, now, until])? > 0)
}

/// Returns the mark, `None` if another process reads the platform.
pub fn read_mark(db: &dyn DbSession, channel: &str, reader: &str) -> Result<Option<String>, DatabaseError> {
    let sql = "SELECT mark FROM connected_channels WHERE channel = ?1 AND reader = ?2";
    db.fetch_optional(sql, bound![channel, reader], single_cell)
}

/// Returns the mark of a mailbox; `None` if the channel is no connected mailbox.
pub fn mailbox_mark(db: &dyn DbSession, channel: &str) -> Result<Option<MailboxCursor>, DatabaseError> {
    let sql = "SELECT mark FROM connected_channels WHERE channel = ?1";
    let mark: Option<String> = db.fetch_optional(sql, bound![channel], single_cell)?;
    Ok(mark.and_then(|mark| serde_json::from_str(&mark).ok()))
}

pub fn is_importing(db: &dyn DbSession, channel: &str) -> Result<bool, DatabaseError> {
    Ok(mailbox_mark(db, channel)?.is_some_and(|mark| mark.is_importing()))
}

/// Returns true once mail from before the connection is imported.
pub fn has_filed_earlier(db: &dyn DbSession, channel: &str) -> Result<bool, DatabaseError> {
    let earlier = mailbox_mark(db, channel)?.and_then(|mark| mark.earlier);
    Ok(earlier.is_some_and(|earlier| earlier.is_finished))
}

pub fn lease_end(db: &dyn DbSession, channel: &str) -> Result<Option<Timestamp>, DatabaseError> {
    let sql = "SELECT read_until FROM connected_channels WHERE channel = ?1 AND reader IS NOT NULL";
    db.fetch_optional(sql, bound![channel], single_cell)
}

/// Advances the mark; false if another process reads the platform, or the channel was connected
/// again.
pub fn advance(
    db: &dyn DbSession,
    (channel, version): (&str, &str),
    reader: &str,
    mark: &str,
) -> Result<bool, DatabaseError> {
    let sql = "UPDATE connected_channels SET mark = ?4, trouble = NULL
               WHERE channel = ?1 AND version = ?2 AND reader = ?3";
    Ok(db.change(sql, bound![channel, version, reader, mark])? > 0)
}

/// Requests a new description of the account, by a unique mark.
pub fn request_description(db: &dyn DbSession, channel: &str, stamp: Timestamp) -> Result<(), DatabaseError> {
    let mark = format!("changed {}", stamp.micros());
    db.change_later("UPDATE connected_channels SET mark = ?2 WHERE channel = ?1", bound![channel, mark])
}

/// Stores the description of an account; false if the mark has changed since, or the channel was
/// connected again.
pub fn store_description(
    db: &dyn DbSession,
    (channel, version): (&str, &str),
    before: &str,
    (mark, settings): (&str, &str),
) -> Result<bool, DatabaseError> {
    let sql = "UPDATE connected_channels SET mark = ?4, settings = ?5, trouble = NULL
               WHERE channel = ?1 AND version = ?2 AND mark = ?3";
    Ok(db.change(sql, bound![channel, version, before, mark, settings])? > 0)
}

/// Ends the leases of all readers, after their processes have ended.
pub fn end_all_leases(db: &dyn DbSession) -> Result<(), DatabaseError> {
    db.change_later("UPDATE connected_channels SET reader = NULL, read_until = 0", &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_reads_a_platform() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        db.execute_batch(include_str!("schema.sql")).expect("made");
        db.execute_batch(include_str!("schema_carriers.sql")).expect("made");
        db.execute("INSERT INTO workspaces VALUES ('w', NULL, NULL, 0, 0)", []).expect("made");
        db.execute("INSERT INTO channels VALUES ('c', 'w', 'telegram', 'a', NULL, NULL, 0)", [])
            .expect("made");
        let at = Timestamp::from_micros;
        let row = ConnectedRow {
            channel: "c".to_owned(),
            settings: "{}".to_owned(),
            sealed: Vec::new(),
            version: "1".to_owned(),
            trouble: None,
            mark: String::new(),
            connected_at: at(0),
        };
        put(&db, &row).expect("kept");
        let lease = |reader, now| {
            super::acquire_lease(&db, ("c", "1"), reader, at(now), at(now + 60)).expect("asked")
        };
        assert!(lease("one", 0) && lease("one", 30));
        assert!(!lease("two", 89));
        assert!(
            !advance(&db, ("c", "1"), "two", "9").expect("asked"),
            "what another one read does not count"
        );
        assert!(lease("two", 90), "its time is over");
        assert!(!advance(&db, ("c", "1"), "one", "9").expect("asked"));
        assert!(advance(&db, ("c", "1"), "two", "9").expect("asked"));
        assert_eq!(read_mark(&db, "c", "two").expect("read").as_deref(), Some("9"));
        let describe =
            |before| super::store_description(&db, ("c", "1"), before, ("5", "{}")).expect("asked");
        request_description(&db, "c", at(7)).expect("asked");
        assert!(!describe("9"), "it has changed while it was described");
        assert!(describe("changed 7"));
        put(&db, &ConnectedRow { version: "2".to_owned(), ..row }).expect("kept");
        assert!(!advance(&db, ("c", "1"), "two", "10").expect("asked"), "it was connected anew");
    }
}
