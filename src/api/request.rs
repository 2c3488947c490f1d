//! Reading of a request's body into its type, with errors that name the field.
//!
//! Unknown fields are ignored and null counts as absent. The types of [`crate::fields`] check the
//! bounds of their values while they are read; the client writes the same types without a check.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Path of the field, such as `attachments[0].filename`.
    field: String,
    /// Problem of the value, such as `is required`.
    problem: String,
}

impl FieldError {
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.field, self.problem)
    }
}

impl std::error::Error for FieldError {}

/// # Errors
/// If the body is no object, or a field is missing or has a value that its type does not take.
pub fn read<T: DeserializeOwned>(body: Value) -> Result<T, FieldError> {
    read_within("", body)
}

pub trait RequestBody: Sized {
    /// # Errors
    /// If a field is missing or has a value that it does not take.
    fn read(body: Value) -> Result<Self, FieldError>;
}

/// Lets bodies be read by their derived deserializers.
macro_rules! derived_body {
    ($($body:ty),* $(,)?) => {
        $(impl $crate::request::RequestBody for $body {
            fn read(body: serde_json::Value) -> Result<Self, $crate::request::FieldError> {
                $crate::request::read(body)
            }
        })*
    };
}
pub(crate) use derived_body;

/// Fields of an object that are read one by one: of a body whose type decides over its fields.
#[derive(Debug)]
pub struct Fields {
    path: String,
    object: Map<String, Value>,
}

impl Fields {
    /// # Errors
    /// If the body is no object.
    pub fn of_body(body: Value) -> Result<Self, FieldError> {
        match body {
            Value::Object(object) => Ok(Self { path: String::new(), object }),
            _ => Err(FieldError::new("the body", "must be a JSON object")),
        }
    }

    /// # Errors
    /// If it is missing or has a value that its type does not take.
    pub fn required<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, FieldError> {
        let missing = || FieldError::new(join(&self.path, name), "is required");
        match self.object.remove(name) {
            None | Some(Value::Null) => Err(missing()),
            Some(value) => read_within(&join(&self.path, name), value),
        }
    }

    /// # Errors
    /// If it has a value that its type does not take.
    pub fn optional<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, FieldError> {
        match self.object.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read_within(&join(&self.path, name), value).map(Some),
        }
    }

    /// # Errors
    /// If it is missing or no object.
    pub fn object(&mut self, name: &str) -> Result<Self, FieldError> {
        let path = join(&self.path, name);
        match self.object.remove(name) {
            None | Some(Value::Null) => Err(FieldError::new(path, "is required")),
            Some(Value::Object(object)) => Ok(Self { path, object }),
            Some(_) => Err(FieldError::new(path, "must be an object")),
        }
    }
}

fn read_within<T: DeserializeOwned>(parent: &str, body: Value) -> Result<T, FieldError> {
    serde_path_to_error::deserialize(Node(body)).map_err(|error| {
        let path = match error.path().to_string() {
            path if path == "." => String::new(),
            path => path,
        };
        let problem = error.into_inner();
        let path = join(parent, &join(&path, problem.missing.unwrap_or_default()));
        match path.is_empty() {
            true => FieldError::new("the body", "must be a JSON object"),
            false => FieldError::new(path, problem.text),
        }
    })
}

fn join(parent: &str, name: &str) -> String {
    match (parent, name) {
        ("", name) | (name, "") => name.to_owned(),
        (parent, name) if name.starts_with('[') => format!("{parent}{name}"),
        (parent, name) => format!("{parent}.{name}"),
    }
}

/// Problem of one value; its path is tracked outside.
#[derive(Debug)]
struct Problem {
    /// Field that the value lacks.
    missing: Option<&'static str>,
    text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Problem {}

impl Error for Problem {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self { missing: None, text: text.to_string() }
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let expected = expected.to_string();
        Self::custom(match expected.as_str() {
            "a boolean" => "must be true or false",
            "a map" => "must be an object",
            "a sequence" => "must be an array",
            "f64" => "must be a number",
            name if name.starts_with("struct ") => "must be an object",
            other => return Self::custom(format_args!("must be {other}")),
        })
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(unexpected, expected)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(format_args!("must be one of {}", expected.join(", ")))
    }

    fn missing_field(field: &'static str) -> Self {
        Self { missing: Some(field), text: "is required".to_owned() }
    }
}

