use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::lenient;
#[cfg(feature = "schema")]
use crate::schema;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Template",
        transform = schema::allow_words("status", "APPROVED")
    )
)]
pub struct TemplateBody {
    #[serde(deserialize_with = "lenient::id")]
    pub name: String,
    /// Language code: a string here, an object in a send.
    #[serde(default, deserialize_with = "language")]
    pub language: String,
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub category: String,
    /// `APPROVED`.
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub status: String,
    /// Header, body, footer, buttons.
    #[serde(default, deserialize_with = "lenient::list")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::fields::JsonObjects"))]
    pub components: Vec<Value>,
}

/// Reads the code from a string or from an object as in a send.
fn language<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(code) => code,
        Value::Object(fields) => fields.get("code").and_then(Value::as_str).unwrap_or_default().to_owned(),
        _ => String::new(),
    })
}

/// Response of `GET /templates`, without pagination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TemplateList {
    pub data: Vec<TemplateBody>,
}
