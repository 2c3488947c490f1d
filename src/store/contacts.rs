//! Contacts as last read, and the deletion of a person.

use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use crate::broadcast_only;
use crate::erasing::ErasedConversation;
use crate::outbox::new_key;
use crate::reader::conversations::load_row;
use crate::reader::elsewhere;
use crate::{Reader, Store, StoreError, notes, script_keys, tombstones};
use model::contacts::{Contact, ContactCard, MAX_CARD_NOTES, OtherConversation, ReceivedContact};
use model::conversations::ConversationRow;
use model::ids::{ChannelId, ContactId, ConversationId, IdempotencyKey, RowId};
use model::outbox::PreparedRequest;
use model::queries::ConversationKey;
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Queries, Row, only_cell, read_row};

/// Maximum number of tags and of metadata fields of a contact.
const MAX_TAGS: usize = 100;
/// Maximum length of a tag or field, in characters.
const MAX_TAG_CHARS: usize = 200;

impl Store {
    /// Returns a conversation's phone number and the time its contact was read.
    pub async fn phone_and_read_time(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Result<Option<(String, Option<Timestamp>)>, StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        self.cache()
            .call_async(move |cache| {
                let sql = "SELECT c.address, p.read_at FROM conversation c
                     LEFT JOIN contact p ON p.channel = c.channel AND p.phone = c.address
                     WHERE c.channel = ?1 AND c.id = ?2 AND c.address IS NOT NULL";
                let of = params![channel, conversation];
                Ok(cache.connection.first(sql, of, |row| Ok((row.get("address")?, row.get("read_at")?)))?)
            })
            .await
    }

    pub async fn contact_id(
        &self,
        channel: &ChannelId,
        phone: &str,
    ) -> Result<Option<ContactId>, StoreError> {
        let (channel, phone) = (channel.clone(), phone.to_owned());
        self.cache()
            .call_async(move |cache| {
                Ok(read(&cache.connection, &channel, &phone)?.and_then(|contact| contact.id))
            })
            .await
    }

    pub async fn has_address(&self, channel: &ChannelId, address: &str) -> Result<bool, StoreError> {
        let (channel, address) = (channel.clone(), address.to_owned());
        self.cache()
            .call_async(move |cache| {
                let sql = "SELECT EXISTS (SELECT 1 FROM conversation WHERE channel = ?1 AND address = ?2)";
                Ok(cache.connection.scalar(sql, params![channel, address])?)
            })
            .await
    }

    /// Stores a contact; returns true if it changed.
    pub async fn apply_contact(
        &self,
        channel: &ChannelId,
        phone: &str,
        told: ReceivedContact,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (channel, phone) = (channel.clone(), phone.to_owned());
        self.cache()
            .change_async(move |change| {
                let before = read(change, &channel, &phone)?;
                write(change, &channel, &phone, &told, now)?;
                let after = read(change, &channel, &phone)?;
                let same = |contact: &Contact| Contact { read_at: now, ..contact.clone() };
                Ok(before.as_ref().map(same) != after)
            })
            .await
    }

    /// Replaces the request of an untried row, with a new key. Returns `None` if the row has
    /// changed since it was read.
    pub async fn replace_request(
        &self,
        id: &RowId,
        fence: i64,
        request: PreparedRequest,
    ) -> Result<Option<IdempotencyKey>, StoreError> {
        let (id, key) = (id.clone(), new_key(self.chance()));
        self.outbox()
            .call_async(move |connection| {
                let written = connection.execute(
                    "UPDATE outbox SET method = ?3, path = ?4, content_type = ?5, body = ?6, idempotency_key = ?7
                     WHERE id = ?1 AND fence = ?2 AND state = 'queued' AND attempts = 0",
                    params![
                        id,
                        fence,
                        request.method.word(),
                        request.path,
                        request.content_type,
                        request.body,
                        key
                    ],
                )?;
                Ok((written == 1).then_some(key))
            })
            .await
    }

