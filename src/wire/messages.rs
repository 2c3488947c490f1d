//! Messages of the business chat channel: sending and reading. Interface:
//! Resources, Message and SentMessage; Endpoints, Business chat messages.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::content::TypedContent;
use crate::{lenient, lists};
use model::ids::{ConversationId, MessageId};
use model::messages::{DeliveryStatus, Direction, Message, Sender};
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

/// The body of `POST /messages/send`, as this desk writes it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendBody<'a> {
    /// E.164.
    pub to: &'a str,
    #[serde(flatten)]
    pub content: TypedContent<'a>,
    /// A service id or a raw platform id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<&'a str>,
}

/// The answer to a send on any chat channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SentMessage {
    pub message_id: String,
    /// The platform's id on business chat.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub whatsapp_message_id: Option<String>,
    /// The platform's id on bot-chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telegram_message_id: Option<i64>,
    /// `sent`.
    pub status: String,
    #[serde(default, serialize_with = "lenient::write_number")]
    pub credits_used: f64,
    /// The balance after it.
    #[serde(default, serialize_with = "lenient::write_number")]
    pub credits_remaining: f64,
    /// True for a test key: nothing was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

/// Stands where neither a text nor media were told.
const NO_CONTENT_TEXT: &str = "(no content)";

/// A message as listed and as read alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    #[serde(default, deserialize_with = "lenient::text")]
    pub conversation_id: Option<String>,
    /// The platform's id on business chat.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub whatsapp_message_id: Option<String>,
    /// The platform's id on bot-chat.
    #[serde(
        default,
        deserialize_with = "lenient::text",
        serialize_with = "lenient::write_integer_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub telegram_message_id: Option<String>,
    /// `inbound` or `outbound`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub direction: Option<String>,
    /// `api` is shown; `customer`, `ai` and `agent` are this service's choice.
    #[serde(default, deserialize_with = "lenient::text")]
    pub sender_type: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub content: Option<String>,
    /// `text` is shown.
    #[serde(default, deserialize_with = "lenient::text")]
    pub content_type: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub media_url: Option<String>,
    /// sent, delivered, read or failed.
    #[serde(default, deserialize_with = "lenient::text")]
    pub status: Option<String>,
    /// The quoted message's service id; not in the interface's table and this
    /// service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The emoji this side reacted with; not in the interface's table and this
    /// service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub reaction: Option<String>,
    /// What is known of the media; single reads only, fields of this service's
    /// choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<serde_json::Value>,
    /// What it cost; single reads only.
    #[serde(
        default,
        deserialize_with = "lenient::number",
        serialize_with = "lenient::write_optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub credits_used: Option<f64>,
    /// ISO 8601.
    #[serde(default, deserialize_with = "lenient::text")]
    pub created_at: Option<String>,
    /// ISO 8601: when the customer sent it, as the platform says it; this
    /// service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<String>,
    /// ISO 8601 or null.
    #[serde(default, deserialize_with = "lenient::text")]
    pub delivered_at: Option<String>,
    /// ISO 8601 or null.
    #[serde(default, deserialize_with = "lenient::text")]
    pub read_at: Option<String>,
    /// Objects of a structured message; this service's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<serde_json::Value>,
    /// ISO 8601: when its author last changed it; this service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<String>,
    /// ISO 8601: when its author took it back; this service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub withdrawn_at: Option<String>,
    /// Its earlier contents, oldest first; this service's choice.
    #[serde(default, deserialize_with = "lenient::present", skip_serializing_if = "Option::is_none")]
    pub former_contents: Option<serde_json::Value>,
}

/// Reads one item of a history, a list or the trigger. `conversation` is the
/// conversation asked for, where the item itself does not name one.
pub fn read_message(
    raw: &RawValue,
    conversation: Option<&ConversationId>,
) -> Result<Message, serde_json::Error> {
    let body: MessageBody = serde_json::from_str(raw.get())?;
    let named =
        body.conversation_id.filter(|conversation_id| is_plain(conversation_id)).map(ConversationId::new);
    let Some(conversation) = named.or_else(|| conversation.cloned()) else {
        return Err(serde::de::Error::missing_field("conversationId"));
    };
    let time = |text: &Option<String>| text.as_deref().and_then(Timestamp::parse_any);
    let sender_type = body.sender_type.unwrap_or_default();
    let direction = body.direction.as_deref().and_then(Direction::from_word).unwrap_or({
        // Bot-chat items may lack a direction; their sender tells.
        match sender_type.as_str() {
            "customer" | "" => Direction::Inbound,
            _ => Direction::Outbound,
        }
    });
    Ok(Message {
        conversation,
        platform_id: body.whatsapp_message_id.or(body.telegram_message_id),
        direction,
        sender: Sender::from_words(direction, &sender_type),
        content: match &body.content {
            Some(content) => SafeText::block(content),
            None if body.media_url.is_none() => SafeText::line(NO_CONTENT_TEXT),
            None => SafeText::default(),
        },
        content_type: SafeText::line(body.content_type.as_deref().unwrap_or("text")).to_string(),
        media_url: SafeText::optional_line(body.media_url.as_deref()),
        delivery: DeliveryStatus::from_word(body.status.as_deref().unwrap_or("")),
        created_at: time(&body.created_at),
        sent_at: time(&body.sent_at),
        delivered_at: time(&body.delivered_at),
        read_at: time(&body.read_at),
        quotes: body.reply_to.filter(|reply| is_plain(reply)).map(MessageId::new),
        unreadable: false,
        id: MessageId::new(body.id),
        raw: raw.get().to_owned(),
    })
}

/// Stands in for an item that cannot be read, so that it is seen and does
/// not hide the others. Its id is what can be picked out of the bytes.
pub fn unreadable_message(text: &str, conversation: &ConversationId) -> Message {
    let picked = text.split_once("\"id\"").and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        rest.split_once('"').map(|(id, _)| id.to_owned()).filter(|text| is_plain(text))
    });
    let id = picked.unwrap_or_else(|| lists::placeholder_id(text));
    Message {
        sender: Sender::Unknown(SafeText::line("?")),
        content: SafeText::line("This message could not be read; press d for its raw form."),
        content_type: "unreadable".to_owned(),
        unreadable: true,
        raw: text.to_owned(),
        ..Message::stand_in(MessageId::new(id), conversation.clone())
    }
}
