//! Messages of the business chat channel: sending and reading.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::content::{Content, MAX_ID_CHARS};
use crate::fields::{ChatAddress, Text};
use crate::request::{FieldError, Fields, RequestBody};
#[cfg(feature = "schema")]
use crate::schema;
use crate::{lenient, lists};
use model::ids::{ConversationId, MessageId};
use model::messages::{
    AnswerPlace, DeliveryStatus, Direction, Message, MessageAgent, MessageForm, MessageMarks, Sender,
};
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

/// Request of `POST /messages/send`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SendMessage {
    pub to: ChatAddress,
    #[serde(flatten)]
    pub content: Content,
    /// Quoted message: id of the service or of the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Text<MAX_ID_CHARS>>,
}

impl RequestBody for SendMessage {
    fn read(body: Value) -> Result<Self, FieldError> {
        let mut body = Fields::of_body(body)?;
        let to = body.required("to")?;
        Ok(Self { to, content: Content::read(&mut body)?, reply_to: body.optional("replyTo")? })
    }
}

/// Response to a send on any chat channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        transform = schema::set("creditsUsed creditsRemaining", "minimum", 0)
    )
)]
pub struct SentMessage {
    /// Id of the service; begins with `test_` for a test key.
    #[serde(deserialize_with = "lenient::created_id")]
    pub message_id: String,
    /// Id of the platform.
    #[serde(default, deserialize_with = "lenient::word", skip_serializing_if = "Option::is_none")]
    pub whatsapp_message_id: Option<String>,
    /// Id of the platform, unique within the chat.
    #[serde(
        default,
        deserialize_with = "lenient::word",
        serialize_with = "lenient::write_integer_text",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(!default, with = "i64"))]
    pub telegram_message_id: Option<String>,
    /// `sent`: the platform accepted it.
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub status: String,
    /// Cost; 0 for a test key.
    #[serde(default, deserialize_with = "lenient::number_or_zero", serialize_with = "lenient::write_number")]
    pub credits_used: f64,
    /// Balance after it.
    #[serde(default, deserialize_with = "lenient::number_or_zero", serialize_with = "lenient::write_number")]
    pub credits_remaining: f64,
    /// True for a test key: nothing was sent.
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

const NO_CONTENT_TEXT: &str = "(no content)";

/// A message as listed and as read individually. The service borrows from its row, the client owns
/// what it has read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Message",
        transform = schema::always("conversationId direction senderType content contentType status createdAt"),
        transform = schema::set("creditsUsed", "minimum", 0),
        transform = schema::allow_words("direction", &model::messages::Direction::WORDS.join(" "))
    )
)]
pub struct MessageBody<'a> {
    #[serde(deserialize_with = "lenient::id")]
    pub id: Cow<'a, str>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub conversation_id: Option<Cow<'a, str>>,
    /// Set on every channel except bot-chat.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub whatsapp_message_id: Option<Cow<'a, str>>,
    /// Set on bot-chat; a number.
    #[serde(
        default,
        deserialize_with = "lenient::text",
        serialize_with = "lenient::write_integer_text",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(!default, with = "i64"))]
    pub telegram_message_id: Option<Cow<'a, str>>,
    /// `inbound` or `outbound`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub direction: Option<Cow<'a, str>>,
    /// `api`; also `customer`, `ai` and `agent`, which are this service's choice.
    #[serde(default, deserialize_with = "lenient::text")]
    pub sender_type: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub content: Option<Cow<'a, str>>,
    /// `text`, `image`, …
    #[serde(default, deserialize_with = "lenient::text")]
    pub content_type: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub media_url: Option<Cow<'a, str>>,
    /// `sent`, `delivered`, `read`, `failed` or `received`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
    /// Service id of the quoted message; this service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Cow<'a, str>>,
    /// Emoji this side reacted with; this service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub reaction: Option<Cow<'a, str>>,
    /// Facts about the media, present in single reads only; this service's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::AnyObject"))]
    pub media: Option<Cow<'a, RawValue>>,
    /// Present in single reads only.
    #[serde(
        default,
        deserialize_with = "lenient::number",
        serialize_with = "lenient::write_optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub credits_used: Option<f64>,
    #[serde(default, deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub created_at: Option<Timestamp>,
    /// Time of sending by the platform's clock; this service's choice.
    #[serde(
        default,
        deserialize_with = "lenient::time",
        serialize_with = "lenient::write_time",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub sent_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub delivered_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub read_at: Option<Timestamp>,
    /// Content of a structured message; this service's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::AnyObject"))]
    pub structure: Option<Cow<'a, RawValue>>,
    /// Last edit by the author; this service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub edited_at: Option<Cow<'a, str>>,
    /// Deletion by the author; this service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub withdrawn_at: Option<Cow<'a, str>>,
    /// Earlier contents, oldest first; this service's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::extras::FormerContent>"))]
    pub former_contents: Option<Cow<'a, RawValue>>,
    /// Album the message is part of, the same for all its messages; this service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub album: Option<Cow<'a, str>>,
    /// Person of the team who sent it with a key of their own; this service's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::team::PersonName"))]
    pub agent: Option<Cow<'a, RawValue>>,
    /// `true` if the message is from before the channel was connected; no webhook was sent for it. This service's
    /// choice.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub imported: Option<bool>,
    /// `true` for audio that is a voice note; this service's choice.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub voice: Option<bool>,
    /// `true` for a file that is a sticker; this service's choice.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub sticker: Option<bool>,
    /// `true` if the author forwarded the message; this service's choice.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub forwarded: Option<bool>,
    /// Place where a person of the business sent it, if not through this service: `phone`, `telegram`,
    /// `other program`. This service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub sent_from: Option<Cow<'a, str>>,
}

