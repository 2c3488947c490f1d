//! Events of webhooks: their names, the body of a delivery and the data of each event.
//!
//! The fields of the data are in alphabetical order, in which they are written. The interface defines
//! only those of `message.received`; the others are this service's choice.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(feature = "schema")]
use crate::schema;
use crate::{lenient, strict};
use model::time::Timestamp;

/// Event that a webhook can subscribe to (`WebhookInput.events`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    MessageReceived,
    /// The platform accepted the message.
    MessageSent,
    /// The message reached the device.
    MessageDelivered,
    MessageRead,
    /// The message was not sent, or did not arrive.
    MessageFailed,
    EmailReceived,
    EmailSent,
    EmailOpened,
    /// The assistant assigned a category to a thread.
    EmailThreadCategorized,
}

pub const CHAT_EVENTS: [Event; 5] = [
    Event::MessageReceived,
    Event::MessageSent,
    Event::MessageDelivered,
    Event::MessageRead,
    Event::MessageFailed,
];
pub const MAIL_EVENTS: [Event; 4] =
    [Event::EmailReceived, Event::EmailSent, Event::EmailOpened, Event::EmailThreadCategorized];

impl Event {
    pub const fn word(self) -> &'static str {
        match self {
            Self::MessageReceived => "message.received",
            Self::MessageSent => "message.sent",
            Self::MessageDelivered => "message.delivered",
            Self::MessageRead => "message.read",
            Self::MessageFailed => "message.failed",
            Self::EmailReceived => "email.received",
            Self::EmailSent => "email.sent",
            Self::EmailOpened => "email.opened",
            Self::EmailThreadCategorized => "email.thread.categorized",
        }
    }
}

/// Body of a delivery. The service writes it with [`EventData`], a desk reads it with
/// [`EventSubject`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "D: DeserializeOwned + Default"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{D}Event"))]
pub struct EventBody<D> {
    pub event: String,
    #[serde(default, deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub timestamp: Option<Timestamp>,
    #[serde(default, deserialize_with = "lenient::object")]
    #[cfg_attr(feature = "schema", schemars(!default))]
    pub data: D,
}

/// Conversation or thread that an event is about: all that a desk uses of its data. The rest is read
/// from the interface.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSubject {
    #[serde(deserialize_with = "lenient::text")]
    pub conversation_id: Option<String>,
}

