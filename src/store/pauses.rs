//! AI pauses made from this desk, with owner and start. A pause ends when the AI is handed back
//! here or the server reports that it answers again.

use rusqlite::{Connection, params};

use crate::{Store, StoreError, history_events};
use model::history_events::HistoryEventKind;
use model::ids::{ChannelId, ConversationId};
use model::queries::Pause;
use model::time::{DAY, Timestamp};
use sqlite::{Queries, read_row};

/// Time a hand-back is remembered; after it an unanswered customer simply shows as waiting.
const HAND_BACK_HISTORY_LIMIT: i64 = 7 * DAY;

impl Store {
    /// Returns the pauses of a channel, longest first.
    pub async fn pauses(&self, channel: &ChannelId) -> Result<Vec<Pause>, StoreError> {
        let channel = channel.clone();
        self.outbox().call_async(move |connection| list(connection, "main", &channel)).await
    }

    /// Records that the history was read again since the AI was paused.
    pub async fn record_history_reread(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.outbox()
            .call_async(move |connection| {
                connection.execute(
                    "UPDATE pause SET read_again = 1 WHERE channel = ?1 AND conversation = ?2
                         AND read_again = 0",
                    params![channel, conversation],
                )?;
                Ok(())
            })
            .await
    }

    /// Records that the service paused the AI because of a text sent from here at `at`. Keeps an
    /// older pause.
    pub async fn record_pause_by_sending(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        let owner = self.owner().to_owned();
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction()?;
                let begun = change.execute(
                    "INSERT INTO pause (channel, conversation, read_again, owner, since)
                         VALUES (?1, ?2, 1, ?3, ?4) ON CONFLICT DO NOTHING",
                    params![channel, conversation, owner, at],
                )?;
                if begun > 0 {
                    let place = (channel.as_str(), conversation.as_str());
                    history_events::record(&change, place, HistoryEventKind::TookOver, Some(&owner), at)?;
                }
                Ok(change.commit()?)
            })
            .await
    }

    /// Removes a pause because the server reports `at` that the AI answers again: another desk has
    /// handed the conversation back.
    pub async fn remove_pause(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction()?;
                let place = (channel.as_str(), conversation.as_str());
                if end_pause(&change, place.0, place.1)? {
                    history_events::record(&change, place, HistoryEventKind::HandedBack, None, at)?;
                }
                Ok(change.commit()?)
            })
            .await
    }
}

/// Returns the pauses of a channel; `schema` is the schema name of the outbox.
pub(crate) fn list(
    connection: &Connection,
    schema: &str,
    channel: &ChannelId,
) -> Result<Vec<Pause>, StoreError> {
    let sql = format!(
        "SELECT conversation, owner, since FROM {schema}.pause WHERE channel = ?1
         ORDER BY since, conversation"
    );
    Ok(connection.all(&sql, [channel.as_str()], |row| {
        Ok(read_row!(row, Pause { conversation, owner: line, since }))
    })?)
}

/// Records a pause made from here. An older one keeps its owner and start, but the history must be
/// read again.
pub(crate) fn begin_pause(
    change: &Connection,
    channel: &str,
    conversation: &str,
    owner: &str,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let is_paused: bool = change.scalar(
        "SELECT EXISTS (SELECT 1 FROM pause WHERE channel = ?1 AND conversation = ?2)",
        params![channel, conversation],
    )?;
    if !is_paused {
        let place = (channel, conversation);
        history_events::record(change, place, HistoryEventKind::TookOver, Some(owner), now)?;
    }
    change.execute(
        "INSERT INTO pause (channel, conversation, read_again, owner, since) VALUES (?1, ?2, 0, ?3, ?4)
         ON CONFLICT DO UPDATE SET read_again = 0",
        params![channel, conversation, owner, now],
    )?;
    change.execute(
        "DELETE FROM handback WHERE channel = ?1 AND conversation = ?2",
        params![channel, conversation],
    )?;
    Ok(())
}

pub(crate) fn hand_back(
    change: &Connection,
    channel: &str,
    conversation: &str,
    owner: &str,
    at: Timestamp,
) -> rusqlite::Result<()> {
    end_pause(change, channel, conversation)?;
    let place = (channel, conversation);
    history_events::record(change, place, HistoryEventKind::HandedBack, Some(owner), at)?;
    change.execute("DELETE FROM handback WHERE at < ?1", [at.plus(-HAND_BACK_HISTORY_LIMIT).micros()])?;
    change.execute(
        "INSERT OR REPLACE INTO handback (channel, conversation, at) VALUES (?1, ?2, ?3)",
        params![channel, conversation, at],
    )?;
    Ok(())
}

/// Removes a pause; returns true if there was one.
pub(crate) fn end_pause(
    connection: &Connection,
    channel: &str,
    conversation: &str,
) -> rusqlite::Result<bool> {
    let ended = connection.execute(
        "DELETE FROM pause WHERE channel = ?1 AND conversation = ?2",
        params![channel, conversation],
    )?;
    Ok(ended > 0)
}
