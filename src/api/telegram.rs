//! The bot-chat channel: conversations and sending.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::content::{ContactContent, MAX_ID_CHARS, MAX_LINK_CHARS};
use crate::conversations::LastChange;
#[cfg(feature = "schema")]
use crate::escalations::EscalationBody;
use crate::escalations::EscalationState;
use crate::fields::{Filled, Link, Text, TextOrNumber};
use crate::lenient;
use crate::request::derived_body;
#[cfg(feature = "schema")]
use crate::schema;
use model::bounds::{MAX_CAPTION_CHARS, MAX_FILENAME_CHARS, MAX_TEXT_CHARS};
use model::conversations::{Automation, Conversation, ConversationStatus, PauseOrigin};
use model::ids::ConversationId;
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

pub const MAX_BUTTON_CHARS: usize = 64;

/// Request of `POST /telegram/send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SendTelegram {
    /// Written as a string; read as a number, too.
    pub chat_id: TextOrNumber<64>,
    #[serde(rename = "type", default)]
    pub kind: TelegramType,
    /// In the parse mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Text<MAX_TEXT_CHARS>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Text<MAX_LINK_CHARS>>,
    /// In the parse mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<Text<MAX_CAPTION_CHARS>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<Text<MAX_FILENAME_CHARS>>,
    /// `None` for HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_mode: Option<ParseMode>,
    /// Id of the service, or numeric id of the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<TextOrNumber<MAX_ID_CHARS>>,
    /// Rows of buttons below the message. Extension of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buttons: Option<Vec<Vec<MessageButton>>>,
    /// True sends audio as a voice note, if its format is one of the platform's; otherwise as audio. Extension
    /// of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<bool>,
    /// True sends a photo as a sticker, in a format and size of the platform's stickers and without a caption.
    /// Extension of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticker: Option<bool>,
    /// Contact card that is sent instead of the text. Extension of this service; others send the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactContent>,
    /// True shows a preview of the first link of a text, false none; absent leaves it to the platform. Extension
    /// of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_preview: Option<bool>,
}

derived_body!(SendTelegram);

/// Button below a message: a press comes in as a message with its label, unless it opens an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageButton {
    /// Label.
    pub text: Filled<MAX_BUTTON_CHARS>,
    /// Data of a press, at most 64 bytes; the label if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Filled<MAX_BUTTON_CHARS>>,
    /// Address that the button opens, instead of data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Link>,
}

impl SendTelegram {
    pub fn empty(chat_id: &str, kind: TelegramType) -> Self {
        Self {
            chat_id: chat_id.into(),
            kind,
            text: None,
            url: None,
            caption: None,
            filename: None,
            parse_mode: None,
            reply_to: None,
            buttons: None,
            voice: None,
            sticker: None,
            contact: None,
            link_preview: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum TelegramType {
    #[default]
    Text,
    Photo,
    Video,
    Document,
    Audio,
}

impl TelegramType {
    pub fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Photo => "photo",
            Self::Video => "video",
            Self::Document => "document",
            Self::Audio => "audio",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum ParseMode {
    #[serde(rename = "HTML")]
    Html,
    MarkdownV2,
}

impl ParseMode {
    pub fn word(self) -> &'static str {
        match self {
            Self::Html => "HTML",
            Self::MarkdownV2 => "MarkdownV2",
        }
    }
}

/// A conversation of `GET /telegram/conversations`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "TelegramConversation",
        transform = schema::always("telegramChatId status messageCount lastMessagePreview lastMessageAt"),
        transform = schema::allow_words("status", schema::CONVERSATION_STATUS)
    )
)]
pub struct TelegramConversationBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    #[serde(default, deserialize_with = "lenient::text")]
    pub telegram_chat_id: Option<String>,
    /// Without `@`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub telegram_username: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_name: Option<String>,
    /// `active` or `closed`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub status: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub message_count: Option<u64>,
    /// Beginning of the newest message.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_preview: Option<String>,
    #[serde(default, deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub last_message_at: Option<Timestamp>,
    /// Absent if the server cannot pause the AI on this channel.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub automation_enabled: Option<bool>,
    /// As on business chat.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub paused_by: Option<String>,
    /// As on business chat.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub paused_from: Option<String>,
    /// Present if the assistant asked for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "EscalationBody"))]
    pub escalation: Option<EscalationState>,
    /// As on business chat.
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "LastChange"))]
    pub last_change: Option<LastChange>,
}

pub fn read_conversation(raw: &RawValue) -> Result<Conversation, serde_json::Error> {
    let body: TelegramConversationBody = serde_json::from_str(raw.get())?;
    let line = |text: &Option<String>| SafeText::optional_line(text.as_deref());
    let switch = body.automation_enabled;
    Ok(Conversation {
        paused_by: PauseOrigin::from_words(body.paused_by.as_deref(), body.paused_from.as_deref()),
        automation: switch.map_or(Automation::NotApplicable, |on| Automation::from_enabled(Some(on))),
        name: line(&body.customer_name),
        username: line(&body.telegram_username),
        status: ConversationStatus::from_word(body.status.as_deref().unwrap_or("active")),
        message_count: body.message_count.unwrap_or(0),
        preview: SafeText::line(body.last_message_preview.as_deref().unwrap_or("")),
        last_message_at: body.last_message_at,
        escalation: body.escalation.unwrap_or_default().into_model(),
        address: body
            .telegram_chat_id
            .filter(|telegram_chat_id| !telegram_chat_id.is_empty() && is_plain(telegram_chat_id)),
        raw: raw.get().to_owned(),
        ..Conversation::stand_in(ConversationId::new(body.id), false)
    })
}

/// Escapes plain text for the default parse mode, HTML; unescaped text such as `a < b` would be
/// refused.
pub fn escape_html(plain: &str) -> String {
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
