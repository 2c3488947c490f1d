//! Reader of a JSON object's fields, whose errors name the field.
//!
//! Unknown fields are ignored; null counts as absent.

use serde_json::{Map, Value};

use crate::errors::ApiError;
use model::bounds;

/// JSON object in a request's body, with its path for error messages.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    pub fn of_body(body: &'a Value) -> Result<Self, ApiError> {
        match body.as_object() {
            Some(object) => Ok(Self { object, path: String::new() }),
            None => Err(ApiError::validation("the body must be a JSON object")),
        }
    }

    /// Returns the path of a field, such as `text.body`.
    pub fn field_path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Returns the field's value, `None` if it is absent or null.
    pub fn value(&self, name: &str) -> Option<&'a Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    pub fn refuse(&self, name: &str, what: &str) -> ApiError {
        ApiError::validation(format!("{} {what}", self.field_path(name)))
    }

    /// Returns a string of at most `max` characters, `None` if absent.
    ///
    /// # Errors
    /// If it is not a string, or too long.
    pub fn text(&self, name: &str, max: usize) -> Result<Option<&'a str>, ApiError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let Some(text) = value.as_str() else { return Err(self.refuse(name, "must be a string")) };
        let length = bounds::count_chars(text);
        if length > max {
            return Err(self.refuse(name, &format!("must have at most {max} characters; it has {length}")));
        }
        Ok(Some(text))
    }

    /// Returns a string of 1 to `max` characters.
    ///
    /// # Errors
    /// If it is absent, blank, not a string or too long.
    pub fn required_text(&self, name: &str, max: usize) -> Result<&'a str, ApiError> {
        match self.text(name, max)? {
            None => Err(self.refuse(name, "is required")),
            Some(text) if text.trim().is_empty() => Err(self.refuse(name, "must not be empty")),
            Some(text) => Ok(text),
        }
    }

    pub fn required_boolean(&self, name: &str) -> Result<bool, ApiError> {
        match self.value(name) {
            None => Err(self.refuse(name, "is required")),
            Some(value) => value.as_bool().ok_or_else(|| self.refuse(name, "must be true or false")),
        }
    }

    pub fn required_number(&self, name: &str, from: f64, to: f64) -> Result<f64, ApiError> {
        let Some(value) = self.value(name) else { return Err(self.refuse(name, "is required")) };
        match value.as_f64() {
            Some(number) if (from..=to).contains(&number) => Ok(number),
            _ => Err(self.refuse(name, &format!("must be a number from {from} to {to}"))),
        }
    }

    pub fn required_integer(&self, name: &str, from: i64, to: i64) -> Result<i64, ApiError> {
        let Some(value) = self.value(name) else { return Err(self.refuse(name, "is required")) };
        match value.as_i64() {
            Some(number) if (from..=to).contains(&number) => Ok(number),
            _ => Err(self.refuse(name, &format!("must be a whole number from {from} to {to}"))),
        }
    }

    pub fn required_object(&self, name: &str) -> Result<Fields<'a>, ApiError> {
        let Some(value) = self.value(name) else { return Err(self.refuse(name, "is required")) };
        match value.as_object() {
            Some(object) => Ok(Fields { object, path: self.field_path(name) }),
            None => Err(self.refuse(name, "must be an object")),
        }
    }

    /// Returns an array; empty if absent.
    pub fn array(&self, name: &str) -> Result<&'a [Value], ApiError> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(self.refuse(name, "must be an array")),
        }
    }

    /// Returns an object of an array by its index.
    pub fn item(&self, name: &str, index: usize) -> Result<Fields<'a>, ApiError> {
        let place = format!("{name}[{index}]");
        match self.array(name)?.get(index).and_then(Value::as_object) {
            Some(object) => Ok(Fields { object, path: self.field_path(&place) }),
            None => Err(self.refuse(&place, "must be an object")),
        }
    }

    pub fn boolean(&self, name: &str) -> Result<Option<bool>, ApiError> {
        if self.value(name).is_some() { self.required_boolean(name).map(Some) } else { Ok(None) }
    }

    /// Returns the field's value as one of `words`.
    pub fn required_word(&self, name: &str, words: &[&'static str]) -> Result<&'static str, ApiError> {
        let Some(value) = self.value(name) else { return Err(self.refuse(name, "is required")) };
        let known = value.as_str().and_then(|text| words.iter().find(|word| **word == text));
        known.copied().ok_or_else(|| self.refuse(name, &format!("must be one of {}", words.join(", "))))
    }

    /// Returns a phone number in E.164 form.
    pub fn required_phone(&self, name: &str) -> Result<&'a str, ApiError> {
        let text = self.required_text(name, 64)?;
        if bounds::is_e164(text) {
            Ok(text)
        } else {
            Err(self.refuse(name, "must be a phone number in E.164 form, such as +34600111222"))
        }
    }

    /// Returns an address of a chat channel: a phone number, or the `customerAddress` of a conversation
    /// without one.
    pub fn required_chat_address(&self, name: &str) -> Result<&'a str, ApiError> {
        let text = self.required_text(name, 256)?;
        let form = "must be a phone number in E.164 form, such as +34600111222, or the customerAddress of a conversation";
        if bounds::is_chat_address(text) { Ok(text) } else { Err(self.refuse(name, form)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_field() {
        let body = serde_json::json!({
            "to": "+34600111222", "bad": "600", "text": {"body": "x".repeat(5), "n": null}, "on": "yes"
        });
        let fields = Fields::of_body(&body).expect("an object");
        let text = fields.required_object("text").expect("an object");
        assert_eq!(fields.required_phone("to"), Ok("+34600111222"));
        let message = |error: ApiError| error.message;
        let cases = [
            (fields.required_phone("bad").map(drop), "bad must be a phone number"),
            (text.required_text("body", 4).map(drop), "text.body must have at most 4 characters; it has 5"),
            (text.required_text("n", 4).map(drop), "text.n is required"),
            (fields.required_boolean("on").map(drop), "on must be true or false"),
            (fields.required_word("to", &["a", "b"]).map(drop), "to must be one of a, b"),
            (fields.array("to").map(drop), "to must be an array"),
        ];
        for (outcome, words) in cases {
            let said = message(outcome.expect_err(words));
            assert!(said.starts_with(words), "{said}");
        }
        assert!(Fields::of_body(&Value::Null).is_err());
    }
}
