//! Broadcasts and what became of each of their recipients. Interface:
//! Broadcast.
//!
//! Knows nothing of sending.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;

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

const COLUMNS: &str = "SELECT id, channel, kind, content, media_url, details, price, total, status,
    idempotency_key, created_at, completed_at FROM broadcasts";

/// Makes a broadcast.
pub fn insert(db: &Connection, row: &BroadcastRow) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO broadcasts (id, channel, kind, content, media_url, details, price, total, status,
        idempotency_key, created_at, completed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    db.prepare_cached(sql)?.execute(params![
        row.id,
        row.channel,
        row.kind,
        row.content,
        row.media_url,
        row.details,
        row.price,
        row.total,
        row.status,
        row.key,
        row.created_at.micros(),
        row.completed_at.map(Timestamp::micros),
    ])?;
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
    let mut statement = db.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
    Ok(statement.query_row([id], map).optional()?)
}

/// One of a channel by id.
pub fn read(db: &Connection, channel: &str, id: &str) -> Result<Option<BroadcastRow>, DatabaseError> {
    Ok(by_id(db, id)?.filter(|it| it.channel == channel))
}

/// The next recipients who are not tried yet.
pub fn waiting(db: &Connection, broadcast: &str, count: i64) -> Result<Vec<Recipient>, DatabaseError> {
    let sql = "SELECT position, contact, phone FROM recipients WHERE broadcast = ?1 AND status = 'waiting'
               ORDER BY position LIMIT ?2";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(params![broadcast, count], |row| {
        Ok(Recipient { position: row.get(0)?, contact: row.get(1)?, phone: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Notes what trying a recipient came to: a message's id, or the code of a
/// refusal.
pub fn settle(
    db: &Connection,
    broadcast: &str,
    recipient: &Recipient,
    outcome: Result<&String, &str>,
) -> Result<(), DatabaseError> {
    let (status, message, code) = match outcome {
        Ok(message) => ("sent", Some(message), None),
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
    let mut statement = db.prepare_cached(sql)?;
    Ok(statement.query_row([broadcast, message, status], |row| row.get(0)).optional()?)
}

/// Notes that the last recipient was tried.
pub fn complete(db: &Connection, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE broadcasts SET status = 'completed', completed_at = ?2
               WHERE id = ?1 AND status = 'sending'";
    db.prepare_cached(sql)?.execute(params![id, at.micros()])?;
    Ok(())
}

/// Those of a channel that were completed last, newest first.
pub fn completed(db: &Connection, channel: &str, count: i64) -> Result<Vec<BroadcastRow>, DatabaseError> {
    let sql = format!(
        "{COLUMNS} WHERE channel = ?1 AND completed_at IS NOT NULL
         ORDER BY completed_at DESC, id DESC LIMIT ?2"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(params![channel, count], map)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// How many recipients stand where.
pub fn counts(db: &Connection, id: &str) -> Result<Counts, DatabaseError> {
    let sql = "SELECT coalesce(sum(status IN ('sent', 'delivered', 'read')), 0),
               coalesce(sum(status IN ('delivered', 'read')), 0), coalesce(sum(status = 'failed'), 0)
               FROM recipients WHERE broadcast = ?1";
    let counts = db.prepare_cached(sql)?.query_row([id], |row| {
        Ok(Counts { sent: row.get(0)?, delivered: row.get(1)?, failed: row.get(2)? })
    })?;
    Ok(counts)
}

fn map(row: &Row<'_>) -> rusqlite::Result<BroadcastRow> {
    Ok(BroadcastRow {
        id: row.get(0)?,
        channel: row.get(1)?,
        kind: row.get(2)?,
        content: row.get(3)?,
        media_url: row.get(4)?,
        details: row.get(5)?,
        price: row.get(6)?,
        total: row.get(7)?,
        status: row.get(8)?,
        key: row.get(9)?,
        created_at: Timestamp::from_micros(row.get(10)?),
        completed_at: row.get::<_, Option<i64>>(11)?.map(Timestamp::from_micros),
    })
}
