//! Counts and removes what is older than its retention. Every step is one short transaction.

use std::collections::BTreeMap;

use crate::database::erasing::file_ids;
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use crate::database::team::changes;
use crate::database::{DatabaseError, ingress};
use model::time::Timestamp;

/// Maximum number of rows that one step removes.
pub const ROWS_AT_ONCE: i64 = 200;
/// Pages of a file that one step returns to the file system.
const PAGES_AT_ONCE: &str = "PRAGMA incremental_vacuum(2000)";
/// Messages that are still on their way, whatever their age.
const IS_UNDER_WAY: &str =
    "SELECT id FROM egress WHERE state IN ('waiting', 'claimed', 'departed', 'recalled', 'unknown')";

/// Table with rows that only their age removes, and its column of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgedTable {
    table: &'static str,
    /// Columns of the primary key.
    key: &'static str,
    at: &'static str,
}

/// Attempts to deliver events.
pub const ATTEMPTS: AgedTable = AgedTable { table: "delivery_attempts", key: "webhook, number", at: "at" };
/// The audit log.
pub const ACTIONS: AgedTable = AgedTable { table: "team_actions", key: "id", at: "at" };
/// The log of Data Connections.
pub const CALLS: AgedTable = AgedTable { table: "connection_calls", key: "seq", at: "at" };
/// Orders, appointments and other events that the business has reported.
pub const TRIGGER_EVENTS: AgedTable = AgedTable { table: "happenings", key: "workspace, name, id", at: "at" };
/// Broadcasts; one that is not completed has no time.
pub const BROADCASTS: AgedTable = AgedTable { table: "broadcasts", key: "id", at: "completed_at" };
pub const MEDIA: AgedTable = AgedTable { table: "media", key: "id", at: "created_at" };
pub const WORK: AgedTable = AgedTable { table: "team_work", key: "id", at: "at" };
const MESSAGES: AgedTable = AgedTable { table: "messages", key: "id", at: "created_at" };
const MAILS: AgedTable = AgedTable { table: "emails", key: "id", at: "created_at" };

impl AgedTable {
    pub fn count(self, db: &dyn DbSession, before: Timestamp) -> Result<i64, DatabaseError> {
        let Self { table, at, .. } = self;
        db.fetch_scalar(&format!("SELECT count(*) FROM {table} WHERE {at} <= ?1"), bound![before])
    }

    /// Removes some aged rows; returns their number.
    pub fn purge(self, db: &dyn DbSession, before: Timestamp) -> Result<u64, DatabaseError> {
        let Self { table, key, at } = self;
        let sql = format!(
            "DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {at} <= ?1 LIMIT ?2)"
        );
        db.change(&sql, bound![before, ROWS_AT_ONCE])
    }
}

/// Counts messages and mails.
pub fn count_messages(db: &dyn DbSession, before: Timestamp) -> Result<i64, DatabaseError> {
    Ok(MESSAGES.count(db, before)? + MAILS.count(db, before)?)
}

/// Counts events that every webhook got, and those that one did not get.
pub fn count_events(
    db: &dyn DbSession,
    (delivered_before, dead_before): (Timestamp, Timestamp),
) -> Result<(i64, i64), DatabaseError> {
    let dead = "SELECT 1 FROM deliveries WHERE event = events.id AND delivered_at IS NULL AND due_at IS NULL";
    let waiting = "SELECT 1 FROM deliveries WHERE event = events.id AND due_at IS NOT NULL";
    let delivered = format!(
        "SELECT count(*) FROM events WHERE at <= ?1 AND NOT EXISTS ({dead}) AND NOT EXISTS ({waiting})"
    );
    let given_up =
        format!("SELECT count(*) FROM events WHERE at <= ?1 AND EXISTS ({dead}) AND NOT EXISTS ({waiting})");
    Ok((
        db.fetch_scalar(&delivered, bound![delivered_before])?,
        db.fetch_scalar(&given_up, bound![dead_before])?,
    ))
}

pub fn list_channels(db: &dyn DbSession) -> Result<Vec<(String, String)>, DatabaseError> {
    db.fetch_all("SELECT id, workspace FROM channels ORDER BY id", &[], |row| {
        Ok((row.get("id")?, row.get("workspace")?))
    })
}

/// Lists some aged files, oldest first.
pub fn list_media(db: &dyn DbSession, before: Timestamp) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT id FROM media WHERE created_at <= ?1 ORDER BY created_at, id LIMIT ?2";
    db.fetch_all(sql, bound![before, ROWS_AT_ONCE], single_cell)
}

pub fn delete_media(db: &dyn DbSession, ids: &[String]) -> Result<(), DatabaseError> {
    ids.iter().try_for_each(|id| {
        ingress::cancel_file(db, id)?;
        db.change_later("DELETE FROM media WHERE id = ?1", bound![id])
    })
}

/// Returns some free pages of a file to the file system. Returns true if there are more.
pub fn shrink_file(db: &dyn DbSession) -> Result<bool, DatabaseError> {
    let free_pages = || db.fetch_scalar::<i64>("PRAGMA freelist_count", &[]);
    let before = free_pages()?;
    db.for_each_row(PAGES_AT_ONCE, &[], |_| Ok::<_, DatabaseError>(()))?;
    // A file of an earlier version keeps its pages.
    let after = free_pages()?;
    Ok(after > 0 && after < before)
}

#[derive(Debug, Default)]
pub struct PurgedMessages {
    pub count: usize,
    /// Files that nothing names any more; the caller removes their bytes after the commit.
    pub files: Vec<String>,
}

