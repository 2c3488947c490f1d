//! Readers of the sample data, which is known to be well-formed. Missing values read as empty.

use serde_json::Value;

use model::time::Timestamp;

pub fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub fn texts(value: &Value, name: &str) -> Vec<String> {
    list(value, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns true if the field is `true`.
pub fn is_on(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// Returns the time that is `ago` minutes before now.
pub fn time_of(message: &Value, now: Timestamp) -> Timestamp {
    let minutes = message.get("ago").and_then(Value::as_f64).unwrap_or(0.0);
    let micros = std::time::Duration::try_from_secs_f64(minutes * 60.0)
        .map_or(0, |try_from_secs_f64| try_from_secs_f64.as_micros());
    now.plus(-i64::try_from(micros).unwrap_or(0))
}
