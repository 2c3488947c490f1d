//! Conversion of rows to the schemas of the interface.

use serde_json::{Map, Value, json};

use crate::channels::Channel;
use crate::credits::Payment;
use crate::database::DatabaseError;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::MessageRow;
use crate::database::proposals::{self, ProposalRow};
use crate::database::session::DbSession;
use crate::errors::ApiError;
use crate::handlers::account::credits_as_f64;
use crate::reply::Reply;
use model::bounds;
use model::time::Timestamp;
use wire::conversations::ConversationBody;
use wire::extras::{ExtrasLine, MessageExtras};
use wire::lines::{ConversationLine, MessageLine};
use wire::messages::{MessageBody, SentMessage};
use wire::telegram::TelegramConversationBody;

fn format_time(at: Timestamp) -> Option<String> {
    Some(at.to_string())
}

/// Returns the preview of a message.
pub fn preview_text(content: &str, kind: &str) -> String {
    if content.is_empty() { format!("[{kind}]") } else { content.to_owned() }
}

/// Builds the answer to a send, which waits for the platform if the message is queued.
pub fn sent_reply(row: MessageRow, channel: Channel, paid: &Payment) -> Result<Reply, ApiError> {
    let carried = row.awaited_id();
    let number = row.platform_id.parse().ok().filter(|_| channel == Channel::Telegram);
    let name = Some(row.platform_id).filter(|text| channel == Channel::Whatsapp && !text.is_empty());
    let reply = Reply::ok(&SentMessage {
        message_id: row.id,
        whatsapp_message_id: name,
        telegram_message_id: number,
        status: row.status,
        credits_used: credits_as_f64(paid.used),
        credits_remaining: credits_as_f64(paid.remaining),
        test: None,
    })?;
    Ok(reply.awaiting(carried))
}

pub fn message_body(row: MessageRow, channel: Channel) -> MessageBody {
    let bot = channel == Channel::Telegram;
    let extras = MessageExtras::read(row.extras.as_deref());
    let former = serde_json::to_value(&extras.former_contents).ok();
    MessageBody {
        id: row.id,
        conversation_id: Some(row.conversation),
        whatsapp_message_id: (!bot).then(|| row.platform_id.clone()).filter(|text| !text.is_empty()),
        telegram_message_id: bot.then_some(row.platform_id).filter(|bot| !bot.is_empty()),
        direction: Some(row.direction),
        sender_type: Some(row.sender),
        content: Some(row.content),
        content_type: Some(row.kind),
        media_url: row.media_url,
        status: Some(row.status),
        reply_to: row.reply_to,
        reaction: row.reaction,
        created_at: format_time(row.created_at),
        sent_at: row.sent_at.and_then(format_time),
        delivered_at: row.delivered_at.and_then(format_time),
        read_at: row.read_at.and_then(format_time),
        structure: extras.structure,
        edited_at: extras.edited_at,
        withdrawn_at: extras.withdrawn_at,
        former_contents: former.filter(|former| former.as_array().is_some_and(|all| !all.is_empty())),
        ..MessageBody::default()
    }
}

/// Row of a message list, without copying.
pub fn message_line<'a>(row: &MessageRow<&'a str>, channel: Channel) -> MessageLine<'a> {
    let bot = channel == Channel::Telegram;
    let ExtrasLine { structure, edited_at, withdrawn_at, former_contents } = ExtrasLine::read(row.extras);
    MessageLine {
        id: row.id,
        conversation_id: row.conversation,
        // A queued message has no platform id yet.
        whatsapp_message_id: (!bot).then_some(row.platform_id).filter(|text| !text.is_empty()),
        telegram_message_id: bot.then_some(row.platform_id).filter(|bot| !bot.is_empty()),
        direction: row.direction,
        sender_type: row.sender,
        content: row.content,
        content_type: row.kind,
        media_url: row.media_url,
        status: row.status,
        reply_to: row.reply_to,
        reaction: row.reaction,
        created_at: row.created_at,
        sent_at: row.sent_at,
        delivered_at: row.delivered_at,
        read_at: row.read_at,
        structure,
        edited_at,
        withdrawn_at,
        former_contents,
    }
}

