//! Conversion of rows to the schemas of the interface.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::database::DatabaseError;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::MessageRow;
use crate::database::proposals::{self, ProposalRow};
use crate::database::session::DbSession;
use crate::errors::ApiError;
use crate::handlers::account::credits_as_f64;
use crate::reply::Reply;
use crate::write::Payment;
use api::conversations::{ConversationBody, LastChange};
use api::escalations::{EscalationBody, EscalationState, ProposalBody};
use api::extras::ExtrasLine;
use api::messages::{MessageBody, SentMessage};
use api::telegram::TelegramConversationBody;
use model::bounds;
use model::time::Timestamp;
use platforms::Channel;

pub fn preview_text(content: &str, kind: &str) -> String {
    if content.is_empty() { format!("[{kind}]") } else { content.to_owned() }
}

/// Builds the answer to a send, which waits for the platform if the message is queued.
pub fn sent_reply(row: MessageRow, channel: Channel, paid: &Payment) -> Result<Reply, ApiError> {
    let carried = row.awaited_id();
    let platform_id = Some(row.platform_id).filter(|id| !id.is_empty());
    let (whatsapp_message_id, telegram_message_id) = match channel {
        Channel::Whatsapp => (platform_id, None),
        Channel::Telegram => (None, platform_id.filter(|id| id.parse::<i64>().is_ok())),
        Channel::Email | Channel::Voip => (None, None),
    };
    let reply = Reply::ok(&SentMessage {
        message_id: row.id,
        whatsapp_message_id,
        telegram_message_id,
        status: row.status,
        credits_used: credits_as_f64(paid.used),
        credits_remaining: credits_as_f64(paid.remaining),
        test: None,
    })?;
    Ok(reply.awaiting(carried))
}

/// Builds a message as listed, without copying its texts.
pub fn message_body<T: AsRef<str>>(row: &MessageRow<T>, channel: Channel) -> MessageBody<'_> {
    let bot = channel == Channel::Telegram;
    let extras = ExtrasLine::read(text(&row.extras));
    // A queued message has no platform id yet.
    let platform_id = Some(row.platform_id.as_ref()).filter(|id| !id.is_empty());
    MessageBody {
        id: row.id.as_ref().into(),
        conversation_id: borrowed(&row.conversation),
        whatsapp_message_id: platform_id.filter(|_| !bot).map(Cow::Borrowed),
        telegram_message_id: platform_id.filter(|_| bot).map(Cow::Borrowed),
        direction: borrowed(&row.direction),
        sender_type: borrowed(&row.sender),
        content: borrowed(&row.content),
        content_type: borrowed(&row.kind),
        media_url: optional(&row.media_url),
        status: borrowed(&row.status),
        reply_to: optional(&row.reply_to),
        reaction: optional(&row.reaction),
        media: None,
        credits_used: None,
        created_at: Some(row.created_at),
        sent_at: row.sent_at,
        delivered_at: row.delivered_at,
        read_at: row.read_at,
        structure: extras.structure.map(Cow::Borrowed),
        edited_at: extras.edited_at.map(Cow::Borrowed),
        withdrawn_at: extras.withdrawn_at.map(Cow::Borrowed),
        former_contents: extras.former_contents.map(Cow::Borrowed),
        album: extras.album.map(Cow::Borrowed),
        agent: extras.agent.map(Cow::Borrowed),
        imported: extras.earlier.map(|_| true),
        voice: extras.voice,
        sticker: extras.sticker,
        forwarded: extras.forwarded,
        sent_from: extras.sent_from.map(Cow::Borrowed),
    }
}

/// Builds a message as read alone: with its price and media details.
pub fn whole_message_body(row: &MessageRow, channel: Channel) -> MessageBody<'_> {
    let credits_used = Some(credits_as_f64(row.cost));
    MessageBody { media: stored_json(&row.details), credits_used, ..message_body(row, channel) }
}

