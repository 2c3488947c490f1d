//! Messages of the chat channels and of voice and SMS. Interface: Resources,
//! Message; States and transitions, Message status.

use rusqlite::{Connection, params};

use crate::cursors::Place;
use crate::database::{DatabaseError, clauses};
use model::time::Timestamp;
use sqlite::{Queries, Row, columns};

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

impl MessageRow {
    /// What has to reach a platform before it is there, by its id.
    pub fn carried(&self) -> Option<String> {
        (self.status == "queued").then(|| self.id.clone())
    }
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

columns!(MessageRow<T> in messages {
    id: text, conversation: text, channel: text, platform_id: text, direction: text, sender: text, content: text,
    kind: text, media_url: optional_text, details: optional_text, status: text, reply_to: optional_text,
    reaction: optional_text, cost, created_at, delivered_at, read_at, broadcast: optional_text
});

/// Stores a message.
pub fn insert(db: &Connection, row: &MessageRow) -> Result<(), DatabaseError> {
    store(db, row)?;
    Ok(())
}

/// One of a channel, by the service's id or the platform's.
pub fn read(db: &Connection, channel: &str, id: &str) -> Result<Option<MessageRow>, DatabaseError> {
    let own = format!("{SELECT} WHERE id = ?1 AND channel = ?2");
    if let Some(row) = db.first(&own, [id, channel], from_row)? {
        return Ok(Some(row));
    }
    let sql = format!("{SELECT} WHERE channel = ?1 AND platform_id = ?2 ORDER BY created_at DESC LIMIT 1");
    Ok(db.first(&sql, [channel, id], from_row)?)
}

/// One of any channel, by the service's id.
pub fn by_id(db: &Connection, id: &str) -> Result<Option<MessageRow>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE id = ?1"), [id], from_row)?)
}

/// One of a conversation, by the service's id or the platform's.
pub fn read_within(
    db: &Connection,
    conversation: &str,
    id: &str,
) -> Result<Option<MessageRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE conversation = ?1 AND (id = ?2 OR platform_id = ?2) LIMIT 1");
    Ok(db.first(&sql, [conversation, id], from_row)?)
}

/// A page of a channel's messages, newest first.
pub fn list(
    db: &Connection,
    channel: &str,
    filter: &Filter,
    after: &Place,
    reach: i64,
) -> Result<Vec<MessageRow>, DatabaseError> {
    let Filter { conversation, direction, status } = filter;
    let bound = params![channel, after.at, after.id, conversation, direction, status, reach];
    Ok(db.all(&page_query(filter), bound, from_row)?)
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
        visit(&view(&Row::of(row)).map_err(DatabaseError::from)?)?;
    }
    Ok(())
}

/// The plus keeps the channel's index from being taken for a conversation's.
fn page_query(filter: &Filter) -> String {
    let channel_term = if filter.conversation.is_some() { "+channel" } else { "channel" };
    let mut sql = format!("{SELECT} WHERE {channel_term} = ?1 AND (created_at, id) < (?2, ?3)");
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
    let sql = format!("{SELECT} WHERE conversation = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2");
    Ok(db.all(&sql, params![conversation, count], from_row)?)
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
    Ok(db.prepare_cached(sql)?.execute(params![id, at])? > 0)
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
    Ok(db.scalar(sql, [conversation])?)
}
