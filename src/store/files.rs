//! Opens the two files: permissions, pragmas, migrations and the handling of unusable files.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::StoreDurability;
use crate::clock::StoreClock;
use crate::errors::StoreError;
use crate::set_aside::{self, set_aside};
use crate::{facts, filter, queue, search, sending_account};
use disk::FileStatus;
use sqlite::Queries;

/// SQLite application id of both files ("FrDk").
const APPLICATION_ID: i64 = 0x4672_446b;
const CACHE_FILE: &str = "cache.db";
/// Time a statement waits for another process's lock.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Delay between attempts to enable WAL.
const JOURNAL_RETRY_DELAY: Duration = Duration::from_millis(5);

/// Migrations of a file.
pub(crate) struct Schema {
    /// Version number of the first entry of `versions`.
    first: i64,
    /// SQL that creates the file, then one migration per later version. Append only.
    pub(crate) versions: &'static [&'static str],
}

impl Schema {
    pub(crate) fn newest_version(&self) -> i64 {
        self.first + i64::try_from(self.versions.len()).unwrap_or(i64::MAX) - 1
    }
}

/// Migrations of the cache. Numbers below the first were never released.
pub(crate) const CACHE: Schema = Schema {
    first: 13,
    versions: &[
        include_str!("schema/cache.sql"),
        // Time of a conversation's first message, as reported by the server.
        "ALTER TABLE conversation ADD COLUMN first_message_at INTEGER;",
        include_str!("schema/cache_urgency.sql"),
        // Recipients a broadcast did not reach: a JSON list of contact, number, code and words.
        "ALTER TABLE broadcast ADD COLUMN failures TEXT NOT NULL DEFAULT '[]';",
        // True for a conversation that began with a broadcast and whose contact has not written.
        "
            ALTER TABLE conversation ADD COLUMN broadcast_only INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX conversation_broadcast_only ON conversation (channel, number) WHERE broadcast_only = 1;",
        include_str!("schema/cache_said_by.sql"),
        include_str!("schema/cache_person.sql"),
        include_str!("schema/cache_past.sql"),
        include_str!("schema/cache_lessons.sql"),
        include_str!("schema/cache_lens.sql"),
        include_str!("schema/cache_suggestions.sql"),
        // Conversations whose AI is in trouble, worst first.
        "
            CREATE INDEX conversation_in_trouble ON conversation (channel, trouble DESC, id)
                WHERE trouble >= 30 AND is_closed = 0 AND automation <> 'off';",
        include_str!("schema/cache_requests.sql"),
        // Own messages that were not delivered, in order.
        "
            CREATE INDEX message_failed_order ON message (sort_at) WHERE delivery = 'failed' AND inbound = 0;",
        include_str!("schema/cache_broadcast_text.sql"),
        include_str!("schema/cache_outbox_mark.sql"),
        include_str!("schema/cache_receipts.sql"),
        include_str!("schema/cache_removed.sql"),
        include_str!("schema/cache_queue.sql"),
        include_str!("schema/cache_phone_entry.sql"),
        // Scores all conversations again: each stored reason names its kind.
        "UPDATE conversation SET trouble = NULL WHERE trouble > 0;",
        // Person of the team who sent a message with a key of their own, by name.
        r#"
            ALTER TABLE message ADD COLUMN agent TEXT;
            UPDATE message SET agent = raw ->> '$.agent.name'
                WHERE inbound = 0 AND raw LIKE '%"agent"%' AND json_valid(raw) AND json_type(raw, '$.agent.name') = 'text';"#,
        include_str!("schema/cache_colleague.sql"),
        include_str!("schema/cache_closing.sql"),
        // Templates that are not approved have a status, in the platform's word, and may have a reason.
        "
            ALTER TABLE template ADD COLUMN status TEXT;
            ALTER TABLE template ADD COLUMN reason TEXT;",
        // True if a message on bot-chat can have buttons.
        "ALTER TABLE account ADD COLUMN takes_buttons INTEGER NOT NULL DEFAULT 0;",
        // True if a sound can be sent to bot-chat as a voice note.
        "ALTER TABLE account ADD COLUMN takes_voice INTEGER NOT NULL DEFAULT 0;",
        // True if a picture can be sent as a sticker.
        "ALTER TABLE account ADD COLUMN takes_stickers INTEGER NOT NULL DEFAULT 0;",
        // True if a contact card can be sent.
        "ALTER TABLE account ADD COLUMN takes_contacts INTEGER NOT NULL DEFAULT 0;",
        // True if the link preview of a text can be switched.
        "ALTER TABLE account ADD COLUMN takes_link_preview INTEGER NOT NULL DEFAULT 0;",
    ],
};
/// Migrations of the outbox. Numbers below the first were never released.
pub(crate) const OUTBOX: Schema = Schema {
    first: 11,
    versions: &[
        include_str!("schema/outbox.sql"),
        include_str!("schema/outbox_presence.sql"),
        include_str!("schema/outbox_charges.sql"),
        include_str!("schema/outbox_recipients.sql"),
        // Finds earlier requests of a conversation.
        "CREATE INDEX audit_lane ON audit (channel, lane_id);",
        include_str!("schema/outbox_proposals.sql"),
        include_str!("schema/outbox_mail_rules.sql"),
        include_str!("schema/outbox_past.sql"),
        include_str!("schema/outbox_lessons.sql"),
        include_str!("schema/outbox_draft_only.sql"),
        include_str!("schema/outbox_reviews.sql"),
        include_str!("schema/outbox_model_usage.sql"),
        include_str!("schema/outbox_promise.sql"),
        // Sent broadcasts, read at every poll.
        "
            CREATE INDEX audit_broadcast ON audit (channel, number) WHERE operation = 'broadcast' AND made <> '';",
        include_str!("schema/outbox_broadcast_balance.sql"),
        include_str!("schema/outbox_account.sql"),
        include_str!("schema/outbox_identity.sql"),
        include_str!("schema/outbox_script_keys.sql"),
        include_str!("schema/outbox_removed.sql"),
        // Text shown when a conversation comes back.
        "ALTER TABLE snooze ADD COLUMN note TEXT;",
        include_str!("schema/outbox_history_event.sql"),
        include_str!("schema/outbox_team.sql"),
        include_str!("schema/outbox_team_reply.sql"),
        include_str!("schema/outbox_templates.sql"),
    ],
};

