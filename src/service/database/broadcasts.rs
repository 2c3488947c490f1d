//! Broadcasts and the outcomes of their recipients.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell, table};
use crate::database::session::DbSession;
use model::time::Timestamp;
use sqlite::read_row;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastRow {
    pub id: String,
    pub channel: String,
    /// `text`, `image` or `template`.
    pub kind: String,
    /// Text, caption or filled-in template.
    pub content: String,
    pub media_url: Option<String>,
    /// JSON object: further content for the platform.
    pub details: Option<String>,
    pub price: i64,
    pub total: i64,
    pub status: String,
    /// Idempotency key of the request that created it.
    pub key: Option<String>,
    pub created_at: Timestamp,
    pub completed_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    pub position: i64,
    pub contact: String,
    pub phone: String,
}

/// Numbers of recipients by outcome; the rest were not tried yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BroadcastCounts {
    /// Accepted by the platform and not lost later.
    pub sent: i64,
    /// Part of `sent` that was delivered.
    pub delivered: i64,
    pub failed: i64,
}

table!(BroadcastRow in broadcasts {
    id, channel, kind, content, media_url, details, price, total, status, key = idempotency_key, created_at,
    completed_at
});

pub fn insert(db: &dyn DbSession, row: &BroadcastRow) -> Result<(), DatabaseError> {
    store(db, row)
}

pub fn add_recipient(
    db: &dyn DbSession,
    broadcast: &str,
    recipient: &Recipient,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO recipients (broadcast, position, contact, phone) VALUES (?1, ?2, ?3, ?4)";
    let Recipient { position, contact, phone } = recipient;
    db.change_later(sql, bound![broadcast, position, contact, phone])
}

pub fn find_by_id(db: &dyn DbSession, id: &str) -> Result<Option<BroadcastRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

pub fn read(db: &dyn DbSession, channel: &str, id: &str) -> Result<Option<BroadcastRow>, DatabaseError> {
    Ok(find_by_id(db, id)?.filter(|by_id| by_id.channel == channel))
}

pub fn list_waiting(
    db: &dyn DbSession,
    broadcast: &str,
    count: i64,
) -> Result<Vec<Recipient>, DatabaseError> {
    let sql = "SELECT position, contact, phone FROM recipients WHERE broadcast = ?1 AND status = 'waiting'
               ORDER BY position LIMIT ?2";
    db.fetch_all(sql, bound![broadcast, count], |row| {
        Ok(read_row!(row, Recipient { position, contact, phone }))
    })
}

/// Records the outcome of trying a recipient: the id and status of the message, or the code of a
/// refusal.
pub fn record_outcome(
    db: &dyn DbSession,
    broadcast: &str,
    recipient: &Recipient,
    outcome: Result<(&str, &str), &str>,
) -> Result<(), DatabaseError> {
    let (status, message, code) = match outcome {
        Ok((message, status)) => (status, Some(message), None),
        Err(code) => ("failed", None, Some(code)),
    };
    let sql =
        "UPDATE recipients SET status = ?3, message = ?4, code = ?5 WHERE broadcast = ?1 AND position = ?2";
    db.change_later(sql, bound![broadcast, recipient.position, status, message, code])
}

pub fn record_progress(
    db: &dyn DbSession,
    broadcast: &str,
    message: &str,
    status: &str,
) -> Result<Option<i64>, DatabaseError> {
    let sql = "UPDATE recipients SET status = ?3 WHERE broadcast = ?1 AND message = ?2 RETURNING position";
    db.fetch_optional(sql, bound![broadcast, message, status], single_cell)
}

/// Records that a platform refused a message of a broadcast; returns the recipient's position.
pub fn record_refusal(
    db: &dyn DbSession,
    broadcast: &str,
    message: &str,
    code: &str,
) -> Result<Option<i64>, DatabaseError> {
    let sql = "UPDATE recipients SET status = 'failed', code = ?3 WHERE broadcast = ?1 AND message = ?2
               RETURNING position";
    db.fetch_optional(sql, bound![broadcast, message, code], single_cell)
}

/// Counts the recipients whose message has not reached the platform yet.
pub fn count_queued(db: &dyn DbSession, broadcast: &str) -> Result<i64, DatabaseError> {
    let sql = "SELECT count(*) FROM recipients WHERE broadcast = ?1 AND status = 'queued' AND EXISTS (
                   SELECT 1 FROM egress WHERE egress.id = recipients.message
                   AND egress.state IN ('waiting', 'claimed'))";
    db.fetch_scalar(sql, bound![broadcast])
}

pub fn complete(db: &dyn DbSession, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE broadcasts SET status = 'completed', completed_at = ?2
               WHERE id = ?1 AND status = 'sending'";
    db.change_later(sql, bound![id, at])
}

/// Lists the broadcasts of a channel that were completed last, newest first.
pub fn list_completed(
    db: &dyn DbSession,
    channel: &str,
    count: i64,
) -> Result<Vec<BroadcastRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE channel = ?1 AND completed_at IS NOT NULL
         ORDER BY completed_at DESC, id DESC LIMIT ?2"
    );
    db.fetch_all(&sql, bound![channel, count], from_row)
}

pub fn count_recipients(db: &dyn DbSession, id: &str) -> Result<BroadcastCounts, DatabaseError> {
    let sql = "SELECT count(*) FILTER (WHERE status IN ('sent', 'delivered', 'read')) AS sent,
               count(*) FILTER (WHERE status IN ('delivered', 'read')) AS delivered,
               count(*) FILTER (WHERE status = 'failed') AS failed FROM recipients WHERE broadcast = ?1";
    db.fetch_one(sql, bound![id], |row| Ok(read_row!(row, BroadcastCounts { sent, delivered, failed })))
}

/// Lists the recipients that were not reached, with the code of a refusal.
pub fn list_failed(
    db: &dyn DbSession,
    broadcast: &str,
) -> Result<Vec<(Recipient, Option<String>)>, DatabaseError> {
    let sql = "SELECT position, contact, phone, code FROM recipients
               WHERE broadcast = ?1 AND status = 'failed' ORDER BY position";
    db.fetch_all(sql, bound![broadcast], |row| {
        Ok((read_row!(row, Recipient { position, contact, phone }), row.get("code")?))
    })
}
