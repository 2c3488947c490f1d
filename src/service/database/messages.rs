//! Messages of the chat and phone channels.

use std::borrow::Cow;

use crate::cursors::PagePosition;
use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::rows::{SqlValue, bound, table};
use crate::database::session::DbSession;
use crate::database::team::changes::{self, ChangeKind};
use api::extras::ExtrasLine;
use model::service_levels::SaidBy;
use model::time::Timestamp;

/// A message. `T` is `String`, or `&str` borrowed from the row being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow<T = String> {
    pub id: T,
    pub conversation: T,
    pub channel: T,
    pub platform_id: T,
    pub direction: T,
    /// `customer`, `ai`, `api` or `agent`.
    pub sender: T,
    /// Text, caption, or a placeholder for the content in lists.
    pub content: T,
    pub kind: T,
    pub media_url: Option<T>,
    /// JSON object: further content given to the platform.
    pub details: Option<T>,
    /// sent, delivered, read, failed; received for inbound ones.
    pub status: T,
    pub reply_to: Option<T>,
    pub reaction: Option<T>,
    pub cost: i64,
    /// Time of creation or arrival; with the id, the position in lists by arrival.
    pub created_at: Timestamp,
    /// Time of sending by the platform's clock; `None` if unknown or not before the arrival.
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub broadcast: Option<T>,
    /// JSON of [`MessageExtras`](api::extras::MessageExtras).
    pub extras: Option<T>,
}

impl MessageRow {
    /// Returns the label of the message's kind, for brackets.
    pub fn kind_label(&self) -> &str {
        ExtrasLine::read(self.extras.as_deref()).kind_label(&self.kind)
    }

    /// Returns the text, or the kind of a message without text.
    pub fn preview(&self) -> Cow<'_, str> {
        self.preview_of(&self.content)
    }

    /// [`Self::preview`] with another text.
    pub fn preview_of<'a>(&self, content: &'a str) -> Cow<'a, str> {
        match content.is_empty() {
            true => format!("[{}]", self.kind_label()).into(),
            false => content.into(),
        }
    }

    /// Returns the id while the message has yet to reach the platform.
    pub fn awaited_id(&self) -> Option<String> {
        (self.status == "queued").then(|| self.id.clone())
    }
}

impl<T: AsRef<str>> MessageRow<T> {
    pub fn page_position(&self) -> PagePosition {
        PagePosition { at: self.created_at.micros(), id: self.id.as_ref().to_owned() }
    }

    /// Position in the history of the conversation, which is ordered by sending time.
    pub fn history_position(&self) -> PagePosition {
        let at = self.sent_at.unwrap_or(self.created_at);
        PagePosition { at: at.micros(), id: self.id.as_ref().to_owned() }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub conversation: Option<String>,
    pub direction: Option<&'static str>,
    pub status: Option<&'static str>,
}

table!(MessageRow<T> in messages {
    id: text, conversation: text, channel: text, platform_id: text, direction: text, sender: text, content: text,
    kind: text, media_url: optional_text, details: optional_text, status: text, reply_to: optional_text,
    reaction: optional_text, cost, created_at, sent_at, delivered_at, read_at, broadcast: optional_text, extras: optional_text
});

/// Condition of the index `messages_arrived`: messages of customers since the channel was connected. Written as in the
/// index, else no engine uses it.
const ARRIVED: &str = r#"sender = 'customer' AND substr(coalesce(extras, ''), 1, 11) <> '{"earlier":'"#;
/// Sort key of a history.
const SENT_ORDER: &str = "coalesce(sent_at, created_at)";

pub fn insert(db: &dyn DbSession, row: &MessageRow) -> Result<(), DatabaseError> {
    store(db, row)?;
    changes::log_message(db, ChangeKind::Message, &row.id, row.created_at)
}

/// Inserts a message from before the channel was connected, which the team's log leaves out.
pub fn insert_earlier(db: &dyn DbSession, row: &MessageRow) -> Result<(), DatabaseError> {
    store(db, row)
}

/// Finds a message of a channel by the service's id or the platform's.
pub fn read(db: &dyn DbSession, channel: &str, id: &str) -> Result<Option<MessageRow>, DatabaseError> {
    let own = format!("{SELECT} WHERE id = ?1 AND channel = ?2");
    if let Some(row) = db.fetch_optional(&own, bound![id, channel], from_row)? {
        return Ok(Some(row));
    }
    let sql = format!("{SELECT} WHERE channel = ?1 AND platform_id = ?2 ORDER BY created_at DESC LIMIT 1");
    db.fetch_optional(&sql, bound![channel, id], from_row)
}

pub fn find_by_id(db: &dyn DbSession, id: &str) -> Result<Option<MessageRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

/// Finds a message of a conversation by the service's id or the platform's.
pub fn read_within(
    db: &dyn DbSession,
    conversation: &str,
    id: &str,
) -> Result<Option<MessageRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE conversation = ?1 AND (id = ?2 OR platform_id = ?2) LIMIT 1");
    db.fetch_optional(&sql, bound![conversation, id], from_row)
}

