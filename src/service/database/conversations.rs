//! Conversations of the chat and phone channels, one for each customer of a channel.

use crate::cursors::PagePosition;
use crate::database::DatabaseError;
use crate::database::channels::{self, ChannelRow};
use crate::database::clauses::SqlQuery;
use crate::database::rows::{SqlValue, bound, single_cell, table};
use crate::database::session::DbSession;
use crate::database::team::changes;
use model::messages::AnswerPlace;
use model::time::{SECOND, Timestamp};
use model::{bounds, phone_forms};

const MAX_PREVIEW_CHARS: usize = 120;

/// A conversation. `T` is `String`, or `&str` borrowed from the row being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRow<T = String> {
    pub id: T,
    pub channel: T,
    /// Address under which it is stored and shown: a phone number, the id of a person or group, or
    /// a chat id.
    pub peer: T,
    /// Address that the platform last gave, if its form differs from `peer`.
    pub platform_peer: Option<T>,
    pub name: Option<T>,
    pub username: Option<T>,
    pub email: Option<T>,
    pub avatar: Option<T>,
    pub status: T,
    pub automation: bool,
    /// Name of the person who switched the assistant off, while it is off.
    pub paused_by: Option<T>,
    /// Place of the answer sent elsewhere that switched it off.
    pub paused_from: Option<T>,
    /// Reason for which the assistant asked for a person.
    pub escalation: Option<T>,
    pub escalated_at: Option<Timestamp>,
    pub message_count: i64,
    pub preview: T,
    pub last_at: Timestamp,
    pub first_at: Timestamp,
    pub created_at: Timestamp,
    pub last_inbound_at: Option<Timestamp>,
    /// JSON object: the ad that the conversation came from.
    pub referral: Option<T>,
    /// JSON object: `at`, the time of the last change of a message; `messageAt`, the time of the
    /// oldest message changed lately.
    pub last_change: Option<T>,
    /// `None` while it is open, and if it was closed by a version that did not record the time.
    pub closed_at: Option<Timestamp>,
}

impl ConversationRow {
    pub fn new(id: String, channel: &str, peer: &str, now: Timestamp) -> Self {
        Self {
            id,
            channel: channel.to_owned(),
            peer: peer.to_owned(),
            platform_peer: None,
            name: None,
            username: None,
            email: None,
            avatar: None,
            status: "active".to_owned(),
            automation: true,
            paused_by: None,
            paused_from: None,
            escalation: None,
            escalated_at: None,
            message_count: 0,
            preview: String::new(),
            last_at: now,
            first_at: now,
            created_at: now,
            last_inbound_at: None,
            referral: None,
            last_change: None,
            closed_at: None,
        }
    }
}

impl<T: AsRef<str>> ConversationRow<T> {
    /// Returns true if free text may be sent: the customer wrote in the last 24 hours.
    pub fn is_window_open(&self, now: Timestamp) -> bool {
        self.last_inbound_at.is_some_and(|at| now.since(at) < bounds::SERVICE_WINDOW_SECONDS * SECOND)
    }

    /// End of the service window; `None` if the customer never wrote.
    pub fn window_closes_at(&self) -> Option<Timestamp> {
        self.last_inbound_at.map(|at| at.plus(bounds::SERVICE_WINDOW_SECONDS * SECOND))
    }

    /// Address that sends go to.
    pub fn recipient(&self) -> &str {
        self.platform_peer.as_ref().unwrap_or(&self.peer).as_ref()
    }

    pub fn page_position(&self) -> PagePosition {
        PagePosition { at: self.last_at.micros(), id: self.id.as_ref().to_owned() }
    }
}

table!(ConversationRow<T> in conversations {
    id: text, channel: text, peer: text, platform_peer: optional_text, name: optional_text, username: optional_text, email: optional_text,
    avatar: optional_text, status: text, automation, escalation: optional_text, escalated_at, message_count,
    preview: text, last_at, first_at, created_at, last_inbound_at, referral: optional_text,
    last_change: optional_text, closed_at, paused_by: optional_text, paused_from: optional_text
});

pub fn insert(db: &dyn DbSession, row: &ConversationRow) -> Result<(), DatabaseError> {
    store(db, row)
}

pub fn read(db: &dyn DbSession, channel: &str, id: &str) -> Result<Option<ConversationRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1 AND channel = ?2"), bound![id, channel], from_row)
}

pub fn with_channel(
    db: &dyn DbSession,
    id: &str,
) -> Result<Option<(ChannelRow, ConversationRow)>, DatabaseError> {
    let found = db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)?;
    found.map(|row| Ok((channels::read(db, &row.channel)?, row))).transpose()
}

