//! Conversations: one for each customer of a channel. Interface: Resources,
//! Conversation and Telegram conversation; States and transitions.

use rusqlite::{Connection, params};

use crate::cursors::Place;
use crate::database::DatabaseError;
use crate::database::channels::{self, ChannelRow};
use model::bounds;
use model::time::{SECOND, Timestamp};
use sqlite::{Queries, Row, columns, only};

/// Characters of a preview.
const PREVIEW: usize = 120;

/// A conversation; its texts are its own, or lie in the row that is being
/// read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRow<T = String> {
    /// Its id.
    pub id: T,
    /// The channel it is on.
    pub channel: T,
    /// Where replies go: a phone number or a chat id.
    pub peer: T,
    /// The customer's name.
    pub name: Option<T>,
    /// The customer's user name on the bot channel.
    pub username: Option<T>,
    /// The customer's mail address.
    pub email: Option<T>,
    /// The address of a picture.
    pub avatar: Option<T>,
    /// `active` or `closed`.
    pub status: T,
    /// Whether the assistant answers.
    pub automation: bool,
    /// Why the assistant asked for a person.
    pub escalation: Option<T>,
    /// Since when it asks.
    pub escalated_at: Option<Timestamp>,
    /// How many messages.
    pub message_count: i64,
    /// The newest message, cut.
    pub preview: T,
    /// When the newest message came.
    pub last_at: Timestamp,
    /// When the first message came.
    pub first_at: Timestamp,
    /// When the conversation was made.
    pub created_at: Timestamp,
    /// When the customer last wrote.
    pub last_inbound_at: Option<Timestamp>,
    /// A JSON object: the ad it came from.
    pub referral: Option<T>,
}

impl ConversationRow {
    /// A conversation that begins now.
    pub fn new(id: String, channel: &str, peer: &str, now: Timestamp) -> Self {
        Self {
            id,
            channel: channel.to_owned(),
            peer: peer.to_owned(),
            name: None,
            username: None,
            email: None,
            avatar: None,
            status: "active".to_owned(),
            automation: true,
            escalation: None,
            escalated_at: None,
            message_count: 0,
            preview: String::new(),
            last_at: now,
            first_at: now,
            created_at: now,
            last_inbound_at: None,
            referral: None,
        }
    }
}

impl<T: AsRef<str>> ConversationRow<T> {
    /// Whether free text may be sent: the customer wrote in the last 24
    /// hours. Interface: Conversation, `serviceWindowOpen`.
    pub fn window_open(&self, now: Timestamp) -> bool {
        self.last_inbound_at.is_some_and(|at| now.since(at) < bounds::WINDOW_SECONDS * SECOND)
    }

    /// When free text may no longer be sent, if it ever could.
    pub fn window_closes(&self) -> Option<Timestamp> {
        self.last_inbound_at.map(|at| at.plus(bounds::WINDOW_SECONDS * SECOND))
    }

    /// Its place in lists ordered by activity.
    pub fn place(&self) -> Place {
        Place { at: self.last_at.micros(), id: self.id.as_ref().to_owned() }
    }
}

columns!(ConversationRow<T> in conversations {
    id: text, channel: text, peer: text, name: optional_text, username: optional_text, email: optional_text,
    avatar: optional_text, status: text, automation, escalation: optional_text, escalated_at, message_count,
    preview: text, last_at, first_at, created_at, last_inbound_at, referral: optional_text
});

/// Makes a conversation.
pub fn insert(db: &Connection, row: &ConversationRow) -> Result<(), DatabaseError> {
    store(db, row)?;
    Ok(())
}

/// One of a channel by id.
pub fn read(db: &Connection, channel: &str, id: &str) -> Result<Option<ConversationRow>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE id = ?1 AND channel = ?2"), [id, channel], from_row)?)
}

/// One by id, with the channel it is on.
pub fn with_channel(
    db: &Connection,
    id: &str,
) -> Result<Option<(ChannelRow, ConversationRow)>, DatabaseError> {
    let found = db.first(&format!("{SELECT} WHERE id = ?1"), [id], from_row)?;
    found.map(|row| Ok((channels::read(db, &row.channel)?, row))).transpose()
}

/// One of a channel by the customer's number or chat id.
pub fn of_peer(db: &Connection, channel: &str, peer: &str) -> Result<Option<ConversationRow>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE channel = ?1 AND peer = ?2"), [channel, peer], from_row)?)
}

/// A page, newest activity first.
pub fn list(
    db: &Connection,
    channel: &str,
    status: Option<&str>,
    after: &Place,
    reach: i64,
) -> Result<Vec<ConversationRow>, DatabaseError> {
    Ok(db.all(&page_query(status), params![channel, status, after.at, after.id, reach], from_row)?)
}

