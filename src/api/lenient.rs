//! Deserializers for fields whose type the other side may get wrong, such as a number for a string,
//! null for an absent value or a word for a boolean; serializers for numbers and times.
//!
//! Only [`id`], [`created_id`] and invalid JSON can fail: other unreadable values count as absent.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use model::text::is_plain;
use model::time::Timestamp;

/// Reads a non-empty string, or a number as text. Fails for an id with invisible or ambiguous
/// characters: it could be mistaken for another id, or act where it is pasted.
pub fn id<'de, T: From<String>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) if !text.trim().is_empty() && is_plain(&text) => Ok(text.into()),
        Value::Number(number) => Ok(number.to_string().into()),
        _ => Err(D::Error::custom("no id")),
    }
}

/// Reads a non-empty string, or a number as text, in the answer to a write. Unlike [`id`] it takes any
/// characters: the server executed the write, whatever it calls the result.
pub fn created_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    word(deserializer)?.ok_or_else(|| D::Error::custom("no id"))
}

/// Reads a non-empty string, or a number as text; `None` for anything else.
pub fn word<'de, T: From<String>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) if !text.is_empty() => Some(text.into()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    })
}

/// Like [`word`]; empty for `None`.
pub fn word_or_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(word(deserializer)?.unwrap_or_default())
}

/// Reads a string; empty for anything else.
pub fn string_or_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(if let Value::String(text) = Value::deserialize(deserializer)? { text } else { String::new() })
}

/// Reads a boolean; false for anything else, even the word `true`.
pub fn exact_flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Value::deserialize(deserializer)? == Value::Bool(true))
}

/// Reads a string, or a number or boolean as text; empty for anything else.
pub fn text_or_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(text(deserializer)?.unwrap_or_default())
}

/// Reads an object; the default of `T` for anything else.
pub fn object<'de, T: DeserializeOwned + Default, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(if value.is_object() { serde_json::from_value(value).unwrap_or_default() } else { T::default() })
}

/// Reads a value of type `T`; `None` for anything else.
pub fn readable<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// Reads the items of a list that are of type `T` and skips others; empty for anything else.
pub fn items<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(list(deserializer)?.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect())
}

/// Reads a string, or a number or boolean as text; `None` for anything else.
pub fn text<'de, T: From<String>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text.into()),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Bool(word) => Some(word.to_string().into()),
        _ => None,
    })
}

/// Reads a time, also as a number of seconds or milliseconds; `None` for anything else.
pub fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    Ok(text::<String, _>(deserializer)?.as_deref().and_then(Timestamp::parse_any))
}

/// Reads a list; empty for anything else.
pub fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    Ok(if let Value::Array(items) = Value::deserialize(deserializer)? { items } else { Vec::new() })
}

/// Like [`text`], but `None` for text with invisible or ambiguous characters.
pub fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(text::<String, _>(deserializer)?.filter(|text| is_plain(text)))
}

/// Reads the strings of a list and skips other items; empty for anything else.
pub fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let Value::Array(items) = Value::deserialize(deserializer)? else { return Ok(Vec::new()) };
    let text = |value| if let Value::String(text) = value { Some(text) } else { None };
    Ok(items.into_iter().filter_map(text).collect())
}

/// Reads an integer, also written as a float or a string; 0 for anything else.
pub fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    Ok(as_integer(&Value::deserialize(deserializer)?).unwrap_or(0))
}

fn as_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| exact_integer(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok().or_else(|| exact_integer(text.trim().parse().ok()?)),
        _ => None,
    }
}

/// Like [`boolean`]; false for `None`.
pub fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(boolean(deserializer)? == Some(true))
}

/// Reads a boolean, `"true"` or `"false"` in any case, or 0 and 1 as number or string; `None` for
/// anything else.
pub fn boolean<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Ok(as_boolean(&Value::deserialize(deserializer)?))
}

/// Converts a value as [`boolean`] does.
pub fn as_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(word) => Some(*word),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        Value::Number(number) => match number.as_i64() {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// Reads a finite number, also as a string; `None` for anything else.
pub fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let number = match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    Ok(number.filter(|number| number.is_finite()))
}

