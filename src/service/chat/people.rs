//! The people behind business chat numbers: contacts and conversations that
//! know each other. Interface: Contact; Conversation.

use crate::channels::Channel;
use crate::database::DatabaseError;
use crate::database::channels::ChannelRow;
use crate::database::contacts::{self, ContactRow};
use crate::database::conversations::{self, ConversationRow};
use crate::write::Work;
use model::time::Timestamp;

/// Somebody wrote on business chat: they become a contact, or are heard of
/// again. The contact; none on other channels.
pub fn heard(
    work: &Work<'_>,
    channel: &ChannelRow,
    phone: &str,
    name: Option<&str>,
    at: Timestamp,
) -> Result<Option<ContactRow>, DatabaseError> {
    if channel.kind != Channel::Whatsapp {
        return Ok(None);
    }
    let found = contacts::of_phone(work.db, &channel.workspace, phone)?;
    let made = || ContactRow::new(work.id("ct", at), &channel.workspace, phone, at);
    let mut contact = found.unwrap_or_else(made);
    if !contact.named && name.is_some() {
        contact.name = name.map(str::to_owned);
    }
    contact.last_at = contact.last_at.max(at);
    contacts::put(work.db, &contact)?;
    Ok(Some(contact))
}

/// A customer of business chat has another number: so has their contact,
/// unless somebody is known under it.
pub fn moved(work: &Work<'_>, channel: &ChannelRow, from: &str, to: &str) -> Result<(), DatabaseError> {
    if channel.kind != Channel::Whatsapp || contacts::of_phone(work.db, &channel.workspace, to)?.is_some() {
        return Ok(());
    }
    contacts::set_phone(work.db, &channel.workspace, from, to)
}

/// The conversation with a number on a channel, made when there is none; it
/// shows what the contact is called.
pub fn conversation_with(
    work: &Work<'_>,
    channel: &ChannelRow,
    phone: &str,
) -> Result<ConversationRow, DatabaseError> {
    if let Some(found) = conversations::of_peer(work.db, &channel.id, phone)? {
        return Ok(found);
    }
    let stamp = work.stamp();
    let mut made = ConversationRow::new(work.id("conv", stamp), &channel.id, phone, stamp);
    if let Some(contact) = contacts::of_phone(work.db, &channel.workspace, phone)? {
        made.name = contact.name;
        made.email = contact.email;
    }
    conversations::insert(work.db, &made)?;
    Ok(made)
}
