//! Letters: what only a mail has, beside its message.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::email::rows::{read_letter, write_letter};
use crate::{Store, StoreError};
use model::email::MailMessage;
use model::ids::{ChannelId, ConversationId, MessageId};
use sqlite::Queries;

impl Store {
    /// Keeps the letters of a thread. To be called before their messages are
    /// merged.
    ///
    /// # Errors
    /// When the database fails; then nothing is changed.
    pub async fn apply_letters(
        &self,
        channel: &ChannelId,
        thread: &ConversationId,
        letters: Vec<(MessageId, MailMessage)>,
    ) -> Result<(), StoreError> {
        let (channel, thread) = (channel.clone(), thread.clone());
        self.cache()
            .later(move |cache| {
                let change = cache.connection.transaction()?;
                for (id, letter) in &letters {
                    change
                        .prepare_cached(
                            "INSERT OR REPLACE INTO letter (channel, thread, id, facts) VALUES (?1, ?2, ?3, ?4)",
                        )?
                        .execute(params![channel, thread, id, write_letter(letter)])?;
                }
                change.commit()?;
                Ok(())
            })
            .await
    }

    /// A mail of a channel as it came, if it is stored; blocks.
    pub fn raw_letter(&self, channel: &ChannelId, mail: &MessageId) -> Result<Option<String>, StoreError> {
        let (channel, mail) = (channel.clone(), mail.clone());
        self.cache().call(move |cache| {
            Ok(cache.connection.first(
                "SELECT m.raw FROM conversation c JOIN message m ON m.conversation = c.number
                 WHERE c.channel = ?1 AND m.id = ?2",
                params![channel, mail],
                |row| row.get("raw"),
            )?)
        })
    }

    /// The ids of the letters of a thread that are kept: they never change.
    pub async fn known_letters(
        &self,
        channel: &ChannelId,
        thread: &ConversationId,
    ) -> Result<HashMap<MessageId, MailMessage>, StoreError> {
        let (channel, thread) = (channel.clone(), thread.clone());
        self.cache().later(move |cache| of_thread(&cache.connection, &channel, &thread)).await
    }
}

/// The letters of a thread, on any connection of the cache.
pub(crate) fn of_thread(
    connection: &Connection,
    channel: &ChannelId,
    thread: &ConversationId,
) -> Result<HashMap<MessageId, MailMessage>, StoreError> {
    Ok(connection.all(
        "SELECT id, facts FROM letter WHERE channel = ?1 AND thread = ?2",
        params![channel, thread],
        |row| Ok((row.get("id")?, row.word("facts", read_letter)?)),
    )?)
}
