use serde::{Deserialize, Serialize};

use crate::fields::{Link, Text};
use crate::lenient;
use crate::request::derived_body;
#[cfg(feature = "schema")]
use crate::schema;

/// Request of `POST /webhooks` and `POST /email/webhooks`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "WebhookInput",
        transform = schema::set("events", "minItems", 1),
        transform = schema::set("secret", "minLength", 1)
    )
)]
pub struct CreateWebhook {
    pub url: Link,
    /// All events of the channel if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
    /// Secret for the signatures of deliveries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<Text<256>>,
}

derived_body!(CreateWebhook);

/// A subscription, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Webhook",
        transform = schema::always("createdAt"),
        transform = schema::times("createdAt failingSince")
    )
)]
pub struct WebhookBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub url: String,
    #[serde(default, deserialize_with = "lenient::texts")]
    pub events: Vec<String>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub is_active: bool,
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Time since which deliveries fail; absent while they succeed. Extension of this service.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<String>,
    /// Why nothing more is delivered: `operator`, `gone` (an answer of 410) or `failing` (three days of failures).
    /// Extension of this service.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub ended_why: Option<String>,
    /// Events that wait for their next attempt; absent if there are none. Extension of this service.
    #[serde(default, deserialize_with = "lenient::count", skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u64>,
    /// Events that were given up and can be sent again; absent if there are none. Extension of this service.
    #[serde(default, deserialize_with = "lenient::count", skip_serializing_if = "Option::is_none")]
    pub dead_letters: Option<u64>,
}

/// Response of `GET /webhooks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebhookList {
    /// Oldest first.
    pub data: Vec<WebhookBody>,
}

/// Response of the deletion of a subscription or a contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeleteResult {
    #[serde(default, deserialize_with = "lenient::exact_flag")]
    pub success: bool,
    /// Id of the deleted subscription or contact.
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub deleted: String,
}
