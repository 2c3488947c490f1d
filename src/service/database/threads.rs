//! Threads of mail: one subject with one contact.

use crate::cursors::PagePosition;
use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::rows::{SqlValue, ToSqlValue, bound, single_cell, table};
use crate::database::session::DbSession;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadRow {
    pub id: String,
    pub channel: String,
    pub subject: String,
    /// Subject without reply prefixes, in lower case.
    pub topic: String,
    /// Address of the contact in lower case.
    pub contact: String,
    /// Address of the contact as first written.
    pub contact_email: String,
    pub contact_name: Option<String>,
    /// inbox, archive, sent, spam, trash, or a caller's own word.
    pub folder: String,
    /// Topic category; `None` until it is set.
    pub category: Option<String>,
    /// low, normal, high, urgent, or a caller's own word.
    pub priority: String,
    pub is_read: bool,
    pub is_starred: bool,
    pub message_count: i64,
    pub last_at: Timestamp,
    pub created_at: Timestamp,
}

impl ThreadRow {
    pub fn page_position(&self) -> PagePosition {
        PagePosition { at: self.last_at.micros(), id: self.id.clone() }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub folder: Option<String>,
    pub category: Option<String>,
    pub is_read: Option<bool>,
}

table!(ThreadRow in threads {
    id, channel, subject, topic, contact, contact_email, contact_name, folder, category, priority, is_read,
    is_starred, message_count, last_at, created_at
});

pub fn insert(db: &dyn DbSession, row: &ThreadRow) -> Result<(), DatabaseError> {
    store(db, row)
}

pub fn read(db: &dyn DbSession, channel: &str, id: &str) -> Result<Option<ThreadRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1 AND channel = ?2"), bound![id, channel], from_row)
}

/// Finds the newest thread with a contact on a topic that was active since a time.
pub fn find_by_topic(
    db: &dyn DbSession,
    channel: &str,
    contact: &str,
    topic: &str,
    since: Timestamp,
) -> Result<Option<ThreadRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE channel = ?1 AND contact = ?2 AND topic = ?3 AND last_at >= ?4
         ORDER BY last_at DESC LIMIT 1"
    );
    let bound = bound![channel, contact, topic, since];
    db.fetch_optional(&sql, bound, from_row)
}

pub fn find_by_topic_within(
    db: &dyn DbSession,
    channel: &str,
    contact: &str,
    topic: &str,
    (from, to): (Timestamp, Timestamp),
) -> Result<Option<ThreadRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE channel = ?1 AND contact = ?2 AND topic = ?3 AND last_at >= ?4 AND created_at <= ?5
         ORDER BY last_at DESC LIMIT 1"
    );
    db.fetch_optional(&sql, bound![channel, contact, topic, from, to], from_row)
}

pub fn list(
    db: &dyn DbSession,
    channel: &str,
    filter: &Filter,
    after: &PagePosition,
    reach: i64,
) -> Result<Vec<ThreadRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE channel = ?1 AND (last_at, id) < (?2, ?3)");
    let mut query = SqlQuery::new(sql, bound![channel, after.at, after.id]);
    query.filter("folder", filter.folder.as_deref().map(SqlValue::Text));
    query.filter("category", filter.category.as_deref().map(SqlValue::Text));
    query.filter("is_read", filter.is_read.as_ref().map(ToSqlValue::bind));
    query.push(" ORDER BY last_at DESC, id DESC LIMIT ?", bound![reach]);
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, from_row)
}

/// Counts a mail. An inbound mail makes the thread unread and moves it from archive, sent or trash
/// to the inbox, but not from spam; an outbound mail makes it read.
pub fn touch(db: &dyn DbSession, id: &str, inbound: bool, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE threads SET message_count = message_count + 1, last_at = ?3, is_read = NOT ?2,
        folder = CASE WHEN ?2 AND folder IN ('archive', 'sent', 'trash') THEN 'inbox' ELSE folder END
        WHERE id = ?1";
    db.change_later(sql, bound![id, inbound, at])
}

pub fn channel_of(db: &dyn DbSession, id: &str) -> Result<Option<String>, DatabaseError> {
    db.fetch_optional("SELECT channel FROM threads WHERE id = ?1", bound![id], single_cell)
}

pub fn name_contact(db: &dyn DbSession, id: &str, name: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE threads SET contact_name = ?2 WHERE id = ?1 AND contact_name IS NULL";
    db.change_later(sql, bound![id, name])
}

pub fn categorize(db: &dyn DbSession, id: &str, category: &str) -> Result<(), DatabaseError> {
    db.change_later("UPDATE threads SET category = ?2 WHERE id = ?1", bound![id, category])
}

pub fn prioritize(db: &dyn DbSession, id: &str, priority: &str) -> Result<(), DatabaseError> {
    db.change_later("UPDATE threads SET priority = ?2 WHERE id = ?1", bound![id, priority])
}

/// Stores all columns that importing an earlier mail may change.
pub fn update_filing(db: &dyn DbSession, row: &ThreadRow) -> Result<(), DatabaseError> {
    let sql = "UPDATE threads SET subject = ?2, topic = ?3, contact_name = ?4, folder = ?5, category = ?6, is_read = ?7,
        is_starred = ?8, message_count = ?9, last_at = ?10, created_at = ?11 WHERE id = ?1";
    let ThreadRow { id, subject, topic, contact_name, folder, category, .. } = row;
    let ThreadRow { is_read, is_starred, message_count, last_at, created_at, .. } = row;
    let bound = bound![
        id,
        subject,
        topic,
        contact_name,
        folder,
        category,
        is_read,
        is_starred,
        message_count,
        last_at,
        created_at
    ];
    db.change_later(sql, bound)
}

/// Stores the columns that callers may change: read, starred, folder, category and priority.
pub fn update(db: &dyn DbSession, row: &ThreadRow) -> Result<(), DatabaseError> {
    let sql = "UPDATE threads SET is_read = ?2, is_starred = ?3, folder = ?4, category = ?5, priority = ?6
        WHERE id = ?1";
    let bound = bound![row.id, row.is_read, row.is_starred, row.folder, row.category, row.priority];
    db.change_later(sql, bound)
}
