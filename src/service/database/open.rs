//! Opens the database file: mode, settings, format and integrity. A damaged file is refused and
//! left unchanged.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::database::DatabaseError;
use crate::database::lock::{self, DatabaseLock};
use crate::database::session::DbSession;
use crate::database::transfer::note;
use sqlite::Queries;

/// Identifies the file as this service's (SQLite `application_id`).
const APPLICATION_ID: i64 = 0x6664_7376;
const FILE_HEADER: &[u8] = b"SQLite format 3\0";
const FORMAT_VERSION: i64 = 1;
const SCHEMA: &str = include_str!("schema.sql");
/// Tables added later; created if missing.
const LATER_TABLES: [&str; 5] = [
    include_str!("schema_connections.sql"),
    include_str!("schema_carriers.sql"),
    include_str!("schema_takeover.sql"),
    include_str!("schema_team.sql"),
    include_str!("schema_operating.sql"),
];
/// Columns added later: table, column, and the SQL that adds it if missing.
const LATER_COLUMNS: [(&str, &str, &str); 21] = [
    ("conversations", "platform_peer", "ALTER TABLE conversations ADD COLUMN platform_peer TEXT"),
    (
        "events",
        "subject",
        "ALTER TABLE events ADD COLUMN subject TEXT;
         CREATE INDEX events_by_subject ON events (subject) WHERE subject IS NOT NULL;",
    ),
    (
        "messages",
        "sent_at",
        "ALTER TABLE messages ADD COLUMN sent_at INTEGER;
         CREATE INDEX messages_by_history ON messages (conversation, coalesce(sent_at, created_at) DESC, id DESC);",
    ),
    ("emails", "sent_at", "ALTER TABLE emails ADD COLUMN sent_at INTEGER"),
    ("messages", "extras", "ALTER TABLE messages ADD COLUMN extras TEXT"),
    ("conversations", "last_change", "ALTER TABLE conversations ADD COLUMN last_change TEXT"),
    ("webhooks", "ended_why", "ALTER TABLE webhooks ADD COLUMN ended_why TEXT"),
    ("workspaces", "suspended_at", "ALTER TABLE workspaces ADD COLUMN suspended_at INTEGER"),
    ("conversations", "closed_at", "ALTER TABLE conversations ADD COLUMN closed_at INTEGER"),
    (
        "keys",
        "session",
        "ALTER TABLE keys ADD COLUMN session TEXT;
         CREATE INDEX keys_by_session ON keys (session) WHERE session IS NOT NULL;",
    ),
    (
        "connection_calls",
        "workspace",
        "ALTER TABLE connection_calls ADD COLUMN workspace TEXT NOT NULL DEFAULT '';
         UPDATE connection_calls SET workspace = coalesce((SELECT id FROM workspaces ORDER BY created_at, id LIMIT 1), '');",
    ),
    (
        "team_conversations",
        "assigned_by",
        "ALTER TABLE team_conversations ADD COLUMN assigned_by TEXT",
    ),
    (
        "channels",
        "name",
        "ALTER TABLE channels ADD COLUMN name TEXT;
         CREATE UNIQUE INDEX channels_by_name ON channels (workspace, name) WHERE name IS NOT NULL;",
    ),
    (
        "templates",
        "channel",
        "ALTER TABLE templates RENAME TO earlier_templates;
         CREATE TABLE templates (
             channel TEXT NOT NULL REFERENCES channels,
             name TEXT NOT NULL,
             language TEXT NOT NULL,
             category TEXT NOT NULL,
             status TEXT NOT NULL,
             components TEXT NOT NULL,
             PRIMARY KEY (channel, name, language)
         ) STRICT, WITHOUT ROWID;
         INSERT INTO templates
             SELECT channels.id, earlier.name, language, category, status, components
             FROM earlier_templates AS earlier JOIN channels ON channels.workspace = earlier.workspace
             WHERE channels.kind = 'whatsapp';
         DROP TABLE earlier_templates;",
    ),
    ("templates", "reason", "ALTER TABLE templates ADD COLUMN reason TEXT"),
    (
        "channels",
        "earlier_messages",
        "ALTER TABLE channels ADD COLUMN earlier_messages INTEGER NOT NULL DEFAULT 0",
    ),
    ("conversations", "paused_by", "ALTER TABLE conversations ADD COLUMN paused_by TEXT"),
    ("conversations", "paused_from", "ALTER TABLE conversations ADD COLUMN paused_from TEXT"),
    ("thread_automation", "paused_by", "ALTER TABLE thread_automation ADD COLUMN paused_by TEXT"),
    ("thread_automation", "paused_from", "ALTER TABLE thread_automation ADD COLUMN paused_from TEXT"),
    (
        "channels",
        "earlier_awaited_until",
        "ALTER TABLE channels ADD COLUMN earlier_awaited_until INTEGER",
    ),
];
/// Indexes added later. Mail addresses are matched in lower case. Each filter of a list has an
/// index in the order of the list; the trailing columns let further filters be checked without
/// reading the row.
const LATER_INDEXES: &str = r#"
    DROP INDEX IF EXISTS conversations_by_email;
    DROP INDEX IF EXISTS contacts_by_email;
    CREATE INDEX IF NOT EXISTS conversations_by_folded_email ON conversations (lower(email)) WHERE email IS NOT NULL;
    CREATE INDEX IF NOT EXISTS contacts_by_folded_email ON contacts (lower(email)) WHERE email IS NOT NULL;
    DROP INDEX IF EXISTS threads_by_folder;
    CREATE INDEX IF NOT EXISTS threads_in_folder ON threads (channel, folder, last_at DESC, id DESC, is_read, category);
    CREATE INDEX IF NOT EXISTS threads_in_category ON threads (channel, category, last_at DESC, id DESC, is_read, folder);
    CREATE INDEX IF NOT EXISTS threads_by_reading ON threads (channel, is_read, last_at DESC, id DESC, folder, category);
    CREATE INDEX IF NOT EXISTS messages_by_status ON messages (channel, status, created_at DESC, id DESC, direction);
    CREATE INDEX IF NOT EXISTS messages_by_media ON messages (media_url) WHERE media_url IS NOT NULL;
    CREATE INDEX IF NOT EXISTS recipients_by_contact ON recipients (contact);
    CREATE INDEX IF NOT EXISTS messages_arrived ON messages (channel, created_at DESC, id DESC)
        WHERE sender = 'customer' AND substr(coalesce(extras, ''), 1, 11) <> '{"earlier":';
