//! Webhook subscriptions on the wire. Interface: Webhooks.

use serde::{Deserialize, Serialize};

use crate::lenient;

/// The body of `POST /webhooks` and `POST /email/webhooks`, as this desk
/// writes it.
#[derive(Clone, Copy, Serialize)]
pub struct AddWebhookBody<'a> {
    pub url: &'a str,
    /// What it is told of; left out for the server's choice.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub events: &'a [String],
    /// What deliveries are signed with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<&'a str>,
}

/// A subscription. Its secret is never told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub url: String,
    /// What it is told of.
    #[serde(default, deserialize_with = "lenient::texts")]
    pub events: Vec<String>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub is_active: bool,
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Since when nothing arrives; an extension, left out while events arrive.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<String>,
}

/// The answer of `GET /webhooks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookList {
    /// All of them, oldest first.
    pub data: Vec<WebhookBody>,
}

/// The answer to a deletion, of a subscription or a contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteResult {
    pub success: bool,
    /// The id of what was deleted.
    pub deleted: String,
}