/// Finds a conversation by an address, by an alias that the platform gave, or by another form of
/// the phone number. Of several, an alias of exactly this address comes first, then the one in
/// which the customer wrote last.
pub fn find_by_peer(
    db: &dyn DbSession,
    channel: &str,
    peer: &str,
) -> Result<Option<ConversationRow>, DatabaseError> {
    let forms = phone_forms::all_forms(peer);
    if forms.len() > 1 {
        return find_by_forms(db, channel, &forms);
    }
    let known = "coalesce((SELECT peer_aliases.peer FROM peer_aliases
                 WHERE peer_aliases.channel = ?1 AND peer_aliases.alias = ?2), ?2)";
    db.fetch_optional(
        &format!("{SELECT} WHERE channel = ?1 AND peer = {known}"),
        bound![channel, peer],
        from_row,
    )
}

/// `forms` holds at most five forms, the wanted one first.
fn find_by_forms(
    db: &dyn DbSession,
    channel: &str,
    forms: &[String],
) -> Result<Option<ConversationRow>, DatabaseError> {
    let form = |place: usize| forms.get(place).unwrap_or(&forms[0]);
    let any = "(?2, ?3, ?4, ?5, ?6)";
    let known =
        "SELECT peer_aliases.peer FROM peer_aliases WHERE peer_aliases.channel = ?1 AND peer_aliases.alias";
    let sql = format!(
        "{SELECT} WHERE channel = ?1 AND (peer IN {any} OR peer IN ({known} IN {any}))
         ORDER BY CASE WHEN peer = ({known} = ?2) THEN 0 ELSE 1 END, coalesce(last_inbound_at, -1) DESC,
         CASE WHEN peer = ?2 THEN 0 ELSE 1 END, created_at, id LIMIT 1"
    );
    db.fetch_optional(&sql, bound![channel, form(0), form(1), form(2), form(3), form(4)], from_row)
}

pub fn find_at_peer(
    db: &dyn DbSession,
    channel: &str,
    peer: &str,
) -> Result<Option<ConversationRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE channel = ?1 AND peer = ?2"), bound![channel, peer], from_row)
}

/// Returns true if a bot chat or one of its topics has a conversation.
pub fn has_chat(db: &dyn DbSession, channel: &str, chat: &str) -> Result<bool, DatabaseError> {
    let topics = format!("{chat}/");
    let behind = format!("{chat}0");
    let sql =
        "SELECT count(*) FROM conversations WHERE channel = ?1 AND (peer = ?2 OR (peer > ?3 AND peer < ?4))";
    let count: i64 = db.fetch_scalar(sql, bound![channel, chat, topics, behind])?;
    Ok(count > 0)
}

/// Finds the conversation of a bot chat or of one of its topics that holds a
/// message. Message numbers are unique within a chat, over all its topics.
pub fn find_by_message(
    db: &dyn DbSession,
    channel: &str,
    chat: &str,
    platform_id: &str,
) -> Result<Option<ConversationRow>, DatabaseError> {
    let topics = format!("{chat}/");
    let behind = format!("{chat}0");
    let sql = format!(
        "{SELECT} WHERE channel = ?1 AND (peer = ?2 OR (peer > ?3 AND peer < ?4))
         AND id IN (SELECT conversation FROM messages WHERE messages.channel = ?1 AND messages.platform_id = ?5)
         ORDER BY last_at DESC LIMIT 1"
    );
    db.fetch_optional(&sql, bound![channel, chat, topics, behind, platform_id], from_row)
}

pub fn peers_of_username(
    db: &dyn DbSession,
    channel: &str,
    name: &str,
) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT peer FROM conversations WHERE channel = ?1 AND lower(username) = ?2";
    db.fetch_all(sql, bound![channel, name.to_lowercase()], single_cell)
}

/// Sets the ad that led the customer here, as JSON.
pub fn set_referral(db: &dyn DbSession, id: &str, referral: &str) -> Result<(), DatabaseError> {
    db.change_later("UPDATE conversations SET referral = ?2 WHERE id = ?1", bound![id, referral])
}

pub fn set_platform_peer(db: &dyn DbSession, id: &str, address: Option<&str>) -> Result<(), DatabaseError> {
    db.change_later("UPDATE conversations SET platform_peer = ?2 WHERE id = ?1", bound![id, address])
}

pub fn list(
    db: &dyn DbSession,
    channel: &str,
    status: Option<&str>,
    after: &PagePosition,
    reach: i64,
) -> Result<Vec<ConversationRow>, DatabaseError> {
    let query = page_query(bound![channel, after.at, after.id], status, reach);
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, from_row)
}

