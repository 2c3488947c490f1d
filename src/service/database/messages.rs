//! Messages of the chat channels and of voice and SMS. Interface: Resources,
//! Message; States and transitions, Message status.

use crate::cursors::PagePosition;
use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::rows::{SqlValue, bound, table};
use crate::database::session::DbSession;
use model::time::Timestamp;

/// A message; its texts are its own, or lie in the row that is being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow<T = String> {
    pub id: T,
    pub conversation: T,
    pub channel: T,
    pub platform_id: T,
    /// `inbound` or `outbound`.
    pub direction: T,
    /// `customer`, `ai`, `api` or `agent`.
    pub sender: T,
    /// The text, the caption, or what stands for the content in a list.
    pub content: T,
    /// `text`, `image`, …
    pub kind: T,
    pub media_url: Option<T>,
    /// A JSON object: what else the platform was given.
    pub details: Option<T>,
    /// sent, delivered, read, failed; received for inbound ones.
    pub status: T,
    /// The id of the quoted message.
    pub reply_to: Option<T>,
    /// The emoji this side reacted with.
    pub reaction: Option<T>,
    pub cost: i64,
    /// Time at which it was made or came in: with the id, its place in lists of what
    /// is new.
    pub created_at: Timestamp,
    /// Time of sending by the platform's clock; `None` where that is not told or
    /// not before it came in.
    pub sent_at: Option<Timestamp>,
    /// When it reached the device.
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub broadcast: Option<T>,
    /// JSON of [`MessageExtras`](wire::extras::MessageExtras).
    pub extras: Option<T>,
}

impl MessageRow {
    /// What has to reach a platform before it is there, by its id.
    pub fn awaited_id(&self) -> Option<String> {
        (self.status == "queued").then(|| self.id.clone())
    }
}

impl<T: AsRef<str>> MessageRow<T> {
    /// Its place in lists by arrival, newest first.
    pub fn page_position(&self) -> PagePosition {
        PagePosition { at: self.created_at.micros(), id: self.id.as_ref().to_owned() }
    }

    /// Its place in the history of its conversation, which goes by the time at
    /// which messages were sent.
    pub fn history_position(&self) -> PagePosition {
        let at = self.sent_at.unwrap_or(self.created_at);
        PagePosition { at: at.micros(), id: self.id.as_ref().to_owned() }
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

table!(MessageRow<T> in messages {
    id: text, conversation: text, channel: text, platform_id: text, direction: text, sender: text, content: text,
    kind: text, media_url: optional_text, details: optional_text, status: text, reply_to: optional_text,
    reaction: optional_text, cost, created_at, sent_at, delivered_at, read_at, broadcast: optional_text, extras: optional_text
});

/// The order of a history.
const SENT_ORDER: &str = "coalesce(sent_at, created_at)";

/// Stores a message.
pub fn insert(db: &dyn DbSession, row: &MessageRow) -> Result<(), DatabaseError> {
    store(db, row)
}

/// One of a channel, by the service's id or the platform's.
pub fn read(db: &dyn DbSession, channel: &str, id: &str) -> Result<Option<MessageRow>, DatabaseError> {
    let own = format!("{SELECT} WHERE id = ?1 AND channel = ?2");
    if let Some(row) = db.fetch_optional(&own, bound![id, channel], from_row)? {
        return Ok(Some(row));
    }
    let sql = format!("{SELECT} WHERE channel = ?1 AND platform_id = ?2 ORDER BY created_at DESC LIMIT 1");
    db.fetch_optional(&sql, bound![channel, id], from_row)
}

/// One of any channel, by the service's id.
pub fn find_by_id(db: &dyn DbSession, id: &str) -> Result<Option<MessageRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

/// One of a conversation, by the service's id or the platform's.
pub fn read_within(
    db: &dyn DbSession,
    conversation: &str,
    id: &str,
) -> Result<Option<MessageRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE conversation = ?1 AND (id = ?2 OR platform_id = ?2) LIMIT 1");
    db.fetch_optional(&sql, bound![conversation, id], from_row)
}

/// A page of a channel's messages, newest first.
pub fn list(
    db: &dyn DbSession,
    channel: &str,
    filter: &Filter,
    after: &PagePosition,
    reach: i64,
) -> Result<Vec<MessageRow>, DatabaseError> {
    let query = page_query(bound![channel, after.at, after.id], filter, reach);
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, from_row)
}

/// The same page, each row shown where it lies.
///
/// # Errors
/// When the database fails, or what `visit` fails with.
pub fn visit_page<E: From<DatabaseError>>(
    db: &dyn DbSession,
    channel: &str,
    filter: &Filter,
    after: &PagePosition,
    reach: i64,
    mut visit: impl FnMut(&MessageRow<&str>) -> Result<(), E>,
) -> Result<(), E> {
    let query = page_query(bound![channel, after.at, after.id], filter, reach);
    let (sql, bound) = query.parts();
    db.for_each_row(sql, bound, |row| visit(&view(row)?))
}

/// A page of a conversation's history, in the order in which messages were sent,
/// newest first; each row is shown where it lies.
///
/// # Errors
/// When the database fails, or what `visit` fails with.
pub fn visit_history<E: From<DatabaseError>>(
    db: &dyn DbSession,
    conversation: &str,
    after: &PagePosition,
    reach: i64,
    mut visit: impl FnMut(&MessageRow<&str>) -> Result<(), E>,
) -> Result<(), E> {
    let sql = format!(
        "{SELECT} WHERE conversation = ?1 AND ({SENT_ORDER}, id) < (?2, ?3) ORDER BY {SENT_ORDER} DESC, id DESC LIMIT ?4"
    );
    db.for_each_row(&sql, bound![conversation, after.at, after.id, reach], |row| visit(&view(row)?))
}

