//! Receiving of a customer's message: finds or creates the conversation, stores the message, emits
//! `message.received` and schedules the assistant's answer.

use serde_json::Value;

use crate::chat::{keywords, people};
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, due};
use crate::events;
use crate::operators;
use crate::world::JobKind;
use crate::write::WriteContext;
use api::events::{EventData, MessageReceived};
use model::bounds;
use model::keywords::Keyword;
use model::time::SECOND;
use platforms::contract::with_speaker;
use platforms::{Channel, InboundMessage};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMessage {
    pub conversation: String,
    pub message: String,
}

pub fn receive(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    inbound: &InboundMessage,
) -> Result<ReceivedMessage, DatabaseError> {
    let conversation = find_or_create(work, channel, inbound)?;
    let stamp = work.stamp();
    // A time in the future comes from a fast clock of the platform.
    let sent_at = inbound.sent_at.filter(|sent_at| *sent_at < stamp);
    let content = with_speaker(inbound.speaker.as_deref(), &inbound.text, &inbound.kind);
    let id = work.id("msg", stamp);
    let platform_id = match &inbound.platform_id {
        Some(platform_id) => platform_id.clone(),
        None => operators::incoming_id(work, channel.kind, &conversation, &id)?,
    };
    let row = MessageRow {
        id: id.clone(),
        conversation: conversation.id.clone(),
        channel: channel.id.clone(),
        platform_id,
        direction: "inbound".to_owned(),
        sender: "customer".to_owned(),
        content,
        kind: inbound.kind.clone(),
        media_url: inbound.media_url.clone(),
        details: inbound.details.clone(),
        status: "received".to_owned(),
        reply_to: inbound.reply_to.clone(),
        reaction: None,
        cost: 0,
        created_at: stamp,
        sent_at,
        delivered_at: None,
        read_at: None,
        broadcast: None,
        extras: inbound.extras.to_stored_text(),
    };
    messages::insert(work.db, &row)?;
    match inbound.is_notice {
        true => conversations::touch(work.db, &conversation.id, &row.preview(), false, stamp)?,
        false => {
            let at = (stamp, sent_at.unwrap_or(stamp));
            conversations::touch_inbound(work.db, &conversation.id, &row.preview(), at)?;
        }
    }
    let data = MessageReceived {
        content: row.content.as_str().into(),
        conversation_id: conversation.id.as_str().into(),
        from: inbound.from.as_str().into(),
        message_id: id.as_str().into(),
    };
    events::emit(work, &channel.id, &EventData::MessageReceived(data))?;
    let is_heeded = match channel.kind {
        Channel::Voip if inbound.kind == "text" || inbound.keyword.is_some() => {
            handle_keyword(work, channel, &conversation, inbound)?
        }
        Channel::Telegram => keywords::apply_membership(work, channel, &conversation, inbound.keyword)?,
        _ => false,
    };
    if let Some(reason) = inbound.asks_for_person.filter(|_| conversation.escalation.is_none()) {
        conversations::escalate(work.db, &conversation.id, (reason, ""), work.now)?;
    }
    if !inbound.needs_no_answer && !is_heeded {
        schedule_answer(work, &conversation)?;
    }
    Ok(ReceivedMessage { conversation: conversation.id, message: id })
}

fn handle_keyword(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    inbound: &InboundMessage,
) -> Result<bool, DatabaseError> {
    let keyword = inbound.keyword.or_else(|| Keyword::parse(&inbound.text));
    keywords::apply_keyword(work, channel, conversation, keyword, inbound)
}

fn find_or_create(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    inbound: &InboundMessage,
) -> Result<ConversationRow, DatabaseError> {
    let stamp = work.stamp();
    let found = people::find_conversation(work, channel, &inbound.from, &inbound.other_ids)?;
    let phones = found.iter().map(|row| row.peer.as_str()).chain([inbound.from.as_str()]);
    let contact = match phones.into_iter().find(|phone| bounds::is_e164(phone)) {
        Some(phone) => people::record_contact(work, channel, phone, inbound.name.as_deref(), stamp)?,
        None => None,
    };
    if let (Some(contact), Some(is_allowed)) = (&contact, inbound.allows_marketing) {
        people::record_marketing_choice(work, contact, is_allowed)?;
    }
    let name = contact.as_ref().map_or(inbound.name.as_deref(), |contact| contact.name.as_deref());
    if let Some(found) = found {
        conversations::update_names(work.db, &found.id, name, inbound.username.as_deref(), None)?;
        if let Some(referral) = &inbound.referral {
            conversations::set_referral(work.db, &found.id, &referral.to_string())?;
        }
        return Ok(found);
    }
    let mut made = ConversationRow::new(work.id("conv", stamp), &channel.id, &inbound.from, stamp);
    made.name = name.map(str::to_owned);
    made.email = contact.as_ref().and_then(|contact| contact.email.clone());
    made.username.clone_from(&inbound.username);
    made.referral = inbound.referral.as_ref().map(Value::to_string);
    conversations::insert(work.db, &made)?;
    people::record_ids(work, channel, &made.peer, &inbound.other_ids)?;
    Ok(made)
}

/// Schedules the assistant's answer, unless a person has taken the conversation over or an escalation is
/// open.
fn schedule_answer(work: &WriteContext<'_>, conversation: &ConversationRow) -> Result<(), DatabaseError> {
    let answers =
        work.service.assistant.is_some() && conversation.automation && conversation.escalation.is_none();
    if !answers {
        return Ok(());
    }
    // Restarts the wait, so that one answer covers all recent messages.
    due::cancel(work.db, JobKind::Answer.word(), &conversation.id)?;
    let wait = work.service.ids.random_between(SECOND, 3 * SECOND);
    due::add(work.db, work.now.plus(wait), JobKind::Answer.word(), &conversation.id, "")
}

/// Returns the channel's message type for a media URL, by its file extension.
pub fn media_kind(channel: Channel, url: &str) -> &'static str {
    let path = url.split(['?', '#']).next().unwrap_or(url).to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
    if ends(&[".jpg", ".jpeg", ".png", ".webp", ".gif"]) {
        if channel == Channel::Telegram { "photo" } else { "image" }
    } else if ends(&[".mp4", ".3gp", ".mov"]) {
        "video"
    } else if ends(&[".mp3", ".ogg", ".opus", ".aac", ".amr", ".m4a"]) {
        "audio"
    } else {
        "document"
    }
}