"#;
const WRITER_SETTINGS: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA busy_timeout = 5000;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA mmap_size = 0;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16384;
    PRAGMA wal_autocheckpoint = 1024;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA secure_delete = ON;
";
/// Reader threads; more would only compete for the same processors.
const READER_THREADS: usize = 3;
/// Threads for searches, apart from the readers, which no slow search holds up.
const SEARCHER_THREADS: usize = 2;
/// Readers have a smaller cache, as there are several.
const READER_SETTINGS: &str = "
    PRAGMA busy_timeout = 5000;
    PRAGMA query_only = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA mmap_size = 0;
    PRAGMA cache_size = -8192;
";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    Full,
    /// Commits do not wait for the disk.
    Simulated,
}

/// Opens the writer's connection and locks the file for it; creates the file and its tables if
/// missing. The flag is true if the tables were created.
pub fn open_writer(
    path: &Path,
    durability: Durability,
) -> Result<(Connection, bool, DatabaseLock), DatabaseError> {
    // Checked first: later steps would create files beside the database.
    let holds = |text: &&str| {
        fs::metadata(with_suffix(path, text)).is_ok_and(|metadata| metadata.is_dir() || metadata.len() > 0)
    };
    let was_used = [".key", "-wal", ".media"].iter().any(holds);
    // A file of another kind is not reported as a corrupt database.
    let begun = read_header(path)?;
    if was_used && begun.is_empty() && path.exists() {
        return Err(DatabaseError::Emptied);
    }
    if !(begun.is_empty() || begun == FILE_HEADER) {
        return Err(DatabaseError::NoDatabase);
    }
    make_private(path)?;
    let lock = lock::acquire(path)?;
    let (connection, fresh) = open_migrated(path)?;
    note::refuse_moved(&connection)?;
    if durability == Durability::Simulated {
        connection.execute_batch("PRAGMA synchronous = OFF")?;
    }
    Ok((connection, fresh, lock))
}