/// Like [`number`]; 0 for `None`.
pub fn number_or_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(number(deserializer)?.unwrap_or(0.0))
}

/// Reads a non-negative integer; `None` for anything else.
pub fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_u64().or_else(|| u64::try_from(as_integer(&value)?).ok()))
}

/// Like [`count`]; 0 for `None`.
pub fn count_or_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(count(deserializer)?.unwrap_or(0))
}

/// Reads any value, including null; only a missing field is `None`.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Writes a whole number without a fraction: `12`, not `12.0`.
pub fn write_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match exact_integer(*number) {
        Some(whole) => serializer.serialize_i64(whole),
        None => serializer.serialize_f64(*number),
    }
}

/// Like [`write_number`]; null for `None`.
pub fn write_optional_number<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => write_number(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes the text of an integer as a number, other text as a string.
pub fn write_integer_text<T: AsRef<str> + Serialize, S: Serializer>(
    text: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match text.as_ref().map(|text| text.as_ref().parse::<i64>()) {
        Some(Ok(number)) => serializer.serialize_i64(number),
        _ => text.serialize(serializer),
    }
}

/// Writes an ISO 8601 time; null for `None`.
pub fn write_time<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serializer.serialize_str(at.iso().as_str()),
        None => serializer.serialize_none(),
    }
}

/// Converts a float that is exactly an integer.
fn exact_integer(number: f64) -> Option<i64> {
    let exact = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    if exact { format!("{number:.0}").parse().ok() } else { None }
}

/// Returns the first text or number among these fields.
pub(crate) fn find_text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match fields.get(*name)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_read_and_nothing_else() {
        use serde_json::json;
        let booleans = [
            (json!(true), Some(true)),
            (json!(false), Some(false)),
            (json!("true"), Some(true)),
            (json!("false"), Some(false)),
            (json!("True"), Some(true)),
            (json!(" FALSE "), Some(false)),
            (json!("1"), Some(true)),
            (json!("0"), Some(false)),
            (json!(""), None),
            (json!(1), Some(true)),
            (json!(0), Some(false)),
            (json!(2), None),
            (json!(-1), None),
            (json!(1.5), None),
            (json!("yes"), None),
            (json!(null), None),
            (json!([true]), None),
        ];
        for (value, read) in booleans {
            assert_eq!(boolean(&value).expect("never fails"), read, "{value}");
        }
        let integers = [
            (json!(7), 7),
            (json!(" 7 "), 7),
            (json!(7.0), 7),
            (json!("7.0"), 7),
            (json!(1e300), 0),
            (json!(7.5), 0),
            (json!("x"), 0),
            (json!(null), 0),
        ];
        for (value, read) in integers {
            assert_eq!(integer(&value).expect("never fails"), read, "{value}");
        }
        let texts = [
            (json!("a"), Some("a")),
            (json!(1), Some("1")),
            (json!(true), Some("true")),
            (json!(null), None),
            (json!({}), None),
        ];
        for (value, read) in texts {
            assert_eq!(text::<String, _>(&value).expect("never fails").as_deref(), read, "{value}");
        }
        let counts = [
            (json!(3.0), Some(3)),
            (json!("3.0"), Some(3)),
            (json!(""), None),
            (json!(u64::MAX), Some(u64::MAX)),
            (json!(3), Some(3)),
            (json!("3"), Some(3)),
            (json!(-3), None),
            (json!(null), None),
        ];
        for (value, read) in counts {
            assert_eq!(count(&value).expect("never fails"), read, "{value}");
        }
        let numbers = [
            (json!(0.5), Some(0.5)),
            (json!("0.5"), Some(0.5)),
            (json!("NaN"), None),
            (json!("inf"), None),
            (json!(false), None),
        ];
        for (value, read) in numbers {
            assert_eq!(number(&value).expect("never fails"), read, "{value}");
        }
    }

    #[test]
    fn whole_numbers_are_written_whole() {
        #[derive(Serialize)]
        struct Row(#[serde(serialize_with = "write_number")] f64);
        for (number, text) in [(12.0, "12"), (0.0, "0"), (0.5, "0.5"), (-3.0, "-3")] {
            assert_eq!(serde_json::to_string(&Row(number)).expect("writes"), text);
        }
    }
}
