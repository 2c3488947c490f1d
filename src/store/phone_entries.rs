//! Calls and texts of phone channels, whose histories the server does not return.
//!
//! Kept apart from `message` because they have gaps: nothing is counted from them, and they raise
//! no alert. Only the time of the customer's newest one is a fact of the conversation.

use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::conversations::Conversation;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::messages::{Message, MessageFileInfo, MessageRow};
use model::phone_entries::PhoneEntry;
use model::text::SafeText;
use sqlite::{Queries, read_row};

/// Maximum number of entries kept, and read, per number.
const MAX_ENTRIES: i64 = 1_000;

impl Store {
    /// Stores the newest call or text of each listed number.
    pub async fn record_phone_list(
        &self,
        channel: &ChannelId,
        rows: Vec<Conversation>,
    ) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let change = cache.connection.transaction()?;
                for row in rows.iter().filter(|row| !row.preview.is_empty()) {
                    let Some(at) = row.last_message_at else { continue };
                    // A call in progress is listed again with its length.
                    change.execute(
                        "INSERT INTO phone_entry (conversation, id, at, is_inbound, content_type, text)
                             SELECT number, 'listed ' || ?3, ?3, 0, '', ?4 FROM conversation
                             WHERE channel = ?1 AND id = ?2
                             ON CONFLICT DO UPDATE SET text = excluded.text WHERE text <> excluded.text",
                        params![channel, row.id, at, row.preview.as_str()],
                    )?;
                }
                Ok(change.commit()?)
            })
            .await
    }

    /// Stores calls and texts of customers. Returns the conversations that have new entries.
    /// Messages carry the server's id of a conversation, which is in its raw row.
    pub async fn record_phone_messages(
        &self,
        channel: &ChannelId,
        messages: Vec<Message>,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let change = cache.connection.transaction()?;
                let mut touched = Vec::new();
                for message in &messages {
                    let Some(at) = message.created_at else { continue };
                    let Some((number, id)) = find_conversation(&change, &channel, message)? else { continue };
                    let inserted = change.execute(
                        "INSERT INTO phone_entry (conversation, id, at, is_inbound, content_type, text)
                             VALUES (?1, ?2, ?3, 1, ?4, ?5) ON CONFLICT DO NOTHING",
                        params![number, message.id, at, message.content_type, message.content.as_str()],
                    )?;
                    if inserted > 0 {
                        // Wakes a conversation that was put away until they write.
                        change.execute(
                            "UPDATE conversation SET last_inbound_at = max(coalesce(last_inbound_at, ?2), ?2)
                                 WHERE number = ?1",
                            params![number, at],
                        )?;
                        remove_oldest(&change, number)?;
                        touched.push(id);
                    }
                }
                change.commit()?;
                Ok(touched)
            })
            .await
    }
}

fn find_conversation(
    connection: &Connection,
    channel: &ChannelId,
    message: &Message,
) -> Result<Option<(i64, ConversationId)>, StoreError> {
    Ok(connection.first(
        "SELECT number, id FROM conversation WHERE channel = ?1
             AND (id = ?2 OR (json_valid(raw) AND raw ->> '$.id' = ?2))",
        params![channel, message.conversation],
        |row| Ok((row.get("number")?, row.get("id")?)),
    )?)
}

fn remove_oldest(connection: &Connection, number: i64) -> Result<(), StoreError> {
    connection.execute(
        "DELETE FROM phone_entry WHERE conversation = ?1 AND at < (SELECT at FROM phone_entry
             WHERE conversation = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2)",
        params![number, MAX_ENTRIES],
    )?;
    Ok(())
}

/// Returns the messages of the customer and the entries of the list, oldest first.
pub(crate) fn list(
    connection: &Connection,
    conversation: &ConversationId,
    number: i64,
) -> Result<(Vec<MessageRow>, Vec<PhoneEntry>), StoreError> {
    let messages = connection.all(
        "SELECT id, at, content_type, text FROM phone_entry WHERE conversation = ?1 AND is_inbound = 1
             ORDER BY at, id",
        [number],
        |row| {
            let message = Message {
                content: SafeText::block(&row.get::<String>("text")?),
                content_type: row.get("content_type")?,
                created_at: Some(row.get("at")?),
                ..Message::stand_in(MessageId::new(row.get::<String>("id")?), conversation.clone())
            };
            Ok(message_row(message))
        },
    )?;
    let listed = connection.all(
        "SELECT at, text FROM phone_entry WHERE conversation = ?1 AND is_inbound = 0 ORDER BY at",
        [number],
        |row| Ok(read_row!(row, PhoneEntry { at, text: line })),
    )?;
    Ok((messages, listed))
}

fn message_row(message: Message) -> MessageRow {
    MessageRow {
        message,
        sent_here: false,
        reaction: None,
        reaction_pending: None,
        mail: None,
        media: MessageFileInfo::default(),
        generated: Vec::new(),
        change: model::messages::ContentChange::default(),
        album: None,
    }
}
