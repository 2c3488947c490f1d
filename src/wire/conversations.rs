//! Conversations of the business chat channel. Interface: Resources,
//! Conversation; Endpoints, Conversations.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{lenient, lists};
use model::conversations::{
    Automation, Conversation, ConversationStatus, Escalation, Referral, ServiceWindow,
};
use model::ids::ConversationId;
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

/// A conversation, as listed and as read alone. The two automation fields
/// are on single reads only; their names are not shown in the interface and
/// are this service's choice.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// E.164.
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_phone: Option<String>,
    /// Address of an answer that goes to no phone number: a person's id, a group.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub customer_address: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_name: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_email: Option<String>,
    /// A picture's address; never fetched.
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_avatar: Option<String>,
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
    /// ISO 8601.
    #[serde(default, deserialize_with = "lenient::text")]
    pub first_message_at: Option<String>,
    /// ISO 8601.
    #[serde(default, deserialize_with = "lenient::text")]
    pub created_at: Option<String>,
    /// Ad attribution or null.
    #[serde(default)]
    pub referral: Option<Value>,
    /// Whether free text may be sent.
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub service_window_open: Option<bool>,
    /// Whether the AI answers; single reads only.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub automation_enabled: Option<bool>,
    /// Why the AI asked for a person; single reads only.
    #[serde(default, deserialize_with = "lenient::present", skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Value>,
    /// `at`, when one of its messages was last changed, and `messageAt`, the place
    /// of the oldest of those; this service's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_change: Option<Value>,
}

/// The body of `PATCH /conversations/{id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AutomationPatch {
    /// `false` pauses the AI.
    pub automation_enabled: bool,
}

/// Body of `PUT /desk/v1/conversations/{id}/automation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeskAutomationBody {
    /// `false` pauses the AI.
    pub enabled: bool,
}

/// The answer to `PATCH /conversations/{id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AutomationResult {
    pub success: bool,
    pub id: String,
    /// The state that holds now: to be trusted over what was asked.
    pub automation_enabled: bool,
    #[serde(default)]
    pub status: String,
}

/// The answer to `POST /conversations/{id}/close`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseResult {
    pub success: bool,
    pub conversation_id: String,
    /// `closed`.
    pub status: String,
}

/// Reads one item of a list, or a single read.
pub fn read_conversation(raw: &RawValue) -> Result<Conversation, serde_json::Error> {
    let body: ConversationBody = serde_json::from_str(raw.get())?;
    let line = |text: &Option<String>| SafeText::optional_line(text.as_deref());
    let time = |text: &Option<String>| text.as_deref().and_then(Timestamp::parse_any);
    Ok(Conversation {
        name: line(&body.customer_name),
        username: None,
        email: line(&body.customer_email),
        status: ConversationStatus::from_word(body.status.as_deref().unwrap_or("active")),
        message_count: body.message_count.unwrap_or(0),
        preview: SafeText::line(body.last_message_preview.as_deref().unwrap_or("")),
        last_message_at: time(&body.last_message_at).or_else(|| time(&body.created_at)),
        created_at: time(&body.created_at),
        first_message_at: time(&body.first_message_at),
        referral: body.referral.as_ref().and_then(read_referral),
        window: match body.service_window_open {
            Some(true) => ServiceWindow::Open,
            Some(false) => ServiceWindow::Closed,
            None => ServiceWindow::Unknown,
        },
        automation: Automation::from_enabled(body.automation_enabled),
        escalation: escalation(&body),
        address: [body.customer_phone, body.customer_address]
            .into_iter()
            .flatten()
            .find(|address| !address.is_empty() && is_plain(address)),
        id: ConversationId::new(body.id),
        raw: raw.get().to_owned(),
    })
}

/// Stands in for an item of the list that cannot be read, next to the row it
/// came with.
pub fn unreadable_conversation(raw: &str, near: Option<&Conversation>) -> Conversation {
    Conversation {
        name: Some(SafeText::line("This row could not be read")),
        preview: SafeText::line(raw),
        last_message_at: near.and_then(|near| near.last_message_at),
        raw: raw.to_owned(),
        ..Conversation::stand_in(ConversationId::new(lists::placeholder_id(raw)), false)
    }
}

/// Lists do not tell of it; a single read that tells of the automation and not
/// of this has none.
fn escalation(body: &ConversationBody) -> Escalation {
    match &body.escalation {
        Some(told) => read_escalation(told),
        None if body.automation_enabled.is_some() => Escalation::None,
        None => Escalation::Unknown,
    }
}

