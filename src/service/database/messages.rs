//! Messages of the chat channels and of voice and SMS. Interface: Resources,
//! Message; States and transitions, Message status.
//!
//! Knows nothing of conversations' counters.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::time::Timestamp;
use crate::service::cursors::Place;
use crate::service::database::cells::{optional_text, optional_time, text};
use crate::service::database::{DatabaseError, clauses};

/// A message; its texts are its own, or lie in the row that is being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow<T = String> {
    /// The service's id.
    pub id: T,
    /// The conversation it is in.
    pub conversation: T,
    /// The channel it is on.
    pub channel: T,
    /// The platform's id.
    pub platform_id: T,
    /// `inbound` or `outbound`.
    pub direction: T,
    /// `customer`, `ai`, `api` or `agent`.
    pub sender: T,
    /// The text, the caption, or what stands for the content in a list.
    pub content: T,
    /// `text`, `image`, …
    pub kind: T,
    /// Where its media lives.
    pub media_url: Option<T>,
    /// A JSON object: what else the platform was given.
    pub details: Option<T>,
    /// sent, delivered, read, failed; received for inbound ones.
    pub status: T,
    /// The id of the quoted message.
    pub reply_to: Option<T>,
    /// The emoji this side reacted with.
    pub reaction: Option<T>,
    /// Credits.
    pub cost: i64,
    /// When it was made: with the id, its place.
    pub created_at: Timestamp,
    /// When it reached the device.
    pub delivered_at: Option<Timestamp>,
    /// When it was read.
    pub read_at: Option<Timestamp>,
    /// The broadcast it belongs to.
    pub broadcast: Option<T>,
}

impl<T: AsRef<str>> MessageRow<T> {
    /// Its place in lists, newest first.
    pub fn place(&self) -> Place {
        Place { at: self.created_at.micros(), id: self.id.as_ref().to_owned() }
    }
}

/// Which messages of a channel are listed.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only this conversation's.
    pub conversation: Option<String>,
    /// Only this direction's.
    pub direction: Option<&'static str>,
    /// Only in this status.
    pub status: Option<&'static str>,
}

const COLUMNS: &str =
    "SELECT id, conversation, channel, platform_id, direction, sender, content, kind, media_url,
    details, status, reply_to, reaction, cost, created_at, delivered_at, read_at, broadcast FROM messages";

/// Stores a message.
pub fn insert(db: &Connection, row: &MessageRow) -> Result<(), DatabaseError> {
    let sql =
        "INSERT INTO messages (id, conversation, channel, platform_id, direction, sender, content, kind,
        media_url, details, status, reply_to, reaction, cost, created_at, delivered_at, read_at, broadcast)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
    db.prepare_cached(sql)?.execute(params![
        row.id,
        row.conversation,
        row.channel,
        row.platform_id,
        row.direction,
        row.sender,
        row.content,
        row.kind,
        row.media_url,
        row.details,
        row.status,
        row.reply_to,
        row.reaction,
        row.cost,
        row.created_at.micros(),
        row.delivered_at.map(Timestamp::micros),
        row.read_at.map(Timestamp::micros),
        row.broadcast,
    ])?;
    Ok(())
}

/// One of a channel, by the service's id or the platform's.
pub fn read(db: &Connection, channel: &str, id: &str) -> Result<Option<MessageRow>, DatabaseError> {
    let mut statement = db.prepare_cached(&format!("{COLUMNS} WHERE id = ?1 AND channel = ?2"))?;
    if let Some(row) = statement.query_row([id, channel], map).optional()? {
        return Ok(Some(row));
    }
    let sql = format!("{COLUMNS} WHERE channel = ?1 AND platform_id = ?2 ORDER BY created_at DESC LIMIT 1");
    Ok(db.prepare_cached(&sql)?.query_row([channel, id], map).optional()?)
}

/// One of any channel, by the service's id.
pub fn by_id(db: &Connection, id: &str) -> Result<Option<MessageRow>, DatabaseError> {
    let mut statement = db.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
    Ok(statement.query_row([id], map).optional()?)
}

/// One of a conversation, by the service's id or the platform's.
pub fn read_within(
    db: &Connection,
    conversation: &str,
    id: &str,
) -> Result<Option<MessageRow>, DatabaseError> {
    let sql = format!("{COLUMNS} WHERE conversation = ?1 AND (id = ?2 OR platform_id = ?2) LIMIT 1");
    Ok(db.prepare_cached(&sql)?.query_row([conversation, id], map).optional()?)
}

