//! Creates and migrates the tables at the start, in one process at a time.

use crate::database::postgres::link::Link;
use crate::database::rows::{DbRow, bound};
use crate::database::transfer::note;
use crate::database::{DatabaseError, erasing};

/// Migrations from each format to the next, the first from an empty database.
const MIGRATIONS: [&str; 23] = [
    include_str!("schema.sql"),
    include_str!("schema_shared.sql"),
    include_str!("schema_phones.sql"),
    include_str!("schema_processes.sql"),
    include_str!("schema_mail.sql"),
    include_str!("schema_workspaces.sql"),
    include_str!("schema_aliases.sql"),
    include_str!("schema_takeover.sql"),
    include_str!("schema_platforms.sql"),
    include_str!("schema_dates.sql"),
    include_str!("schema_lists.sql"),
    include_str!("schema_changes.sql"),
    "ALTER TABLE conversations ADD COLUMN IF NOT EXISTS closed_at BIGINT",
    include_str!("schema_team.sql"),
    include_str!("schema_operating.sql"),
    include_str!("schema_connections.sql"),
    "ALTER TABLE team_conversations ADD COLUMN IF NOT EXISTS assigned_by TEXT COLLATE \"C\"",
    include_str!("schema_work.sql"),
    include_str!("schema_channels.sql"),
    include_str!("schema_search.sql"),
    "ALTER TABLE templates ADD COLUMN IF NOT EXISTS reason TEXT COLLATE \"C\"",
    r#"ALTER TABLE channels ADD COLUMN IF NOT EXISTS earlier_messages BIGINT NOT NULL DEFAULT 0;
       CREATE INDEX IF NOT EXISTS messages_arrived ON messages (channel, created_at DESC, id DESC)
           WHERE sender = 'customer' AND substr(coalesce(extras, ''), 1, 11) <> '{"earlier":';"#,
    "ALTER TABLE conversations ADD COLUMN IF NOT EXISTS paused_by TEXT COLLATE \"C\";
     ALTER TABLE conversations ADD COLUMN IF NOT EXISTS paused_from TEXT COLLATE \"C\";
     ALTER TABLE thread_automation ADD COLUMN IF NOT EXISTS paused_by TEXT COLLATE \"C\";
     ALTER TABLE thread_automation ADD COLUMN IF NOT EXISTS paused_from TEXT COLLATE \"C\";
     ALTER TABLE channels ADD COLUMN IF NOT EXISTS earlier_awaited_until BIGINT",
];
pub const FORMAT_VERSION: i64 = 23;
const FIRST_ORDERED_FORMAT: i64 = 2;
/// Format stored in the order of commits of a database that was moved elsewhere, which blocks all
/// writes.
pub const MOVED_FORMAT: i64 = 0;
/// No timeouts: a migration of large tables takes time.
const BEGIN_MIGRATION: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = '5s'";
/// Waits for open transactions of older versions and blocks new ones.
const LOCK_TABLES: &str =
    "SELECT id FROM commit_order FOR UPDATE; SELECT id FROM workspaces ORDER BY id FOR NO KEY UPDATE";
/// Table that stores the format; its row is locked during a migration.
const CREATE_META: &str =
    "CREATE TABLE IF NOT EXISTS meta (name TEXT COLLATE \"C\" PRIMARY KEY, value BYTEA NOT NULL)";

/// Refuses a format of a newer version, and a database that was moved.
pub fn check_format(format: i64) -> Result<(), DatabaseError> {
    match format {
        FORMAT_VERSION => Ok(()),
        MOVED_FORMAT => Err(DatabaseError::Moved("another place".to_owned())),
        other => Err(DatabaseError::Newer(other)),
    }
}

/// Creates and migrates the tables.
pub fn migrate(link: &Link) -> Result<(), DatabaseError> {
    try_migrate(link).or_else(|cause| match cause {
        // If two processes create the first table at once, the server refuses one after the other
        // has finished.
        DatabaseError::Sql(_) => try_migrate(link),
        other => Err(other),
    })
}

fn try_migrate(link: &Link) -> Result<(), DatabaseError> {
    link.batch_execute(BEGIN_MIGRATION)?;
    let made = migrate_in_transaction(link).and_then(|()| refuse_moved(link));
    match &made {
        Ok(()) => link.batch_execute("COMMIT")?,
        Err(DatabaseError::Lost) => link.disconnect(),
        Err(_) => link.batch_execute("ROLLBACK")?,
    }
    made
}

