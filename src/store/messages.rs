//! Merges messages into the cache one by one, so that each is new exactly once and an older read
//! never overwrites a newer one.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use crate::meta::{self, MetaChange};
use crate::rows::message::sender_word;
use crate::{Store, StoreError, broadcast_messages, changed, conversations, facts, tombstones};
use model::account::Platform;
use model::conversations::Conversation;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::messages::{DeliveryStatus, Direction, Message, Sender};
use model::time::Timestamp;
use sqlite::{Queries, only_cell, read_row};

/// Message stored for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertedMessage {
    pub conversation: ConversationId,
    pub id: MessageId,
    pub direction: Direction,
    pub sender: Sender,
    pub created_at: Option<Timestamp>,
    /// Album that the message is part of.
    pub album: Option<String>,
    /// True if it was stored before and removed with its conversation.
    pub is_back: bool,
    /// True if it is from before the channel was connected.
    pub is_imported: bool,
}

/// Effect of a merged batch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AppliedMessages {
    /// For each message passed in: true if it was stored already.
    pub was_stored: Vec<bool>,
    pub inserted: Vec<InsertedMessage>,
    pub touched: BTreeSet<ConversationId>,
    /// True if the history read ends before the activity the list reports: the answer was old, or
    /// the activity is not a message.
    pub lags: bool,
}

impl Store {
    /// Merges messages of any conversations, newest first, together with marks. An unknown
    /// conversation gets a placeholder row until the list is read.
    pub async fn apply_messages(
        &self,
        channel: &ChannelId,
        messages: Vec<Message>,
        platform: Platform,
        marks: Vec<MetaChange>,
    ) -> Result<AppliedMessages, StoreError> {
        let channel = channel.clone();
        self.cache()
            .change_async(move |change| {
                let applied = merge_all(change, &channel, &messages, &platform)?;
                meta::write(change, &channel, &marks)?;
                Ok(applied)
            })
            .await
    }

    /// Stores a message sent from this desk as provisional until the server lists it.
    pub async fn insert_sent_message(
        &self,
        channel: &ChannelId,
        message: Message,
        platform: Platform,
    ) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache()
            .change_async(move |change| {
                let number = ensure_conversation(change, &channel, &message, &platform)?;
                let at = message.created_at.map_or(0, Timestamp::micros);
                if find(change, number, &message.id)?.is_none() {
                    insert(change, number, &message, at, true)?;
                    facts::refresh(change, number)?;
                }
                Ok(())
            })
            .await
    }
}

/// Merges messages within the caller's transaction and refreshes the facts of their conversations.
pub(crate) fn merge_all(
    connection: &Connection,
    channel: &ChannelId,
    messages: &[Message],
    platform: &Platform,
) -> Result<AppliedMessages, StoreError> {
    let mut applied = AppliedMessages::default();
    let mut numbers = BTreeSet::new();
    // Oldest first, so that of equal times the message stored later is the newer one.
    for (message, sort_at) in messages.iter().zip(assign_positions(messages)).rev() {
        let number = ensure_conversation(connection, channel, message, platform)?;
        let known = find(connection, number, &message.id)?;
        applied.was_stored.push(known.is_some());
        let changed = match known {
            None => {
                insert(connection, number, message, sort_at, false)?;
                let place = (sort_at, message.id.as_str());
                applied.inserted.push(InsertedMessage {
                    conversation: message.conversation.clone(),
                    id: message.id.clone(),
                    direction: message.direction,
                    sender: message.sender.clone(),
                    created_at: message.created_at,
                    album: changed::parse_album(&message.raw),
                    is_imported: changed::parse_imported(&message.raw),
                    is_back: tombstones::is_behind_tombstone(
                        connection,
                        channel,
                        &message.conversation,
                        place,
                    )?,
                });
                true
            }
            Some(known) => update(connection, number, message, sort_at, known)?,
        };
        if changed {
            numbers.insert(number);
            applied.touched.insert(message.conversation.clone());
        }
    }
    for number in numbers {
        facts::refresh(connection, number)?;
    }
    applied.was_stored.reverse();
    applied.inserted.reverse();
    Ok(applied)
}

