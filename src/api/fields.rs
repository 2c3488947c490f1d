//! Values of requests with the bounds of the API. Reading checks them; making one with `from` does
//! not, so the client can write what its own checks have let pass.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::content::MAX_LINK_CHARS;
use crate::mail_addresses::ascii_address;
use crate::request::FieldError;
#[cfg(feature = "schema")]
use crate::schema;
use model::bounds;

/// Gives a type its schema, which is written where the type is used.
macro_rules! inline_schema {
    ($name:ident $(<const $max:ident: $kind:ty>)?, $schema:tt) => {
        #[cfg(feature = "schema")]
        impl $(<const $max: $kind>)? schemars::JsonSchema for $name $(<$max>)? {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

/// Defines a string whose values are checked when they are read.
macro_rules! text_field {
    ($(#[$doc:meta])* $name:ident $(<const $max:ident: usize>)?, $check:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name $(<const $max: usize>)? (String);

        impl $(<const $max: usize>)? $name $(<$max>)? {
            pub fn as_str(&self) -> &str {
                &self.0
            }

            pub fn into_string(self) -> String {
                self.0
            }

            /// Returns the text, `None` if it is empty.
            pub fn non_empty(self) -> Option<String> {
                Some(self.0).filter(|text| !text.is_empty())
            }
        }

        impl<T: Into<String> $(, const $max: usize)?> From<T> for $name $(<$max>)? {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }

        impl $(<const $max: usize>)? fmt::Display for $name $(<$max>)? {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl $(<const $max: usize>)? Serialize for $name $(<$max>)? {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de $(, const $max: usize)?> Deserialize<'de> for $name $(<$max>)? {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let check: fn(Value) -> Result<String, String> = $check;
                check(Value::deserialize(deserializer)?).map(Self).map_err(D::Error::custom)
            }
        }

        inline_schema!($name $(<const $max: usize>)?, $schema);
    };
}

text_field!(
    /// At most `MAX` characters; may be empty.
    Text<const MAX: usize>,
    |value| check_length(value, MAX),
    {"type": "string", "maxLength": MAX}
);
text_field!(
    /// 1 to `MAX` characters, not only white space.
    Filled<const MAX: usize>,
    |value| check_filled(value, MAX),
    {"type": "string", "minLength": 1, "maxLength": MAX, "pattern": schema::NOT_BLANK}
);
text_field!(
    /// Address of a file or endpoint; only HTTPS passes the service's later checks.
    Link,
    |value| check_filled(value, MAX_LINK_CHARS),
    {
        "type": "string",
        "format": "uri",
        "maxLength": MAX_LINK_CHARS,
        "pattern": "^https://",
        "examples": ["https://shop.example/panniers.jpg"],
        "description": "A public HTTPS address that returns bytes, or the `url` that `POST /media` returned. Ports \
                        443 and 8443 only."
    }
);
text_field!(
    /// Phone number in E.164 form.
    Phone,
    |value| {
        let text = check_filled(value, 64)?;
        let problem = "must be a phone number in E.164 form, such as +34600111222";
        if bounds::is_e164(&text) { Ok(text) } else { Err(problem.to_owned()) }
    },
    {
        "type": "string",
        "pattern": schema::PHONE,
        "examples": ["+34600111222"],
        "description": "A phone number in E.164 form."
    }
);
text_field!(
    /// Phone number in E.164 form, or the `customerAddress` of a conversation without one.
    ChatAddress,
    |value| {
        let text = check_filled(value, 256)?;
        let problem = "must be a phone number in E.164 form, such as +34600111222, or the customerAddress of a \
                       conversation";
        if bounds::is_chat_address(&text) { Ok(text) } else { Err(problem.to_owned()) }
    },
    {"type": "string", "pattern": schema::CHAT_ADDRESS, "examples": ["+34600111222"]}
);
text_field!(
    /// One plain mail address; its domain in ASCII once it was read.
    MailAddress,
    |value| {
        let text = check_length(value, bounds::MAX_EMAIL_ADDRESS_CHARS)?;
        ascii_address(&text).ok_or_else(|| "must be a mail address, such as maria@mail.example".to_owned())
    },
    {
        "type": "string",
        "format": "email",
        "maxLength": bounds::MAX_EMAIL_ADDRESS_CHARS,
        "examples": ["maria@mail.example"],
        "description": "A mail address in plain form, `local@domain`."
    }
);

text_field!(
    /// Text of at most `MAX` characters; a whole number of at most 64 bits is read as its digits.
    TextOrNumber<const MAX: usize>,
    |value| match value {
        Value::Number(number) if number.is_i64() => Ok(number.to_string()),
        Value::Number(_) => Err("must be a string or a whole number of at most 64 bits".to_owned()),
        value => check_length(value, MAX),
    },
    {"type": ["string", "integer"], "maxLength": MAX, "minimum": i64::MIN, "maximum": i64::MAX}
);

/// Reads one address or an array of them.
pub(crate) fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<MailAddress>, D::Error> {
    deserializer.deserialize_any(OneOrMore)
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = Vec<MailAddress>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a mail address or an array of them")
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        MailAddress::deserialize(text.into_deserializer()).map(|address| vec![address])
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut addresses = Vec::new();
        while let Some(address) = items.next_element()? {
            addresses.push(address);
        }
        Ok(addresses)
    }
}

/// Returns a text that the value of another field makes required.
///
/// # Errors
/// If it is absent or blank; names the field.
pub fn require_filled<const MAX: usize>(name: &str, text: Option<Text<MAX>>) -> Result<String, FieldError> {
    let text = text.ok_or_else(|| FieldError::new(name, "is required"))?;
    check_filled(Value::String(text.0), MAX).map_err(|problem| FieldError::new(name, problem))
}

fn check_length(value: Value, max: usize) -> Result<String, String> {
    let Value::String(text) = value else { return Err("must be a string".to_owned()) };
    let length = bounds::count_chars(&text);
    if length > max {
        return Err(format!("must have at most {max} characters; it has {length}"));
    }
    Ok(text)
}

fn check_filled(value: Value, max: usize) -> Result<String, String> {
    let text = check_length(value, max)?;
    if text.trim().is_empty() { Err("must not be empty".to_owned()) } else { Ok(text) }
}

/// Whole number from `FROM` to `TO`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounded<const FROM: i64, const TO: i64>(pub i64);

impl<'de, const FROM: i64, const TO: i64> Deserialize<'de> for Bounded<FROM, TO> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Value::deserialize(deserializer)?.as_i64().filter(|number| (FROM..=TO).contains(number));
        let problem = || D::Error::custom(format_args!("must be a whole number from {FROM} to {TO}"));
        number.map(Self).ok_or_else(problem)
    }
}

/// Decimal degrees from -`MAX` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Degrees<const MAX: i32>(pub f64);

inline_schema!(Degrees<const MAX: i32>, {"type": "number", "minimum": -MAX, "maximum": MAX});

impl<const MAX: i32> Serialize for Degrees<MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de, const MAX: i32> Deserialize<'de> for Degrees<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let max = f64::from(MAX);
        let number =
            Value::deserialize(deserializer)?.as_f64().filter(|number| (-max..=max).contains(number));
        number
            .map(Self)
            .ok_or_else(|| D::Error::custom(format_args!("must be a number from -{MAX} to {MAX}")))
    }
}

