//! Channels that are connected to a platform.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell, table};
use crate::database::session::DbSession;
use model::time::Timestamp;
use wire::carriers::MailboxCursor;

/// A connected channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedRow {
    pub channel: String,
    /// JSON: the platform's address, the account, how it is heard.
    pub settings: String,
    /// JSON: its secrets, sealed.
    pub sealed: Vec<u8>,
    /// Another one each time it is connected.
    pub version: String,
    pub trouble: Option<String>,
    /// How far the platform was read.
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

/// Connects a channel, in place of what it was connected to.
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

/// Keeps other secrets of a channel, unless it was connected anew.
pub fn reseal(
    db: &dyn DbSession,
    (channel, version): (&str, &str),
    sealed: &[u8],
) -> Result<(), DatabaseError> {
    let sql = "UPDATE connected_channels SET sealed = ?3 WHERE channel = ?1 AND version = ?2";
    db.change_later(sql, bound![channel, version, sealed])
}

/// Disconnects a channel; false where it was not connected.
pub fn remove(db: &dyn DbSession, channel: &str) -> Result<bool, DatabaseError> {
    Ok(db.change("DELETE FROM connected_channels WHERE channel = ?1", bound![channel])? > 0)
}

/// Sets or removes the address a channel reaches people under.
pub fn set_address(db: &dyn DbSession, channel: &str, address: Option<&str>) -> Result<(), DatabaseError> {
    db.change_later("UPDATE channels SET address = ?2 WHERE id = ?1", bound![channel, address])
}

/// Notes what is wrong, or that nothing is.
pub fn set_trouble(db: &dyn DbSession, channel: &str, trouble: Option<&str>) -> Result<(), DatabaseError> {
    let sql = "UPDATE connected_channels SET trouble = ?2 WHERE channel = ?1";
    db.change_later(sql, bound![channel, trouble])
}

/// Lets one process read the platform for a while; false while another does.
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

/// How far the platform was read, for the process that reads it; nothing for
/// any other.
pub fn read_mark(db: &dyn DbSession, channel: &str, reader: &str) -> Result<Option<String>, DatabaseError> {
    let sql = "SELECT mark FROM connected_channels WHERE channel = ?1 AND reader = ?2";
    db.fetch_optional(sql, bound![channel, reader], single_cell)
}

/// Reads how far a mailbox was read; `None` if the channel is no connected
/// mailbox.
pub fn mailbox_mark(db: &dyn DbSession, channel: &str) -> Result<Option<MailboxCursor>, DatabaseError> {
    let sql = "SELECT mark FROM connected_channels WHERE channel = ?1";
    let mark: Option<String> = db.fetch_optional(sql, bound![channel], single_cell)?;
    Ok(mark.and_then(|mark| serde_json::from_str(&mark).ok()))
}

/// True while mail from before a mailbox was connected is being filed.
pub fn is_importing(db: &dyn DbSession, channel: &str) -> Result<bool, DatabaseError> {
    Ok(mailbox_mark(db, channel)?.is_some_and(|mark| mark.is_importing()))
}

/// True once mail from before a mailbox was connected is filed.
pub fn has_filed_earlier(db: &dyn DbSession, channel: &str) -> Result<bool, DatabaseError> {
    let earlier = mailbox_mark(db, channel)?.and_then(|mark| mark.earlier);
    Ok(earlier.is_some_and(|earlier| earlier.is_finished))
}

/// Until when a process has the platform for itself, where one reads it.
pub fn lease_end(db: &dyn DbSession, channel: &str) -> Result<Option<Timestamp>, DatabaseError> {
    let sql = "SELECT read_until FROM connected_channels WHERE channel = ?1 AND reader IS NOT NULL";
    db.fetch_optional(sql, bound![channel], single_cell)
}

/// Notes how far the platform was read; false where another process reads it
/// by now, or the channel was connected anew.
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

/// Asks for the account to be described anew; each time is another mark.
pub fn request_description(db: &dyn DbSession, channel: &str, stamp: Timestamp) -> Result<(), DatabaseError> {
    let mark = format!("changed {}", stamp.micros());
    db.change_later("UPDATE connected_channels SET mark = ?2 WHERE channel = ?1", bound![channel, mark])
}

/// Notes what an account is like, for a mark; false where that has changed
/// since, or the channel was connected anew.
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

/// Ends the reading of processes that have ended.
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