#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) cache: PathBuf,
    pub(crate) outbox: PathBuf,
    lock: PathBuf,
}

impl Paths {
    /// Creates the folders (0700) if needed. Fails for a folder that others can write to.
    pub(crate) fn prepare(folder: &Path, cache: Option<&Path>) -> Result<Self, StoreError> {
        for folder in [Some(folder), cache].into_iter().flatten() {
            disk::create_own_folder(folder)
                .map_err(|source| StoreError::Folder { path: folder.to_owned(), source })?;
        }
        Ok(Self::for_folder(folder, cache))
    }

    /// Returns the paths of a folder's files, which may not exist; `cache` is another folder for
    /// the cache.
    pub(crate) fn for_folder(folder: &Path, cache: Option<&Path>) -> Self {
        Self {
            cache: cache.unwrap_or(folder).join(CACHE_FILE),
            outbox: folder.join("outbox.db"),
            lock: folder.join("desk.lock"),
        }
    }

    /// Moves a cache that an older version kept beside the outbox to its current folder. One that
    /// cannot be moved is deleted, as it can be read again. The caller must be the only user of the
    /// folder.
    pub(crate) fn migrate_cache(&self, folder: &Path) {
        let old = folder.join(CACHE_FILE);
        if old == self.cache || !old.exists() {
            return;
        }
        let is_wanted = !self.cache.exists();
        for ending in ["", "-wal", "-shm"] {
            let [from, to] = [&old, &self.cache].map(|path| {
                let mut name = path.clone().into_os_string();
                name.push(ending);
                PathBuf::from(name)
            });
            // A newer cache exists, or the folder is on another disk.
            if !is_wanted || std::fs::rename(&from, &to).is_err() {
                let removed = std::fs::remove_file(&from);
                drop(removed);
            }
        }
    }

    /// True if the outbox has zero bytes although the folder was used before: the lock file or a
    /// write-ahead log exists. A new outbox, also one another process is creating, has neither.
    pub(crate) fn outbox_is_emptied(&self) -> bool {
        let log = self.outbox.with_extension("db-wal");
        // Checked before the size: another process may be creating both now.
        let was_used = self.lock.exists() || log.metadata().is_ok_and(|metadata| metadata.len() > 0);
        was_used && self.outbox.metadata().is_ok_and(|metadata| metadata.len() == 0)
    }

