//! Templates. Interface: Resources, Template; Endpoints, Templates.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::lenient;

/// One approved template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateBody {
    #[serde(deserialize_with = "lenient::id")]
    pub name: String,
    /// A language code, as a string here and as an object in a send.
    #[serde(default, deserialize_with = "language")]
    pub language: String,
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub category: String,
    /// Only `APPROVED` is listed.
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub status: String,
    /// Header, body, footer, buttons.
    #[serde(default, deserialize_with = "lenient::list")]
    pub components: Vec<Value>,
}

/// The code, also where it comes as a send has it.
fn language<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(code) => code,
        Value::Object(fields) => fields.get("code").and_then(Value::as_str).unwrap_or_default().to_owned(),
        _ => String::new(),
    })
}

/// `GET /templates`: no pagination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateList {
    pub data: Vec<TemplateBody>,
}