/// Its form is not shown: what says no asks for nobody, anything else asks for
/// a person, and a text in it says why.
pub fn read_escalation(told: &Value) -> Escalation {
    let asks = |why: Option<&str>| {
        let why = SafeText::optional_line(why);
        Escalation::Requested(why.unwrap_or_else(|| SafeText::line("it did not say why")))
    };
    match told {
        told if is_negative(told) => Escalation::None,
        Value::String(why) => asks(Some(why)),
        told => {
            let why =
                ["reason", "message", "status", "state"].iter().find_map(|text| told.get(text)?.as_str());
            let summary = told.get("summary").and_then(Value::as_str).map(str::to_owned);
            let proposals = told.get("proposals").and_then(Value::as_array).into_iter().flatten();
            let more =
                summary.into_iter().chain(proposals.filter_map(proposal)).filter(|text| !text.is_empty());
            let lines: Vec<String> = why.map(str::to_owned).into_iter().chain(more).collect();
            asks(Some(&lines.join("\n")))
        }
    }
}

/// Whether a value says that there is nothing: it is empty, a word or a number
/// for no, or an object whose state is one, or in which nothing is told.
fn is_negative(told: &Value) -> bool {
    const NEGATIVE_WORDS: [&str; 12] = [
        "",
        "none",
        "no",
        "false",
        "off",
        "null",
        "0",
        "inactive",
        "resolved",
        "closed",
        "cleared",
        "not_escalated",
    ];
    const STATE_FIELDS: [&str; 9] = [
        "state",
        "status",
        "active",
        "isActive",
        "escalated",
        "isEscalated",
        "enabled",
        "required",
        "needed",
    ];
    match told {
        Value::Null => true,
        Value::Bool(word) => !word,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(word) => NEGATIVE_WORDS.contains(&word.trim().to_lowercase().as_str()),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => {
            let mut states =
                STATE_FIELDS.iter().filter_map(|state| fields.get(*state)).filter(|value| !value.is_null());
            let is_over = fields.get("resolvedAt").is_some_and(|field| !field.is_null());
            is_over || states.any(is_negative) || fields.values().all(is_negative)
        }
    }
}

/// A change the assistant proposes, in one line: what it would call, with what.
fn proposal(told: &Value) -> Option<String> {
    let text = |name: &str| told.get(name).and_then(Value::as_str);
    let value = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!(" {name}={text}"),
        other => format!(" {name}={other}"),
    };
    let values: String =
        told.get("values").and_then(Value::as_object).into_iter().flatten().map(value).collect();
    let id = text("id").map(|text| format!(" ({text})")).unwrap_or_default();
    Some(format!("proposes {} · {}{values}{id}", text("connection")?, text("endpoint")?))
}

fn read_referral(value: &Value) -> Option<Referral> {
    let fields = value.as_object()?;
    let line = |name: &str| SafeText::optional_line(fields.get(name).and_then(Value::as_str));
    let referral = Referral {
        source_type: line("source_type"),
        headline: line("headline"),
        body: line("body"),
        source_url: line("source_url"),
    };
    (referral != Referral::default()).then_some(referral)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escalation_tells_why_what_and_what_is_proposed() {
        for (told, lines) in [
            ("null", vec![]),
            ("\"asked for a person\"", vec!["asked for a person"]),
            (r#"{"reason": "asked twice", "summary": null, "proposals": []}"#, vec!["asked twice"]),
            (
                r#"{"reason": "wants a refund", "summary": "Order 1041\nbroke.", "proposals": [
                    {"id": "prop_1", "connection": "shop", "endpoint": "refund", "values": {"order": "1041"}},
                    "something else"
                ]}"#,
                vec!["wants a refund", "Order 1041", "broke.", "proposes shop · refund order=1041 (prop_1)"],
            ),
            (r#"{"since": "2026-11-20T10:00:00Z"}"#, vec!["it did not say why"]),
        ] {
            let json = format!(r#"{{"id": "conv_1", "automationEnabled": true, "escalation": {told}}}"#);
            let raw = RawValue::from_string(json).expect("JSON");
            let conversation = read_conversation(&raw).expect("a conversation");
            assert_eq!(conversation.escalation.lines().collect::<Vec<_>>(), lines, "{told}");
        }
    }

    #[test]
    fn the_first_message_is_told_apart_from_the_conversation() {
        let json = r#"{"id": "conv_1", "createdAt": "2026-11-20T10:00:00Z", "firstMessageAt": "2026-11-20T10:05:00Z"}"#;
        let raw = RawValue::from_string(json.to_owned()).expect("JSON");
        let told = read_conversation(&raw).expect("a conversation");
        assert_eq!(told.first_message_at, Timestamp::parse("2026-11-20T10:05:00Z"));
        assert_ne!(told.first_message_at, told.created_at);
    }
}