    /// Marks the folder as in use while the returned file is open. Runs `alone` first if no other
    /// process uses the folder.
    pub(crate) fn enter_folder(
        &self,
        alone: impl FnOnce() -> Result<(), StoreError>,
    ) -> Result<File, StoreError> {
        let file = private_file(&self.lock)?;
        if file.try_lock().is_ok() {
            alone()?;
        }
        // Other processes may enter from here on; the shared lock keeps them from running `alone`.
        let shared = file.unlock().and_then(|()| file.lock_shared());
        shared.map_err(|source| StoreError::Folder { path: self.lock.clone(), source })?;
        Ok(file)
    }
}

enum FileError {
    Newer(i64),
    Older(i64),
    Damaged(String),
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for FileError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Self::Damaged(error.to_string()),
            _ => Self::Failed(error),
        }
    }
}

/// Opens the outbox. A file that cannot be used is not changed.
pub(crate) fn open_outbox(
    paths: &Paths,
    durability: StoreDurability,
    clock: &StoreClock,
) -> Result<Connection, StoreError> {
    if paths.outbox_is_emptied() {
        return Err(StoreError::OutboxEmptied { path: paths.outbox.clone() });
    }
    private_file(&paths.outbox)?;
    let opened =
        open(&paths.outbox, &OUTBOX, durability.synchronous_setting("FULL"), clock).and_then(|connection| {
            // The outbox is small enough to be checked completely at every start.
            let verdict: String = connection.scalar("PRAGMA quick_check(1)", [])?;
            if verdict == "ok" { Ok(connection) } else { Err(FileError::Damaged(verdict)) }
        });
    let connection = opened.map_err(|why| match why {
        FileError::Newer(version) => StoreError::OutboxNewer { path: paths.outbox.clone(), version },
        FileError::Older(version) => StoreError::OutboxOlder { path: paths.outbox.clone(), version },
        FileError::Damaged(why) => StoreError::OutboxDamaged { path: paths.outbox.clone(), why },
        FileError::Failed(error) => error.into(),
    })?;
    sending_account::install(&connection)?;
    queue::install(&connection)?;
    Ok(connection)
}

/// Opens the cache with the outbox attached read-only as `desk`. An unusable cache is set aside and
/// recreated; the flag is true then.
pub(crate) fn open_cache(
    paths: &Paths,
    durability: StoreDurability,
    clock: &StoreClock,
) -> Result<(Connection, bool), StoreError> {
    private_file(&paths.cache)?;
    let (connection, rebuilt) =
        match open(&paths.cache, &CACHE, durability.synchronous_setting("NORMAL"), clock) {
            Ok(connection) => (connection, false),
            Err(FileError::Failed(error)) => return Err(error.into()),
            Err(FileError::Newer(_) | FileError::Older(_) | FileError::Damaged(_)) => {
                tracing::warn!(file = %paths.cache.display(), "the cache cannot be used and is rebuilt");
                set_aside(&paths.cache)?;
                private_file(&paths.cache)?;
                match open(&paths.cache, &CACHE, durability.synchronous_setting("NORMAL"), clock) {
                    Ok(connection) => (connection, true),
                    Err(FileError::Failed(error)) => return Err(error.into()),
                    Err(_) => return Err(StoreError::Closed),
                }
            }
        };
    attach_outbox(&connection, paths)?;
    Ok((connection, rebuilt))
}

/// Opens the cache in place of one that was deleted, moved or replaced. Side files of the old cache
/// are removed first, because SQLite would apply them to the new file. A cache that lost only its
/// journal is incomplete, and processes that have it open share no locks with later ones: it is set
/// aside.
pub(crate) fn reopen_cache(
    paths: &Paths,
    lost: &FileStatus,
    durability: StoreDurability,
    clock: &StoreClock,
) -> Result<Connection, StoreError> {
    let path = paths.cache.with_extension("db.reopening");
    let wrap = |source| StoreError::Folder { path: path.clone(), source };
    // Serializes processes that notice the loss at the same time.
    let turn = private_file(&path)?;
    turn.lock().map_err(wrap)?;
    if paths.cache.exists() && lost.has_file() {
        set_aside(&paths.cache)?;
    }
    if !paths.cache.exists() {
        for extension in ["db-wal", "db-shm"] {
            match std::fs::remove_file(paths.cache.with_extension(extension)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(wrap(error)),
                _ => {}
            }
        }
    }
    let (connection, _) = open_cache(paths, durability, clock)?;
    Ok(connection)
}

