//! Acceptance of a message by its request: queued for a real platform, sent at once to a simulated one.

use futures_util::FutureExt;
use serde_json::{Value, json};

use crate::chat::keywords;
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, contacts, due};
use crate::errors::ApiError;
use crate::events;
use crate::operators;
use crate::sending::{check_json, crossing};
use crate::takeover::{self, AutomationSubject};
use crate::team;
use crate::world::{JobKind, customers};
use crate::write::WriteContext;
use api::carriers::MessageDraft;
use api::events::{EventData, MessageSent};
use api::extras::MessageExtras;
use api::team::PersonName;
use platforms::mailbox::FILING_KIND;
use platforms::simulated::unique_id;
use platforms::whatsapp;
use platforms::{Channel, OutboundMessage, REACTION_KIND, SendOutcome, SimulatedDelivery};

/// Status of a message that waits for its platform.
pub const QUEUED_STATUS: &str = "queued";
/// Number of latest messages searched for the customer's last one.
const MAX_SEARCHED_MESSAGES: i64 = 8;

/// Detail of a message with rows of buttons, as its platform takes them.
pub const BUTTONS_DETAIL: &str = "buttons";
/// Field of a message's details that makes its audio a voice note.
pub const VOICE_DETAIL: &str = "voice";
/// Field of a message's details that makes its picture a sticker.
pub const STICKER_DETAIL: &str = "sticker";
/// Field of a text's details with the contact card that is sent instead.
pub const CONTACT_DETAIL: &str = "contact";
/// Field of a text's details with the switch of its link preview.
pub const PREVIEW_DETAIL: &str = "linkPreview";

