//! Reading the sample data, which is ours and known to be well formed; what
//! is missing all the same is left out.

use serde_json::Value;

use model::time::Timestamp;

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

/// So many minutes before now.
pub fn time_of(message: &Value, now: Timestamp) -> Timestamp {
    let minutes = message.get("ago").and_then(Value::as_f64).unwrap_or(0.0);
    let micros = std::time::Duration::try_from_secs_f64(minutes * 60.0).map_or(0, |it| it.as_micros());
    now.plus(-i64::try_from(micros).unwrap_or(0))
}
