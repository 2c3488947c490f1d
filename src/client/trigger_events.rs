//! Reads items of the triggers, whose format is not defined by the API, as headings and fields.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::ListPage;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::triggers;
use model::bounds;
use model::ids::ConversationId;
use model::messages::Message;
use model::phones;
use model::text::SafeText;
use model::time::Timestamp;
use model::trigger_events::{TriggerEvent, TriggerKind};

const MAX_FIELDS: usize = 40;
/// Characters kept of a value.
const MAX_VALUE_CHARS: usize = 300;
/// Maximum nesting of objects.
const MAX_DEPTH: usize = 4;
/// Fields that may serve as the title of an item, the best first.
const NAME_FIELDS: [&str; 10] = [
    "title",
    "subject",
    "name",
    "orderNumber",
    "number",
    "service",
    "customerName",
    "customer.name",
    "contact.name",
    "message",
];
/// Fields that may hold the time of an item, the best first.
const TIME_FIELDS: [&str; 7] =
    ["createdAt", "completedAt", "timestamp", "created_at", "updatedAt", "date", "startsAt"];

impl Client {
    pub async fn trigger_events(&self, trigger: TriggerKind) -> Result<ListPage<TriggerEvent>, ReadError> {
        let other = match trigger {
            TriggerKind::Message => {
                return Ok(self
                    .new_messages()
                    .await?
                    .filter_map(|new_message| Some(event_from_message(&new_message))));
            }
            TriggerKind::Contact => triggers::PlainTrigger::NewContact,
            TriggerKind::Order => triggers::PlainTrigger::NewOrder,
            TriggerKind::Appointment => triggers::PlainTrigger::NewAppointment,
            TriggerKind::Campaign => triggers::PlainTrigger::CampaignCompleted,
        };
        Ok(self.trigger(other).await?.filter_map(|map| Some(event_from_object(trigger, &map))))
    }
}

fn event_from_message(message: &Message) -> TriggerEvent {
    let mut fields = vec![(SafeText::line("type"), SafeText::line(&message.content_type))];
    fields.push((SafeText::line("content"), SafeText::line(message.content.as_str())));
    TriggerEvent {
        trigger: TriggerKind::Message,
        id: message.id.to_string(),
        at: message.created_at,
        title: SafeText::line(message.content.as_str()),
        phone: None,
        conversation: Some(message.conversation.clone()),
        fields,
    }
}

fn event_from_object(trigger: TriggerKind, object: &Map<String, Value>) -> TriggerEvent {
    let mut flat: Vec<(String, String)> = Vec::new();
    flatten("", object, 0, &mut flat);
    let find = |name: &str| flat.iter().find(|(text, _)| text == name).map(|(_, value)| value.as_str());
    let print = || {
        let digest = Sha256::digest(Value::Object(object.clone()).to_string());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    };
    let id = find("id").filter(|text| !text.is_empty()).map_or_else(print, str::to_owned);
    let title = NAME_FIELDS.iter().find_map(|name| find(name)).unwrap_or(&id);
    let text = |text: &str| SafeText::line(&text.chars().take(MAX_VALUE_CHARS).collect::<String>());
    TriggerEvent {
        trigger,
        at: TIME_FIELDS.iter().find_map(|text| find(text).and_then(Timestamp::parse_any)),
        title: text(title),
        phone: find_phone(&flat),
        conversation: find("conversationId").filter(|text| !text.is_empty()).map(ConversationId::from),
        fields: flat.iter().take(MAX_FIELDS).map(|(name, value)| (text(name), text(value))).collect(),
        id,
    }
}

/// Returns the first value that is a phone number with country code; fields named like phone
/// numbers take precedence.
fn find_phone(flat: &[(String, String)]) -> Option<String> {
    let number = |(_, value): &&(String, String)| bounds::is_e164(&phones::strip_separators(value));
    let called = |pair: &&(String, String)| pair.0.to_lowercase().contains("phone") && number(pair);
    let found = flat.iter().find(called).or_else(|| flat.iter().find(number));
    found.map(|(_, value)| phones::strip_separators(value))
}

fn flatten(before: &str, object: &Map<String, Value>, depth: usize, flat: &mut Vec<(String, String)>) {
    for (name, value) in object {
        if flat.len() >= MAX_FIELDS * 2 {
            return;
        }
        let name = if before.is_empty() { name.clone() } else { format!("{before}.{name}") };
        match value {
            Value::Object(inner) if depth < MAX_DEPTH => flatten(&name, inner, depth + 1, flat),
            Value::String(text) => flat.push((name, text.clone())),
            Value::Null => (),
            Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
                let words: Vec<String> = items
                    .iter()
                    .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                    .collect();
                flat.push((name, words.join(", ")));
            }
            Value::Array(items) if depth < MAX_DEPTH => {
                for (place, item) in items.iter().enumerate() {
                    let name = format!("{name} {}", place + 1);
                    match item {
                        Value::Object(inner) => flatten(&name, inner, depth + 1, flat),
                        other => flat.push((name, other.to_string())),
                    }
                }
            }
            other => flat.push((name, other.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whatever_comes_is_a_heading_and_its_fields() {
        // (item, its id, its title, its phone number)
        let cases = [
            (
                json!({"id": "o1", "orderNumber": "1041", "customer": {"phone": "+34 600 111 222"}}),
                "o1",
                "1041",
                Some("+34600111222"),
            ),
            (json!({"id": 7, "name": "Ann", "tel": "+447700900123"}), "7", "Ann", Some("+447700900123")),
            (json!({"id": "x", "deep": {"a": {"b": [1, "two", null]}}}), "x", "x", None),
            (json!({"id": "y", "items": [{"sku": "a"}, 3], "none": null}), "y", "y", None),
        ];
        for (item, id, title, phone) in cases {
            let told = event_from_object(TriggerKind::Order, item.as_object().expect("an object"));
            assert_eq!((told.id.as_str(), told.title.as_str()), (id, title), "{item}");
            assert_eq!(told.phone.as_deref(), phone, "{item}");
        }
        let nameless = json!({"a": "\u{1b}[2J", "startsAt": "2026-11-21T09:00:00Z"});
        let told = event_from_object(TriggerKind::Appointment, nameless.as_object().expect("an object"));
        assert_eq!(told.id.len(), 16, "a print of it");
        assert!(told.at.is_some() && !told.fields[0].1.as_str().contains('\u{1b}'));
        let fields =
            |item: Value| event_from_object(TriggerKind::Order, item.as_object().expect("an object")).fields;
        let names: Vec<String> = fields(json!({"a": {"b": {"c": 1}}, "d": [{"e": true}]}))
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(names, ["a.b.c=1", "d 1.e=true"]);
        let wide: Map<String, Value> = (0..500).map(|number| (number.to_string(), number.into())).collect();
        assert_eq!(event_from_object(TriggerKind::Order, &wide).fields.len(), MAX_FIELDS);
    }
}