/// Data of an event, as the service writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum EventData<'a> {
    MessageReceived(MessageReceived<'a>),
    MessageSent(MessageSent<'a>),
    MessageDelivered(MessageProgress<'a>),
    MessageRead(MessageProgress<'a>),
    MessageFailed(MessageProgress<'a>),
    EmailReceived(EmailReceived<'a>),
    EmailSent(EmailSent<'a>),
    EmailOpened(EmailOpened<'a>),
    EmailThreadCategorized(EmailThreadCategorized<'a>),
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct MessageReceived<'a> {
    pub content: Cow<'a, str>,
    pub conversation_id: Cow<'a, str>,
    /// A phone number, the `customerAddress` of a conversation, or a chat id.
    pub from: Cow<'a, str>,
    pub message_id: Cow<'a, str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct MessageSent<'a> {
    pub content: Cow<'a, str>,
    pub conversation_id: Cow<'a, str>,
    pub message_id: Cow<'a, str>,
    pub status: Cow<'a, str>,
    pub to: Cow<'a, str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct MessageProgress<'a> {
    pub conversation_id: Cow<'a, str>,
    #[serde(deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub delivered_at: Option<Timestamp>,
    pub message_id: Cow<'a, str>,
    #[serde(deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub read_at: Option<Timestamp>,
    pub status: Cow<'a, str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct EmailReceived<'a> {
    /// The plain text, at most 4096 characters.
    pub content: Cow<'a, str>,
    pub from: Cow<'a, str>,
    pub message_id: Cow<'a, str>,
    pub subject: Cow<'a, str>,
    pub thread_id: Cow<'a, str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct EmailSent<'a> {
    pub message_id: Cow<'a, str>,
    pub subject: Cow<'a, str>,
    pub thread_id: Cow<'a, str>,
    pub to: Cow<'a, [String]>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct EmailOpened<'a> {
    pub message_id: Cow<'a, str>,
    #[serde(deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub opened_at: Option<Timestamp>,
    pub subject: Cow<'a, str>,
    pub thread_id: Cow<'a, str>,
    pub to: Cow<'a, [String]>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct EmailThreadCategorized<'a> {
    pub category: Cow<'a, str>,
    pub subject: Cow<'a, str>,
    pub thread_id: Cow<'a, str>,
}

impl EventData<'_> {
    pub const fn event(&self) -> Event {
        match self {
            Self::MessageReceived(_) => Event::MessageReceived,
            Self::MessageSent(_) => Event::MessageSent,
            Self::MessageDelivered(_) => Event::MessageDelivered,
            Self::MessageRead(_) => Event::MessageRead,
            Self::MessageFailed(_) => Event::MessageFailed,
            Self::EmailReceived(_) => Event::EmailReceived,
            Self::EmailSent(_) => Event::EmailSent,
            Self::EmailOpened(_) => Event::EmailOpened,
            Self::EmailThreadCategorized(_) => Event::EmailThreadCategorized,
        }
    }

    /// Returns the id of the conversation or thread.
    pub fn subject(&self) -> &str {
        match self {
            Self::MessageReceived(data) => &data.conversation_id,
            Self::MessageSent(data) => &data.conversation_id,
            Self::MessageDelivered(data) | Self::MessageRead(data) | Self::MessageFailed(data) => {
                &data.conversation_id
            }
            Self::EmailReceived(data) => &data.thread_id,
            Self::EmailSent(data) => &data.thread_id,
            Self::EmailOpened(data) => &data.thread_id,
            Self::EmailThreadCategorized(data) => &data.thread_id,
        }
    }
}

/// Parses a delivery strictly: ambiguous JSON is refused.
pub fn read(body: &[u8]) -> Result<EventBody<EventSubject>, String> {
    let value = strict::read(body)?;
    let read = Some(value).filter(Value::is_object).and_then(|value| serde_json::from_value(value).ok());
    read.filter(|body: &EventBody<EventSubject>| !body.event.is_empty())
        .ok_or_else(|| "it names no event".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_and_its_conversation_are_read() {
        let body = read(
            br#"{"event":"message.received","timestamp":"2026-11-20T10:00:00Z","data":{"conversationId":"c1","more":1}}"#,
        );
        let body = body.expect("an event");
        assert_eq!(
            (body.event.as_str(), body.data.conversation_id.as_deref()),
            ("message.received", Some("c1"))
        );
        assert_eq!(body.timestamp, Timestamp::parse("2026-11-20T10:00:00Z"));
        for silent in [&br#"{"event":"x.y"}"#[..], br#"{"event":"x.y","timestamp":"t","data":[1]}"#] {
            let body = read(silent).expect("an event");
            assert_eq!((body.timestamp, body.data.conversation_id), (None, None));
        }
        for wrong in [
            &br#"{"event":"a","event":"b"}"#[..],
            b"\xef\xbb\xbf{}",
            b"[]",
            br#"["a"]"#,
            b"{\"event\":7}",
            b"{\"event\":\"\"}",
            b"",
        ] {
            assert!(read(wrong).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
    }

    #[test]
    fn what_the_service_writes_is_read_by_the_desk() {
        let text = |text: &'static str| Cow::Borrowed(text);
        let data = MessageProgress {
            conversation_id: text("c1"),
            delivered_at: Timestamp::parse("2026-11-20T10:00:01Z"),
            message_id: text("m\"1\n\u{2028}"),
            read_at: None,
            status: text("delivered"),
        };
        let timestamp = Timestamp::parse("2026-11-20T10:00:02Z");
        let event = EventData::MessageDelivered(data.clone());
        assert_eq!((event.event().word(), event.subject()), ("message.delivered", "c1"));
        let body = EventBody { event: event.event().word().to_owned(), timestamp, data: event };
        let json = serde_json::to_string(&body).expect("written");
        let expected = concat!(
            r#"{"event":"message.delivered","timestamp":"2026-11-20T10:00:02.000Z","data":{"conversationId":"c1","#,
            r#""deliveredAt":"2026-11-20T10:00:01.000Z","messageId":"m\"1\n"#,
            "\u{2028}",
            r#"","readAt":null,"status":"delivered"}}"#,
        );
        assert_eq!(json, expected);
        assert_eq!(read(json.as_bytes()).expect("an event").data.conversation_id.as_deref(), Some("c1"));
        let whole: EventBody<MessageProgress<'_>> = serde_json::from_str(&json).expect("read");
        assert_eq!(whole.data, data);
    }
}
