//! Newest messages of a history, with reactions and outbox rows.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::email::mail_messages;
use crate::reader::conversations::load_row;
use crate::rows::media;
use crate::rows::message::{COLUMNS, read};
use crate::rows::outbox;
use crate::{StoreError, changed, history_events, notes, phone_entries, suggestions};
use model::conversations::ConversationRow;
use model::history_events::{EventAuthor, HistoryEvent, HistoryEventKind, add_unless_recorded};
use model::ids::{ChannelId, ConversationId, MessageId};
use model::messages::MessageRow;
use model::outbox::{Operation, OutboxRow};
use model::queries::{HistoryPage, HistoryQuery};
use model::time::Timestamp;
use sqlite::{Queries, read_row};

const MAIL_CONTENT_TYPE: &str = "email";

pub(crate) fn load_page(connection: &Connection, query: &HistoryQuery) -> Result<HistoryPage, StoreError> {
    let rows = load_outbox_rows(connection, &query.channel, &query.conversation)?;
    let marks = load_marks(connection, query)?;
    let Some((number, seen_until, reached_start)) = marks else {
        let notes = notes::list(connection, &query.channel, &query.conversation, None)?;
        let events = history_events::list(connection, &query.channel, &query.conversation, None)?;
        return Ok(HistoryPage {
            outbox: rows,
            notes,
            events,
            more_on_server: true,
            ..HistoryPage::default()
        });
    };
    let mut messages = load_messages(connection, query, number)?;
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let more_stored = messages.len() > limit;
    messages.truncate(limit);
    messages.reverse();
    if messages.iter().any(|message| message.message.content_type == MAIL_CONTENT_TYPE) {
        let mut letters = mail_messages::list_of_thread(connection, &query.channel, &query.conversation)?;
        for row in &mut messages {
            row.mail = letters.remove(&row.message.id).map(Box::new);
        }
    }
    let mut made = suggestions::generated_texts(connection, number)?;
    let pending = pending_reactions(&rows);
    for row in &mut messages {
        row.generated = made.remove(&row.message.id).unwrap_or_default();
        row.reaction_pending = pending.get(&row.message.id).cloned();
    }
    // Notes older than the loaded messages are returned with older pages.
    let reaches_start = !more_stored && reached_start;
    let oldest = messages.iter().find_map(|message| message.message.created_at).filter(|_| !reaches_start);
    let notes = notes::list(connection, &query.channel, &query.conversation, oldest)?;
    let conversation = load_row(connection, &query.channel, &query.conversation)?;
    let (received, listed) = phone_entries::list(connection, &query.conversation, number)?;
    if !received.is_empty() {
        messages.extend(received);
        messages.sort_by_key(|row| row.message.created_at);
    }
    let events = load_events(connection, query, oldest, conversation.as_ref())?;
    Ok(HistoryPage {
        conversation,
        messages,
        outbox: rows,
        notes,
        events,
        listed,
        more_stored,
        more_on_server: !reached_start,
        seen_until,
    })
}

/// Returns the recorded events since a time, and two that only the row shows: the close by the
/// server, and the claim.
fn load_events(
    connection: &Connection,
    query: &HistoryQuery,
    since: Option<Timestamp>,
    row: Option<&ConversationRow>,
) -> Result<Vec<HistoryEvent>, StoreError> {
    let mut events = history_events::list(connection, &query.channel, &query.conversation, since)?;
    let mut add = |kind, by, at: Timestamp| {
        if since.is_none_or(|since| since <= at) {
            add_unless_recorded(&mut events, HistoryEvent { kind, by, at });
        }
    };
    if let Some(at) = row.and_then(|row| row.conversation.closed_at) {
        add(HistoryEventKind::Closed, EventAuthor::Unknown, at);
    }
    if let Some(claim) = row.and_then(|row| row.local.claim.as_ref()) {
        add(HistoryEventKind::TookOver, EventAuthor::Agent(claim.agent.clone()), claim.at);
    }
    Ok(events)
}

type HistoryMarks = (i64, Option<(Timestamp, MessageId)>, bool);

fn load_marks(connection: &Connection, query: &HistoryQuery) -> Result<Option<HistoryMarks>, StoreError> {
    let sql =
        "SELECT number, seen_at, seen_id, reached_start FROM conversation WHERE channel = ?1 AND id = ?2";
    Ok(connection.first(sql, params![query.channel, query.conversation], |row| {
        let seen = row.get::<Option<_>>("seen_at")?.zip(row.get("seen_id")?);
        Ok((row.get("number")?, seen, row.get("reached_start")?))
    })?)
}

/// Returns one message more than requested, newest first, to detect if more are stored.
pub(crate) fn load_messages(
    connection: &Connection,
    query: &HistoryQuery,
    number: i64,
) -> Result<Vec<MessageRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS},
             EXISTS (SELECT 1 FROM desk.sent_here s WHERE s.channel = ?2 AND s.message = m.id) AS sent_here,
             (SELECT r.emoji FROM desk.reaction r WHERE r.channel = ?2 AND r.message = m.id) AS reaction
         FROM message m WHERE m.conversation = ?1 ORDER BY m.sort_at DESC, m.id DESC LIMIT ?3"
    );
    let limit = i64::from(query.limit) + 1;
    Ok(connection.all(&sql, params![number, query.channel, limit], |row| {
        let message = read(row, &query.conversation)?;
        let media = message.media_url.as_ref().map(|_| media::read_file_info(&message.raw)).unwrap_or_default();
        let change = changed::parse_message_change(&message.raw);
        let album = changed::parse_album(&message.raw);
        Ok(read_row!(row, MessageRow { sent_here, reaction; message, media, change, album, reaction_pending: None, mail: None, generated: Vec::new() }))
    })?)
}

fn load_outbox_rows(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Vec<OutboxRow>, StoreError> {
    let columns = outbox::COLUMNS;
    let sql = format!(
        "SELECT {columns} FROM desk.outbox WHERE channel = ?1 AND conversation = ?2 ORDER BY sequence"
    );
    Ok(connection.all(&sql, params![channel, conversation], outbox::read)?)
}

/// Returns pending reactions, the newest of each message.
fn pending_reactions(rows: &[OutboxRow]) -> HashMap<MessageId, String> {
    let on_their_way = rows.iter().filter(|row| !row.is_stopped());
    on_their_way
        .filter_map(|row| match &row.operation {
            Operation::React { message, emoji } => Some((message.clone(), emoji.clone())),
            _ => None,
        })
        .collect()
}