/// Opens the writer's connection to an existing file; creates nothing.
pub fn open_existing(path: &Path) -> Result<Connection, DatabaseError> {
    open_for_inspection(path)?;
    Ok(open_migrated(path)?.0)
}

pub fn open_for_inspection(path: &Path) -> Result<Connection, DatabaseError> {
    let connection = open_unchecked(path)?;
    note::refuse_moved(&connection)?;
    Ok(connection)
}

/// [`open_for_inspection`], also for a database that was moved away.
pub fn open_unchecked(path: &Path) -> Result<Connection, DatabaseError> {
    open_service_file(path, open_reader)
}

/// [`open_unchecked`] without creating files beside the database, unless a log or a journal is beside it.
pub fn open_traceless(path: &Path) -> Result<Connection, DatabaseError> {
    // SQLite keeps them beside the file that a link names.
    let file = path.canonicalize()?;
    if with_suffix(&file, "-wal").exists() {
        return open_unchecked(path);
    }
    if with_suffix(&file, "-journal").exists() {
        lock::check(path)?;
        // A copy was interrupted. Only a writer rolls back the pages that it has written.
        return open_service_file(path, |path| {
            Ok(Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?)
        });
    }
    open_service_file(path, |path| {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        Ok(Connection::open_with_flags(sqlite::uri(path, "immutable=1"), flags)?)
    })
}

/// Opens a database of this service with `open`.
fn open_service_file(
    path: &Path,
    open: impl FnOnce(&Path) -> Result<Connection, DatabaseError>,
) -> Result<Connection, DatabaseError> {
    if !is_database(path)? {
        return Err(DatabaseError::NoDatabase);
    }
    let connection = open(path)?;
    let application: i64 = connection.scalar("PRAGMA application_id", [])?;
    if count_tables(&connection)? == 0 || application != APPLICATION_ID {
        return Err(DatabaseError::Foreign);
    }
    let format: i64 = connection.scalar("PRAGMA user_version", [])?;
    if format > FORMAT_VERSION {
        return Err(DatabaseError::Newer(format));
    }
    Ok(connection)
}

pub fn open_reader(path: &Path) -> Result<Connection, DatabaseError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.execute_batch(READER_SETTINGS)?;
    connection.set_prepared_statement_cache_capacity(64);
    sqlite::use_stable_plans(&connection)?;
    Ok(connection)
}

pub fn open_readers(path: &Path) -> Result<Vec<Box<dyn DbSession + Send>>, DatabaseError> {
    (0..READER_THREADS).map(|_| Ok(Box::new(open_reader(path)?) as Box<dyn DbSession + Send>)).collect()
}

pub fn open_searchers(path: &Path) -> Result<Vec<Box<dyn DbSession + Send>>, DatabaseError> {
    (0..SEARCHER_THREADS).map(|_| Ok(Box::new(open_reader(path)?) as Box<dyn DbSession + Send>)).collect()
}

/// Opens a file for writing and migrates its tables; the flag is true if they were created.
pub fn open_migrated(path: &Path) -> Result<(Connection, bool), DatabaseError> {
    open_healthy(path).map_err(|cause| match cause {
        DatabaseError::Corrupt(cause) => DatabaseError::Damaged(cause),
        other => other,
    })
}

