//! The voice and SMS channel: calls and conversations. Interface: Endpoints,
//! Voice and SMS. The fields of a conversation and the values of a call's
//! `status` are not shown there and are this service's choice.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::lenient;

/// The body of `POST /voip/sms`, as this desk writes it.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendSmsBody<'a> {
    /// E.164.
    pub to: &'a str,
    /// 1 to 1600 characters.
    pub body: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<&'a str>,
}

/// The body of `POST /voip/calls`, as this desk writes it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaceCallBody<'a> {
    /// E.164.
    pub to: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<&'a str>,
    /// What the AI is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<RawValue>>,
}

/// The answer to `POST /voip/calls`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallBody {
    pub call_id: String,
    /// `queued`.
    pub status: String,
    /// What was taken for the first minute.
    #[serde(default, serialize_with = "lenient::write_number")]
    pub credits_used: f64,
    /// The balance after it.
    #[serde(default, serialize_with = "lenient::write_number")]
    pub credits_remaining: f64,
}

/// A conversation as listed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VoipConversationBody {
    pub id: String,
    /// E.164.
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_phone: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_name: Option<String>,
    /// `sms` or `call`, after what was exchanged last.
    #[serde(rename = "type", default, deserialize_with = "lenient::text")]
    pub kind: Option<String>,
    /// `active` or `closed`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub status: Option<String>,
    /// How many messages and calls.
    #[serde(default, deserialize_with = "lenient::count")]
    pub message_count: Option<u64>,
    /// The newest, cut.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_preview: Option<String>,
    /// ISO 8601.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_at: Option<String>,
    /// Why the assistant asks for a person; its form is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Value>,
}
