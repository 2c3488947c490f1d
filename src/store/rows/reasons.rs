//! Failure reason in a raw message.

use serde_json::Value;

use model::failures::FailureReason;

pub(crate) fn parse_reason(raw: &str) -> FailureReason {
    let item: Value = serde_json::from_str(raw).unwrap_or_default();
    FailureReason::from_item(|place| match item.pointer(place)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}