/// Any JSON object, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonObject(String);

/// Array of JSON objects, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonObjects(String);

inline_schema!(JsonObject, {"type": "object"});
inline_schema!(JsonObjects, {"type": "array", "items": {"type": "object"}});

impl JsonObject {
    /// Takes a text as it is; `None` if it is not a JSON object.
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        serde_json::from_str::<Map<String, Value>>(text).ok().map(|_| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }

    pub fn to_map(&self) -> Map<String, Value> {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl JsonObjects {
    /// Takes a text as it is; `None` if it is not a JSON array.
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        serde_json::from_str::<Vec<Value>>(text).ok().map(|_| Self(text.to_owned()))
    }

    pub fn to_values(&self) -> Vec<Value> {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

fn write_raw<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(text.to_owned()).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_raw(&self.0, serializer)
    }
}

impl Serialize for JsonObjects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_raw(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            value @ Value::Object(_) => Ok(Self(value.to_string())),
            _ => Err(D::Error::custom("must be an object")),
        }
    }
}

impl<'de> Deserialize<'de> for JsonObjects {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Array(items) if !items.iter().all(Value::is_object) => {
                Err(D::Error::custom("must be an array of objects"))
            }
            value @ Value::Array(_) => Ok(Self(value.to_string())),
            _ => Err(D::Error::custom("must be an array")),
        }
    }
}