/// A page of a channel's messages, newest first.
pub fn list(
    db: &Connection,
    channel: &str,
    filter: &Filter,
    after: &Place,
    reach: i64,
) -> Result<Vec<MessageRow>, DatabaseError> {
    let mut statement = db.prepare_cached(&page_query(filter))?;
    let Filter { conversation, direction, status } = filter;
    let bound = params![channel, after.at, after.id, conversation, direction, status, reach];
    let rows = statement.query_map(bound, map)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The same page, each row shown where it lies.
///
/// # Errors
/// When the database fails, or what `visit` fails with.
pub fn each<E: From<DatabaseError>>(
    db: &Connection,
    channel: &str,
    filter: &Filter,
    after: &Place,
    reach: i64,
    mut visit: impl FnMut(&MessageRow<&str>) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = db.prepare_cached(&page_query(filter)).map_err(DatabaseError::from)?;
    let Filter { conversation, direction, status } = filter;
    let bound = params![channel, after.at, after.id, conversation, direction, status, reach];
    let mut rows = statement.query(bound).map_err(DatabaseError::from)?;
    while let Some(row) = rows.next().map_err(DatabaseError::from)? {
        visit(&view(row).map_err(DatabaseError::from)?)?;
    }
    Ok(())
}

/// The plus keeps the channel's index from being taken for a conversation's.
fn page_query(filter: &Filter) -> String {
    let channel_term = if filter.conversation.is_some() { "+channel" } else { "channel" };
    let mut sql = format!("{COLUMNS} WHERE {channel_term} = ?1 AND (created_at, id) < (?2, ?3)");
    let filters = [
        (filter.conversation.is_some(), "conversation", 4),
        (filter.direction.is_some(), "direction", 5),
        (filter.status.is_some(), "status", 6),
    ];
    clauses::add(&mut sql, &filters);
    sql.push_str(" ORDER BY created_at DESC, id DESC LIMIT ?7");
    sql
}

/// The newest messages of a conversation, newest first.
pub fn newest(db: &Connection, conversation: &str, count: i64) -> Result<Vec<MessageRow>, DatabaseError> {
    let sql = format!("{COLUMNS} WHERE conversation = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2");
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(params![conversation, count], map)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Moves an outbound message on: sent, delivered, read; failed only from
/// sent. False when it is past that already.
pub fn advance(db: &Connection, id: &str, status: &str, at: Timestamp) -> Result<bool, DatabaseError> {
    let sql = match status {
        "delivered" => {
            "UPDATE messages SET status = 'delivered', delivered_at = ?2 WHERE id = ?1 AND status = 'sent'"
        }
        "read" => {
            "UPDATE messages SET status = 'read', read_at = ?2, delivered_at = coalesce(delivered_at, ?2)
             WHERE id = ?1 AND status IN ('sent', 'delivered')"
        }
        _ => "UPDATE messages SET status = 'failed' WHERE id = ?1 AND status = 'sent' AND ?2 IS NOT NULL",
    };
    Ok(db.prepare_cached(sql)?.execute(params![id, at.micros()])? > 0)
}

/// Writes a message anew that stands for something that goes on: a call.
pub fn retell(
    db: &Connection,
    id: &str,
    status: &str,
    content: &str,
    cost: i64,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE messages SET status = ?2, content = ?3, cost = ?4 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, status, content, cost])?;
    Ok(())
}

/// Sets or removes this side's reaction.
pub fn react(db: &Connection, id: &str, emoji: Option<&str>) -> Result<(), DatabaseError> {
    db.prepare_cached("UPDATE messages SET reaction = ?2 WHERE id = ?1")?.execute(params![id, emoji])?;
    Ok(())
}

/// How many messages a conversation has: the next number a bot platform
/// gives within a chat.
pub fn count(db: &Connection, conversation: &str) -> Result<i64, DatabaseError> {
    let sql = "SELECT count(*) FROM messages WHERE conversation = ?1";
    Ok(db.prepare_cached(sql)?.query_row([conversation], |row| row.get(0))?)
}

fn map(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    let row = view(row)?;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Ok(MessageRow {
        id: row.id.to_owned(),
        conversation: row.conversation.to_owned(),
        channel: row.channel.to_owned(),
        platform_id: row.platform_id.to_owned(),
        direction: row.direction.to_owned(),
        sender: row.sender.to_owned(),
        content: row.content.to_owned(),
        kind: row.kind.to_owned(),
        media_url: owned(row.media_url),
        details: owned(row.details),
        status: row.status.to_owned(),
        reply_to: owned(row.reply_to),
        reaction: owned(row.reaction),
        cost: row.cost,
        created_at: row.created_at,
        delivered_at: row.delivered_at,
        read_at: row.read_at,
        broadcast: owned(row.broadcast),
    })
}

fn view<'a>(row: &'a Row<'_>) -> rusqlite::Result<MessageRow<&'a str>> {
    Ok(MessageRow {
        id: text(row, 0)?,
        conversation: text(row, 1)?,
        channel: text(row, 2)?,
        platform_id: text(row, 3)?,
        direction: text(row, 4)?,
        sender: text(row, 5)?,
        content: text(row, 6)?,
        kind: text(row, 7)?,
        media_url: optional_text(row, 8)?,
        details: optional_text(row, 9)?,
        status: text(row, 10)?,
        reply_to: optional_text(row, 11)?,
        reaction: optional_text(row, 12)?,
        cost: row.get(13)?,
        created_at: Timestamp::from_micros(row.get(14)?),
        delivered_at: optional_time(row, 15)?,
        read_at: optional_time(row, 16)?,
        broadcast: optional_text(row, 17)?,
    })
}