/// The same page, each row shown where it lies.
///
/// # Errors
/// When the database fails, or what `visit` fails with.
pub fn each<E: From<DatabaseError>>(
    db: &Connection,
    channel: &str,
    status: Option<&str>,
    after: &Place,
    reach: i64,
    mut visit: impl FnMut(&ConversationRow<&str>) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = db.prepare_cached(&page_query(status)).map_err(DatabaseError::from)?;
    let bound = params![channel, status, after.at, after.id, reach];
    let mut rows = statement.query(bound).map_err(DatabaseError::from)?;
    while let Some(row) = rows.next().map_err(DatabaseError::from)? {
        visit(&view(&Row::of(row)).map_err(DatabaseError::from)?)?;
    }
    Ok(())
}

fn page_query(status: Option<&str>) -> String {
    let filter = if status.is_some() { "AND status = ?2" } else { "AND ?2 IS NULL" };
    format!(
        "{SELECT} WHERE channel = ?1 {filter} AND (last_at, id) < (?3, ?4)
         ORDER BY last_at DESC, id DESC LIMIT ?5"
    )
}

/// Counts a message. One from the customer opens the service window and a
/// closed conversation.
pub fn touch(
    db: &Connection,
    id: &str,
    preview: &str,
    inbound: bool,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET message_count = message_count + 1, preview = ?2, last_at = ?3,
        first_at = CASE message_count WHEN 0 THEN ?3 ELSE first_at END,
        last_inbound_at = CASE WHEN ?4 THEN ?3 ELSE last_inbound_at END,
        status = CASE WHEN ?4 THEN 'active' ELSE status END
        WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, cut(preview), at, inbound])?;
    Ok(())
}

/// Writes the preview of a message anew, where it is still the newest.
pub fn retell(db: &Connection, id: &str, preview: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET preview = ?2 WHERE id = ?1 AND last_at = ?3";
    db.prepare_cached(sql)?.execute(params![id, cut(preview), at])?;
    Ok(())
}

/// Sets whether the assistant answers. A person who takes over or hands back
/// has seen why the assistant asked.
pub fn set_automation(db: &Connection, id: &str, enabled: bool) -> Result<(), DatabaseError> {
    let sql =
        "UPDATE conversations SET automation = ?2, escalation = NULL, escalated_at = NULL WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, enabled])?;
    forget_summary(db, id)
}

/// Notes why the assistant asks for a person, and what it says of it.
pub fn escalate(
    db: &Connection,
    id: &str,
    (reason, summary): (&str, &str),
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql =
        "UPDATE conversations SET escalation = ?2, escalated_at = coalesce(escalated_at, ?3) WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, reason, at])?;
    let sql = "INSERT OR REPLACE INTO escalation_summaries (conversation, summary) VALUES (?1, ?2)";
    db.prepare_cached(sql)?.execute([id, summary])?;
    Ok(())
}

/// What the assistant said beside the reason it asks for a person with.
pub fn summary(db: &Connection, id: &str) -> Result<Option<String>, DatabaseError> {
    let found: Option<String> =
        db.first("SELECT summary FROM escalation_summaries WHERE conversation = ?1", [id], only)?;
    Ok(found.filter(|it| !it.is_empty()))
}

/// Forgets that the assistant asked for a person.
pub fn calm(db: &Connection, id: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET escalation = NULL, escalated_at = NULL WHERE id = ?1 AND escalation IS NOT NULL";
    db.prepare_cached(sql)?.execute([id])?;
    forget_summary(db, id)
}

fn forget_summary(db: &Connection, id: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("DELETE FROM escalation_summaries WHERE conversation = ?1")?.execute([id])?;
    Ok(())
}

/// Sets `active` or `closed`.
pub fn set_status(db: &Connection, id: &str, status: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("UPDATE conversations SET status = ?2 WHERE id = ?1")?.execute([id, status])?;
    Ok(())
}

/// Learns what the customer is called; what is not told stays.
pub fn rename(
    db: &Connection,
    id: &str,
    name: Option<&str>,
    username: Option<&str>,
    email: Option<&str>,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET name = coalesce(?2, name), username = coalesce(?3, username),
               email = coalesce(?4, email) WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, name, username, email])?;
    Ok(())
}

/// Sets what the customer is called and their mail address, known or not.
pub fn set_person(
    db: &Connection,
    id: &str,
    name: Option<&str>,
    email: Option<&str>,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET name = ?2, email = ?3 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, name, email])?;
    Ok(())
}

/// Removes a conversation with its messages.
pub fn delete(db: &Connection, id: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("DELETE FROM conversations WHERE id = ?1")?.execute([id])?;
    Ok(())
}

fn cut(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(PREVIEW) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
