//! The people behind business chat numbers: contacts and conversations that
//! know each other. Interface: Contact; Conversation.
//!
//! A person on business chat has an id of the platform's and perhaps a number.
//! Their conversation is kept under the number where one is known, under the id
//! otherwise; the other is an alias. Both lead to it, in all forms of the number.

use crate::channels::Channel;
use crate::database::channels::ChannelRow;
use crate::database::contacts::{self, ContactRow};
use crate::database::conversations::{self, ConversationRow};
use crate::database::{DatabaseError, aliases, ingress};
use crate::write::Work;
use model::bounds;
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

/// Finds the conversation that somebody writes in, by the platform's ids of the
/// person first and by the address `from` then, and notes what is new about how
/// they are reached.
pub fn conversation_of(
    work: &Work<'_>,
    channel: &ChannelRow,
    from: &str,
    ids: &[String],
) -> Result<Option<ConversationRow>, DatabaseError> {
    let mut found = conversations::of_peer(work.db, &channel.id, from)?;
    for id in ids {
        let by_id = conversations::of_peer(work.db, &channel.id, id)?;
        // One that is kept under an id alone gives way to one with a number.
        let has_number = by_id.as_ref().is_some_and(|row| bounds::is_e164(&row.peer));
        if by_id.is_some() && (found.is_none() || has_number) {
            found = by_id;
            break;
        }
    }
    let Some(mut found) = found else { return Ok(None) };
    if bounds::is_e164(from) && bounds::is_user_id(&found.peer) {
        // The number of somebody who was known by an id alone.
        ingress::move_peer(work.db, &channel.id, (&found.peer, from), true)?;
        found.peer = from.to_owned();
        found.platform_peer = None;
    }
    note_ids(work, channel, &found.peer, ids)?;
    if matches!(channel.kind, Channel::Whatsapp | Channel::Voip) && found.recipient() != from {
        let address = Some(from).filter(|address| *address != found.peer);
        conversations::set_platform_peer(work.db, &found.id, address)?;
        found.platform_peer = address.map(str::to_owned);
    }
    Ok(Some(found))
}

/// Notes the platform's id of the person behind a conversation, unless another
/// conversation is known by it.
pub fn learn_id(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: &str,
) -> Result<(), DatabaseError> {
    match conversations::of_peer(work.db, &channel.id, id)? {
        None => note_ids(work, channel, &conversation.peer, &[id.to_owned()]),
        Some(_) => Ok(()),
    }
}

/// The platform calls somebody by another id: the conversation goes on.
pub fn change_id(work: &Work<'_>, channel: &ChannelRow, from: &str, to: &str) -> Result<(), DatabaseError> {
    let Some(found) = conversations::of_peer(work.db, &channel.id, from)? else { return Ok(()) };
    if found.peer == from {
        return ingress::move_peer(work.db, &channel.id, (from, to), true);
    }
    if found.recipient() == from {
        conversations::set_platform_peer(work.db, &found.id, Some(to))?;
    }
    learn_id(work, channel, &found, to)
}

/// Notes that ids of the platform's are those of the person at an address.
pub fn note_ids(
    work: &Work<'_>,
    channel: &ChannelRow,
    peer: &str,
    ids: &[String],
) -> Result<(), DatabaseError> {
    for id in ids.iter().filter(|id| id.as_str() != peer) {
        aliases::note(work.db, &channel.id, id, peer)?;
    }
    Ok(())
}

/// A customer of business chat has another number: so has their contact,
/// unless somebody is known under it.
pub fn moved(work: &Work<'_>, channel: &ChannelRow, from: &str, to: &str) -> Result<(), DatabaseError> {
    if channel.kind != Channel::Whatsapp || contacts::of_phone(work.db, &channel.workspace, to)?.is_some() {
        return Ok(());
    }
    match contacts::of_phone(work.db, &channel.workspace, from)? {
        Some(contact) => contacts::set_phone(work.db, &channel.workspace, &contact.phone, to),
        None => Ok(()),
    }
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