/// The empty text keeps the channel's index from being taken for a
/// conversation's.
fn page_query<'a>(bound: &[SqlValue<'a>], filter: &'a Filter, reach: i64) -> SqlQuery<'a> {
    let channel_term = if filter.conversation.is_some() { "channel || ''" } else { "channel" };
    let sql = format!("{SELECT} WHERE {channel_term} = ?1 AND (created_at, id) < (?2, ?3)");
    let mut query = SqlQuery::new(sql, bound);
    query.filter("conversation", filter.conversation.as_deref().map(SqlValue::Text));
    query.filter("direction", filter.direction.map(SqlValue::Text));
    query.filter("status", filter.status.map(SqlValue::Text));
    query.push(" ORDER BY created_at DESC, id DESC LIMIT ?", &[SqlValue::Int(reach)]);
    query
}

/// The newest messages of a conversation in the order of its history, newest
/// first.
pub fn newest(db: &dyn DbSession, conversation: &str, count: i64) -> Result<Vec<MessageRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE conversation = ?1 ORDER BY {SENT_ORDER} DESC, id DESC LIMIT ?2");
    db.fetch_all(&sql, bound![conversation, count], from_row)
}

/// Moves an outbound message on: sent, delivered, read; failed only from
/// sent. As it is then; none when it is past that already.
pub fn advance(
    db: &dyn DbSession,
    id: &str,
    status: &str,
    at: Timestamp,
) -> Result<Option<MessageRow>, DatabaseError> {
    let change = match status {
        "delivered" => {
            "UPDATE messages SET status = 'delivered', delivered_at = ?2 WHERE id = ?1 AND status = 'sent'"
        }
        "read" => {
            "UPDATE messages SET status = 'read', read_at = ?2, delivered_at = coalesce(delivered_at, ?2)
             WHERE id = ?1 AND status IN ('sent', 'delivered')"
        }
        _ => {
            let change = "UPDATE messages SET status = 'failed' WHERE id = ?1 AND status = 'sent'";
            return db.fetch_optional(&format!("{change} RETURNING *"), bound![id], from_row);
        }
    };
    db.fetch_optional(&format!("{change} RETURNING *"), bound![id, at], from_row)
}

/// Writes a message anew that stands for something that goes on: a call.
pub fn rewrite(
    db: &dyn DbSession,
    id: &str,
    status: &str,
    content: &str,
    cost: i64,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE messages SET status = ?2, content = ?3, cost = ?4 WHERE id = ?1";
    db.change_later(sql, bound![id, status, content, cost])
}

/// Writes a message anew whose file came later, or could not be had; `file` is its
/// address, and a JSON object of what is known of it.
pub fn set_file(
    db: &dyn DbSession,
    id: &str,
    content: &str,
    file: (Option<&str>, &str),
) -> Result<(), DatabaseError> {
    let sql = "UPDATE messages SET content = ?2, media_url = ?3, details = ?4 WHERE id = ?1";
    db.change_later(sql, bound![id, content, file.0, file.1])
}

/// Writes a message anew that its author has changed: all that such a change can
/// reach.
pub fn update(db: &dyn DbSession, row: &MessageRow) -> Result<(), DatabaseError> {
    let sql = "UPDATE messages SET content = ?2, kind = ?3, media_url = ?4, details = ?5, extras = ?6 WHERE id = ?1";
    db.change_later(sql, bound![row.id, row.content, row.kind, row.media_url, row.details, row.extras])
}

/// Customers' reactions of a conversation, the latest `count`, newest first.
pub fn list_reactions(
    db: &dyn DbSession,
    conversation: &str,
    count: i64,
) -> Result<Vec<MessageRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE conversation = ?1 AND direction = 'inbound' AND kind = 'reaction'
         ORDER BY created_at DESC, id DESC LIMIT ?2"
    );
    db.fetch_all(&sql, bound![conversation, count], from_row)
}

/// Sets or removes this side's reaction.
pub fn set_reaction(db: &dyn DbSession, id: &str, emoji: Option<&str>) -> Result<(), DatabaseError> {
    db.change_later("UPDATE messages SET reaction = ?2 WHERE id = ?1", bound![id, emoji])
}

/// How often the assistant has answered since a time with no word of a person
/// of the business after it.
pub fn count_unattended_answers(
    db: &dyn DbSession,
    conversation: &str,
    since: Timestamp,
) -> Result<i64, DatabaseError> {
    let sql = "SELECT count(*) FROM messages WHERE conversation = ?1 AND sender = 'ai' AND created_at > ?2
               AND created_at > coalesce((SELECT max(created_at) FROM messages AS said
                   WHERE said.conversation = ?1 AND said.sender NOT IN ('ai', 'customer')), 0)";
    db.fetch_scalar(sql, bound![conversation, since])
}

/// How many messages a conversation has: the next number a bot platform
/// gives within a chat.
pub fn count(db: &dyn DbSession, conversation: &str) -> Result<i64, DatabaseError> {
    let sql = "SELECT count(*) FROM messages WHERE conversation = ?1";
    db.fetch_scalar(sql, bound![conversation])
}