/// Maximum number of later answers that are checked.
const MAX_LATER_ANSWERS: i64 = 20;

/// Lists the newest messages of people in a conversation after a position of its history.
pub fn answers_after(
    db: &dyn DbSession,
    conversation: &str,
    after: &PagePosition,
) -> Result<Vec<MessageRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE conversation = ?1 AND ({SENT_ORDER}, id) > (?2, ?3) AND direction = 'outbound'
             AND sender <> 'ai' AND broadcast IS NULL ORDER BY {SENT_ORDER} DESC, id DESC LIMIT ?4"
    );
    db.fetch_all(&sql, bound![conversation, after.at, after.id, MAX_LATER_ANSWERS], from_row)
}

/// Lists who sent the messages before a position of a conversation's history, and when, newest first. Reactions,
/// broadcasts and failed messages are left out.
pub fn list_authors_before(
    db: &dyn DbSession,
    conversation: &str,
    before: &PagePosition,
    count: i64,
) -> Result<Vec<(Timestamp, SaidBy)>, DatabaseError> {
    let sql = format!(
        "SELECT direction, sender, {SENT_ORDER} AS at FROM messages
         WHERE conversation = ?1 AND ({SENT_ORDER}, id) < (?2, ?3) AND kind <> 'reaction' AND status <> 'failed'
         AND broadcast IS NULL ORDER BY {SENT_ORDER} DESC, id DESC LIMIT ?4"
    );
    db.fetch_all(&sql, bound![conversation, before.at, before.id, count], |row| {
        let (direction, sender): (String, String) = (row.get("direction")?, row.get("sender")?);
        let author = match (direction.as_str(), sender.as_str()) {
            ("inbound", _) => SaidBy::Customer,
            (_, "ai") => SaidBy::Ai,
            _ => SaidBy::Person,
        };
        Ok((row.get("at")?, author))
    })
}

pub fn list(
    db: &dyn DbSession,
    channel: &str,
    filter: &Filter,
    after: &PagePosition,
    reach: i64,
) -> Result<Vec<MessageRow>, DatabaseError> {
    let Some(query) = page_query(bound![channel, after.at, after.id], filter, reach) else {
        return Ok(Vec::new());
    };
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, from_row)
}

/// Like [`list`], but visits each row without copying it.
pub fn visit_page<E: From<DatabaseError>>(
    db: &dyn DbSession,
    channel: &str,
    filter: &Filter,
    after: &PagePosition,
    reach: i64,
    mut visit: impl FnMut(&MessageRow<&str>) -> Result<(), E>,
) -> Result<(), E> {
    let Some(query) = page_query(bound![channel, after.at, after.id], filter, reach) else { return Ok(()) };
    let (sql, bound) = query.parts();
    db.for_each_row(sql, bound, |row| visit(&view(row)?))
}

/// Visits the latest messages of customers without copying the rows, newest first. Messages from before the channel
/// was connected are left out.
pub fn visit_newest<E: From<DatabaseError>>(
    db: &dyn DbSession,
    channel: &str,
    count: i64,
    mut visit: impl FnMut(&MessageRow<&str>) -> Result<(), E>,
) -> Result<(), E> {
    let sql = format!("{SELECT} WHERE channel = ?1 AND {ARRIVED} ORDER BY created_at DESC, id DESC LIMIT ?2");
    db.for_each_row(&sql, bound![channel, count], |row| visit(&view(row)?))
}

/// Visits a page of a conversation's history without copying the rows, last sent first.
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