/// Removes some aged broadcasts of a channel with their recipients and files.
pub fn purge_broadcasts(
    db: &dyn DbSession,
    channel: &str,
    before: Timestamp,
) -> Result<PurgedMessages, DatabaseError> {
    let sql = "SELECT id, media_url FROM broadcasts WHERE channel = ?1 AND completed_at <= ?2
               ORDER BY completed_at, id LIMIT ?3";
    let rows: Vec<(String, Option<String>)> =
        db.fetch_all(sql, bound![channel, before, ROWS_AT_ONCE], |row| {
            Ok((row.get("id")?, row.get("media_url")?))
        })?;
    for (id, _) in &rows {
        db.change_later("DELETE FROM broadcasts WHERE id = ?1", bound![id])?;
    }
    let mut purged = PurgedMessages { count: rows.len(), files: Vec::new() };
    add_unused_files(db, rows.into_iter().filter_map(|(_, link)| link), &mut purged)?;
    delete_media(db, &purged.files)?;
    Ok(purged)
}

/// Adds the files of links that no message and no broadcast has any more.
fn add_unused_files(
    db: &dyn DbSession,
    links: impl IntoIterator<Item = String>,
    purged: &mut PurgedMessages,
) -> Result<(), DatabaseError> {
    let used = "SELECT EXISTS (SELECT 1 FROM messages WHERE media_url = ?1)
                OR EXISTS (SELECT 1 FROM broadcasts WHERE media_url = ?1)";
    for link in links {
        if !db.fetch_scalar::<bool>(used, bound![link])? {
            purged.files.extend(file_ids(&link));
        }
    }
    Ok(())
}

/// Removes some aged messages and mails of a channel with their files, and the conversations and threads that
/// are then empty.
pub fn purge_messages(
    db: &dyn DbSession,
    (channel, workspace): (&str, &str),
    before: Timestamp,
) -> Result<PurgedMessages, DatabaseError> {
    let mut purged = PurgedMessages::default();
    let sql = format!(
        "SELECT id, conversation AS history, media_url AS files FROM messages WHERE channel = ?1 AND created_at <= ?2
         AND id NOT IN ({IS_UNDER_WAY}) ORDER BY created_at, id LIMIT ?3"
    );
    let emptied = delete_rows(db, "messages", (&sql, bound![channel, before, ROWS_AT_ONCE]), &mut purged)?;
    for (conversation, count) in emptied {
        shorten_history(db, "conversations", (&conversation, count), ("messages", "conversation"), before)?;
        if !exists(db, "conversations", &conversation)? {
            for sql in [
                "DELETE FROM team_conversations WHERE id = ?1",
                "DELETE FROM egress WHERE lane = ?1",
                "DELETE FROM events WHERE subject = ?1",
            ] {
                db.change_later(sql, bound![conversation])?;
            }
            changes::log_erased(db, workspace, &conversation)?;
        }
    }
    for direction in ["inbound", "outbound"] {
        let sql = format!(
            "SELECT id, thread AS history, attachments AS files FROM emails WHERE channel = ?1 AND direction = '{direction}'
             AND created_at <= ?2 AND id NOT IN ({IS_UNDER_WAY}) ORDER BY created_at, id LIMIT ?3"
        );
        let emptied = delete_rows(db, "emails", (&sql, bound![channel, before, ROWS_AT_ONCE]), &mut purged)?;
        for (thread, count) in emptied {
            shorten_history(db, "threads", (&thread, count), ("emails", "thread"), before)?;
            if !exists(db, "threads", &thread)? {
                for sql in [
                    "DELETE FROM team_conversations WHERE id = ?1",
                    "DELETE FROM thread_automation WHERE thread = ?1",
                    "DELETE FROM events WHERE subject = ?1",
                ] {
                    db.change_later(sql, bound![thread])?;
                }
                changes::log_erased(db, workspace, &thread)?;
            }
        }
    }
    delete_media(db, &purged.files)?;
    Ok(purged)
}

/// Deletes the rows that a query finds, and collects their files. Returns the number of rows of each
/// conversation or thread.
fn delete_rows(
    db: &dyn DbSession,
    table: &str,
    (sql, values): (&str, &[crate::database::rows::SqlValue<'_>]),
    purged: &mut PurgedMessages,
) -> Result<BTreeMap<String, i64>, DatabaseError> {
    let rows: Vec<(String, String, Option<String>)> =
        db.fetch_all(sql, values, |row| Ok((row.get("id")?, row.get("history")?, row.get("files")?)))?;
    let mut counts = BTreeMap::new();
    let mut links = Vec::new();
    for (id, history, files) in rows {
        db.change_later(&format!("DELETE FROM {table} WHERE id = ?1"), bound![id])?;
        *counts.entry(history).or_default() += 1;
        links.extend(files);
        purged.count += 1;
    }
    add_unused_files(db, links, purged)?;
    Ok(counts)
}

/// Counts removed messages off a conversation or thread, and deletes it if none is left.
fn shorten_history(
    db: &dyn DbSession,
    table: &str,
    (id, removed): (&str, i64),
    (messages, column): (&str, &str),
    before: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = format!(
        "UPDATE {table} SET message_count = CASE WHEN message_count > ?2 THEN message_count - ?2 ELSE 0 END
         WHERE id = ?1"
    );
    db.change_later(&sql, bound![id, removed])?;
    let sql = format!(
        "DELETE FROM {table} WHERE id = ?1 AND last_at <= ?2
         AND NOT EXISTS (SELECT 1 FROM {messages} WHERE {column} = ?1)"
    );
    db.change_later(&sql, bound![id, before])
}

fn exists(db: &dyn DbSession, table: &str, id: &str) -> Result<bool, DatabaseError> {
    db.fetch_scalar(&format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE id = ?1)"), bound![id])
}