/// Row of the list of WhatsApp conversations, without copying.
pub fn conversation_line<'a>(row: &ConversationRow<&'a str>, now: Timestamp) -> ConversationLine<'a> {
    ConversationLine {
        id: row.id,
        customer_phone: Some(row.peer).filter(|peer| bounds::is_e164(peer)),
        customer_address: Some(row.peer).filter(|peer| !bounds::is_e164(peer)),
        customer_name: row.name,
        customer_email: row.email,
        customer_avatar: row.avatar,
        status: row.status,
        message_count: row.message_count,
        last_message_preview: row.preview,
        last_message_at: row.last_at,
        first_message_at: row.first_at,
        created_at: row.created_at,
        referral: row.referral,
        service_window_open: row.is_window_open(now),
        last_change: row.last_change,
    }
}

/// `WholeMessage`: with its price and media details.
pub fn full_message_body(row: MessageRow, channel: Channel) -> MessageBody {
    let media = row.details.as_deref().and_then(|detail| serde_json::from_str::<Value>(detail).ok());
    let used = credits_as_f64(row.cost);
    MessageBody { media, credits_used: Some(used), ..message_body(row, channel) }
}

pub fn conversation_body(row: ConversationRow, now: Timestamp) -> ConversationBody {
    ConversationBody {
        service_window_open: Some(row.is_window_open(now)),
        referral: row.referral.as_deref().and_then(|referral| serde_json::from_str(referral).ok()),
        last_change: row.last_change.as_deref().and_then(|text| serde_json::from_str(text).ok()),
        id: row.id,
        customer_address: Some(row.peer.clone()).filter(|peer| !bounds::is_e164(peer)),
        customer_phone: Some(row.peer).filter(|peer| bounds::is_e164(peer)),
        customer_name: row.name,
        customer_email: row.email,
        customer_avatar: row.avatar,
        status: Some(row.status),
        message_count: u64::try_from(row.message_count).ok(),
        last_message_preview: Some(row.preview),
        last_message_at: format_time(row.last_at),
        first_message_at: format_time(row.first_at),
        created_at: format_time(row.created_at),
        automation_enabled: None,
        escalation: None,
    }
}

/// `WholeConversation`: with automation and escalation.
pub fn full_conversation_body(
    row: ConversationRow,
    escalation: Option<Value>,
    now: Timestamp,
) -> ConversationBody {
    ConversationBody {
        automation_enabled: Some(row.automation),
        escalation: Some(escalation.unwrap_or(Value::Null)),
        ..conversation_body(row, now)
    }
}

/// Returns the escalation of a conversation with its open proposals; `None` if there is none.
pub fn load_escalation(db: &dyn DbSession, row: &ConversationRow) -> Result<Option<Value>, DatabaseError> {
    let Some(reason) = &row.escalation else { return Ok(None) };
    let proposal = |proposal_row: ProposalRow| {
        let values: Map<String, Value> =
            proposal_row.answers.into_iter().map(|(name, value)| (name, value.into())).collect();
        json!({"id": proposal_row.id, "connection": proposal_row.connection, "endpoint": proposal_row.endpoint, "values": values})
    };
    let proposals: Vec<Value> = proposals::list_open(db, &row.id)?.into_iter().map(proposal).collect();
    Ok(Some(json!({
        "reason": reason,
        "summary": conversations::summary(db, &row.id)?,
        "proposals": proposals,
        "since": row.escalated_at.map(|at| at.to_string()),
    })))
}

pub fn telegram_conversation_body(
    (row, escalation): (ConversationRow, Option<Value>),
) -> TelegramConversationBody {
    TelegramConversationBody {
        escalation,
        automation_enabled: Some(row.automation),
        last_change: row.last_change.as_deref().and_then(|text| serde_json::from_str(text).ok()),
        id: row.id,
        telegram_chat_id: Some(row.peer),
        telegram_username: row.username,
        customer_name: row.name,
        status: Some(row.status),
        message_count: u64::try_from(row.message_count).ok(),
        last_message_preview: Some(row.preview),
        last_message_at: format_time(row.last_at),
    }
}