fn open_healthy(path: &Path) -> Result<(Connection, bool), DatabaseError> {
    make_private(path)?;
    let mut connection = Connection::open(path)?;
    let application: i64 = connection.scalar("PRAGMA application_id", [])?;
    let format: i64 = connection.scalar("PRAGMA user_version", [])?;
    let tables = count_tables(&connection)?;
    if tables > 0 && application != APPLICATION_ID {
        return Err(DatabaseError::Foreign);
    }
    if format > FORMAT_VERSION {
        return Err(DatabaseError::Newer(format));
    }
    if tables == 0 {
        // Possible only before the first page is written.
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    }
    connection.execute_batch(WRITER_SETTINGS)?;
    connection.set_prepared_statement_cache_capacity(128);
    sqlite::use_stable_plans(&connection)?;
    check_integrity(&connection)?;
    let fresh = tables == 0;
    if fresh {
        let change = connection.transaction()?;
        change.execute_batch(SCHEMA)?;
        change.pragma_update(None, "application_id", APPLICATION_ID)?;
        change.pragma_update(None, "user_version", FORMAT_VERSION)?;
        change.commit()?;
    }
    LATER_TABLES.iter().try_for_each(|text| connection.execute_batch(text))?;
    rebuild_lanes(&mut connection)?;
    rebuild_connections(&mut connection)?;
    add_columns(&mut connection)?;
    add_search_parts(&mut connection)?;
    connection.execute_batch(LATER_INDEXES)?;
    Ok((connection, fresh))
}

/// Adds missing columns. Older programs leave them empty, which keeps the former meaning.
fn add_columns(connection: &mut Connection) -> rusqlite::Result<()> {
    for (table, column, add) in LATER_COLUMNS {
        let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
        let found: i64 = connection.scalar(sql, [table, column])?;
        if found == 0 {
            let change = connection.transaction()?;
            change.execute_batch(add)?;
            change.commit()?;
        }
    }
    Ok(())
}

/// Creates the search index and fills it from the stored rows.
fn add_search_parts(connection: &mut Connection) -> rusqlite::Result<()> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'search_parts'";
    let found: i64 = connection.scalar(sql, [])?;
    if found > 0 {
        return Ok(());
    }
    let change = connection.transaction()?;
    change.execute_batch(include_str!("schema_search.sql"))?;
    change.commit()
}

/// Rebuilds `egress` if its lanes still refer to conversations only; threads are lanes, too.
fn rebuild_lanes(connection: &mut Connection) -> rusqlite::Result<()> {
    let made: String = connection.scalar("SELECT sql FROM sqlite_schema WHERE name = 'egress'", [])?;
    if !made.contains("REFERENCES conversations") {
        return Ok(());
    }
    let change = connection.transaction()?;
    change.execute_batch(
        "ALTER TABLE egress RENAME TO egress_before;
         DROP INDEX egress_by_lane; DROP INDEX egress_by_state; DROP INDEX egress_by_place; DROP INDEX egress_by_request;",
    )?;
    LATER_TABLES.iter().try_for_each(|text| change.execute_batch(text))?;
    change.execute_batch("INSERT INTO egress SELECT * FROM egress_before; DROP TABLE egress_before;")?;
    change.commit()
}

/// Rebuilds `connections` if they do not belong to a workspace yet; the existing ones then belong to the
/// first.
fn rebuild_connections(connection: &mut Connection) -> rusqlite::Result<()> {
    let sql = "SELECT count(*) FROM pragma_table_info('connections') WHERE name = 'workspace'";
    let found: i64 = connection.scalar(sql, [])?;
    if found > 0 {
        return Ok(());
    }
    let change = connection.transaction()?;
    change.execute_batch("ALTER TABLE connections RENAME TO connections_before")?;
    LATER_TABLES.iter().try_for_each(|text| change.execute_batch(text))?;
    change.execute_batch(
        "INSERT INTO connections (workspace, name, definition, sealed, created_at)
         SELECT (SELECT id FROM workspaces ORDER BY created_at, id LIMIT 1), name, definition, sealed, created_at
         FROM connections_before;
         DROP TABLE connections_before;",
    )?;
    change.commit()
}

fn count_tables(connection: &Connection) -> rusqlite::Result<i64> {
    connection.scalar("SELECT count(*) FROM sqlite_schema", [])
}

