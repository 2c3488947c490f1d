//! Sending of a message. A simulated platform accepts it at once; for a real one it is queued (see
//! `carriers`).

use futures_util::FutureExt;
use serde_json::{Value, json};

use crate::carriers::{CarryOutcome, Fate, Parcel, REACTION};
use crate::channels::Channel;
use crate::chat::keywords;
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, contacts, due};
use crate::errors::ApiError;
use crate::events::{self, Event};
use crate::platforms;
use crate::takeover::{self, Subject};
use crate::voice::CALL;
use crate::world::{Kind, customers};
use crate::write::Work;
use wire::carriers::MessageDraft;

/// Status of a message that waits for its platform.
pub const QUEUED: &str = "queued";
/// Number of latest messages searched for the customer's last one.
const UNANSWERED: i64 = 8;

/// Message to send.
#[derive(Debug, Clone, Default)]
pub struct Outgoing {
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
pub fn send(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: String,
    outgoing: Outgoing,
) -> Result<MessageRow, ApiError> {
    if channel.kind == Channel::Voip && outgoing.kind != CALL {
        keywords::check(work.db, &channel.id, &conversation.peer)?;
    }
    let stamp = work.stamp();
    let carrier = work.service.platforms.carrier(&channel.id, channel.kind)?;
    let parcel = parcel(work, channel, conversation, &id, &outgoing)?;
    if is_persons(outgoing.sender, outgoing.broadcast.as_deref()) {
        takeover::person_answered(work, Subject::Chat(&conversation.id))?;
    }
    let (platform_id, fate) = match (carrier.is_instant(), work.test) {
        (true, _) => taken(carrier.carry(&parcel, None).now_or_never())?,
        // Messages of test keys are not sent.
        (false, true) if channel.kind == Channel::Telegram => (parcel.number.to_string(), Fate::Sent),
        (false, true) => (platforms::simulated_id(channel.kind, &id), Fate::Sent),
        (false, false) => {
            let row = queued(channel, conversation, id, outgoing, stamp);
            enqueue(work, &row, &parcel)?;
            return Ok(row);
        }
    };
    let row = MessageRow {
        platform_id,
        status: "sent".to_owned(),
        ..queued(channel, conversation, id, outgoing, stamp)
    };
    store(work, channel, conversation, &row)?;
    leave(work, channel, conversation, &row, fate)?;
    follow_up(work, conversation, &row)?;
    Ok(row)
}

/// Returns the answer of a simulated platform.
fn taken(outcome: Option<CarryOutcome>) -> Result<(String, Fate), ApiError> {
    match outcome {
        Some(CarryOutcome::Taken { platform_id, fate, .. }) => Ok((platform_id, fate)),
        Some(CarryOutcome::Refused { code, why, .. }) => Err(ApiError::new(code, why)),
        _ => Err(ApiError::internal(&"an instant carrier has not answered")),
    }
}

fn parcel(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: &str,
    outgoing: &Outgoing,
) -> Result<Parcel, ApiError> {
    let quoted = match &outgoing.reply_to {
        Some(quoted) => messages::by_id(work.db, quoted)?.map(|by_id| by_id.platform_id),
        None => None,
    };
    let seen = match channel.kind {
        Channel::Whatsapp if outgoing.broadcast.is_none() && !work.service.platforms.are_simulated() => {
            unanswered(work, conversation)?
        }
        _ => None,
    };
    let number = match channel.kind {
        Channel::Telegram => platforms::next_in_chat(work, conversation)?,
        _ => 0,
    };
    let (mode, text) = match &outgoing.marked {
        Some((mode, text)) => (Some((*mode).to_owned()), text),
        None => (None, &outgoing.content),
    };
    let details: Value =
        outgoing.details.as_deref().and_then(|detail| serde_json::from_str(detail).ok()).unwrap_or_default();
    Ok(Parcel {
        id: id.to_owned(),
        to: conversation.recipient().to_owned(),
        kind: outgoing.kind.to_owned(),
        text: text.clone(),
        mode,
        media_url: outgoing.media_url.clone(),
        filename: details["filename"].as_str().map(str::to_owned),
        content: beside_text(outgoing.kind, details),
        quoted: quoted.filter(|text| !text.is_empty()),
        seen,
        number,
        test: work.test,
    })
}

/// Returns the platform's content beside text and media.
fn beside_text(kind: &str, mut details: Value) -> Option<Value> {
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
        _ => None,
    }
}

/// Returns the platform id of the customer's last message if it is unanswered, so that it is marked as read.
fn unanswered(work: &Work<'_>, conversation: &ConversationRow) -> Result<Option<String>, DatabaseError> {
    let newest = messages::newest(work.db, &conversation.id, UNANSWERED)?;
    let mut inbound = newest.into_iter().take_while(|message_row| message_row.direction == "inbound");
    Ok(inbound.find(|inbound| inbound.kind != REACTION).map(|message_row| message_row.platform_id))
}

