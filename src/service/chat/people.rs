//! Contacts and conversations of the people behind phone numbers.
//!
//! A person on WhatsApp has an id of the platform's and perhaps a phone number. Their conversation is stored
//! under the number if it is known, else under the id; the other is an alias. Both lead to it, in every form
//! of the number.

use crate::database::channels::ChannelRow;
use crate::database::contacts::{self, ContactRow};
use crate::database::conversations::{self, ConversationRow};
use crate::database::{DatabaseError, aliases, ingress};
use crate::write::WriteContext;
use model::bounds::{self, NO_MARKETING_TAG};
use model::time::Timestamp;
use platforms::Channel;

/// Creates or updates the contact of the author of a message. Returns `None` on channels without contacts.
pub fn record_contact(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    phone: &str,
    name: Option<&str>,
    at: Timestamp,
) -> Result<Option<ContactRow>, DatabaseError> {
    if channel.kind != Channel::Whatsapp {
        return Ok(None);
    }
    let found = contacts::find_by_phone(work.db, &channel.workspace, phone)?;
    let made = || ContactRow::new(work.id("ct", at), &channel.workspace, phone, at);
    let mut contact = found.clone().unwrap_or_else(made);
    if !contact.named && name.is_some() {
        contact.name = name.map(str::to_owned);
    }
    contact.last_at = contact.last_at.max(at);
    contacts::put(work.db, found.as_ref(), &contact)?;
    Ok(Some(contact))
}

/// Tags a contact who wants no marketing messages, or removes the tag.
pub fn record_marketing_choice(
    work: &WriteContext<'_>,
    contact: &ContactRow,
    is_allowed: bool,
) -> Result<(), DatabaseError> {
    let mut tags: Vec<String> = serde_json::from_str(&contact.tags).unwrap_or_default();
    tags.retain(|tag| tag != NO_MARKETING_TAG);
    if !is_allowed {
        tags.push(NO_MARKETING_TAG.to_owned());
    }
    let tags = serde_json::Value::from(tags).to_string();
    let changed = ContactRow { tags, updated_at: work.now, ..contact.clone() };
    contacts::put(work.db, Some(contact), &changed)
}

/// Finds the conversation of a message, by the platform's ids first, then by the address `from`, and
/// updates how they are reached.
pub fn find_conversation(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    from: &str,
    ids: &[String],
) -> Result<Option<ConversationRow>, DatabaseError> {
    let mut found = conversations::find_by_peer(work.db, &channel.id, from)?;
    for id in ids {
        let by_id = conversations::find_by_peer(work.db, &channel.id, id)?;
        // Of two conversations, the one under a phone number wins.
        let has_number = by_id.as_ref().is_some_and(|row| bounds::is_e164(&row.peer));
        if by_id.is_some() && (found.is_none() || has_number) {
            found = by_id;
            break;
        }
    }
    let Some(mut found) = found else { return Ok(None) };
    if bounds::is_e164(from) && bounds::is_user_id(&found.peer) {
        // A person known by an id only now has a number.
        ingress::move_peer(work.db, &channel.id, (&found.peer, from), true)?;
        found.peer = from.to_owned();
        found.platform_peer = None;
    }
    record_ids(work, channel, &found.peer, ids)?;
    if matches!(channel.kind, Channel::Whatsapp | Channel::Voip) && found.recipient() != from {
        let address = Some(from).filter(|address| *address != found.peer);
        conversations::set_platform_peer(work.db, &found.id, address)?;
        found.platform_peer = address.map(str::to_owned);
    }
    Ok(Some(found))
}

/// Records a platform id of a conversation's person, unless another conversation has it.
pub fn record_platform_id(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: &str,
) -> Result<(), DatabaseError> {
    match conversations::find_by_peer(work.db, &channel.id, id)? {
        None => record_ids(work, channel, &conversation.peer, &[id.to_owned()]),
        Some(_) => Ok(()),
    }
}

/// Continues the conversation of a person whose platform id changed.
pub fn change_id(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    from: &str,
    to: &str,
) -> Result<(), DatabaseError> {
    let Some(found) = conversations::find_by_peer(work.db, &channel.id, from)? else { return Ok(()) };
    if found.peer == from {
        return ingress::move_peer(work.db, &channel.id, (from, to), true);
    }
    if found.recipient() == from {
        conversations::set_platform_peer(work.db, &found.id, Some(to))?;
    }
    record_platform_id(work, channel, &found, to)
}

/// Continues the conversations of a business whose owner has connected the bot again, under the address of the new
/// connection. `connection` is the part of the addresses that its chats have.
pub fn continue_business_chats(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    owner: &str,
    connection: &str,
) -> Result<(), DatabaseError> {
    // No address holds a space.
    let name = format!("owner {owner}");
    let before = aliases::find(work.db, &channel.id, &name)?;
    if before.as_deref() == Some(connection) {
        return Ok(());
    }
    if let Some(before) = before {
        let endings = (format!("/{before}"), format!("/{connection}"));
        aliases::move_addresses(work.db, &channel.id, (&endings.0, &endings.1))?;
    }
    aliases::insert(work.db, &channel.id, &name, connection)
}

/// Records platform ids as aliases of an address.
pub fn record_ids(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    peer: &str,
    ids: &[String],
) -> Result<(), DatabaseError> {
    for id in ids.iter().filter(|id| id.as_str() != peer) {
        aliases::insert(work.db, &channel.id, id, peer)?;
    }
    Ok(())
}

/// Updates the contact of a customer whose number changed, unless another contact has the new number.
pub fn change_phone(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    from: &str,
    to: &str,
) -> Result<(), DatabaseError> {
    if channel.kind != Channel::Whatsapp
        || contacts::find_by_phone(work.db, &channel.workspace, to)?.is_some()
    {
        return Ok(());
    }
    match contacts::find_by_phone(work.db, &channel.workspace, from)? {
        Some(contact) => contacts::set_phone(work.db, &contact, to),
        None => Ok(()),
    }
}

/// Returns the conversation with a number, or creates one with its contact's name and email.
pub fn find_or_create_conversation(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    phone: &str,
) -> Result<ConversationRow, DatabaseError> {
    if let Some(found) = conversations::find_by_peer(work.db, &channel.id, phone)? {
        return Ok(found);
    }
    let stamp = work.stamp();
    let mut made = ConversationRow::new(work.id("conv", stamp), &channel.id, phone, stamp);
    if let Some(contact) = contacts::find_by_phone(work.db, &channel.workspace, phone)? {
        made.name = contact.name;
        made.email = contact.email;
    }
    conversations::insert(work.db, &made)?;
    Ok(made)
}
