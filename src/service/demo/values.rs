//! Reading the sample data, which is ours and known to be well formed; what
//! is missing all the same is left out.
//!
//! Knows nothing of what it means.

use serde_json::Value;

/// A text field.
pub fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// A list field.
pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A list of texts.
pub fn texts(value: &Value, name: &str) -> Vec<String> {
    list(value, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A switch; off unless it is on.
pub fn is_on(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}
