//! Broadcasts and what became of each of their recipients. Interface:
//! Broadcast.

use rusqlite::{Connection, params};

use crate::database::DatabaseError;
use model::time::Timestamp;
use sqlite::{Queries, columns, only, read_row};

/// A broadcast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastRow {
    /// Its id.
    pub id: String,
    /// The channel it goes out on.
    pub channel: String,
    /// `text`, `image` or `template`.
    pub kind: String,
    /// The text, the caption or the filled template.
    pub content: String,
    /// Where its image lives.
    pub media_url: Option<String>,
    /// A JSON object: what else the platform is given.
    pub details: Option<String>,
    /// Credits for each recipient.
    pub price: i64,
    /// How many recipients.
    pub total: i64,
    /// `sending` or `completed`.
    pub status: String,
    /// The idempotency key it was made under.
    pub key: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the last recipient was tried.
    pub completed_at: Option<Timestamp>,
}

/// Somebody a broadcast goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// The place in the broadcast.
    pub position: i64,
    /// The contact's id.
    pub contact: String,
    /// E.164.
    pub phone: String,
}

/// How many recipients stand where; together with those not tried yet they
/// are all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Taken by the platform, and not lost later.
    pub sent: i64,
    /// Of those, arrived.
    pub delivered: i64,
    /// Refused or lost.
    pub failed: i64,
}

columns!(BroadcastRow in broadcasts {
    id, channel, kind, content, media_url, details, price, total, status, key = idempotency_key, created_at,
    completed_at
});

/// Makes a broadcast.
pub fn insert(db: &Connection, row: &BroadcastRow) -> Result<(), DatabaseError> {
    store(db, row)?;
    Ok(())
}

/// Adds a recipient who is not tried yet.
pub fn add_recipient(db: &Connection, broadcast: &str, recipient: &Recipient) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO recipients (broadcast, position, contact, phone) VALUES (?1, ?2, ?3, ?4)";
    let Recipient { position, contact, phone } = recipient;
    db.prepare_cached(sql)?.execute(params![broadcast, position, contact, phone])?;
    Ok(())
}

/// One by id.
pub fn by_id(db: &Connection, id: &str) -> Result<Option<BroadcastRow>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE id = ?1"), [id], from_row)?)
}

/// One of a channel by id.
pub fn read(db: &Connection, channel: &str, id: &str) -> Result<Option<BroadcastRow>, DatabaseError> {
    Ok(by_id(db, id)?.filter(|it| it.channel == channel))
}

/// The next recipients who are not tried yet.
pub fn waiting(db: &Connection, broadcast: &str, count: i64) -> Result<Vec<Recipient>, DatabaseError> {
    let sql = "SELECT position, contact, phone FROM recipients WHERE broadcast = ?1 AND status = 'waiting'
               ORDER BY position LIMIT ?2";
    Ok(db.all(sql, params![broadcast, count], |row| {
        Ok(read_row!(row, Recipient { position, contact, phone }))
    })?)
}

/// Notes what trying a recipient came to: a message's id and whether it waits
/// for its platform, or the code of a refusal.
pub fn settle(
    db: &Connection,
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
    db.prepare_cached(sql)?.execute(params![broadcast, recipient.position, status, message, code])?;
    Ok(())
}

/// Notes how a message of a broadcast moved on; the recipient's place.
pub fn advance(
    db: &Connection,
    broadcast: &str,
    message: &str,
    status: &str,
) -> Result<Option<i64>, DatabaseError> {
    let sql = "UPDATE recipients SET status = ?3 WHERE broadcast = ?1 AND message = ?2 RETURNING position";
    Ok(db.first(sql, [broadcast, message, status], only)?)
}

/// Notes that a platform refused a message of a broadcast; the recipient's
/// place.
pub fn refuse(
    db: &Connection,
    broadcast: &str,
    message: &str,
    code: &str,
) -> Result<Option<i64>, DatabaseError> {
    let sql = "UPDATE recipients SET status = 'failed', code = ?3 WHERE broadcast = ?1 AND message = ?2
               RETURNING position";
    Ok(db.first(sql, [broadcast, message, code], only)?)
}

/// How many recipients have a message that is still on its way to the
/// platform.
pub fn queued(db: &Connection, broadcast: &str) -> Result<i64, DatabaseError> {
    let sql = "SELECT count(*) FROM recipients WHERE broadcast = ?1 AND status = 'queued' AND EXISTS (
                   SELECT 1 FROM egress WHERE egress.id = recipients.message
                   AND egress.state IN ('waiting', 'claimed'))";
    Ok(db.scalar(sql, [broadcast])?)
}

/// Notes that the last recipient was tried.
pub fn complete(db: &Connection, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE broadcasts SET status = 'completed', completed_at = ?2
               WHERE id = ?1 AND status = 'sending'";
    db.prepare_cached(sql)?.execute(params![id, at])?;
    Ok(())
}

/// Those of a channel that were completed last, newest first.
pub fn completed(db: &Connection, channel: &str, count: i64) -> Result<Vec<BroadcastRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE channel = ?1 AND completed_at IS NOT NULL
         ORDER BY completed_at DESC, id DESC LIMIT ?2"
    );
    Ok(db.all(&sql, params![channel, count], from_row)?)
}

/// How many recipients stand where.
pub fn counts(db: &Connection, id: &str) -> Result<Counts, DatabaseError> {
    let sql = "SELECT coalesce(sum(status IN ('sent', 'delivered', 'read')), 0) AS sent,
               coalesce(sum(status IN ('delivered', 'read')), 0) AS delivered,
               coalesce(sum(status = 'failed'), 0) AS failed FROM recipients WHERE broadcast = ?1";
    Ok(db.one(sql, [id], |row| Ok(read_row!(row, Counts { sent, delivered, failed })))?)
}
