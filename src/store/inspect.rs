//! Inspects both files for `doctor` without migrating, repairing or setting them aside.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::files::{self, Paths};
use crate::leases;
use crate::sending_account;
use crate::set_aside;
use model::ids::ChannelId;
use model::outbox::SendingAccount;
use model::time::Timestamp;
use sqlite::{Queries, only_cell, read_row};

/// Time a shell completion waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    pub path: PathBuf,
    /// Size in bytes; `None` if the file does not exist.
    pub bytes: Option<u64>,
    pub version: i64,
    pub supported_version: i64,
    /// SQLite's description of the damage.
    pub damage: Option<String>,
    /// Reason why the file could not be read although it is not damaged.
    pub unread: Option<String>,
}

/// Outbox rows and pauses that need attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leftovers {
    pub stopped: i64,
    pub uncertain: i64,
    pub queued: i64,
    /// Rows in `sending` whose claim has lapsed.
    pub lapsed: i64,
    pub paused: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreInspection {
    pub outbox: FileState,
    pub cache: FileState,
    pub leftovers: Leftovers,
    pub channels: Vec<String>,
    /// Processes that hold a lease now, each once.
    pub lease_owners: Vec<LeaseOwnerName>,
    /// True if messages are still to be indexed.
    pub unindexed: bool,
    pub set_aside: Option<PathBuf>,
}

/// Process that polls or sends for a channel of the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseOwnerName {
    /// Kind, such as `inbox`.
    pub kind: String,
    /// Number of the process, if the owner names one.
    pub process: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationName {
    pub id: String,
    pub address: Option<String>,
    pub name: Option<String>,
    pub subject: Option<String>,
}

/// Returns up to `count` open conversations by newest activity, or only mail threads; none if there
/// is no cache.
pub fn newest_conversations(
    folder: &Path,
    cache: Option<&Path>,
    threads: bool,
    count: usize,
) -> rusqlite::Result<Vec<ConversationName>> {
    let path = Paths::for_folder(folder, cache).cache;
    if !path.exists() {
        return Ok(Vec::new());
    }
    let connection = open_read_only(&path)?;
    let sql = "SELECT it.id, address, name, subject FROM conversation AS it
         LEFT JOIN thread ON thread.channel = it.channel AND thread.id = it.id
         WHERE is_closed = 0 AND (thread.id IS NOT NULL OR NOT ?1) ORDER BY sort_at DESC, it.id LIMIT ?2";
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    connection
        .all(sql, (threads, count), |row| Ok(read_row!(row, ConversationName { id, address, name, subject })))
}

/// Returns the last confirmed account of a channel; `None` if none is known.
pub fn confirmed_account(folder: &Path, channel: &ChannelId) -> rusqlite::Result<Option<SendingAccount>> {
    let path = Paths::for_folder(folder, None).outbox;
    if !path.exists() {
        return Ok(None);
    }
    let connection = open_read_only(&path)?;
    let sql = "SELECT account FROM sending_account WHERE channel = ?1";
    let found =
        connection.first(sql, [channel.as_str()], |row| sending_account::read_cell(row, "account"))?;
    Ok(found.flatten())
}

/// True if a process of this desk holds a lease.
pub fn has_leases(folder: &Path, cache: Option<&Path>, now: Timestamp) -> bool {
    let path = Paths::for_folder(folder, cache).cache;
    let held = open_read_only(&path).and_then(|connection| lease_owners(&connection, now));
    held.is_ok_and(|owners| !owners.is_empty())
}

fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(sqlite::uri(path, "mode=ro"), flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Inspects the files of a folder, which may be missing; `cache` is another folder for the cache.
pub fn inspect(folder: &Path, cache: Option<&Path>, now: Timestamp) -> StoreInspection {
    let paths = Paths::for_folder(folder, cache);
    let (mut outbox, connection) = inspect_file(&paths.outbox, files::OUTBOX.newest_version());
    if paths.outbox_is_emptied() {
        outbox.damage = Some("an empty file of 0 bytes".to_owned());
    }
    let leftovers = connection.as_ref().and_then(|connection| leftovers(connection, now).ok());
    let channels = connection.as_ref().and_then(|connection| channels(connection).ok());
    let (cache, connection) = inspect_file(&paths.cache, files::CACHE.newest_version());
    let unindexed = connection
        .as_ref()
        .and_then(|connection| connection.scalar("SELECT below > 0 FROM search_progress", []).ok());
    let owners = connection.as_ref().and_then(|connection| lease_owners(connection, now).ok());
    let aside = set_aside::set_aside_path(&paths.cache);
    StoreInspection {
        outbox,
        cache,
        leftovers: leftovers.unwrap_or_default(),
        channels: channels.unwrap_or_default(),
        lease_owners: owners.unwrap_or_default(),
        unindexed: unindexed.unwrap_or(false),
        set_aside: aside.exists().then_some(aside),
    }
}

fn lease_owners(connection: &Connection, now: Timestamp) -> rusqlite::Result<Vec<LeaseOwnerName>> {
    let leases: Vec<(String, String, Timestamp)> =
        connection.all("SELECT owner, kind, until FROM lease ORDER BY owner", [], |row| {
            Ok((row.get("owner")?, row.get("kind")?, row.get("until")?))
        })?;
    let mut owners: Vec<LeaseOwnerName> = Vec::new();
    for (owner, kind, until) in leases {
        let found = LeaseOwnerName { kind, process: leases::process_of(&owner) };
        if leases::is_lease_held(&owner, until, now) && !owners.contains(&found) {
            owners.push(found);
        }
    }
    Ok(owners)
}

fn inspect_file(path: &Path, known: i64) -> (FileState, Option<Connection>) {
    let bytes = path.metadata().ok().map(|metadata| metadata.len());
    let mut state = FileState {
        path: path.to_owned(),
        bytes,
        version: 0,
        supported_version: known,
        damage: None,
        unread: None,
    };
    if bytes.is_none() {
        return (state, None);
    }
    match check_file(path) {
        Ok((connection, version, verdict)) => {
            state.version = version;
            state.damage = (verdict != "ok").then_some(verdict);
            (state, Some(connection))
        }
        Err(error) => {
            use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
            let is_damage = matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase));
            let why = Some(error.to_string());
            if is_damage {
                state.damage = why
            } else {
                state.unread = why
            }
            (state, None)
        }
    }
}

/// Falls back to immutable mode on a disk where SQLite cannot create side files.
fn check_file(path: &Path) -> rusqlite::Result<(Connection, i64, String)> {
    check_with(path, "mode=ro").or_else(|error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly) => {
            check_with(path, "mode=ro&immutable=1")
        }
        _ => Err(error),
    })
}

fn check_with(path: &Path, how: &str) -> rusqlite::Result<(Connection, i64, String)> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(sqlite::uri(path, how), flags)?;
    connection.busy_timeout(files::BUSY_TIMEOUT)?;
    let version = connection.scalar("PRAGMA user_version", [])?;
    let verdict = connection.scalar("PRAGMA quick_check(1)", [])?;
    Ok((connection, version, verdict))
}

fn leftovers(connection: &Connection, now: Timestamp) -> rusqlite::Result<Leftovers> {
    let sql = "SELECT count(*) FILTER (WHERE state = 'stopped') AS stopped,
             count(*) FILTER (WHERE state = 'uncertain') AS uncertain,
             count(*) FILTER (WHERE state = 'queued') AS queued,
             count(*) FILTER (WHERE state = 'sending' AND lease_until < ?1) AS lapsed,
             (SELECT count(*) FROM pause) AS paused FROM outbox";
    connection
        .one(sql, [now], |row| Ok(read_row!(row, Leftovers { stopped, uncertain, queued, lapsed, paused })))
}

fn channels(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection.all(
        "SELECT channel FROM draft UNION SELECT channel FROM outbox ORDER BY channel",
        [],
        only_cell,
    )
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::Store;
    use crate::leases::{LeaseHealth, LeaseRequest, ProcessRank};
    use crate::processes::Process;
    use model::time::SECOND;

    #[tokio::test]
    async fn a_lease_of_a_process_that_has_ended_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let now = Timestamp::from_micros(1_700_000_000 * SECOND);
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let owners = [Process::current().unwrap(), Process::from_number(child.id()).unwrap()];
        for owner in owners {
            let wanted = vec![LeaseRequest {
                name: owner.to_string(),
                channel: ChannelId::from("harbor"),
                sends: true,
                rank: ProcessRank::Inbox,
                kind: "inbox",
                health: LeaseHealth::default(),
            }];
            store.acquire_leases(&owner.to_string(), wanted, now).await.unwrap();
        }
        assert_eq!(inspect(folder.path(), None, now).lease_owners.len(), 2);
        child.kill().unwrap();
        child.wait().unwrap();
        let kept = inspect(folder.path(), None, now).lease_owners;
        assert_eq!(kept, [LeaseOwnerName { kind: "inbox".to_owned(), process: Some(std::process::id()) }]);
        assert!(inspect(folder.path(), None, now.plus(60 * SECOND)).lease_owners.is_empty());
    }
}
