//! Local data for its own pages: outbox rows with the facts needed to decide on them, and drafts.

use rusqlite::{Connection, params};

use crate::StoreError;
use crate::lane::{LaneRow, find};
use crate::reader::conversations::load_row;
use crate::rows::message;
use crate::rows::outbox::{COLUMNS, read};
use model::email::NEW_MAIL_PREFIX;
use model::ids::{ChannelId, ConversationId, RowId};
use model::messages::{HistoryPosition, Message};
use model::outbox::{ClockTimes, HistoryFinding, Lane, OutboxRow, RowState, StopReason};
use model::queries::{DeskQuery, DraftEntry, OutboxEntry, OutboxPage, RowQuestion};
use model::text::SafeText;
use sqlite::{Queries, Row, read_row};

/// Maximum number of newer messages read for a row.
const MAX_NEWER_MESSAGES: u32 = 20;

/// Returns outbox rows, stopped ones first.
pub(crate) fn load_outbox(connection: &Connection, query: &DeskQuery) -> Result<OutboxPage, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM desk.outbox WHERE ?1 IS NULL OR channel = ?1
         ORDER BY state <> 'stopped', sequence LIMIT ?2"
    );
    let channel = query.channel.as_ref().map(ChannelId::as_str);
    let rows: Vec<_> = connection.all(&sql, params![channel, i64::from(query.limit) + 1], read)?;
    let (rows, more) = truncate_rows(rows, query.limit);
    let entries = rows.into_iter().map(|row| entry_from_row(connection, row));
    Ok(OutboxPage { entries: entries.collect::<Result<_, _>>()?, more })
}

/// Returns rows stopped for one reason, in sending order.
pub(crate) fn stopped(
    connection: &Connection,
    stop: StopReason,
    limit: u32,
) -> Result<Vec<OutboxEntry>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM desk.outbox WHERE state = 'stopped' AND stop = ?1 ORDER BY sequence LIMIT ?2"
    );
    let rows: Vec<_> = connection.all(&sql, params![stop.word(), limit], read)?;
    rows.into_iter().map(|row| entry_from_row(connection, row)).collect()
}

pub(crate) fn load_entry(connection: &Connection, id: &RowId) -> Result<Option<OutboxEntry>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM desk.outbox WHERE id = ?1");
    let row = connection.first(&sql, [id.as_str()], read)?;
    row.map(|row| entry_from_row(connection, row)).transpose()
}

pub(crate) fn load_question(
    connection: &Connection,
    id: &RowId,
    now: &ClockTimes,
) -> Result<Option<RowQuestion>, StoreError> {
    let found = find(connection, id)?;
    let question = |lane_row: LaneRow| {
        let spent = lane_row.needs_new_key(now);
        Ok(RowQuestion { entry: entry_from_row(connection, lane_row.row)?, is_key_expired: spent })
    };
    found.map(question).transpose()
}

fn entry_from_row(connection: &Connection, row: OutboxRow) -> Result<OutboxEntry, StoreError> {
    let title = lane_title(connection, &row.channel, &row.lane)?;
    let (crossed, candidates) = match &row.lane {
        Lane::Conversation(conversation) => (
            newer_messages(connection, &row, conversation)?,
            candidate_messages(connection, &row, conversation)?,
        ),
        _ => (Vec::new(), Vec::new()),
    };
    Ok(OutboxEntry { title, newer_messages: crossed, candidates, row })
}

pub(crate) fn lane_title(
    connection: &Connection,
    channel: &ChannelId,
    lane: &Lane,
) -> Result<SafeText, StoreError> {
    Ok(match lane {
        Lane::Conversation(conversation) => conversation_title(connection, channel, conversation)?,
        Lane::Address(to) | Lane::Number(to) | Lane::Contact(to) => SafeText::line(to),
        Lane::Thread(_) => SafeText::line("Email thread"),
        Lane::Broadcasts => SafeText::line("Broadcast"),
        Lane::Webhooks => SafeText::line("Webhooks"),
        Lane::Templates => SafeText::line("Templates"),
        Lane::Media => SafeText::line("Upload"),
    })
}

/// Returns the newest messages of others since the author of a row stopped as a conflict or as late
/// last saw the conversation, oldest first.
fn newer_messages(
    connection: &Connection,
    row: &OutboxRow,
    conversation: &ConversationId,
) -> Result<Vec<Message>, StoreError> {
    let (RowState::Stopped(StopReason::ReplyConflict | StopReason::Late, _), Some(seen)) =
        (&row.state, &row.seen)
    else {
        return Ok(Vec::new());
    };
    let by_others = "AND m.sender <> 'broadcast' AND NOT EXISTS (SELECT 1 FROM desk.sent_here s
             WHERE s.channel = ?1 AND s.message = m.id)";
    messages_after(connection, &row.channel, conversation, seen, by_others)
}

