//! The bot-chat channel: conversations and sending. Interface: Resources,
//! Telegram conversation; Endpoints, Bot-chat channel.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::conversations::read_escalation;
use crate::lenient;
use model::conversations::{Automation, Conversation, ConversationStatus, Escalation};
use model::ids::ConversationId;
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

/// The body of `POST /telegram/send`, as this desk writes it.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendBody<'a> {
    /// Always written as a string.
    pub chat_id: &'a str,
    /// text, photo, video, document or audio.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// At most 4096 characters, as the parse mode wants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    /// A public https address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<&'a str>,
    /// At most 1024 characters, as the parse mode wants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<&'a str>,
    /// At most 256 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<&'a str>,
    /// Left out for HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_mode: Option<&'static str>,
    /// A service id or a numeric platform id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<&'a str>,
}

/// A bot-chat conversation as listed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TelegramConversationBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    #[serde(default, deserialize_with = "lenient::text")]
    pub telegram_chat_id: Option<String>,
    /// The user name without `@`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub telegram_username: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_name: Option<String>,
    /// `active` or `closed`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub status: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub message_count: Option<u64>,
    /// The newest message, cut.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_preview: Option<String>,
    /// ISO 8601.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_at: Option<String>,
    /// True if the AI answers; absent at a server that has no pause for this channel.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub automation_enabled: Option<bool>,
    /// Why the assistant asks for a person; its form is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Value>,
    /// As on business chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_change: Option<Value>,
}

/// Reads one item of the list.
pub fn read_conversation(raw: &RawValue) -> Result<Conversation, serde_json::Error> {
    let body: TelegramConversationBody = serde_json::from_str(raw.get())?;
    let line = |text: &Option<String>| SafeText::optional_line(text.as_deref());
    let switch = body.automation_enabled;
    Ok(Conversation {
        automation: switch.map_or(Automation::NotApplicable, |on| Automation::from_enabled(Some(on))),
        name: line(&body.customer_name),
        username: line(&body.telegram_username),
        status: ConversationStatus::from_word(body.status.as_deref().unwrap_or("active")),
        message_count: body.message_count.unwrap_or(0),
        preview: SafeText::line(body.last_message_preview.as_deref().unwrap_or("")),
        last_message_at: body.last_message_at.as_deref().and_then(Timestamp::parse_any),
        escalation: body.escalation.as_ref().map_or(Escalation::None, read_escalation),
        address: body
            .telegram_chat_id
            .filter(|telegram_chat_id| !telegram_chat_id.is_empty() && is_plain(telegram_chat_id)),
        raw: raw.get().to_owned(),
        ..Conversation::stand_in(ConversationId::new(body.id), false)
    })
}

/// Escapes plain text for the default parse mode, HTML: without this a text
/// such as `a < b` is refused.
pub fn escape_html(plain: &str) -> String {
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
