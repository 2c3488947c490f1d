use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::{BroadcastContent, MAX_ID_CHARS};
use crate::fields::Text;
use crate::lenient;
use crate::request::{FieldError, Fields, RequestBody};
#[cfg(feature = "schema")]
use crate::schema;
use model::broadcasts::{Broadcast, BroadcastStatus};
use model::failures::{FailedRecipient, FailureReason};
use model::ids::BroadcastId;
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

/// Request of `POST /broadcast`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "BroadcastInput",
        transform = schema::set("contactIds", "minItems", 1),
        transform = schema::set("contactIds", "maxItems", model::bounds::MAX_BROADCAST_CONTACTS)
    )
)]
pub struct CreateBroadcast {
    /// `None` for all contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_ids: Option<Vec<Text<MAX_ID_CHARS>>>,
    pub message: BroadcastContent,
}

impl RequestBody for CreateBroadcast {
    fn read(body: Value) -> Result<Self, FieldError> {
        let mut body = Fields::of_body(body)?;
        let message = BroadcastContent::read(&mut body.object("message")?)?;
        Ok(Self { contact_ids: body.optional("contactIds")?, message })
    }
}

/// Response of `POST /broadcast`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        transform = schema::set("totalRecipients", "minimum", 1),
        transform = schema::set("creditsUsed", "minimum", 0),
        transform = schema::allow_words("status", "sending")
    )
)]
pub struct BroadcastAccepted {
    #[serde(deserialize_with = "lenient::created_id")]
    pub broadcast_id: String,
    #[serde(default, deserialize_with = "lenient::integer")]
    pub total_recipients: i64,
    /// Cost of all recipients, before refunds.
    #[serde(default, deserialize_with = "lenient::number_or_zero")]
    pub credits_used: f64,
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub status: String,
    /// Present and true for a test key.
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

/// Response of `GET /broadcast/{broadcastId}`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Broadcast",
        transform = schema::always("message createdAt"),
        transform = schema::times("createdAt completedAt"),
        transform = schema::set("totalRecipients", "minimum", 1),
        transform = schema::set("sentCount failedCount delivered failed pending", "minimum", 0),
        transform = schema::allow_words("status", "sending completed")
    )
)]
pub struct BroadcastBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// Text that is sent.
    #[serde(default, deserialize_with = "lenient::text")]
    pub message: Option<String>,
    #[serde(default, deserialize_with = "lenient::integer")]
    pub total_recipients: i64,
    /// Accepted by the platform and not failed later.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub sent_count: i64,
    #[serde(default, deserialize_with = "lenient::integer")]
    pub failed_count: i64,
    /// `sending` or `completed`.
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub status: String,
    #[serde(default, deserialize_with = "lenient::text")]
    pub created_at: Option<String>,
    /// Time of the last attempt, once every recipient had one.
    #[serde(default, deserialize_with = "lenient::text")]
    pub completed_at: Option<String>,
    /// Recipients whose device received it.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub delivered: i64,
    /// Refused or lost; the same as `failedCount`.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub failed: i64,
    /// Neither delivered nor failed yet.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub pending: i64,
    /// Recipients; not defined by the API. This service lists the failed ones.
    #[serde(
        default,
        deserialize_with = "lenient::list",
        alias = "results",
        alias = "failures",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub recipients: Vec<Value>,
}

/// A recipient that was not reached, in this service's format.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecipientBody {
    pub contact_id: String,
    pub phone: String,
    pub status: String,
    /// Error code of the API; `None` if the platform reported a failure without a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// Reads a failed recipient; `None` if the item is not failed or names no recipient.
fn failed_recipient(item: &Value) -> Option<FailedRecipient> {
    let told = |place: &str| match item.pointer(place)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let named = |places: [&str; 3]| places.into_iter().find_map(told).filter(|place| is_plain(place));
    let contact = named(["/contactId", "/contact/id", "/contact"]);
    let phone = named(["/phone", "/to", "/contact/phone"]);
    let reason = FailureReason::from_item(told);
    let failed = told("/status").map_or(reason.is_stated(), |text| text.eq_ignore_ascii_case("failed"));
    (failed && (contact.is_some() || phone.is_some())).then_some(FailedRecipient { contact, phone, reason })
}

impl BroadcastBody {
    pub fn into_model(self) -> Broadcast {
        let time = |text: &Option<String>| text.as_deref().and_then(Timestamp::parse_any);
        Broadcast {
            status: BroadcastStatus::from_word(&self.status),
            text: self.message.as_deref().map(SafeText::line),
            recipients: self.total_recipients,
            delivered: self.delivered,
            failed: self.failed.max(self.failed_count),
            pending: self.pending,
            created_at: time(&self.created_at),
            completed_at: time(&self.completed_at),
            failures: self.recipients.iter().filter_map(failed_recipient).collect(),
            id: BroadcastId::new(self.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipients_are_read_under_their_usual_names() {
        let cases = [
            (r#"{"contactId":"ct_1","phone":"+346","status":"failed","code":"GONE"}"#, "ct_1 +346 GONE"),
            (r#"{"contact":{"id":"ct_2"},"error":{"code":7,"message":"no"}}"#, "ct_2 - no (7)"),
            (r#"{"to":"+347","status":"FAILED"}"#, "- +347 no reason given"),
            (r#"{"to":"+347","status":"delivered","code":"OK"}"#, ""),
            (r#"{"status":"failed","code":"GONE"}"#, ""),
            (r#"{"contactId":"ct_3"}"#, ""),
            (r#""ct_4""#, ""),
        ];
        for (item, told) in cases {
            for field in ["recipients", "results", "failures"] {
                let body: BroadcastBody =
                    serde_json::from_str(&format!(r#"{{"id":"bc_1","{field}":[{item}]}}"#)).expect("a body");
                let line = |failed_recipient: &FailedRecipient| {
                    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
                    format!(
                        "{} {} {}",
                        or(&failed_recipient.contact),
                        or(&failed_recipient.phone),
                        failed_recipient.reason.describe()
                    )
                };
                let found: Vec<String> = body.into_model().failures.iter().map(line).collect();
                assert_eq!(found.join(";"), told, "{item}");
            }
        }
    }
}
