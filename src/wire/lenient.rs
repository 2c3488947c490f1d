//! Reading fields whose type the other side may get wrong: a number where a
//! string is meant, null where nothing is, a word where a boolean is.
//!
//! Knows nothing of particular fields. Nothing here fails: what can't be
//! read is absent.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A string, or a number or boolean as its text; anything else is absent.
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(word) => Some(word.to_string()),
        _ => None,
    })
}

/// A boolean, or `"true"`/`"false"`, or 0/1; anything else is absent.
pub fn boolean<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Bool(word) => Some(word),
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => match number.as_i64() {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
        _ => None,
    })
}

/// A number, or its text; anything else, NaN and infinities are absent.
pub fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let number = match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    Ok(number.filter(|it| it.is_finite()))
}

/// A count that is not negative; anything else is absent.
pub fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    })
}
