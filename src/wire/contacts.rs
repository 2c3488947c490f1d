//! Contacts on the wire. Interface: Resources, Contact.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::lenient;

/// The body of `POST /contacts`, as this desk writes it.
#[derive(Debug, Clone, Serialize)]
pub struct SaveContactBody<'a> {
    /// E.164.
    pub phone: &'a str,
    /// At most 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<RawValue>>,
}

/// A contact. Of its output the interface names only `id` and the inputs; the
/// times are this service's choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContactBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// E.164.
    #[serde(default, deserialize_with = "lenient::text")]
    pub phone: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub email: Option<String>,
    #[serde(default, deserialize_with = "lenient::texts")]
    pub tags: Vec<String>,
    #[serde(default)]
    pub metadata: Value,
    #[serde(default, deserialize_with = "lenient::text")]
    pub created_at: Option<String>,
    /// When it was last changed.
    #[serde(default, deserialize_with = "lenient::text")]
    pub updated_at: Option<String>,
    /// When a message last came or went.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_activity_at: Option<String>,
}
