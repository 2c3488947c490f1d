//! Answers of the polling triggers. The interface defines only the items of new messages.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::broadcasts::BroadcastBody;
#[cfg(feature = "schema")]
use crate::schema;
use model::time::Timestamp;

/// Response of a trigger, newest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(bound(serialize = "T: Serialize"))]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "New{T}s",
        transform = schema::set("data", "maxItems", model::bounds::MAX_TRIGGER_ITEMS)
    )
)]
pub struct Newest<T> {
    #[serde(serialize_with = "write_sorted")]
    pub data: Vec<T>,
}

/// Writes items with their fields in alphabetical order.
fn write_sorted<T: Serialize, S: Serializer>(items: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let items: Result<Vec<Value>, _> = items.iter().map(serde_json::to_value).collect();
    items.map_err(serde::ser::Error::custom)?.serialize(serializer)
}

/// An event of the business's other systems: an order, an appointment or a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Happening"))]
pub struct TriggerEventBody {
    pub id: String,
    /// As reported; otherwise the time of the report.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub created_at: Value,
    /// All other fields, as reported.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

/// An item of `pollCompletedCampaigns`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CampaignBody {
    Reported(TriggerEventBody),
    Broadcast(Box<BroadcastBody>),
}

impl TriggerEventBody {
    /// `at` is the time of the event if the fields have none.
    pub fn new(id: String, mut fields: Map<String, Value>, at: Timestamp) -> Self {
        fields.remove("id");
        let created_at = fields.remove("createdAt").unwrap_or_else(|| at.to_string().into());
        Self { id, created_at, fields }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_keeps_its_fields_and_its_own_time() {
        let at = Timestamp::parse("2026-11-20T10:00:00Z").expect("a time");
        for (reported, written) in [
            (json!({"id": 7, "total": 12}), json!({"id": "o1", "createdAt": at.to_string(), "total": 12})),
            (json!({"createdAt": "today"}), json!({"id": "o1", "createdAt": "today"})),
        ] {
            let fields = reported.as_object().cloned().expect("an object");
            let event = TriggerEventBody::new("o1".to_owned(), fields, at);
            assert_eq!(serde_json::to_value(&event).expect("written"), written);
            assert_eq!(serde_json::from_value::<TriggerEventBody>(written).expect("read"), event);
        }
    }
}
