//! Pauses of the AI made from this desk: a lease with an owner and an age.
//! It ends when the AI is handed back here, or when the server says that it
//! answers again.

use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::ids::{ChannelId, ConversationId};
use model::queries::Pause;
use model::time::{DAY, Timestamp};
use sqlite::{Queries, read_row};

/// How long a hand-back is remembered: an AI that has not answered by then
/// shows as a customer who waits.
const HAND_BACK_HISTORY_LIMIT: i64 = 7 * DAY;

impl Store {
    /// All pauses of a channel, longest first.
    pub async fn pauses(&self, channel: &ChannelId) -> Result<Vec<Pause>, StoreError> {
        let channel = channel.clone();
        self.outbox().call_async(move |connection| list(connection, "main", &channel)).await
    }

    /// Notes that the history was read again since the AI was paused.
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

    /// Notes that the service paused the AI because a text of this desk was sent at
    /// `at`. An older pause of the same conversation stays as it is.
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
                connection.execute(
                    "INSERT INTO pause (channel, conversation, read_again, owner, since)
                         VALUES (?1, ?2, 1, ?3, ?4) ON CONFLICT DO NOTHING",
                    params![channel, conversation, owner, at],
                )?;
                Ok(())
            })
            .await
    }

    /// Forgets that this desk paused the AI: the server says it answers again.
    pub async fn remove_pause(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.outbox()
            .call_async(move |connection| Ok(end_pause(connection, channel.as_str(), conversation.as_str())?))
            .await
    }
}

/// Reads the pauses of a channel from the schema the outbox has on this
/// connection.
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

/// The AI was paused from here. An older pause of the same conversation keeps
/// its owner and age, but its history must be read again.
pub(crate) fn begin_pause(
    change: &Connection,
    channel: &str,
    conversation: &str,
    owner: &str,
    now: Timestamp,
) -> rusqlite::Result<()> {
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

/// The AI was handed back from here.
pub(crate) fn hand_back(
    change: &Connection,
    channel: &str,
    conversation: &str,
    at: Timestamp,
) -> rusqlite::Result<()> {
    end_pause(change, channel, conversation)?;
    change.execute("DELETE FROM handback WHERE at < ?1", [at.plus(-HAND_BACK_HISTORY_LIMIT).micros()])?;
    change.execute(
        "INSERT OR REPLACE INTO handback (channel, conversation, at) VALUES (?1, ?2, ?3)",
        params![channel, conversation, at],
    )?;
    Ok(())
}

/// The AI answers again.
pub(crate) fn end_pause(connection: &Connection, channel: &str, conversation: &str) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM pause WHERE channel = ?1 AND conversation = ?2",
        params![channel, conversation],
    )?;
    Ok(())
}