    /// Erases the person with a phone number after the server did; returns the conversations
    /// erased.
    pub async fn remove_person(
        &self,
        channel: &ChannelId,
        phone: &str,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let (channel, phone) = (channel.clone(), phone.to_owned());
        let (channel_of, number) = (channel.clone(), phone.clone());
        let erased = self
            .cache()
            .call_async(move |cache| {
                cache.wiping.begin()?;
                let change = cache.connection.transaction()?;
                let of = params![channel, phone];
                change.execute("DELETE FROM contact WHERE channel = ?1 AND phone = ?2", of)?;
                let ids: Vec<ConversationId> = change.all(
                    "SELECT id FROM conversation WHERE channel = ?1 AND address = ?2",
                    of,
                    only_cell,
                )?;
                let erased = |id| ErasedConversation { id, address: Some(phone.clone()) };
                let erased: Vec<_> = ids.into_iter().map(erased).collect();
                erased.iter().try_for_each(|erased| tombstones::erase(&change, &channel, erased))?;
                change.commit()?;
                Ok(erased)
            })
            .await?;
        let forgotten = erased.iter().map(|erased| erased.id.clone()).collect();
        let of = channel_of.clone();
        self.outbox()
            .call_async(move |connection| script_keys::remove_number(connection, &of, &number))
            .await?;
        self.erase_local(&channel_of, erased).await?;
        Ok(forgotten)
    }
}

impl Reader {
    pub fn card(&self, key: &ConversationKey) -> Result<ContactCard, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let Some(row) = load_row(&moment, &key.channel, &key.conversation)? else {
            return Ok(ContactCard::default());
        };
        let contact = contact_of_row(&moment, &row)?;
        let mut others = Vec::new();
        for key in elsewhere::load_other_conversations(&moment, key)? {
            if let Some(row) = load_row(&moment, &key.channel, &key.conversation)? {
                let last_at = row.conversation.last_message_at;
                others.push(OtherConversation { key, title: row.conversation.title(), last_at });
            }
        }
        let notes = notes::newest(&moment, &key.channel, &key.conversation, MAX_CARD_NOTES)?;
        Ok(ContactCard { contact, elsewhere: others, notes })
    }
}

pub(crate) fn contact_of_row(
    connection: &Connection,
    row: &ConversationRow,
) -> Result<Option<Contact>, StoreError> {
    let phone = row.conversation.address.as_deref();
    phone.map_or(Ok(None), |phone| read(connection, &row.channel, phone))
}

fn read(connection: &Connection, channel: &ChannelId, phone: &str) -> Result<Option<Contact>, StoreError> {
    let sql =
        "SELECT name, email, read_at, id, tags, metadata FROM contact WHERE channel = ?1 AND phone = ?2";
    Ok(connection.first(sql, params![channel, phone], contact_from_row)?)
}

pub(crate) fn contact_from_row(row: &Row<'_>) -> rusqlite::Result<Contact> {
    let (tags, metadata): (Vec<String>, Map<String, Value>) = (row.json("tags")?, row.json("metadata")?);
    Ok(read_row!(row, Contact {
        id, name: optional_line, email: optional_line;
        tags: tags.iter().map(|tag| SafeText::line(tag)).collect(),
        metadata: metadata.iter().take(MAX_TAGS).map(|(name, value)| (truncate(name), truncate(&plain_value(value)))).collect(),
        read_at: row.get::<Option<_>>("read_at")?.unwrap_or_default()
    }))
}

fn truncate(text: &str) -> SafeText {
    SafeText::line(&text.chars().take(MAX_TAG_CHARS).collect::<String>())
}

/// Formats a value for a person: text without quotes, a list of plain values with commas.
fn plain_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if !items.iter().any(|item| item.is_object() || item.is_array()) => {
            items.iter().map(plain_value).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

pub(crate) fn write(
    change: &Connection,
    channel: &ChannelId,
    phone: &str,
    told: &ReceivedContact,
    now: Timestamp,
) -> Result<(), StoreError> {
    let short = |text: &String| text.chars().take(MAX_TAG_CHARS).collect::<String>();
    let tags: Vec<String> = told.tags.iter().take(MAX_TAGS).map(short).collect();
    change
        .prepare_cached(
            "INSERT OR REPLACE INTO contact (channel, phone, id, name, email, tags, metadata, read_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            channel,
            phone,
            told.id,
            told.name.as_ref().map(short),
            told.email.as_ref().map(short),
            Value::from(tags).to_string(),
            told.metadata,
            now
        ])?;
    broadcast_only::refresh_contact(change, channel, phone)
}