/// Like [`list`], but visits each row without copying it.
pub fn visit_page<E: From<DatabaseError>>(
    db: &dyn DbSession,
    channel: &str,
    status: Option<&str>,
    after: &PagePosition,
    reach: i64,
    mut visit: impl FnMut(&ConversationRow<&str>) -> Result<(), E>,
) -> Result<(), E> {
    let query = page_query(bound![channel, after.at, after.id], status, reach);
    let (sql, bound) = query.parts();
    db.for_each_row(sql, bound, |row| visit(&view(row)?))
}

fn page_query<'a>(bound: &[SqlValue<'a>], status: Option<&'a str>, reach: i64) -> SqlQuery<'a> {
    let sql = format!("{SELECT} WHERE channel = ?1 AND (last_at, id) < (?2, ?3)");
    let mut query = SqlQuery::new(sql, bound);
    query.filter("status", status.map(SqlValue::Text));
    query.push(" ORDER BY last_at DESC, id DESC LIMIT ?", &[SqlValue::Int(reach)]);
    query
}

/// Counts a message. A customer's message opens the service window and a closed conversation.
pub fn touch(
    db: &dyn DbSession,
    id: &str,
    preview: &str,
    inbound: bool,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET message_count = message_count + 1, preview = ?2, last_at = ?3,
        first_at = CASE message_count WHEN 0 THEN ?3 ELSE first_at END WHERE id = ?1";
    db.change_later(sql, bound![id, truncate_preview(preview), at])?;
    if inbound { record_inbound(db, id, at) } else { Ok(()) }
}

/// Counts a message from before the channel was connected, sent at `at`; `inbound_at` is the time of a customer's.
/// A closed conversation stays closed.
pub fn count_earlier(
    db: &dyn DbSession,
    id: &str,
    preview: &str,
    at: Timestamp,
    inbound_at: Option<Timestamp>,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET
        preview = CASE WHEN message_count = 0 OR last_at <= ?3 THEN ?2 ELSE preview END,
        last_at = CASE WHEN message_count = 0 OR last_at <= ?3 THEN ?3 ELSE last_at END,
        first_at = CASE WHEN message_count = 0 OR first_at > ?3 THEN ?3 ELSE first_at END,
        last_inbound_at = CASE WHEN last_inbound_at IS NULL OR last_inbound_at < ?4 THEN coalesce(?4, last_inbound_at)
                          ELSE last_inbound_at END,
        message_count = message_count + 1 WHERE id = ?1";
    db.change_later(sql, bound![id, truncate_preview(preview), at, inbound_at])
}

/// Counts a customer's message that arrived at `at`. The service window begins at `sent_at`; a
/// closed conversation is opened.
pub fn touch_inbound(
    db: &dyn DbSession,
    id: &str,
    preview: &str,
    (at, sent_at): (Timestamp, Timestamp),
) -> Result<(), DatabaseError> {
    touch(db, id, preview, false, at)?;
    record_inbound(db, id, sent_at)
}

fn record_inbound(db: &dyn DbSession, id: &str, sent_at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET status = 'active', closed_at = NULL, last_inbound_at =
        CASE WHEN last_inbound_at IS NULL OR last_inbound_at < ?2 THEN ?2 ELSE last_inbound_at END WHERE id = ?1";
    db.change_later(sql, bound![id, sent_at])
}

pub fn update_preview(
    db: &dyn DbSession,
    id: &str,
    preview: &str,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET preview = ?2 WHERE id = ?1 AND (last_at = ?3 OR NOT EXISTS
               (SELECT 1 FROM messages WHERE conversation = ?1 AND created_at > ?3))";
    db.change_later(sql, bound![id, truncate_preview(preview), at])
}

/// Records that a message was changed at `at`, which counts as activity. `change` is the JSON of
/// `last_change`.
pub fn record_change(db: &dyn DbSession, id: &str, change: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET last_change = ?2,
               last_at = CASE WHEN last_at < ?3 THEN ?3 ELSE last_at END WHERE id = ?1";
    db.change_later(sql, bound![id, change, at])
}

/// Author of a pause: a person, or an answer that was not sent through the service.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pauser<'a> {
    /// Name of the person.
    pub person: Option<&'a str>,
    pub place: Option<AnswerPlace>,
}