/// Reads an item of a history, a list or a trigger. `conversation` is used if the item does not
/// name its conversation.
pub fn read_message(
    raw: &RawValue,
    conversation: Option<&ConversationId>,
) -> Result<Message, serde_json::Error> {
    let body: MessageBody<'_> = serde_json::from_str(raw.get())?;
    let marks = read_marks(&body);
    let named = body
        .conversation_id
        .filter(|conversation_id| is_plain(conversation_id))
        .map(|conversation_id| ConversationId::new(conversation_id.into_owned()));
    let Some(conversation) = named.or_else(|| conversation.cloned()) else {
        return Err(serde::de::Error::missing_field("conversationId"));
    };
    let sender_type = body.sender_type.unwrap_or_default();
    let direction = body.direction.as_deref().and_then(Direction::from_word).unwrap_or({
        // Bot-chat items may lack a direction; it then follows from the sender.
        match sender_type.as_ref() {
            "customer" | "" => Direction::Inbound,
            _ => Direction::Outbound,
        }
    });
    Ok(Message {
        conversation,
        marks,
        platform_id: body.whatsapp_message_id.or(body.telegram_message_id).map(Cow::into_owned),
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
        created_at: body.created_at,
        sent_at: body.sent_at,
        delivered_at: body.delivered_at,
        read_at: body.read_at,
        agent: body.agent.as_deref().filter(|_| direction == Direction::Outbound).and_then(read_agent),
        quotes: body.reply_to.filter(|reply| is_plain(reply)).map(|reply| MessageId::new(reply.into_owned())),
        unreadable: false,
        id: MessageId::new(body.id.into_owned()),
        raw: raw.get().to_owned(),
    })
}

/// Reads the form of a message, which its content type may imply, that it was forwarded, and where it was sent.
fn read_marks(body: &MessageBody<'_>) -> MessageMarks {
    let structure = body.structure.as_deref().filter(|raw| raw.get().contains("\"contact"));
    let structure: Value = structure.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let has_card = structure["contact"].is_object()
        || structure["contacts"].as_array().is_some_and(|cards| !cards.is_empty());
    let forms = [
        (body.voice == Some(true), MessageForm::VoiceNote),
        (body.sticker == Some(true), MessageForm::Sticker),
        (has_card, MessageForm::ContactCard),
    ];
    let found = forms.into_iter().find(|(is_set, _)| *is_set).map(|(_, form)| form);
    let implied = || MessageForm::from_content_type(body.content_type.as_deref().unwrap_or(""));
    MessageMarks {
        form: found.or_else(implied),
        is_forwarded: body.forwarded == Some(true),
        sent_from: body.sent_from.as_deref().and_then(AnswerPlace::from_word),
    }
}

/// Reads `{id, name}`; `None` if it names nobody.
fn read_agent(raw: &RawValue) -> Option<MessageAgent> {
    #[derive(Deserialize)]
    struct Named {
        #[serde(default, deserialize_with = "lenient::word")]
        name: Option<String>,
    }
    MessageAgent::named(&serde_json::from_str::<Named>(raw.get()).ok()?.name?)
}

/// Returns a placeholder for an item that cannot be read, with the id found in its text or one
/// derived from it.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn agent_of(direction: &str, agent: &str) -> Option<String> {
        let text = format!(
            r#"{{"id":"m1","conversationId":"c1","direction":"{direction}","senderType":"api","content":"Hi","agent":{agent}}}"#
        );
        let raw: Box<RawValue> = serde_json::from_str(&text).unwrap();
        read_message(&raw, None).unwrap().agent.map(|agent| agent.name.to_string())
    }

    #[test]
    fn agent_is_read_from_any_answer_and_names_only_senders() {
        assert_eq!(agent_of("outbound", r#"{"id":"p1","name":"Ana"}"#).as_deref(), Some("Ana"));
        assert_eq!(agent_of("outbound", r#"{"id":7,"name":"Ana","more":[]}"#).as_deref(), Some("Ana"));
        assert_eq!(agent_of("inbound", r#"{"id":"p1","name":"Ana"}"#), None);
        for nobody in
            ["null", "7", "[]", "{}", r#""Ana""#, r#"{"name":" "}"#, r#"{"name":{}}"#, r#"{"name":null}"#]
        {
            assert_eq!(agent_of("outbound", nobody), None, "{nobody}");
        }
        let hostile = agent_of("outbound", r#"{"name":"\u001b[2JAna\nBen\u202e"}"#).unwrap();
        assert!(!hostile.contains(['\u{1b}', '\n', '\u{202e}']), "{hostile:?}");
        let long = agent_of("outbound", &format!(r#"{{"name":"{}"}}"#, "a".repeat(9_999))).unwrap();
        assert_eq!(long.len(), 64);
    }
}
