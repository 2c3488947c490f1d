//! Derived facts of a conversation: waiting since, unread count, position in the list. Recomputed
//! from the messages in the transaction that changed them.
//!
//! Any outbound message counts as an answer, also the AI's, except a broadcast. If the list reports
//! a newer message than those stored, a customer not yet known to wait is not marked as waiting.
//! Messages of unreadable direction do not count.

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, params};

use crate::changed::{parse_last_change, parse_marks};
use crate::{StoreError, broadcast_only, queue, trouble};
use model::messages::kind_label;
use model::text::SafeText;
use sqlite::{Queries, only_cell};

/// Limit of the unread count, which bounds its cost.
const MAX_COUNTED_UNREAD: i64 = 999;
const MAX_PREVIEW_CHARS: usize = 160;

/// Position in a history: `(sort_at, id)`.
type StoredPosition = (i64, String);

pub(crate) fn refresh(connection: &Connection, number: i64) -> Result<(), StoreError> {
    let newest_outbound = newest_position(connection, number, false)?;
    let newest_inbound = newest_position(connection, number, true)?;
    let seen: Option<StoredPosition> = connection.first(
        "SELECT seen_at, seen_id FROM conversation WHERE number = ?1 AND seen_at IS NOT NULL",
        [number],
        |row| Ok((row.get("seen_at")?, row.get("seen_id")?)),
    )?;
    let beginning = || (i64::MIN, String::new());
    let answered = newest_outbound.clone().unwrap_or_else(beginning);
    let unanswered = first_inbound_after(connection, number, &answered)?;
    let (holds_the_newest, before) = history_status(connection, number)?;
    let waiting_since = if holds_the_newest { unanswered } else { unanswered.and(before) };
    // Before the first look everything up to the last answer counts as read.
    let looked = seen.or(newest_outbound).unwrap_or_else(beginning);
    let unread: i64 = connection.scalar(
        "SELECT count(*) FROM (SELECT 1 FROM message WHERE conversation = ?1
                 AND (sort_at, id) > (?2, ?3) AND inbound = 1 AND unreadable = 0 LIMIT ?4)",
        params![number, looked.0, looked.1, MAX_COUNTED_UNREAD],
    )?;
    connection
        .prepare_cached(
            "UPDATE conversation SET waiting_since = ?2, unread = ?3,
                 last_inbound_at = max(coalesce(?4, last_inbound_at), coalesce(last_inbound_at, ?4))
             WHERE number = ?1",
        )?
        .execute(params![number, waiting_since, unread, newest_inbound.map(|place| place.0)])?;
    trouble::refresh_score(connection, number)?;
    broadcast_only::refresh(connection, number)?;
    update_list_position(connection, number)?;
    queue::refresh(connection, number)
}

/// Sets the sort key and the preview from the newer of the list entry and the newest stored
/// message.
fn update_list_position(connection: &Connection, number: i64) -> Result<(), StoreError> {
    let newest: Option<(i64, String, String, String)> = connection.first(
        "SELECT sort_at, content, content_type, iif(content = '', raw, '') AS raw FROM message
             WHERE conversation = ?1 AND unreadable = 0 ORDER BY sort_at DESC, id DESC LIMIT 1",
        [number],
        |row| Ok((row.get("sort_at")?, row.get("content")?, row.get("content_type")?, row.get("raw")?)),
    )?;
    let told = "SELECT coalesce(last_message_at, created_at, 0) FROM conversation WHERE number = ?1";
    let listed: i64 = connection.scalar(told, [number])?;
    match newest {
        // For mail the list shows the subject instead of a message.
        Some((at, _, kind, _)) if at > listed && kind == "email" => {
            connection
                .prepare_cached("UPDATE conversation SET sort_at = ?2 WHERE number = ?1")?
                .execute(params![number, at])?;
        }
        Some((at, content, kind, raw)) if at > listed => {
            let preview = preview_text(&content, kind_label(&kind, parse_marks(&raw, &kind).form));
            connection
                .prepare_cached("UPDATE conversation SET sort_at = ?2, preview = ?3 WHERE number = ?1")?
                .execute(params![number, at, preview])?;
        }
        _ => {
            connection
                .prepare_cached("UPDATE conversation SET sort_at = ?2 WHERE number = ?1 AND sort_at <> ?2")?
                .execute(params![number, listed])?;
        }
    }
    Ok(())
}

/// Registers functions for the preview of a message and for the last change of a conversation.
pub(crate) fn install(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("change_at", 1, flags, |arguments| {
        Ok(parse_last_change(arguments.get_raw(0).as_str()?).map(|change| change.at.micros()))
    })?;
    connection.create_scalar_function("first_line", 2, flags, |arguments| {
        Ok(preview_text(arguments.get_raw(0).as_str()?, arguments.get_raw(1).as_str()?))
    })
}

fn preview_text(content: &str, kind: &str) -> String {
    let line = SafeText::line(content);
    if line.is_empty() {
        return format!("[{kind}]");
    }
    line.as_str().chars().take(MAX_PREVIEW_CHARS).collect()
}

/// Returns true if the newest message of the list is stored or the history was read since, and the
/// stored start of waiting.
fn history_status(connection: &Connection, number: i64) -> Result<(bool, Option<i64>), StoreError> {
    let sql = "SELECT behind = 0 OR last_message_at IS NULL OR last_message_at <= coalesce(
             (SELECT max(sort_at) FROM message WHERE conversation = ?1), last_message_at)
             OR last_message_at <= coalesce(change_at(raw), 0) AS is_stored, waiting_since
         FROM conversation WHERE number = ?1";
    Ok(connection.one(sql, [number], |row| Ok((row.get("is_stored")?, row.get("waiting_since")?)))?)
}

fn newest_position(
    connection: &Connection,
    number: i64,
    inbound: bool,
) -> Result<Option<StoredPosition>, StoreError> {
    Ok(connection.first(
        "SELECT sort_at, id FROM message WHERE conversation = ?1 AND inbound = ?2 AND unreadable = 0
             AND sender <> 'broadcast' ORDER BY sort_at DESC, id DESC LIMIT 1",
        params![number, inbound],
        |row| Ok((row.get("sort_at")?, row.get("id")?)),
    )?)
}

fn first_inbound_after(
    connection: &Connection,
    number: i64,
    answered: &StoredPosition,
) -> Result<Option<i64>, StoreError> {
    Ok(connection.first(
        "SELECT sort_at FROM message WHERE conversation = ?1 AND (sort_at, id) > (?2, ?3)
                 AND inbound = 1 AND unreadable = 0 ORDER BY sort_at, id LIMIT 1",
        params![number, answered.0, answered.1],
        only_cell,
    )?)
}