/// Builds a business chat conversation as listed, without copying its texts.
pub fn conversation_body<T: AsRef<str>>(row: &ConversationRow<T>, now: Timestamp) -> ConversationBody<'_> {
    let (phone, address) = match row.peer.as_ref() {
        peer if bounds::is_e164(peer) => (Some(peer), None),
        peer => (None, Some(peer)),
    };
    ConversationBody {
        id: row.id.as_ref().into(),
        customer_phone: phone.map(Cow::Borrowed),
        customer_address: address.map(Cow::Borrowed),
        customer_name: optional(&row.name),
        customer_email: optional(&row.email),
        customer_avatar: optional(&row.avatar),
        status: borrowed(&row.status),
        message_count: u64::try_from(row.message_count).ok(),
        last_message_preview: borrowed(&row.preview),
        last_message_at: Some(row.last_at),
        first_message_at: Some(row.first_at),
        created_at: Some(row.created_at),
        referral: stored_json(&row.referral),
        service_window_open: Some(row.is_window_open(now)),
        automation_enabled: None,
        paused_by: optional(&row.paused_by),
        paused_from: optional(&row.paused_from),
        escalation: None,
        last_change: last_change(row),
        closed_at: row.closed_at,
    }
}

/// Builds a business chat conversation as read alone: with automation and escalation.
pub fn whole_conversation_body(
    row: &ConversationRow,
    escalation: Option<EscalationBody>,
    now: Timestamp,
) -> ConversationBody<'_> {
    ConversationBody {
        automation_enabled: Some(row.automation),
        escalation: Some(escalation.map_or(EscalationState::Absent, EscalationState::Requested)),
        ..conversation_body(row, now)
    }
}

/// Returns the escalation of a conversation with its open proposals; `None` if there is none.
pub fn load_escalation(
    db: &dyn DbSession,
    row: &ConversationRow,
) -> Result<Option<EscalationBody>, DatabaseError> {
    let Some(reason) = &row.escalation else { return Ok(None) };
    let proposal = |proposal_row: ProposalRow| ProposalBody {
        connection: proposal_row.connection,
        endpoint: proposal_row.endpoint,
        id: proposal_row.id,
        values: proposal_row.answers.into_iter().map(|(name, value)| (name, value.into())).collect(),
    };
    Ok(Some(EscalationBody {
        proposals: proposals::list_open(db, &row.id)?.into_iter().map(proposal).collect(),
        reason: reason.clone(),
        since: row.escalated_at,
        summary: conversations::summary(db, &row.id)?,
    }))
}

pub fn telegram_conversation_body(
    (row, escalation): (ConversationRow, Option<EscalationBody>),
) -> TelegramConversationBody {
    TelegramConversationBody {
        last_change: last_change(&row),
        id: row.id,
        telegram_chat_id: Some(row.peer),
        telegram_username: row.username,
        customer_name: row.name,
        status: Some(row.status),
        message_count: u64::try_from(row.message_count).ok(),
        last_message_preview: Some(row.preview),
        last_message_at: Some(row.last_at),
        automation_enabled: Some(row.automation),
        paused_by: row.paused_by,
        paused_from: row.paused_from,
        escalation: escalation.map(EscalationState::Requested),
    }
}

fn text<T: AsRef<str>>(text: &Option<T>) -> Option<&str> {
    text.as_ref().map(AsRef::as_ref)
}

fn optional<T: AsRef<str>>(stored: &Option<T>) -> Option<Cow<'_, str>> {
    text(stored).map(Cow::Borrowed)
}

fn borrowed<T: AsRef<str>>(text: &T) -> Option<Cow<'_, str>> {
    Some(Cow::Borrowed(text.as_ref()))
}

/// Returns stored JSON; `None` if it is invalid.
fn stored_json<T: AsRef<str>>(stored: &Option<T>) -> Option<Cow<'_, RawValue>> {
    serde_json::from_str(text(stored)?).ok().map(Cow::Borrowed)
}

fn last_change<T: AsRef<str>>(row: &ConversationRow<T>) -> Option<LastChange> {
    serde_json::from_str(text(&row.last_change)?).ok()
}