fn read_header(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(FILE_HEADER.len() as u64).read_to_end(&mut bytes)?,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => 0,
        Err(cause) => return Err(cause),
    };
    Ok(bytes)
}

fn is_database(path: &Path) -> io::Result<bool> {
    Ok(read_header(path)? == FILE_HEADER)
}

pub fn check_integrity(connection: &Connection) -> Result<(), DatabaseError> {
    let verdict: String = connection.scalar("PRAGMA quick_check(1)", [])?;
    if verdict == "ok" {
        return Ok(());
    }
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    Err(rusqlite::Error::SqliteFailure(code, Some(verdict)).into())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Creates the file with mode 0600 before SQLite would use another, and its folder if missing.
fn make_private(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), disk::folder)?;
    disk::open(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        drop(open_writer(&path, Durability::Full).expect("opens"));
        let garbage = [FILE_HEADER, &[7_u8; 8192]].concat();
        fs::write(&path, &garbage).expect("written");
        assert!(matches!(open_writer(&path, Durability::Full), Err(DatabaseError::Damaged(_))));
        assert_eq!(fs::read(&path).expect("kept"), garbage);
    }

    /// A zeroed page, as a failing disk may leave it, is found before the file is served.
    #[test]
    fn a_zeroed_page_is_found_at_the_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        drop(open_writer(&path, Durability::Full).expect("opens"));
        let whole = fs::read(&path).expect("there");
        let mut found = 0;
        for page in 1..whole.len() / 4096 {
            let mut damaged = whole.clone();
            damaged[page * 4096..(page + 1) * 4096].fill(0);
            let path = folder.path().join(format!("{page}.db"));
            fs::write(&path, &damaged).expect("written");
            assert!(
                matches!(open_writer(&path, Durability::Full), Err(DatabaseError::Damaged(_))),
                "page {page}"
            );
            found += 1;
        }
        assert!(found > 10);
    }

    #[test]
    fn what_was_to_leave_outlives_the_freeing_of_lanes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        let (connection, ..) = open_writer(&path, Durability::Full).expect("opens");
        let bound = include_str!("schema_carriers.sql").replace(
            "lane TEXT NOT NULL,\n    -- The order",
            "lane TEXT NOT NULL REFERENCES conversations,\n    -- The order",
        );
        connection
            .execute_batch(&format!("DROP TABLE egress; {bound} PRAGMA foreign_keys = OFF;"))
            .expect("as before");
        let row = "INSERT INTO egress (id, channel, lane, place, parcel, draft, state, due_at, fence, claimed_until, told)
                   VALUES ('m', 'c', 'l', 1, '{}', '{}', 'waiting', 1, 0, 0, 0)";
        connection.execute(row, []).expect("waits");
        drop(connection);
        let (connection, ..) = open_writer(&path, Durability::Full).expect("opens again");
        let made: String =
            connection.scalar("SELECT sql FROM sqlite_schema WHERE name = 'egress'", []).expect("read");
        let (count, indexes): (i64, i64) = (
            connection.scalar("SELECT count(*) FROM egress WHERE lane = 'l'", []).expect("read"),
            connection
                .scalar("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'egress_by%'", [])
                .expect("read"),
        );
        assert_eq!((made.contains("REFERENCES"), count, indexes), (false, 1, 4));
    }

    #[test]
    fn connections_of_an_earlier_version_belong_to_the_first_workspace() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        let (connection, ..) = open_writer(&path, Durability::Full).expect("opens");
        connection
            .execute_batch(
                "INSERT INTO workspaces (id, balance, created_at) VALUES ('ws_2', 0, 2), ('ws_1', 0, 1);
                 DROP TABLE connections;
                 CREATE TABLE connections (name TEXT PRIMARY KEY, definition TEXT NOT NULL, sealed BLOB,
                     created_at INTEGER NOT NULL) STRICT;
                 INSERT INTO connections VALUES ('shop', '{}', x'00', 7);
                 ALTER TABLE connection_calls DROP COLUMN workspace;
                 INSERT INTO connection_calls (at, connection, endpoint, contact, millis, bytes)
                     VALUES (1, 'shop', 'orders', '', 1, 1);",
            )
            .expect("as before");
        drop(connection);
        let (connection, ..) = open_writer(&path, Durability::Full).expect("opens again");
        let read = |sql: &str| -> String { connection.scalar(sql, []).expect("read") };
        assert_eq!(
            read("SELECT workspace || ' ' || name || ' ' || created_at FROM connections"),
            "ws_1 shop 7"
        );
        assert_eq!(read("SELECT workspace FROM connection_calls"), "ws_1");
    }

    #[test]
    fn templates_of_an_earlier_version_belong_to_the_number_of_their_workspace() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        let (connection, ..) = open_writer(&path, Durability::Full).expect("opens");
        connection
            .execute_batch(
                "DROP INDEX channels_by_name; ALTER TABLE channels DROP COLUMN name;
                 INSERT INTO workspaces (id, balance, created_at) VALUES ('w1', 0, 1), ('w2', 0, 2);
                 INSERT INTO channels (id, workspace, kind, assistant, created_at) VALUES ('n1', 'w1', 'whatsapp', 'a', 1),
                     ('b1', 'w1', 'telegram', 'a', 1), ('n2', 'w2', 'whatsapp', 'a', 1);
                 DROP TABLE templates;
                 CREATE TABLE templates (workspace TEXT NOT NULL, name TEXT NOT NULL, language TEXT NOT NULL,
                     category TEXT NOT NULL, status TEXT NOT NULL, components TEXT NOT NULL,
                     PRIMARY KEY (workspace, name, language)) STRICT, WITHOUT ROWID;
                 INSERT INTO templates VALUES ('w1', 'hello', 'en', 'UTILITY', 'APPROVED', '[]'),
                     ('w2', 'hello', 'en', 'UTILITY', 'APPROVED', '[]');",
            )
            .expect("as before");
        drop(connection);
        let (connection, ..) = open_writer(&path, Durability::Full).expect("opens again");
        let sql =
            "SELECT group_concat(channel || ' ' || name) FROM (SELECT * FROM templates ORDER BY channel)";
        assert_eq!(connection.scalar::<String>(sql, []).expect("read"), "n1 hello,n2 hello");
    }

    #[test]
    fn an_emptied_file_is_no_new_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        fs::write(&path, "").expect("made");
        drop(open_writer(&path, Durability::Full).expect("a file of no bytes that nobody used is new"));
        for trace in [".key", "-wal"] {
            let path = folder.path().join(format!("x{trace}.db"));
            fs::write(&path, "").expect("emptied");
            fs::write(with_suffix(&path, trace), "x").expect("written");
            assert!(matches!(open_writer(&path, Durability::Full), Err(DatabaseError::Emptied)), "{trace}");
            assert_eq!(fs::metadata(&path).expect("there").len(), 0);
        }
    }

    #[test]
    fn files_of_others_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.txt");
        fs::write(&path, "Buy milk.\n").expect("written");
        assert!(matches!(open_writer(&path, Durability::Full), Err(DatabaseError::NoDatabase)));
        assert!(matches!(open_existing(&path), Err(DatabaseError::NoDatabase)));
        assert_eq!(fs::read_to_string(&path).expect("kept"), "Buy milk.\n");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is beside it");
        let path = folder.path().join("other.db");
        Connection::open(&path).expect("opens").execute_batch("CREATE TABLE theirs (a)").expect("made");
        assert!(matches!(open_writer(&path, Durability::Full), Err(DatabaseError::Foreign)));
        let path = folder.path().join("newer.db");
        drop(open_writer(&path, Durability::Full).expect("opens"));
        Connection::open(&path).expect("opens").pragma_update(None, "user_version", 99).expect("set");
        assert!(matches!(open_writer(&path, Durability::Full), Err(DatabaseError::Newer(99))));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep").join("service.db");
        drop(open_writer(&path, Durability::Full).expect("opens"));
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }
}
