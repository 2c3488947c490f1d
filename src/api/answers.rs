//! Fields that the answer to any write may have, beside those of the operation.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::lenient;

/// Marks of an answer to a write: test key, refusal and charge.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AnswerMarks {
    /// True for a test key: nothing was executed.
    #[serde(deserialize_with = "lenient::exact_flag")]
    pub test: bool,
    #[serde(deserialize_with = "lenient::readable")]
    pub success: Option<bool>,
    #[serde(deserialize_with = "lenient::word")]
    pub status: Option<String>,
    /// Error code; only refusals have one.
    #[serde(deserialize_with = "lenient::readable")]
    pub code: Option<String>,
    /// Not defined by the API; a platform or proxy may write it.
    pub error: Value,
    /// Not defined by the API; a platform or proxy may write it.
    pub errors: Value,
    /// For a test key, it may stand in for the id of any operation.
    #[serde(deserialize_with = "lenient::word")]
    pub message_id: Option<String>,
    #[serde(deserialize_with = "lenient::number")]
    pub credits_used: Option<f64>,
    #[serde(deserialize_with = "lenient::number")]
    pub credits_remaining: Option<f64>,
}

impl AnswerMarks {
    /// True if the answer has a code, an error or `success: false`, whatever the HTTP status.
    pub fn is_refusal(&self) -> bool {
        let has_code = self.code.is_some() && !self.test;
        has_code || [&self.error, &self.errors].into_iter().any(is_error) || self.success == Some(false)
    }

    /// Reads an answer as a type; `Some(None)` for a test key's answer in another form.
    pub fn parse_or_test<T: DeserializeOwned>(&self, body: &Value) -> Option<Option<T>> {
        let parsed = parse(body);
        (parsed.is_some() || self.test).then_some(parsed)
    }
}

/// Reads an answer as a type; `None` if it has another form.
pub fn parse<T: DeserializeOwned>(body: &Value) -> Option<T> {
    T::deserialize(body).ok()
}

fn is_error(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(errors) => !errors.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    }
}