/// Opens the cache read-only, with the outbox attached as `desk`.
pub(crate) fn open_reader(paths: &Paths) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&paths.cache, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(64);
    sqlite::use_stable_plans(&connection)?;
    filter::install(&connection)?;
    attach_outbox(&connection, paths)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Opens both files read-only as they are. Returns `None` if one is unusable or of another version,
/// or holds interrupted rows.
pub(crate) fn open_as_is(paths: &Paths) -> Option<Connection> {
    if set_aside::marker_path(&paths.cache).exists() || paths.outbox_is_emptied() {
        return None;
    }
    let connection = open_reader(paths).ok()?;
    let is_today = |file: &str, schema: &Schema| -> rusqlite::Result<bool> {
        let mark = |name: &str| connection.scalar::<i64>(&format!("PRAGMA {file}.{name}"), []);
        Ok(mark("application_id")? == APPLICATION_ID && mark("user_version")? == schema.newest_version())
    };
    let are_today = is_today("main", &CACHE).ok()? && is_today("desk", &OUTBOX).ok()?;
    let cut_off = "SELECT EXISTS (SELECT 1 FROM desk.outbox WHERE state = 'sending')";
    (are_today && !connection.scalar::<bool>(cut_off, []).ok()?).then_some(connection)
}

impl StoreDurability {
    /// Returns the `synchronous` pragma of a file whose normal setting is `usual`.
    fn synchronous_setting(self, usual: &'static str) -> &'static str {
        match self {
            Self::Full => usual,
            Self::Simulated => "OFF",
        }
    }
}

fn attach_outbox(connection: &Connection, paths: &Paths) -> Result<(), StoreError> {
    connection.execute("ATTACH ?1 AS desk", [sqlite::uri(&paths.outbox, "mode=ro")])?;
    Ok(())
}

fn open(
    path: &Path,
    schema: &Schema,
    synchronous: &str,
    clock: &StoreClock,
) -> Result<Connection, FileError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(64);
    sqlite::use_stable_plans(&connection)?;
    search::install(&connection)?;
    facts::install(&connection)?;
    clock.install(&connection)?;
    // In one transaction: another process may be creating the file now.
    let moment = connection.transaction()?;
    let application: i64 = moment.scalar("PRAGMA application_id", [])?;
    let version = version_of(&moment)?;
    let tables: i64 = moment.scalar("SELECT count(*) FROM sqlite_schema", [])?;
    moment.commit()?;
    if application != APPLICATION_ID && tables > 0 {
        return Err(FileError::Damaged("it is not a frontdesk file".to_owned()));
    }
    if version > schema.newest_version() {
        return Err(FileError::Newer(version));
    }
    if version > 0 && version < schema.first {
        return Err(FileError::Older(version));
    }
    use_journal(&connection)?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "fullfsync", synchronous == "FULL")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Overwrites deleted content.
    connection.pragma_update(None, "secure_delete", true)?;
    // A deferred transaction that reads before it writes fails at once, without the busy time-out,
    // if another process wrote in between.
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    for (number, sql) in (schema.first..).zip(schema.versions).filter(|(number, _)| *number > version) {
        let change = connection.transaction()?;
        if version_of(&change)? >= number {
            continue;
        }
        change.execute_batch(sql)?;
        change.pragma_update(None, "application_id", APPLICATION_ID)?;
        change.pragma_update(None, "user_version", number)?;
        change.commit()?;
    }
    Ok(connection)
}

/// Enables WAL. SQLite ignores the busy time-out if another process enables it at the same time.
fn use_journal(connection: &Connection) -> rusqlite::Result<()> {
    let mut waited = Duration::ZERO;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && waited < BUSY_TIMEOUT =>
            {
                std::thread::sleep(JOURNAL_RETRY_DELAY);
                waited += JOURNAL_RETRY_DELAY;
            }
            done => return done,
        }
    }
}

fn version_of(connection: &Connection) -> rusqlite::Result<i64> {
    connection.scalar("PRAGMA user_version", [])
}

/// Opens a file; creates it with access for its owner only. SQLite gives its side files the same
/// permissions.
pub(crate) fn private_file(path: &Path) -> Result<File, StoreError> {
    disk::open(path).map_err(|source| StoreError::Folder { path: path.to_owned(), source })
}