fn queued(
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: String,
    outgoing: Outgoing,
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
        status: QUEUED.to_owned(),
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

/// Queues a message behind the others of its conversation.
fn enqueue(work: &Work<'_>, row: &MessageRow, parcel: &Parcel) -> Result<(), ApiError> {
    let draft = MessageDraft {
        sender: row.sender.clone(),
        content: row.content.clone(),
        kind: row.kind.clone(),
        media_url: row.media_url.clone(),
        details: row.details.clone(),
        reply_to: row.reply_to.clone(),
        cost: row.cost,
        key: work.key.map(str::to_owned),
        broadcast: row.broadcast.clone(),
    };
    keep(work, &row.channel, &row.conversation, parcel, &draft)
}

/// Queues a reaction and returns its id.
pub fn enqueue_reaction(
    work: &Work<'_>,
    message: &MessageRow,
    to: &str,
    emoji: &str,
) -> Result<String, ApiError> {
    let id = work.id("react", work.stamp());
    let parcel = Parcel {
        id: id.clone(),
        to: to.to_owned(),
        kind: REACTION.to_owned(),
        text: emoji.to_owned(),
        quoted: Some(message.platform_id.clone()),
        ..Parcel::default()
    };
    let draft = MessageDraft {
        sender: "api".to_owned(),
        content: emoji.to_owned(),
        kind: parcel.kind.clone(),
        media_url: None,
        details: None,
        reply_to: Some(message.id.clone()),
        cost: 0,
        key: work.key.map(str::to_owned),
        broadcast: None,
    };
    keep(work, &message.channel, &message.conversation, &parcel, &draft)?;
    Ok(id)
}

/// Queues an outbound message behind the others in its lane.
pub fn keep(
    work: &Work<'_>,
    channel: &str,
    lane: &str,
    parcel: &Parcel,
    draft: &MessageDraft,
) -> Result<(), ApiError> {
    let json = |result: Result<String, serde_json::Error>| result.map_err(|cause| ApiError::internal(&cause));
    let row = EgressRow {
        id: parcel.id.clone(),
        channel: channel.to_owned(),
        lane: lane.to_owned(),
        place: work.stamp(),
        parcel: json(serde_json::to_string(parcel))?,
        draft: json(serde_json::to_string(draft))?,
        state: EgressState::Waiting.word().to_owned(),
        due_at: work.now,
        fence: 0,
        claimed_until: work.now,
        told: false,
    };
    Ok(egress::insert(work.db, &row)?)
}

/// Stores a message in the history.
pub fn store(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    row: &MessageRow,
) -> Result<(), DatabaseError> {
    messages::insert(work.db, row)?;
    let preview = if row.content.is_empty() { format!("[{}]", row.kind) } else { row.content.clone() };
    conversations::touch(work.db, &conversation.id, &preview, false, row.created_at)?;
    contacts::touch(work.db, &channel.workspace, &conversation.peer, row.created_at)
}

/// Emits `message.sent` and schedules the simulated progress of a message.
pub fn leave(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    row: &MessageRow,
    fate: Fate,
) -> Result<(), DatabaseError> {
    let content = match (&row.media_url, row.content.as_str()) {
        (Some(url), "") => url,
        _ => &row.content,
    };
    work.note_outbound(channel.kind, &conversation.peer, content, row.created_at)?;
    emit_sent(work, channel, conversation, row)?;
    foretell(work, &row.id, fate)
}

pub fn emit_sent(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    row: &MessageRow,
) -> Result<(), DatabaseError> {
    let data = json!({
        "conversationId": row.conversation, "messageId": row.id, "to": conversation.peer,
        "content": row.content, "status": row.status,
    });
    events::emit(work, &channel.id, Event::MessageSent, data)
}

/// Returns true if a message counts as a person's: neither the assistant's nor part of a broadcast.
pub fn is_persons(sender: &str, broadcast: Option<&str>) -> bool {
    sender != "ai" && broadcast.is_none()
}

/// Removes the assistant's escalation after a person's message.
pub fn follow_up(work: &Work<'_>, conversation: &ConversationRow, row: &MessageRow) -> Result<(), ApiError> {
    if is_persons(&row.sender, row.broadcast.as_deref()) {
        conversations::calm(work.db, &conversation.id)?;
        customers::heard_a_person(work, conversation)?;
    }
    Ok(())
}

/// Schedules the simulated progress of a message.
fn foretell(work: &Work<'_>, id: &str, fate: Fate) -> Result<(), DatabaseError> {
    let after = |span: i64| work.now.plus(span);
    match fate {
        Fate::Sent => {}
        Fate::Failed { after: span } => due::add(work.db, after(span), Kind::Failed.word(), id, "")?,
        Fate::Delivered { after: span } => due::add(work.db, after(span), Kind::Delivered.word(), id, "")?,
        Fate::Read { delivered_after, read_after } => {
            due::add(work.db, after(delivered_after), Kind::Delivered.word(), id, "")?;
            due::add(work.db, after(read_after), Kind::Read.word(), id, "")?;
        }
    }
    Ok(())
}