/// Returns the query of a page, `None` if no message can pass the filter.
///
/// `channel || ''` keeps the planner from using the channel's index where a conversation's fits
/// better. A status implies the direction: inbound messages have the status `received`, and no others
/// have it. The index of the status is in the order of the list, so the direction is not asked for.
fn page_query<'a>(bound: &[SqlValue<'a>], filter: &'a Filter, reach: i64) -> Option<SqlQuery<'a>> {
    let direction = match (filter.direction, filter.status) {
        (Some(direction), Some(status)) if (direction == "inbound") != (status == "received") => return None,
        (_, Some(_)) => None,
        (direction, None) => direction,
    };
    let channel_term = if filter.conversation.is_some() { "channel || ''" } else { "channel" };
    let sql = format!("{SELECT} WHERE {channel_term} = ?1 AND (created_at, id) < (?2, ?3)");
    let mut query = SqlQuery::new(sql, bound);
    query.filter("conversation", filter.conversation.as_deref().map(SqlValue::Text));
    query.filter("direction", direction.map(SqlValue::Text));
    query.filter("status", filter.status.map(SqlValue::Text));
    query.push(" ORDER BY created_at DESC, id DESC LIMIT ?", &[SqlValue::Int(reach)]);
    Some(query)
}

pub fn newest(db: &dyn DbSession, conversation: &str, count: i64) -> Result<Vec<MessageRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE conversation = ?1 ORDER BY {SENT_ORDER} DESC, id DESC LIMIT ?2");
    db.fetch_all(&sql, bound![conversation, count], from_row)
}

/// Advances the status of an outbound message: sent, delivered, read; failed only from sent.
/// Returns the changed row, `None` if it is already past that status.
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
            let changed = db.fetch_optional(&format!("{change} RETURNING *"), bound![id], from_row)?;
            return log_status(db, changed, at);
        }
    };
    log_status(db, db.fetch_optional(&format!("{change} RETURNING *"), bound![id, at], from_row)?, at)
}

fn log_status(
    db: &dyn DbSession,
    changed: Option<MessageRow>,
    at: Timestamp,
) -> Result<Option<MessageRow>, DatabaseError> {
    if let Some(row) = &changed {
        changes::log_message(db, ChangeKind::Status, &row.id, at)?;
    }
    Ok(changed)
}

/// Rewrites the status, content and price of a call.
pub fn rewrite(
    db: &dyn DbSession,
    id: &str,
    (status, content): (&str, &str),
    cost: i64,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE messages SET status = ?2, content = ?3, cost = ?4 WHERE id = ?1";
    db.change_later(sql, bound![id, status, content, cost])?;
    changes::log_message(db, ChangeKind::Status, id, at)
}

/// Updates a message whose file arrived later or could not be fetched. `file` is its URL and a JSON
/// object with its details.
pub fn set_file(
    db: &dyn DbSession,
    id: &str,
    content: &str,
    file: (Option<&str>, &str),
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE messages SET content = ?2, media_url = ?3, details = ?4 WHERE id = ?1";
    db.change_later(sql, bound![id, content, file.0, file.1])?;
    changes::log_message(db, ChangeKind::Status, id, at)
}

/// Stores a message that its author has edited: all columns that an edit can change.
pub fn update(db: &dyn DbSession, row: &MessageRow, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE messages SET content = ?2, kind = ?3, media_url = ?4, details = ?5, extras = ?6 WHERE id = ?1";
    db.change_later(sql, bound![row.id, row.content, row.kind, row.media_url, row.details, row.extras])?;
    changes::log_message(db, ChangeKind::Status, &row.id, at)
}

/// Lists the latest `count` reactions of customers in a conversation, newest first.
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

pub fn set_reaction(
    db: &dyn DbSession,
    id: &str,
    emoji: Option<&str>,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    db.change_later("UPDATE messages SET reaction = ?2 WHERE id = ?1", bound![id, emoji])?;
    changes::log_message(db, ChangeKind::Status, id, at)
}

/// Counts the assistant's messages that are newer than `since` and than the last message of a
/// person of the business.
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

/// Counts the messages of a conversation, from which a bot's next message number is made.
pub fn count(db: &dyn DbSession, conversation: &str) -> Result<i64, DatabaseError> {
    let sql = "SELECT count(*) FROM messages WHERE conversation = ?1";
    db.fetch_scalar(sql, bound![conversation])
}

#[cfg(test)]
mod tests {
    use super::ARRIVED;
    use api::extras::EARLIER_PREFIX;

    #[test]
    fn condition_of_the_index_fits_the_stored_text() {
        let compared = format!("1, {}) <> '{EARLIER_PREFIX}'", EARLIER_PREFIX.len());
        assert!(ARRIVED.ends_with(&compared), "{compared}");
    }
}
