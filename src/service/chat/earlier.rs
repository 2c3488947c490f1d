//! Messages from before a channel was connected. They keep their own times, cost nothing, emit no event, and are
//! not answered by the assistant.
//!
//! They come in any order and repeatedly, each is stored once. A message whose file the platform leaves out gets it
//! when the platform gives it.

use crate::carriers::files::{self, FetchedFiles};
use crate::database::channels::{self, ChannelRow};
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, contacts, ingress};
use crate::errors::ApiError;
use crate::write::WriteContext;
use api::extras::{EarlierOrigin, MessageExtras};
use model::time::{DAY, Timestamp};
use platforms::{EarlierMessage, EarlierThread};

/// Time for which the next part is awaited, in microseconds. A platform that has ended without a last part would
/// be awaited for ever.
const MAX_WAIT_FOR_PART: i64 = DAY;

/// Stores the messages of a thread. `files` are those of its only message.
///
/// # Errors
/// If the database fails.
pub fn store_thread(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    thread: EarlierThread,
    files: FetchedFiles,
) -> Result<(), ApiError> {
    let (mut last, mut count) = (None, 0);
    for message in thread.messages {
        let Some(stored) = store_message(work, channel, thread.peer.as_deref(), message)? else { continue };
        count += i64::from(stored.is_new);
        last = Some(stored);
    }
    if count > 0 {
        channels::count_earlier(work.db, &channel.id, count)?;
    }
    let Some(StoredMessage { conversation, id, .. }) = last else { return Ok(()) };
    let missing = files.store(work, &channel.workspace)?;
    files::store_file_request(work, (&channel.id, &conversation, &id), missing)
}

/// Records that a part of the earlier messages is complete. Parts may come in any order: after the last one no
/// other is awaited.
pub fn record_part(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    is_last: bool,
) -> Result<(), DatabaseError> {
    let until = if is_last { Timestamp::default() } else { work.now.plus(MAX_WAIT_FOR_PART) };
    channels::await_earlier(work.db, &channel.id, until)
}

struct StoredMessage {
    conversation: String,
    id: String,
    /// False if the message was known and got its file.
    is_new: bool,
}

/// Stores a message, or completes it with its file. Returns `None` if nothing changed.
fn store_message(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    peer: Option<&str>,
    message: EarlierMessage,
) -> Result<Option<StoredMessage>, ApiError> {
    if let Some(known) = messages::read(work.db, &channel.id, &message.platform_id)? {
        return complete(work, known, message);
    }
    let Some(peer) = peer else { return Ok(None) };
    // A message that came by itself or was deleted is not stored again.
    if !message.is_own && !ingress::record_arrival(work.db, &channel.id, peer, &message.platform_id)? {
        return Ok(None);
    }
    let at = message.sent_at.min(work.now);
    let conversation = find_or_create(work, channel, peer, at)?;
    let quoted = match &message.quoted {
        Some(quoted) => messages::read_within(work.db, &conversation.id, quoted)?.map(|row| row.id),
        None => None,
    };
    let row = new_row(work, &conversation, message, quoted, at);
    messages::insert_earlier(work.db, &row)?;
    let inbound_at = (row.direction == "inbound").then_some(at);
    conversations::count_earlier(work.db, &conversation.id, &row.preview(), at, inbound_at)?;
    Ok(Some(StoredMessage { conversation: conversation.id, id: row.id, is_new: true }))
}

/// Adds the file to a message that lacks it.
fn complete(
    work: &WriteContext<'_>,
    known: MessageRow,
    message: EarlierMessage,
) -> Result<Option<StoredMessage>, ApiError> {
    let extras = MessageExtras::read(known.extras.as_deref());
    let lacks_file = extras.earlier == Some(EarlierOrigin { lacks_file: true });
    if !lacks_file || message.lacks_file || extras.withdrawn_at.is_some() {
        return Ok(None);
    }
    let extras = MessageExtras { earlier: Some(EarlierOrigin { lacks_file: false }), ..extras };
    let extras = extras.with_content_of(message.extras);
    let row = MessageRow {
        content: message.text,
        kind: message.kind,
        media_url: message.media_url,
        details: message.details,
        extras: extras.to_stored_text(),
        ..known
    };
    messages::update(work.db, &row, work.now)?;
    conversations::update_preview(work.db, &row.conversation, &row.preview(), row.created_at)?;
    Ok(Some(StoredMessage { conversation: row.conversation, id: row.id, is_new: false }))
}

/// An imported customer becomes a contact when they write: broadcasts go to all contacts.
fn find_or_create(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    peer: &str,
    at: Timestamp,
) -> Result<ConversationRow, DatabaseError> {
    if let Some(found) = conversations::find_by_peer(work.db, &channel.id, peer)? {
        return Ok(found);
    }
    let mut made = ConversationRow::new(work.id("conv", at), &channel.id, peer, at);
    if let Some(contact) = contacts::find_by_phone(work.db, &channel.workspace, peer)? {
        made.name = contact.name;
        made.email = contact.email;
    }
    conversations::insert(work.db, &made)?;
    Ok(made)
}

fn new_row(
    work: &WriteContext<'_>,
    conversation: &ConversationRow,
    message: EarlierMessage,
    quoted: Option<String>,
    at: Timestamp,
) -> MessageRow {
    let (direction, sender, status) = match message.is_own {
        true => ("outbound", "agent", "sent"),
        false => ("inbound", "customer", "received"),
    };
    let earlier = Some(EarlierOrigin { lacks_file: message.lacks_file });
    MessageRow {
        id: work.id("msg", at),
        conversation: conversation.id.clone(),
        channel: conversation.channel.clone(),
        platform_id: message.platform_id,
        direction: direction.to_owned(),
        sender: sender.to_owned(),
        content: message.text,
        kind: message.kind,
        media_url: message.media_url,
        details: message.details,
        status: status.to_owned(),
        reply_to: quoted,
        reaction: None,
        cost: 0,
        created_at: at,
        sent_at: None,
        delivered_at: None,
        read_at: None,
        broadcast: None,
        extras: MessageExtras { earlier, ..message.extras }.to_stored_text(),
    }
}
