//! The voice and SMS channel: calls and conversations. The fields of a conversation and the status
//! words of a call are this service's choice.

use serde::{Deserialize, Serialize};

use crate::content::MAX_ID_CHARS;
#[cfg(feature = "schema")]
use crate::escalations::EscalationBody;
use crate::escalations::EscalationState;
use crate::fields::{Filled, JsonObject, Phone, Text};
use crate::lenient;
use crate::request::derived_body;
#[cfg(feature = "schema")]
use crate::schema;
use model::bounds::MAX_SMS_CHARS;

/// Request of `POST /voip/sms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SendSms {
    pub to: Phone,
    pub body: Filled<MAX_SMS_CHARS>,
    /// Channel to use, which must be the key's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<Text<MAX_ID_CHARS>>,
}

/// Request of `POST /voip/calls`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceCall {
    pub to: Phone,
    /// Channel to use, which must be the key's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<Text<MAX_ID_CHARS>>,
    /// Context for the AI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonObject>,
}

derived_body!(SendSms, PlaceCall);

/// Response of `POST /voip/calls`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "PlacedCall",
        transform = schema::set("creditsUsed creditsRemaining", "minimum", 0)
    )
)]
pub struct CallBody {
    /// Id of the call.
    #[serde(deserialize_with = "lenient::created_id")]
    pub call_id: String,
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub status: String,
    /// Cost of the first minute; this service's choice.
    #[serde(default, deserialize_with = "lenient::number_or_zero", serialize_with = "lenient::write_number")]
    pub credits_used: f64,
    /// Balance afterwards; this service's choice.
    #[serde(default, deserialize_with = "lenient::number_or_zero", serialize_with = "lenient::write_number")]
    pub credits_remaining: f64,
}

/// A conversation of `GET /voip/conversations`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "VoipConversation",
        transform = schema::always("customerPhone type status messageCount lastMessagePreview lastMessageAt"),
        transform = schema::times("lastMessageAt"),
        transform = schema::allow_words("type", "sms call"),
        transform = schema::allow_words("status", schema::CONVERSATION_STATUS),
        transform = schema::allow_words("takesNoMessages", "stopped")
    )
)]
pub struct VoipConversationBody {
    pub id: String,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_phone: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub customer_name: Option<String>,
    /// `sms` or `call`, by the latest activity.
    #[serde(rename = "type", default, deserialize_with = "lenient::text")]
    pub kind: Option<String>,
    /// `active` or `closed`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub status: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub message_count: Option<u64>,
    /// Beginning of the newest message.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_preview: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_at: Option<String>,
    /// Present if the assistant asked for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "EscalationBody"))]
    pub escalation: Option<EscalationState>,
    /// Present if the customer takes no texts: they wrote STOP. Calls still reach them.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub takes_no_messages: Option<String>,
    /// Name of the person who paused the assistant; absent while it answers, if nobody is known, and without an
    /// assistant.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub paused_by: Option<String>,
    /// Place of the answer that paused the assistant, if it was not sent through this service, with the words of a
    /// message's `sentFrom`.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub paused_from: Option<String>,
}
