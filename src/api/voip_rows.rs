//! Parses conversations of the voice and SMS channel. The API does not define their fields, so each
//! is found under a common name or else by the form of its value.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::escalations::EscalationState;
use crate::lenient::find_text;
use model::bounds;
use model::conversations::{Conversation, ConversationStatus, NoMessagesReason, PauseOrigin};
use model::ids::ConversationId;
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

type Fields = Map<String, Value>;

/// Reads a list item. The customer's number serves as the conversation's id whatever id the server
/// gives, so that messages to one number are sent in order.
pub fn read_conversation(raw: &RawValue) -> Result<Conversation, serde_json::Error> {
    let fields: Fields = serde_json::from_str(raw.get())?;
    let phone = phone(&fields);
    let id = phone.clone().or_else(|| find_text(&fields, &["id", "conversationId", "callId", "messageId"]));
    let id = id.filter(|text| is_plain(text));
    let id = id.ok_or_else(|| serde::de::Error::custom("it has neither a number nor a usable id"))?;
    let kind = find_text(&fields, &["type", "kind", "channelType", "medium"]);
    let preview =
        find_text(&fields, &["lastMessagePreview", "preview", "body", "text", "content", "transcript"]);
    Ok(Conversation {
        address: phone,
        name: SafeText::optional_line(
            find_text(&fields, &["customerName", "name", "contactName"]).as_deref(),
        ),
        status: ConversationStatus::from_word(
            find_text(&fields, &["status", "state"]).as_deref().unwrap_or("active"),
        ),
        message_count: count(&fields),
        preview: SafeText::line(&describe_preview(kind.as_deref(), preview.as_deref())),
        last_message_at: newest(&fields),
        created_at: find_text(&fields, &["createdAt", "startedAt"])
            .and_then(|text| Timestamp::parse_any(&text)),
        escalation: fields
            .get("escalation")
            .cloned()
            .map(EscalationState::from_value)
            .unwrap_or_default()
            .into_model(),
        takes_no_messages: find_text(&fields, &["takesNoMessages"])
            .and_then(|word| NoMessagesReason::parse(&word)),
        paused_by: PauseOrigin::from_words(
            find_text(&fields, &["pausedBy"]).as_deref(),
            find_text(&fields, &["pausedFrom"]).as_deref(),
        ),
        raw: raw.get().to_owned(),
        ..Conversation::stand_in(ConversationId::new(id), false)
    })
}

/// Returns the customer's number: by name, else the first string that is one.
fn phone(fields: &Fields) -> Option<String> {
    let usual = find_text(fields, &["customerPhone", "phone", "phoneNumber", "from", "to", "number"]);
    let by_shape = || fields.values().filter_map(Value::as_str).find(|text| bounds::is_e164(text));
    usual.filter(|usual| bounds::is_e164(usual)).or_else(|| by_shape().map(str::to_owned))
}

/// Returns the time of the last activity: by name, else the latest string that is a time.
fn newest(fields: &Fields) -> Option<Timestamp> {
    let usual = find_text(fields, &["lastMessageAt", "lastActivityAt", "updatedAt", "endedAt"]);
    // Digits alone may be a phone number.
    let shaped = |value: &Value| Timestamp::parse_any(value.as_str().filter(|text| text.contains(':'))?);
    let by_shape = || fields.values().filter_map(shaped).max();
    usual.and_then(|usual| Timestamp::parse_any(&usual)).or_else(by_shape)
}

fn count(fields: &Fields) -> u64 {
    let names = ["messageCount", "count", "total"];
    names.iter().find_map(|name| fields.get(*name)?.as_u64()).unwrap_or(0)
}

/// Joins the kind of the conversation and the last text.
fn describe_preview(kind: Option<&str>, preview: Option<&str>) -> String {
    let kind = match kind {
        Some("sms" | "SMS") => Some("SMS"),
        kind => kind,
    };
    match (kind, preview) {
        (Some(kind), Some(preview)) => format!("{kind} · {preview}"),
        (Some(kind), None) => kind.to_owned(),
        (None, preview) => preview.unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<Conversation> {
        let raw: Box<RawValue> = serde_json::from_str(json).ok()?;
        read_conversation(&raw).ok()
    }

    #[test]
    fn whatever_fields_come_make_a_row() {
        let cases = [
            (
                r#"{"id":"c1","customerPhone":"+447700900517","customerName":"Peter","type":"call",
                   "lastMessagePreview":"Hello","lastMessageAt":"2026-11-20T09:00:00Z"}"#,
                ("+447700900517", Some("+447700900517"), "Peter", "call · Hello", true),
            ),
            (
                r#"{"caller":"+447700900517","at":"2026-11-20T09:00:00Z","kind":"sms"}"#,
                ("+447700900517", Some("+447700900517"), "+447700900517", "SMS", true),
            ),
            (r#"{"callId":7,"body":"Hi"}"#, ("7", None, "conversation …7", "Hi", false)),
            (r#"{"id":"x","from":"withheld"}"#, ("x", None, "conversation …x", "", false)),
        ];
        for (json, (id, address, title, preview, dated)) in cases {
            let row = read(json).unwrap();
            assert_eq!((row.id.as_str(), row.address.as_deref()), (id, address), "{json}");
            assert_eq!((row.title().as_str(), row.preview.as_str()), (title, preview), "{json}");
            assert_eq!((row.last_message_at.is_some(), row.raw.as_str()), (dated, json), "{json}");
        }
        let stopped = r#"{"customerPhone":"+447700900517","takesNoMessages":"stopped"}"#;
        assert_eq!(read(stopped).unwrap().takes_no_messages, Some(NoMessagesReason::Stopped));
        let paused = read(r#"{"customerPhone":"+447700900517","pausedBy":"Ana"}"#).unwrap().paused_by;
        assert_eq!(paused, Some(PauseOrigin::Person(SafeText::line("Ana"))));
        assert_eq!(read(r#"{"status":"active"}"#), None);
        assert_eq!(read("[]"), None);
    }
}