/// Switches the assistant on or off; clears the escalation, which the person has seen. `pauser` is recorded with a
/// pause of an assistant that was on.
pub fn set_automation(
    db: &dyn DbSession,
    id: &str,
    enabled: bool,
    pauser: Pauser<'_>,
) -> Result<(), DatabaseError> {
    let (person, place) = (pauser.person, pauser.place.map(AnswerPlace::word));
    let sql = "UPDATE conversations SET paused_by = ?2, paused_from = ?3 WHERE id = ?1 AND automation";
    if !enabled && (person.is_some() || place.is_some()) {
        db.change_later(sql, bound![id, person, place])?;
    }
    let sql = "UPDATE conversations SET paused_by = NULL, paused_from = NULL
               WHERE id = ?1 AND (paused_by IS NOT NULL OR paused_from IS NOT NULL)";
    if enabled {
        db.change_later(sql, bound![id])?;
    }
    let sql =
        "UPDATE conversations SET automation = ?2, escalation = NULL, escalated_at = NULL WHERE id = ?1";
    db.change_later(sql, bound![id, enabled])?;
    forget_summary(db, id)
}

/// Returns true if the assistant is on in a conversation; false if there is none.
pub fn is_automation_on(db: &dyn DbSession, id: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT automation FROM conversations WHERE id = ?1";
    let found: Option<bool> = db.fetch_optional(sql, bound![id], single_cell)?;
    Ok(found.unwrap_or(false))
}

/// Records the reason and summary of an escalation; the first time stays.
pub fn escalate(
    db: &dyn DbSession,
    id: &str,
    (reason, summary): (&str, &str),
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql =
        "UPDATE conversations SET escalation = ?2, escalated_at = coalesce(escalated_at, ?3) WHERE id = ?1";
    db.change_later(sql, bound![id, reason, at])?;
    let sql = "INSERT INTO escalation_summaries (conversation, summary) VALUES (?1, ?2)
               ON CONFLICT (conversation) DO UPDATE SET summary = excluded.summary";
    db.change_later(sql, bound![id, summary])?;
    changes::log_conversation(db, id, at)
}

pub fn summary(db: &dyn DbSession, id: &str) -> Result<Option<String>, DatabaseError> {
    let found: Option<String> = db.fetch_optional(
        "SELECT summary FROM escalation_summaries WHERE conversation = ?1",
        bound![id],
        single_cell,
    )?;
    Ok(found.filter(|text| !text.is_empty()))
}

pub fn clear_escalation(db: &dyn DbSession, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET escalation = NULL, escalated_at = NULL WHERE id = ?1 AND escalation IS NOT NULL";
    if db.change(sql, bound![id])? > 0 {
        changes::log_conversation(db, id, at)?;
    }
    forget_summary(db, id)
}

fn forget_summary(db: &dyn DbSession, id: &str) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM escalation_summaries WHERE conversation = ?1", bound![id])
}

pub fn set_status(db: &dyn DbSession, id: &str, status: &str) -> Result<(), DatabaseError> {
    db.change_later("UPDATE conversations SET status = ?2 WHERE id = ?1", bound![id, status])
}

/// Closes a conversation; one that is closed keeps its time.
pub fn close(db: &dyn DbSession, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET closed_at = CASE status WHEN 'closed' THEN closed_at ELSE ?2 END,
               status = 'closed' WHERE id = ?1";
    db.change_later(sql, bound![id, at])?;
    changes::log_conversation(db, id, at)
}

/// Updates the names that are known; `None` keeps the stored one.
pub fn update_names(
    db: &dyn DbSession,
    id: &str,
    name: Option<&str>,
    username: Option<&str>,
    email: Option<&str>,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET name = coalesce(?2, name), username = coalesce(?3, username),
               email = coalesce(?4, email) WHERE id = ?1";
    db.change_later(sql, bound![id, name, username, email])
}

/// Sets name and mail address; `None` clears them.
pub fn set_person(
    db: &dyn DbSession,
    id: &str,
    name: Option<&str>,
    email: Option<&str>,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET name = ?2, email = ?3 WHERE id = ?1";
    db.change_later(sql, bound![id, name, email])
}

pub fn delete(db: &dyn DbSession, id: &str) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM egress WHERE lane = ?1", bound![id])?;
    let files = "DELETE FROM ingress WHERE channel = (SELECT channel FROM conversations WHERE id = ?1)
                 AND lane > ?2 AND lane < ?3 AND done_at IS NULL";
    db.change_later(files, bound![id, format!("{id}/"), format!("{id}0")])?;
    let aliases = "DELETE FROM peer_aliases WHERE (channel, peer) IN
                   (SELECT channel, peer FROM conversations WHERE id = ?1)";
    db.change_later(aliases, bound![id])?;
    db.change_later("DELETE FROM conversations WHERE id = ?1", bound![id])
}

fn truncate_preview(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(MAX_PREVIEW_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