/// Returns each message's sort position: its time, or if that is unreadable the time of its older,
/// else of its newer neighbour.
fn assign_positions(messages: &[Message]) -> Vec<i64> {
    let mut places: Vec<Option<i64>> = messages
        .iter()
        .map(|message| message.sent_at.or(message.created_at).map(Timestamp::micros))
        .collect();
    let mut carried = None;
    for place in places.iter_mut().rev() {
        *place = place.or(carried);
        carried = *place;
    }
    carried = None;
    for place in &mut places {
        *place = place.or(carried);
        carried = *place;
    }
    places.into_iter().map(|place| place.unwrap_or(0)).collect()
}

/// Returns the row number of a message's conversation, creating the row if needed.
fn ensure_conversation(
    connection: &Connection,
    channel: &ChannelId,
    message: &Message,
    platform: &Platform,
) -> Result<i64, StoreError> {
    if let Some(number) = conversation_number(connection, channel, &message.conversation)? {
        return Ok(number);
    }
    // Voip conversations are identified by their phone number.
    let address = (*platform == Platform::Voip).then(|| message.conversation.as_str().to_owned());
    let stand_in = Conversation::stand_in(message.conversation.clone(), platform.can_take_over());
    let stand_in = Conversation { address, ..stand_in };
    conversations::insert(connection, channel, &stand_in, false)
}

pub(crate) fn conversation_number(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<i64>, StoreError> {
    Ok(connection.first(
        "SELECT number FROM conversation WHERE channel = ?1 AND id = ?2",
        params![channel, conversation],
        only_cell,
    )?)
}

/// Stored columns that a newer read may change.
struct StoredMessage {
    delivery: String,
    provisional: bool,
    unreadable: bool,
    raw: String,
}

fn find(connection: &Connection, number: i64, id: &MessageId) -> Result<Option<StoredMessage>, StoreError> {
    Ok(connection.first(
        "SELECT delivery, provisional, unreadable, raw FROM message WHERE conversation = ?1 AND id = ?2",
        params![number, id],
        |row| Ok(read_row!(row, StoredMessage { delivery, provisional, unreadable, raw })),
    )?)
}

fn insert(
    connection: &Connection,
    number: i64,
    message: &Message,
    sort_at: i64,
    provisional: bool,
) -> Result<(), StoreError> {
    connection.prepare_cached(&broadcast_messages::INSERT_MESSAGE)?.execute(params![
        number,
        message.id,
        sort_at,
        message.platform_id,
        message.direction == Direction::Inbound,
        sender_word(&message.sender),
        message.content,
        message.content_type,
        message.media_url,
        message.delivery.word(),
        message.created_at,
        message.delivered_at,
        message.read_at,
        message.quotes,
        message.unreadable,
        provisional,
        message.raw,
        message.agent.as_ref().map(|agent| &agent.name)
    ])?;
    Ok(())
}

/// Merges a newer read; returns true if anything changed. The delivery status never goes back, and
/// known times are kept.
fn update(
    connection: &Connection,
    number: i64,
    message: &Message,
    sort_at: i64,
    known: StoredMessage,
) -> Result<bool, StoreError> {
    let says_less = message.unreadable && !known.unreadable;
    if known.raw == message.raw || says_less {
        return Ok(false);
    }
    let delivery = DeliveryStatus::from_word(&known.delivery).merge(message.delivery.clone());
    let server_knows_better = known.provisional || known.unreadable;
    connection
        .prepare_cached(
            "UPDATE message SET delivery = ?3,
                 delivered_at = coalesce(?4, delivered_at), read_at = coalesce(?5, read_at),
                 content = ?6, content_type = ?7, media_url = coalesce(?8, media_url),
                 platform_id = coalesce(?9, platform_id), quotes = coalesce(?10, quotes),
                 sort_at = iif(?11, ?12, sort_at), created_at = iif(?11, ?13, created_at),
                 inbound = iif(?11, ?14, inbound), sender = iif(?11, ?15, sender),
                 unreadable = ?16, provisional = 0, raw = ?17, agent = coalesce(?18, agent)
             WHERE conversation = ?1 AND id = ?2",
        )?
        .execute(params![
            number,
            message.id,
            delivery.word(),
            message.delivered_at,
            message.read_at,
            message.content,
            message.content_type,
            message.media_url,
            message.platform_id,
            message.quotes,
            server_knows_better,
            sort_at,
            message.created_at,
            message.direction == Direction::Inbound,
            sender_word(&message.sender),
            message.unreadable,
            message.raw,
            message.agent.as_ref().map(|agent| &agent.name)
        ])?;
    Ok(true)
}