#[derive(Debug, Clone, Default)]
pub struct ComposedMessage {
    /// `api`, `ai` or `agent`.
    pub sender: &'static str,
    /// Text or caption; for other content its description in lists.
    pub content: String,
    /// Markup language and marked-up text.
    pub marked: Option<(&'static str, String)>,
    /// `text`, `image`, …
    pub kind: &'static str,
    pub media_url: Option<String>,
    /// JSON object with further content for the platform.
    pub details: Option<String>,
    /// Id of the quoted message.
    pub reply_to: Option<String>,
    pub cost: i64,
    pub broadcast: Option<String>,
}

/// Sends a message. On a real platform the returned message is `queued` and not in the history yet.
pub fn accept_send(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: String,
    outgoing: ComposedMessage,
) -> Result<MessageRow, ApiError> {
    keywords::check_opt_out(work.db, (channel.kind, &channel.id), &conversation.peer, outgoing.kind)?;
    let stamp = work.stamp();
    let carrier = work.service.platforms.carrier(&channel.id, channel.kind)?;
    let parcel = build_outbound_message(work, channel, conversation, &id, &outgoing)?;
    if is_from_person(outgoing.sender, outgoing.broadcast.as_deref()) {
        crossing::check_chat(work, &conversation.id)?;
        takeover::record_person_answer(work, channel, AutomationSubject::Chat(&conversation.id), None)?;
        work.service.team.typing.end(&channel.workspace, &conversation.id);
    }
    let agent = work.agent.filter(|_| outgoing.sender != "ai").cloned();
    let extras = sent_extras(agent.clone(), outgoing.details.as_deref()).to_stored_text();
    let row = MessageRow { extras, ..queued_row(channel, conversation, id, outgoing, stamp) };
    let (platform_id, fate) = match (carrier.is_instant(), work.test) {
        (true, _) => match carrier.send_message(&parcel, None).now_or_never() {
            Some(SendOutcome::Taken { platform_id, fate, .. }) => (platform_id, fate),
            Some(SendOutcome::Refused { code, why, .. }) => return Err(ApiError::new(code, why)),
            _ => return Err(ApiError::internal(&"a platform that answers at once has not answered")),
        },
        // Messages of test keys are not sent.
        (false, true) if channel.kind == Channel::Telegram => {
            (parcel.number.to_string(), SimulatedDelivery::Sent)
        }
        (false, true) => (unique_id(channel.kind, &row.id), SimulatedDelivery::Sent),
        (false, false) => {
            let draft = check_json(serde_json::to_string(&MessageDraft {
                sender: row.sender.clone(),
                content: row.content.clone(),
                kind: row.kind.clone(),
                media_url: row.media_url.clone(),
                details: row.details.clone(),
                reply_to: row.reply_to.clone(),
                cost: row.cost,
                key: work.key.map(str::to_owned),
                broadcast: row.broadcast.clone(),
                agent: agent.clone(),
            }))?;
            enqueue(work, &channel.id, &conversation.id, &parcel, draft)?;
            return Ok(row);
        }
    };
    let row = MessageRow { platform_id, status: "sent".to_owned(), ..row };
    store_message(work, channel, conversation, &row)?;
    record_sent(work, channel, conversation, &row, fate)?;
    end_escalation(work, conversation, &row)?;
    Ok(row)
}

fn build_outbound_message(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: &str,
    outgoing: &ComposedMessage,
) -> Result<OutboundMessage, ApiError> {
    let quoted = match &outgoing.reply_to {
        Some(quoted) => messages::find_by_id(work.db, quoted)?.map(|by_id| by_id.platform_id),
        None => None,
    };
    let seen = match channel.kind {
        Channel::Whatsapp if outgoing.broadcast.is_none() && !work.service.platforms.are_simulated() => {
            find_unanswered(work, conversation)?
        }
        _ => None,
    };
    let number = match channel.kind {
        Channel::Telegram => operators::next_in_chat(work, conversation)?,
        _ => 0,
    };
    let (mode, text) = match &outgoing.marked {
        Some((mode, text)) => (Some((*mode).to_owned()), text),
        None => (None, &outgoing.content),
    };
    let details: Value =
        outgoing.details.as_deref().and_then(|detail| serde_json::from_str(detail).ok()).unwrap_or_default();
    Ok(OutboundMessage {
        id: id.to_owned(),
        to: conversation.recipient().to_owned(),
        kind: outgoing.kind.to_owned(),
        text: text.clone(),
        mode,
        media_url: outgoing.media_url.clone(),
        filename: details["filename"].as_str().map(str::to_owned),
        content: extra_fields(outgoing.kind, details),
        quoted: quoted.filter(|text| !text.is_empty()),
        seen,
        number,
        test: work.test,
    })
}

/// Returns the extras of a sent message: who sent it, its form, and a contact as its structure, as for a received
/// one.
pub fn sent_extras(agent: Option<PersonName>, details: Option<&str>) -> MessageExtras {
    let names = [CONTACT_DETAIL, VOICE_DETAIL, STICKER_DETAIL];
    let details = details.filter(|details| names.iter().any(|name| details.contains(name)));
    let details: Value = details.and_then(|details| serde_json::from_str(details).ok()).unwrap_or_default();
    let contact = Some(&details[CONTACT_DETAIL]).filter(|contact| contact.is_object());
    let structure = contact.map(|contact| json!({ CONTACT_DETAIL: contact })).unwrap_or_default();
    let is_set = |name: &str| (details[name] == true).then_some(true);
    MessageExtras {
        agent,
        voice: is_set(VOICE_DETAIL),
        sticker: is_set(STICKER_DETAIL),
        ..MessageExtras::from_structure(structure)
    }
}

/// Returns the platform's content beside text and media.
fn extra_fields(kind: &str, mut details: Value) -> Option<Value> {
    match kind {
        "template" => {
            let language = json!({ "code": details["language"] });
            let components = Some(details["components"].take()).filter(Value::is_array);
            let components = components.unwrap_or_else(|| json!([]));
            Some(json!({ "name": details["template"], "language": language, "components": components }))
        }
        "interactive" | "location" => {
            if let Some(fields) = details.as_object_mut() {
                fields.retain(|_, field| !field.is_null());
            }
            Some(details)
        }
        _ => {
            let mut fields = json!({});
            let buttons = details[BUTTONS_DETAIL].take();
            if buttons.is_array() {
                fields[BUTTONS_DETAIL] = buttons;
            }
            for name in [VOICE_DETAIL, STICKER_DETAIL] {
                if details[name] == true {
                    fields[name] = true.into();
                }
            }
            if details[CONTACT_DETAIL].is_object() {
                fields[CONTACT_DETAIL] = details[CONTACT_DETAIL].take();
            }
            if details[PREVIEW_DETAIL].is_boolean() {
                fields[PREVIEW_DETAIL] = details[PREVIEW_DETAIL].take();
            }
            Some(fields).filter(|fields| fields.as_object().is_some_and(|fields| !fields.is_empty()))
        }
    }
}

/// Returns the platform id of the customer's last message if it is unanswered, so that it is marked as read.
fn find_unanswered(
    work: &WriteContext<'_>,
    conversation: &ConversationRow,
) -> Result<Option<String>, DatabaseError> {
    let newest = messages::newest(work.db, &conversation.id, MAX_SEARCHED_MESSAGES)?;
    let mut inbound = newest.into_iter().take_while(|message_row| message_row.direction == "inbound");
    let is_written =
        |row: &MessageRow| row.kind != REACTION_KIND && whatsapp::is_message_id(&row.platform_id);
    Ok(inbound.find(is_written).map(|message_row| message_row.platform_id))
}

fn queued_row(
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: String,
    outgoing: ComposedMessage,
    stamp: model::time::Timestamp,
) -> MessageRow {
    MessageRow {
        id,
        conversation: conversation.id.clone(),
        channel: channel.id.clone(),
        platform_id: String::new(),
        direction: "outbound".to_owned(),
        sender: outgoing.sender.to_owned(),
        content: outgoing.content,
        kind: outgoing.kind.to_owned(),
        media_url: outgoing.media_url,
        details: outgoing.details,
        status: QUEUED_STATUS.to_owned(),
        reply_to: outgoing.reply_to,
        reaction: None,
        cost: outgoing.cost,
        created_at: stamp,
        sent_at: None,
        delivered_at: None,
        read_at: None,
        broadcast: outgoing.broadcast,
        extras: None,
    }
}

/// Queues a reaction and returns its id.
pub fn accept_reaction(
    work: &WriteContext<'_>,
    message: &MessageRow,
    to: &str,
    emoji: &str,
) -> Result<String, ApiError> {
    let id = work.id("react", work.stamp());
    let parcel = OutboundMessage {
        id: id.clone(),
        to: to.to_owned(),
        kind: REACTION_KIND.to_owned(),
        text: emoji.to_owned(),
        quoted: Some(message.platform_id.clone()),
        ..OutboundMessage::default()
    };
    let draft = check_json(serde_json::to_string(&MessageDraft {
        sender: "api".to_owned(),
        content: emoji.to_owned(),
        kind: parcel.kind.clone(),
        media_url: None,
        details: None,
        reply_to: Some(message.id.clone()),
        cost: 0,
        key: work.key.map(str::to_owned),
        broadcast: None,
        agent: work.agent.cloned(),
    }))?;
    enqueue(work, &message.channel, &message.conversation, &parcel, draft)?;
    Ok(id)
}

/// Queues an outbound message after the others in its lane. `draft` is the content for the history once the
/// platform has accepted it.
pub fn enqueue(
    work: &WriteContext<'_>,
    channel: &str,
    lane: &str,
    parcel: &OutboundMessage,
    draft: String,
) -> Result<(), ApiError> {
    let row = EgressRow {
        id: parcel.id.clone(),
        channel: channel.to_owned(),
        lane: lane.to_owned(),
        place: work.stamp(),
        parcel: check_json(serde_json::to_string(parcel))?,
        draft,
        state: EgressState::Waiting.word().to_owned(),
        due_at: work.now,
        fence: 0,
        claimed_until: work.now,
        // A change in the mailbox is no message of the history.
        is_recorded: parcel.kind == FILING_KIND,
    };
    Ok(egress::insert(work.db, &row)?)
}

pub fn store_message(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    row: &MessageRow,
) -> Result<(), DatabaseError> {
    messages::insert(work.db, row)?;
    team::work::record_answer(work.db, &channel.workspace, row)?;
    conversations::touch(work.db, &conversation.id, &row.preview(), false, row.created_at)?;
    contacts::touch(work.db, &channel.workspace, &conversation.peer, row.created_at)
}

/// Emits `message.sent` and schedules the simulated progress of a message.
pub fn record_sent(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    row: &MessageRow,
    fate: SimulatedDelivery,
) -> Result<(), DatabaseError> {
    let content = match (&row.media_url, row.content.as_str()) {
        (Some(url), "") => url,
        _ => &row.content,
    };
    work.record_outbound(channel.kind, &conversation.peer, content, row.created_at)?;
    emit_sent(work, channel, conversation, row)?;
    let schedule =
        |after: i64, step: JobKind| due::add(work.db, work.now.plus(after), step.word(), &row.id, "");
    match fate {
        SimulatedDelivery::Sent => Ok(()),
        SimulatedDelivery::Failed { after } => schedule(after, JobKind::Failed),
        SimulatedDelivery::Delivered { after } => schedule(after, JobKind::Delivered),
        SimulatedDelivery::Read { delivered_after, read_after } => {
            schedule(delivered_after, JobKind::Delivered)?;
            schedule(read_after, JobKind::Read)
        }
    }
}

pub fn emit_sent(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    row: &MessageRow,
) -> Result<(), DatabaseError> {
    let data = MessageSent {
        content: row.content.as_str().into(),
        conversation_id: row.conversation.as_str().into(),
        message_id: row.id.as_str().into(),
        status: row.status.as_str().into(),
        to: conversation.peer.as_str().into(),
    };
    events::emit(work, &channel.id, &EventData::MessageSent(data))
}

/// Returns true if a message counts as a person's: neither the assistant's nor part of a broadcast.
pub fn is_from_person(sender: &str, broadcast: Option<&str>) -> bool {
    sender != "ai" && broadcast.is_none()
}

/// Removes the assistant's escalation after a person's message.
pub fn end_escalation(
    work: &WriteContext<'_>,
    conversation: &ConversationRow,
    row: &MessageRow,
) -> Result<(), ApiError> {
    if is_from_person(&row.sender, row.broadcast.as_deref()) {
        conversations::clear_escalation(work.db, &conversation.id, work.now)?;
        customers::schedule_reply(work, conversation)?;
    }
    Ok(())
}
