//! Templates. Interface: Resources, Template; Endpoints, Templates.
//!
//! Knows nothing of filling variables.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One approved template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateBody {
    /// Its name.
    pub name: String,
    /// A language code, as a string here and as an object in a send.
    pub language: String,
    /// Its category.
    #[serde(default)]
    pub category: String,
    /// Only `APPROVED` is listed.
    #[serde(default)]
    pub status: String,
    /// Header, body, footer, buttons.
    #[serde(default)]
    pub components: Vec<Value>,
}

/// `GET /templates`: no pagination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateList {
    /// The templates.
    pub data: Vec<TemplateBody>,
}
