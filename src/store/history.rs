//! Read progress of each history and the newest message seen at this desk.
//!
//! Stored messages have no gaps, from the newest back to `older_cursor`; behind it the server may
//! have more.

use rusqlite::{Connection, params};

use crate::changed::parse_last_change;
use crate::messages::{self, AppliedMessages};
use crate::{Store, StoreError, facts};
use model::account::Platform;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::messages::{HistoryPosition, Message};
use model::time::Timestamp;
use sqlite::{Queries, only_cell, read_row};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HistoryState {
    /// Newest message of the last read that reached the stored messages.
    pub read_until: Option<HistoryPosition>,
    pub older_cursor: Option<String>,
    /// True if nothing older exists.
    pub reached_start: bool,
    /// True if the conversation predates this desk and was not read yet: its first history raises
    /// no alert.
    pub quiet: bool,
    /// Position of the oldest changed message that may not have been read again.
    pub changed_from: Option<Timestamp>,
}

/// Effect of a history page on the read progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryProgress {
    /// The walk has not yet met the stored messages; more pages follow.
    Walking,
    /// The walk has met the stored messages.
    Joined {
        /// Newest message of the walk.
        newest: Option<HistoryPosition>,
    },
    /// Nothing was stored, or the walk is too long to meet it: messages older than this page are
    /// deleted and can be read again.
    Anew {
        /// Newest message of the walk.
        newest: Option<HistoryPosition>,
        /// Cursor of the next older page; `None` if there is none.
        older_cursor: Option<String>,
    },
    /// A page older than the oldest stored message.
    Older {
        /// Cursor of the next older page; `None` if there is none.
        older_cursor: Option<String>,
    },
}

impl Store {
    pub fn count_stored_messages(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<usize, StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.cache().call(move |cache| {
            let count: i64 = cache.connection.scalar(
                "SELECT count(*) FROM message WHERE conversation =
                     (SELECT number FROM conversation WHERE channel = ?1 AND id = ?2)",
                params![channel, conversation],
            )?;
            Ok(usize::try_from(count).unwrap_or(0))
        })
    }

    /// Returns the read progress of a history; `None` for an unknown conversation.
    pub async fn history_state(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<HistoryState>, StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.cache().call_async(move |cache| state(&cache.connection, &channel, &conversation)).await
    }

    /// Merges a page of one history, newest first, and its read progress in one transaction.
    /// `caught_up` clears the mark that the list reported changes, unless the history ends before
    /// them.
    pub async fn apply_history(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        page: Vec<Message>,
        platform: Platform,
        step: HistoryProgress,
        caught_up: bool,
    ) -> Result<AppliedMessages, StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.cache()
            .change_async(move |change| {
                let mut applied = messages::merge_all(change, &channel, &page, &platform)?;
                if let Some(number) = messages::conversation_number(change, &channel, &conversation)?
                    && step != HistoryProgress::Walking
                {
                    if move_read_marks(change, number, &page, &step)? {
                        // The screen shows how far back the history reaches, even if no message is
                        // new.
                        applied.touched.insert(conversation);
                    }
                    applied.lags = caught_up && !catch_up(change, number, &step)?;
                }
                Ok(applied)
            })
            .await
    }

    /// Returns those of the `among` most recent conversations that were read to their start yet
    /// hold fewer messages than the server counts.
    pub async fn histories_missing_messages(
        &self,
        channel: &ChannelId,
        among: u32,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                Ok(cache.connection.all(
                    "SELECT id FROM (SELECT number, id, message_count, reached_start, behind, sort_at
                         FROM conversation WHERE channel = ?1 ORDER BY sort_at DESC, id DESC LIMIT ?2) latest
                     WHERE reached_start = 1 AND behind = 0 AND message_count >
                         (SELECT count(*) FROM message WHERE conversation = latest.number)
                     ORDER BY sort_at DESC, id DESC",
                    params![channel, among],
                    only_cell,
                )?)
            })
            .await
    }

    /// Records that everything up to a message has been seen. Blocks.
    pub fn mark_seen(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        until: (Timestamp, MessageId),
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.cache().change(move |change| {
            let moved = change.execute(
                "UPDATE conversation SET seen_at = ?3, seen_id = ?4 WHERE channel = ?1 AND id = ?2
                     AND (seen_at IS NULL OR (seen_at, seen_id) < (?3, ?4))",
                params![channel, conversation, until.0, until.1],
            )?;
            if moved > 0
                && let Some(number) = messages::conversation_number(change, &channel, &conversation)?
            {
                facts::refresh(change, number)?;
            }
            Ok(())
        })
    }
}

