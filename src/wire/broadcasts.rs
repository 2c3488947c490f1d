//! Broadcasts on the wire. Interface: Resources, Broadcast.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::TypedContent;
use crate::lenient;
use model::broadcasts::{Broadcast, BroadcastStatus};
use model::failures::{FailedRecipient, FailureReason};
use model::ids::BroadcastId;
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

/// The body of `POST /broadcast`, as this desk writes it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendBroadcastBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_ids: Option<Vec<&'a str>>,
    pub message: TypedContent<'a>,
}

/// The answer to a new broadcast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BroadcastAccepted {
    pub broadcast_id: String,
    /// How many people it goes to.
    pub total_recipients: i64,
    /// What all of them cost; refunds come later.
    #[serde(default)]
    pub credits_used: f64,
    /// `sending`.
    pub status: String,
    /// Present and true for a test key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

/// How a broadcast stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BroadcastBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// The text that goes out.
    #[serde(default, deserialize_with = "lenient::text")]
    pub message: Option<String>,
    /// How many people it goes to.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub total_recipients: i64,
    /// Taken by the platform and not lost later.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub sent_count: i64,
    #[serde(default, deserialize_with = "lenient::integer")]
    pub failed_count: i64,
    /// `sending` or `completed`.
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub status: String,
    #[serde(default, deserialize_with = "lenient::text")]
    pub created_at: Option<String>,
    /// When the last recipient was tried.
    #[serde(default, deserialize_with = "lenient::text")]
    pub completed_at: Option<String>,
    #[serde(default, deserialize_with = "lenient::integer")]
    pub delivered: i64,
    #[serde(default, deserialize_with = "lenient::integer")]
    pub failed: i64,
    /// Neither arrived nor failed yet.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub pending: i64,
    /// What became of recipients; the interface shows no such field, and this
    /// service names those that failed.
    #[serde(
        default,
        deserialize_with = "lenient::list",
        alias = "results",
        alias = "failures",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub recipients: Vec<Value>,
}

/// A recipient who was not reached, as this service names it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecipientBody {
    pub contact_id: String,
    /// E.164.
    pub phone: String,
    /// `failed`.
    pub status: String,
    /// Why it was refused, in the interface's code; nothing where the platform
    /// lost it and said no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// Reads a recipient who was not reached; `None` for one who was, and for what
/// names nobody.
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
    /// In this program's words.
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
            (r#"{"to":"+347","status":"FAILED"}"#, "- +347 the service tells no reason"),
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
