//! Rows as the service writes them into lists: the shapes of
//! [`MessageBody`](crate::messages::MessageBody) and
//! [`ConversationBody`](crate::conversations::ConversationBody),
//! borrowed, so that a page copies every text once.
//!
//! Interface: Resources, Message and Conversation.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use model::time::Timestamp;

/// A message of a list.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageLine<'a> {
    pub id: &'a str,
    pub conversation_id: &'a str,
    /// The platform's id on every channel but bot-chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whatsapp_message_id: Option<&'a str>,
    /// The platform's number on bot-chat.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "number")]
    pub telegram_message_id: Option<&'a str>,
    /// `inbound` or `outbound`.
    pub direction: &'a str,
    /// `customer`, `ai`, `api` or `agent`.
    pub sender_type: &'a str,
    pub content: &'a str,
    /// `text`, `image`, …
    pub content_type: &'a str,
    pub media_url: Option<&'a str>,
    /// sent, delivered, read, failed or received.
    pub status: &'a str,
    /// The quoted message's service id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<&'a str>,
    /// The emoji this side reacted with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction: Option<&'a str>,
    #[serde(serialize_with = "time")]
    pub created_at: Timestamp,
    /// Time of sending by the platform's clock.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_time")]
    pub sent_at: Option<Timestamp>,
    #[serde(serialize_with = "optional_time")]
    pub delivered_at: Option<Timestamp>,
    #[serde(serialize_with = "optional_time")]
    pub read_at: Option<Timestamp>,
    /// Objects of a structured message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<&'a RawValue>,
    /// ISO 8601: when its author last changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<&'a str>,
    /// ISO 8601: when its author took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn_at: Option<&'a str>,
    /// Its earlier contents, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_contents: Option<&'a RawValue>,
}

/// A conversation of a list on the business chat channel.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationLine<'a> {
    pub id: &'a str,
    /// E.164.
    pub customer_phone: Option<&'a str>,
    /// Address of an answer that goes to no phone number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer_address: Option<&'a str>,
    pub customer_name: Option<&'a str>,
    pub customer_email: Option<&'a str>,
    pub customer_avatar: Option<&'a str>,
    /// `active` or `closed`.
    pub status: &'a str,
    pub message_count: i64,
    /// The newest message, cut.
    pub last_message_preview: &'a str,
    /// When the newest message came.
    #[serde(serialize_with = "time")]
    pub last_message_at: Timestamp,
    /// When the first message came.
    #[serde(serialize_with = "time")]
    pub first_message_at: Timestamp,
    #[serde(serialize_with = "time")]
    pub created_at: Timestamp,
    /// A JSON object, as it was stored: the ad it came from.
    #[serde(serialize_with = "stored")]
    pub referral: Option<&'a str>,
    /// Whether free text may be sent.
    pub service_window_open: bool,
    /// A JSON object, as it was stored: when one of its messages was last changed.
    #[serde(serialize_with = "stored", skip_serializing_if = "Option::is_none")]
    pub last_change: Option<&'a str>,
}

fn time<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(at.iso().as_str())
}

fn optional_time<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => time(at, serializer),
        None => serializer.serialize_none(),
    }
}

/// A whole number that is stored as text.
fn number<S: Serializer>(text: &Option<&str>, serializer: S) -> Result<S::Ok, S::Error> {
    match text.map(str::parse::<i64>) {
        Some(Ok(number)) => serializer.serialize_i64(number),
        _ => text.serialize(serializer),
    }
}

/// JSON as it was stored; null when it is none.
fn stored<S: Serializer>(text: &Option<&str>, serializer: S) -> Result<S::Ok, S::Error> {
    text.and_then(|text| serde_json::from_str::<&RawValue>(text).ok()).serialize(serializer)
}