fn state(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<HistoryState>, StoreError> {
    Ok(connection.first(
        "SELECT read_at, read_id, older_cursor, reached_start, quiet, behind, raw
             FROM conversation WHERE channel = ?1 AND id = ?2",
        params![channel, conversation],
        |row| {
            let read_until = row.get::<Option<_>>("read_at")?.zip(row.get("read_id")?);
            let raw: Option<String> = if row.get("behind")? { Some(row.get("raw")?) } else { None };
            let changed_from = raw.and_then(|raw| parse_last_change(&raw)).map(|change| change.message_at);
            Ok(read_row!(row, HistoryState { older_cursor, reached_start, quiet; read_until, changed_from }))
        },
    )?)
}

/// Returns true if the history now reaches back to another point.
fn move_read_marks(
    connection: &Connection,
    number: i64,
    page: &[Message],
    step: &HistoryProgress,
) -> Result<bool, StoreError> {
    Ok(match step {
        HistoryProgress::Walking => false,
        HistoryProgress::Older { older_cursor } => set_older(connection, number, older_cursor.as_ref())?,
        HistoryProgress::Joined { newest } => {
            set_newest(connection, number, newest.as_ref())?;
            false
        }
        HistoryProgress::Anew { newest, older_cursor } => {
            if let (Some(oldest), Some(_)) = (page.last(), older_cursor) {
                connection.execute(
                    "DELETE FROM message WHERE conversation = ?1 AND (sort_at, id) <
                         (SELECT sort_at, id FROM message WHERE conversation = ?1 AND id = ?2)",
                    params![number, oldest.id],
                )?;
            }
            set_newest(connection, number, newest.as_ref())?;
            set_older(connection, number, older_cursor.as_ref())?
        }
    })
}

/// Clears the mark that the list reported changes, unless a history that was read before ends
/// before them. Returns false then.
fn catch_up(connection: &Connection, number: i64, step: &HistoryProgress) -> Result<bool, StoreError> {
    let read_before = matches!(step, HistoryProgress::Joined { .. });
    let is_there = !read_before || has_reached_list(connection, number)?;
    if is_there {
        let was_behind = connection
            .prepare_cached("UPDATE conversation SET behind = 0 WHERE number = ?1 AND behind = 1")?
            .execute([number])?;
        if was_behind > 0 {
            facts::refresh(connection, number)?;
        }
    }
    Ok(is_there)
}

/// True if the newest message confirmed by the server is as new as the list reports.
fn has_reached_list(connection: &Connection, number: i64) -> Result<bool, StoreError> {
    Ok(connection.scalar(
        "SELECT last_message_at IS NULL OR last_message_at <= coalesce(
                 (SELECT max(sort_at) FROM message WHERE conversation = ?1 AND provisional = 0), 0)
             OR last_message_at <= coalesce(change_at(raw), 0)
             FROM conversation WHERE number = ?1",
        [number],
    )?)
}

fn set_newest(
    connection: &Connection,
    number: i64,
    newest: Option<&HistoryPosition>,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE conversation SET quiet = 0, read_at = coalesce(?2, read_at), read_id = coalesce(?3, read_id)
             WHERE number = ?1 AND (quiet = 1 OR read_id IS NULL OR read_id <> ?3)",
        )?
        .execute(params![number, newest.map(|newest| newest.0.micros()), newest.map(|newest| newest.1.as_str())])?;
    Ok(())
}

/// Returns true if the cursor changed.
fn set_older(connection: &Connection, number: i64, cursor: Option<&String>) -> Result<bool, StoreError> {
    let changed = connection
        .prepare_cached(
            "UPDATE conversation SET older_cursor = ?2, reached_start = ?3
             WHERE number = ?1 AND (older_cursor IS NOT ?2 OR reached_start <> ?3)",
        )?
        .execute(params![number, cursor, cursor.is_none()])?;
    Ok(changed > 0)
}
