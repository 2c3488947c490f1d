//! Strict JSON parser that refuses repeated keys, NUL characters and deep nesting, and a canonical
//! form for comparing bodies.

use std::fmt;
use std::io::{self, Write};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

pub const MAX_DEPTH: usize = 64;

/// Parses exactly one JSON value.
pub fn read(bytes: &[u8]) -> Result<Value, String> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = StrictSeed { left: MAX_DEPTH }.deserialize(&mut reader).map_err(|cause| cause.to_string())?;
    reader.end().map_err(|cause| cause.to_string())?;
    Ok(value)
}

/// Writes the canonical form: sorted keys, no white space.
pub fn canonical(value: &Value, out: &mut impl Write) -> io::Result<()> {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            out.write_all(b"{")?;
            for (index, name) in names.into_iter().enumerate() {
                if index > 0 {
                    out.write_all(b",")?;
                }
                serde_json::to_writer(&mut *out, name)?;
                out.write_all(b":")?;
                canonical(&fields[name.as_str()], out)?;
            }
            out.write_all(b"}")
        }
        Value::Array(items) => {
            out.write_all(b"[")?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.write_all(b",")?;
                }
                canonical(item, out)?;
            }
            out.write_all(b"]")
        }
        plain => Ok(serde_json::to_writer(&mut *out, plain)?),
    }
}

struct StrictSeed {
    left: usize,
}

impl StrictSeed {
    fn next_level<E: Error>(&self) -> Result<usize, E> {
        self.left.checked_sub(1).ok_or_else(|| E::custom(format!("nested deeper than {MAX_DEPTH} levels")))
    }
}

fn plain_text<E: Error>(text: String) -> Result<String, E> {
    if text.contains('\0') { Err(E::custom("a string contains a NUL character")) } else { Ok(text) }
}

impl<'de> DeserializeSeed<'de> for StrictSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictSeed {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        serde_json::Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        plain_text(value.to_owned()).map(Value::String)
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        plain_text(value).map(Value::String)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let left = self.next_level()?;
        let mut out = Vec::new();
        while let Some(item) = items.next_element_seed(StrictSeed { left })? {
            out.push(item);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let left = self.next_level()?;
        let mut out = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let name = plain_text(name)?;
            let value = fields.next_value_seed(StrictSeed { left })?;
            if out.contains_key(&name) {
                return Err(A::Error::custom(format!("the key `{name}` appears twice")));
            }
            out.insert(name, value);
        }
        Ok(Value::Object(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_two_readers_could_read_differently() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let cases = [
            (r#"{"a":1,"b":[true,null,"x",1.5,-2]}"#.to_owned(), None),
            (r#"{"a":1,"a":2}"#.to_owned(), Some("twice")),
            (r#"{"a":{"b":1,"b":1}}"#.to_owned(), Some("twice")),
            (r#"{"a":"x\u0000y"}"#.to_owned(), Some("NUL")),
            (r#"{"x\u0000y":1}"#.to_owned(), Some("NUL")),
            (r#"{"a":[{"\u0000":1}]}"#.to_owned(), Some("NUL")),
            (r#"["\u0000"]"#.to_owned(), Some("NUL")),
            (r#""\ud800""#.to_owned(), Some("hex escape")),
            ("1e400".to_owned(), Some("range")),
            ("NaN".to_owned(), Some("expected")),
            ("{} {}".to_owned(), Some("trailing")),
            (String::new(), Some("EOF")),
            (deep(64), None),
            (deep(65), Some("deeper")),
            ("[".repeat(100_000), Some("deeper")),
        ];
        for (text, refusal) in cases {
            let outcome = read(text.as_bytes());
            let shown = &text[..text.len().min(40)];
            match refusal {
                None => assert!(outcome.is_ok(), "{shown}: {outcome:?}"),
                Some(word) => {
                    let message = outcome.expect_err(shown);
                    assert!(message.contains(word), "{shown}: {message}");
                }
            }
        }
        assert!(read(b"\"\xff\"").is_err());
    }

    #[test]
    fn order_and_space_do_not_matter_but_values_do() {
        let form = |text: &str| {
            let mut out = Vec::new();
            canonical(&read(text.as_bytes()).expect("valid"), &mut out).expect("a vector takes all");
            String::from_utf8(out).expect("text")
        };
        assert_eq!(form(r#"{"b":[1, 2],"a":{"y":"é","x":null}}"#), r#"{"a":{"x":null,"y":"é"},"b":[1,2]}"#);
        assert_ne!(form(r#"{"a":[1,2]}"#), form(r#"{"a":[2,1]}"#));
    }
}
