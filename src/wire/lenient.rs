//! Reading fields whose type the other side may get wrong: a number where a
//! string is meant, null where nothing is, a word where a boolean is; and
//! writing numbers in their plainest form.
//!
//! But for an id, no reading here fails: what can't be read is absent.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use model::text::is_plain;

/// An id: a text that is not empty, or a number as its text. One with
/// characters that are not shown as themselves is none: it could be taken for
/// another's, or act where it is pasted.
pub fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) if !text.trim().is_empty() && is_plain(&text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(D::Error::custom("no id")),
    }
}

/// A string, or a number or boolean as its text; anything else is the empty
/// text.
pub fn text_or_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(text(deserializer)?.unwrap_or_default())
}

/// A shape, or what it is by default where something else stands.
pub fn object<'de, T: DeserializeOwned + Default, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(if value.is_object() { serde_json::from_value(value).unwrap_or_default() } else { T::default() })
}

/// A string, or a number or boolean as its text; anything else is absent.
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(word) => Some(word.to_string()),
        _ => None,
    })
}

/// The values of a list; anything but a list is empty.
pub fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    Ok(if let Value::Array(items) = Value::deserialize(deserializer)? { items } else { Vec::new() })
}

/// An address or a number, as [`id`]; what is none is absent.
pub fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(text(deserializer)?.filter(|text| is_plain(text)))
}

/// The strings of a list; anything else in it, and anything but a list, is
/// absent.
pub fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let Value::Array(items) = Value::deserialize(deserializer)? else { return Ok(Vec::new()) };
    let text = |value| if let Value::String(text) = value { Some(text) } else { None };
    Ok(items.into_iter().filter_map(text).collect())
}

/// A whole number, also written with a fraction of zero, or its text; anything
/// else is 0.
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

/// As [`boolean`]; what is absent is false.
pub fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(boolean(deserializer)? == Some(true))
}

/// A boolean, or `"true"`/`"false"` in any case, or 0/1 and their texts;
/// anything else is absent.
pub fn boolean<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Ok(as_boolean(&Value::deserialize(deserializer)?))
}

/// What [`boolean`] reads, of a value.
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

/// A number, or its text; anything else, NaN and infinities are absent.
pub fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let number = match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    Ok(number.filter(|number| number.is_finite()))
}

/// A count that is not negative; anything else is absent.
pub fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_u64().or_else(|| u64::try_from(as_integer(&value)?).ok()))
}

/// Any value, null too: only a field that is not there is absent.
pub fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Writes a number that is whole without a fraction: `12`, not `12.0`.
pub fn write_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match exact_integer(*number) {
        Some(whole) => serializer.serialize_i64(whole),
        None => serializer.serialize_f64(*number),
    }
}

/// Writes a number that may be absent, as [`write_number`] does.
pub fn write_optional_number<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => write_number(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes the text of a whole number as a number, other text as text.
pub fn write_integer_text<S: Serializer>(text: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    match text.as_deref().map(str::parse::<i64>) {
        Some(Ok(number)) => serializer.serialize_i64(number),
        _ => text.serialize(serializer),
    }
}

/// The whole number a float stands for, where it is exact.
fn exact_integer(number: f64) -> Option<i64> {
    let exact = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    if exact { format!("{number:.0}").parse().ok() } else { None }
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
            assert_eq!(text(&value).expect("never fails").as_deref(), read, "{value}");
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