/// A JSON value whose errors are [`Problem`]s. Fields of structs that are null are left out.
struct Node(Value);

impl<'de> Deserializer<'de> for Node {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (None, Some(number), _) => visitor.visit_i64(number),
                (None, None, Some(number)) => visitor.visit_f64(number),
                (None, None, None) => Err(Problem::custom("must be a number in range")),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Node))),
            Value::Object(fields) => visitor
                .visit_map(MapDeserializer::new(fields.into_iter().map(|(name, value)| (name, Node(value))))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Object(fields) => {
                let present = fields.into_iter().filter(|(_, value)| !value.is_null());
                visitor.visit_map(MapDeserializer::new(present.map(|(name, value)| (name, Node(value)))))
            }
            _ => Err(Problem::custom("must be an object")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(word.into_deserializer()),
            _ => Err(Problem::unknown_variant("", variants)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

impl IntoDeserializer<'_, Problem> for Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::fields::{Filled, JsonObject, Phone, Text};

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Blue,
    }

    #[derive(Debug, Deserialize)]
    struct Item {
        name: Filled<4>,
    }

    #[derive(Debug, Deserialize)]
    struct Body {
        to: Phone,
        text: Option<Text<4>>,
        #[serde(default)]
        items: Vec<Item>,
        colour: Option<Colour>,
        on: Option<bool>,
        extra: Option<JsonObject>,
    }

    #[test]
    fn error_names_the_field() {
        let to = "+34600111222";
        let cases = [
            (json!(5), "the body must be a JSON object"),
            (json!(null), "the body must be a JSON object"),
            (json!({}), "to is required"),
            (json!({"to": null}), "to is required"),
            (json!({"to": 5}), "to must be a string"),
            (json!({"to": "600"}), "to must be a phone number in E.164 form, such as +34600111222"),
            (json!({"to": to, "text": "12345"}), "text must have at most 4 characters; it has 5"),
            (json!({"to": to, "items": {}}), "items must be an array"),
            (json!({"to": to, "items": [{"name": "a"}, {}]}), "items[1].name is required"),
            (json!({"to": to, "items": [{"name": " "}]}), "items[0].name must not be empty"),
            (json!({"to": to, "items": ["a"]}), "items[0] must be an object"),
            (json!({"to": to, "colour": "green"}), "colour must be one of red, blue"),
            (json!({"to": to, "colour": 5}), "colour must be one of red, blue"),
            (json!({"to": to, "on": "yes"}), "on must be true or false"),
            (json!({"to": to, "extra": []}), "extra must be an object"),
        ];
        for (body, words) in cases {
            let error = read::<Body>(body.clone()).expect_err(words);
            assert_eq!(error.to_string(), words, "{body}");
        }
    }

    #[test]
    fn null_is_absent_except_inside_of_free_json() {
        let body = json!({"to": "+34600111222", "text": null, "unknown": 1, "extra": {"a": null},
                          "colour": "blue", "on": true, "items": [{"name": "é"}]});
        let body: Body = read(body).expect("valid");
        assert_eq!(body.to.as_str(), "+34600111222");
        assert!(body.text.is_none() && body.on == Some(true) && matches!(body.colour, Some(Colour::Blue)));
        assert_eq!(body.extra.as_ref().map(JsonObject::as_str), Some(r#"{"a":null}"#));
        assert_eq!(body.items[0].name.as_str(), "é");
    }

    #[test]
    fn fields_read_one_by_one_name_their_path() {
        let body = json!({"message": {"text": {"name": ""}, "other": null}, "flat": 5});
        let mut body = Fields::of_body(body).expect("an object");
        let mut message = body.object("message").expect("an object");
        let refused = |error: FieldError| error.to_string();
        let told = [
            message.required::<Item>("text").map_err(refused).err(),
            message.required::<Item>("other").map_err(refused).err(),
            body.object("message").map_err(refused).err(),
            body.object("flat").map_err(refused).err(),
        ];
        let wanted = [
            "message.text.name must not be empty",
            "message.other is required",
            "message is required",
            "flat must be an object",
        ];
        assert_eq!(told.map(Option::unwrap_or_default), wanted);
        assert!(message.optional::<Item>("other").expect("absent").is_none());
    }
}