pub fn is_empty(link: &Link) -> Result<bool, DatabaseError> {
    Ok(link.send(&[], Some(("SELECT id FROM workspaces LIMIT 1", &[])))?.is_empty())
}

/// Refuses a database not made by a service, or one that was moved.
pub fn check_served(link: &Link) -> Result<(), DatabaseError> {
    check_ours(link)?;
    refuse_moved(link)
}

/// Refuses a database not made by a service or of another format.
pub fn check_ours(link: &Link) -> Result<(), DatabaseError> {
    if !is_ours(link)? {
        return Err(DatabaseError::Foreign);
    }
    match read_format(link, "")? {
        Some(FORMAT_VERSION) => Ok(()),
        Some(format @ 1..FORMAT_VERSION) => Err(DatabaseError::Older(format)),
        Some(format) => Err(DatabaseError::Newer(format)),
        None => Err(DatabaseError::Foreign),
    }
}

fn refuse_moved(link: &Link) -> Result<(), DatabaseError> {
    let rows = link.send(&[], Some(("SELECT value FROM meta WHERE name = ?1", bound![note::META_NAME])))?;
    let Some(row) = rows.first() else { return Ok(()) };
    Err(note::parse_bytes(&DbRow::of(row).get::<Vec<u8>>("value")?)?.refusal())
}

/// [`migrate`] within an open transaction.
pub fn migrate_in_transaction(link: &Link) -> Result<(), DatabaseError> {
    if !is_ours(link)?
        && let Err(cause) = refuse_collision(link)
        // The tables may be those of a process that committed between the two queries.
        && !is_ours(link)?
    {
        return Err(cause);
    }
    // Of two processes that start at once, the second waits here for the first.
    link.batch_execute(CREATE_META)?;
    link.batch_execute("INSERT INTO meta VALUES ('format', '0') ON CONFLICT (name) DO NOTHING")?;
    let format = read_format(link, "FOR UPDATE")?.unwrap_or(0);
    let Some(missing) = usize::try_from(format).ok().and_then(|number| MIGRATIONS.get(number..)) else {
        return Err(DatabaseError::Newer(format));
    };
    if missing.is_empty() {
        return Ok(());
    }
    if format >= FIRST_ORDERED_FORMAT {
        link.batch_execute(LOCK_TABLES)?;
    }
    missing.iter().try_for_each(|step| link.batch_execute(step))?;
    link.batch_execute(&format!(
        "UPDATE meta SET value = '{FORMAT_VERSION}' WHERE name = 'format'; UPDATE commit_order SET format = {FORMAT_VERSION}"
    ))
}

/// Refuses a schema in which another program's object has the name of a table to be created. Other
/// objects do not matter.
fn refuse_collision(link: &Link) -> Result<(), DatabaseError> {
    let sql = "SELECT CAST(relname AS TEXT) AS name FROM pg_class
               WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())";
    let rows = link.send(&[], Some((sql, &[])))?;
    let names: Vec<String> =
        rows.iter().map(|row| DbRow::of(row).get("name")).collect::<Result<_, DatabaseError>>()?;
    match names.into_iter().find(|name| erasing::is_own_table(name)) {
        Some(name) => Err(DatabaseError::Taken(name)),
        None => Ok(()),
    }
}

fn is_ours(link: &Link) -> Result<bool, DatabaseError> {
    let sql = "SELECT count(*) AS found FROM information_schema.columns
               WHERE table_schema = current_schema() AND table_name = 'meta' AND column_name IN ('name', 'value')";
    let rows = link.send(&[], Some((sql, &[])))?;
    let found: i64 = rows.first().map_or(Ok(0), |row| DbRow::of(row).get("found"))?;
    Ok(found == 2)
}

fn read_format(link: &Link, lock: &str) -> Result<Option<i64>, DatabaseError> {
    let sql = format!("SELECT value FROM meta WHERE name = 'format' {lock}");
    let rows = link.send(&[], Some((&sql, &[])))?;
    let digits: Option<Vec<u8>> = rows.first().map(|row| DbRow::of(row).get("value")).transpose()?;
    Ok(digits.and_then(|digit| std::str::from_utf8(&digit).ok()?.parse().ok()))
}