/// Returns the newest messages after a position that match an SQL condition, oldest first.
pub(crate) fn messages_after(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    seen: &HistoryPosition,
    condition: &str,
) -> Result<Vec<Message>, StoreError> {
    let sql = format!(
        "SELECT {} FROM message m JOIN conversation c ON c.number = m.conversation
         WHERE c.channel = ?1 AND c.id = ?2 AND (m.sort_at, m.id) > (?3, ?4)
             AND NOT (m.inbound = 0 AND m.provisional = 1) {condition}
         ORDER BY m.sort_at DESC, m.id DESC LIMIT {MAX_NEWER_MESSAGES}",
        message::COLUMNS
    );
    let of = params![channel, conversation, seen.0, seen.1];
    let mut messages: Vec<_> =
        connection.all(&sql, of, |connection| message::read(connection, conversation))?;
    messages.reverse();
    Ok(messages)
}

/// Returns the newest messages, oldest first.
pub(crate) fn newest_messages(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    limit: usize,
) -> Result<Vec<Message>, StoreError> {
    let sql = format!(
        "SELECT {} FROM message m JOIN conversation c ON c.number = m.conversation
         WHERE c.channel = ?1 AND c.id = ?2 ORDER BY m.sort_at DESC, m.id DESC LIMIT {limit}",
        message::COLUMNS
    );
    let mut messages: Vec<_> = connection
        .all(&sql, params![channel, conversation], |connection| message::read(connection, conversation))?;
    messages.reverse();
    Ok(messages)
}

/// Returns the messages that may be a text of unknown outcome.
fn candidate_messages(
    connection: &Connection,
    row: &OutboxRow,
    conversation: &ConversationId,
) -> Result<Vec<Message>, StoreError> {
    let HistoryFinding::Several(found) = &row.finding else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "SELECT {} FROM message m JOIN conversation c ON c.number = m.conversation
         WHERE c.channel = ?1 AND c.id = ?2 AND m.id = ?3",
        message::COLUMNS
    );
    let mut messages = Vec::with_capacity(found.len());
    for id in found {
        let of = params![row.channel, conversation, id];
        messages.extend(connection.first(&sql, of, |connection| message::read(connection, conversation))?);
    }
    Ok(messages)
}

/// Returns a conversation's title, or its id if it is not in the cache.
pub(crate) fn conversation_title(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<SafeText, StoreError> {
    if conversation.as_str().starts_with(NEW_MAIL_PREFIX) {
        return Ok(SafeText::line("New mail"));
    }
    let known = load_row(connection, channel, conversation)?;
    Ok(known.map_or_else(
        || SafeText::line(conversation.as_str()),
        |conversation_row| conversation_row.conversation.title(),
    ))
}

/// Returns drafts, longest waiting customer first, and true if there are more.
pub(crate) fn load_drafts(
    connection: &Connection,
    query: &DeskQuery,
) -> Result<(Vec<DraftEntry>, bool), StoreError> {
    let sql = "SELECT d.channel, d.conversation, d.text, c.waiting_since, d.note FROM desk.draft d
         LEFT JOIN conversation c ON c.channel = d.channel AND c.id = d.conversation
         WHERE ?1 IS NULL OR d.channel = ?1
         ORDER BY c.waiting_since IS NULL, c.waiting_since, d.channel, d.conversation LIMIT ?2";
    let channel = query.channel.as_ref().map(ChannelId::as_str);
    let rows: Vec<_> = connection.all(sql, params![channel, i64::from(query.limit) + 1], draft_from_row)?;
    let (mut rows, more) = truncate_rows(rows, query.limit);
    for row in &mut rows {
        row.title = conversation_title(connection, &row.channel, &row.conversation)?;
    }
    Ok((rows, more))
}

fn draft_from_row(row: &Row<'_>) -> rusqlite::Result<DraftEntry> {
    // If both exist the text takes precedence, because a customer waits for it.
    let is_note = row.parse_word("text", str::is_empty)?;
    let text = row.block(if is_note { "note" } else { "text" })?;
    Ok(read_row!(row, DraftEntry {
        channel, conversation, waiting_since; is_note, title: SafeText::default(), text
    }))
}

pub(crate) fn truncate_rows<T>(mut rows: Vec<T>, limit: u32) -> (Vec<T>, bool) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    (rows, more)
}
