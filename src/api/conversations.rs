//! Conversations of the business chat channel.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(feature = "schema")]
use crate::escalations::EscalationBody;
use crate::escalations::EscalationState;
use crate::request::derived_body;
#[cfg(feature = "schema")]
use crate::schema;
use crate::{lenient, lists};
use model::conversations::{
    Automation, Conversation, ConversationStatus, Escalation, PauseOrigin, Referral, ServiceWindow,
};
use model::ids::ConversationId;
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

/// A conversation as listed and as read individually. `automation_enabled` and `escalation` are
/// present in single reads only; their names are this service's choice. The service borrows from its
/// row, the client owns what it has read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Conversation",
        transform = schema::always("status messageCount lastMessagePreview"),
        transform = schema::always("lastMessageAt firstMessageAt createdAt serviceWindowOpen"),
        transform = schema::allow_words("status", schema::CONVERSATION_STATUS)
    )
)]
pub struct ConversationBody<'a> {
    #[serde(deserialize_with = "lenient::id")]
    pub id: Cow<'a, str>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_phone: Option<Cow<'a, str>>,
    /// Address for answers if it is not a phone number: a person's id or a group.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub customer_address: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_name: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_email: Option<Cow<'a, str>>,
    /// URL of a picture; never fetched.
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_avatar: Option<Cow<'a, str>>,
    /// `active` or `closed`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub message_count: Option<u64>,
    /// Beginning of the newest message.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_preview: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub last_message_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub first_message_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub created_at: Option<Timestamp>,
    /// Attribution to an ad, or null.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<ReferralBody>"))]
    pub referral: Option<Cow<'a, RawValue>>,
    /// True if free text may be sent.
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub service_window_open: Option<bool>,
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub automation_enabled: Option<bool>,
    /// Name of the person who paused the AI; absent while it answers, and if nobody is known. This service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub paused_by: Option<Cow<'a, str>>,
    /// Place of the answer that paused the AI, if it was not sent through this service, with the words of a
    /// message's `sentFrom`. This service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub paused_from: Option<Cow<'a, str>>,
    /// Null if the AI did not ask for a person.
    #[serde(default, deserialize_with = "lenient::present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<EscalationBody>"))]
    pub escalation: Option<EscalationState>,
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "LastChange"))]
    pub last_change: Option<LastChange>,
    /// Time at which it was closed; absent while it is open. This service's choice.
    #[serde(
        default,
        deserialize_with = "lenient::time",
        serialize_with = "lenient::write_time",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub closed_at: Option<Timestamp>,
}

/// Last change of a message of a conversation; this service's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LastChange {
    #[serde(deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub at: Option<Timestamp>,
    /// Time of the oldest message changed lately.
    #[serde(deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub message_at: Option<Timestamp>,
}

/// Attribution of a conversation to an ad, as the platform reports it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Referral"))]
pub struct ReferralBody {
    #[serde(deserialize_with = "lenient::text")]
    pub source_type: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub source_id: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub source_url: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub headline: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub body: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub media_type: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub image_url: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub video_url: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub thumbnail_url: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    pub ctwa_clid: Option<String>,
    #[serde(deserialize_with = "lenient::time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub captured_at: Option<Timestamp>,
}

/// Request of `PATCH /conversations/{conversationId}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AutomationPatch {
    /// `false` pauses the AI.
    pub automation_enabled: bool,
}

/// Request of `PUT /desk/v1/conversations/{id}/automation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DeskAutomationInput"))]
pub struct DeskAutomationBody {
    /// `false` pauses the AI.
    pub enabled: bool,
}

derived_body!(AutomationPatch, DeskAutomationBody);

/// Response of `GET` and `PUT /desk/v1/conversations/{id}/automation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DeskAutomation"))]
pub struct DeskAutomationResult {
    pub enabled: bool,
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub id: String,
}

/// Response of `PATCH /conversations/{conversationId}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        transform = schema::allow_words("status", schema::CONVERSATION_STATUS)
    )
)]
pub struct AutomationResult {
    #[serde(default, deserialize_with = "lenient::exact_flag")]
    pub success: bool,
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub id: String,
    /// Current state, which may differ from the requested one.
    pub automation_enabled: bool,
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub status: String,
}

/// Response of `POST /conversations/{conversationId}/close`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        transform = schema::allow_words("status", "closed")
    )
)]
pub struct CloseResult {
    #[serde(default, deserialize_with = "lenient::exact_flag")]
    pub success: bool,
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub conversation_id: String,
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub status: String,
}

pub fn read_conversation(raw: &RawValue) -> Result<Conversation, serde_json::Error> {
    let body: ConversationBody<'_> = serde_json::from_str(raw.get())?;
    let line = |text: &Option<Cow<'_, str>>| SafeText::optional_line(text.as_deref());
    Ok(Conversation {
        name: line(&body.customer_name),
        username: None,
        email: line(&body.customer_email),
        status: ConversationStatus::from_word(body.status.as_deref().unwrap_or("active")),
        message_count: body.message_count.unwrap_or(0),
        preview: SafeText::line(body.last_message_preview.as_deref().unwrap_or("")),
        last_message_at: body.last_message_at.or(body.created_at),
        created_at: body.created_at,
        first_message_at: body.first_message_at,
        closed_at: body.closed_at,
        referral: body.referral.as_deref().and_then(read_referral),
        window: match body.service_window_open {
            Some(true) => ServiceWindow::Open,
            Some(false) => ServiceWindow::Closed,
            None => ServiceWindow::Unknown,
        },
        automation: Automation::from_enabled(body.automation_enabled),
        paused_by: PauseOrigin::from_words(body.paused_by.as_deref(), body.paused_from.as_deref()),
        escalation: match body.escalation {
            Some(state) => state.into_model(),
            // Lists omit the field; a single read that has the automation switch means none.
            None if body.automation_enabled.is_some() => Escalation::None,
            None => Escalation::Unknown,
        },
        address: [body.customer_phone, body.customer_address]
            .into_iter()
            .flatten()
            .find(|address| !address.is_empty() && is_plain(address))
            .map(Cow::into_owned),
        id: ConversationId::new(body.id.into_owned()),
        raw: raw.get().to_owned(),
    })
}

/// Returns a placeholder for an item that cannot be read, sorted beside its neighbour.
pub fn unreadable_conversation(raw: &str, near: Option<&Conversation>) -> Conversation {
    Conversation {
        name: Some(SafeText::line("This row could not be read")),
        preview: SafeText::line(raw),
        last_message_at: near.and_then(|near| near.last_message_at),
        raw: raw.to_owned(),
        ..Conversation::stand_in(ConversationId::new(lists::placeholder_id(raw)), false)
    }
}

fn read_referral(raw: &RawValue) -> Option<Referral> {
    let body: ReferralBody = serde_json::from_str(raw.get()).ok()?;
    let line = |text: Option<String>| SafeText::optional_line(text.as_deref());
    let referral = Referral {
        source_type: line(body.source_type),
        headline: line(body.headline),
        body: line(body.body),
        source_url: line(body.source_url),
    };
    (referral != Referral::default()).then_some(referral)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_message_is_told_apart_from_the_conversation() {
        let json = r#"{"id": "conv_1", "createdAt": "2026-11-20T10:00:00Z", "firstMessageAt": "2026-11-20T10:05:00Z"}"#;
        let raw = RawValue::from_string(json.to_owned()).expect("JSON");
        let told = read_conversation(&raw).expect("a conversation");
        assert_eq!(told.first_message_at, Timestamp::parse("2026-11-20T10:05:00Z"));
        assert_ne!(told.first_message_at, told.created_at);
    }
}
