use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fields::{JsonObject, Phone, Text};
use crate::lenient;
use crate::request::derived_body;
#[cfg(feature = "schema")]
use crate::schema;
use model::bounds::{MAX_CONTACT_NAME_CHARS, MAX_EMAIL_ADDRESS_CHARS};

/// Request of `POST /contacts`. Absent and null fields keep their values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "ContactInput",
        transform = schema::set("tags", "maxItems", model::bounds::MAX_TAGS)
    )
)]
pub struct SaveContact {
    pub phone: Phone,
    /// Empty to remove it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Text<MAX_CONTACT_NAME_CHARS>>,
    /// Empty to remove it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::AddressOrEmpty>"))]
    pub email: Option<Text<MAX_EMAIL_ADDRESS_CHARS>>,
    /// All tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<Vec<crate::fields::Filled<{ model::bounds::MAX_TAG_CHARS }>>>")
    )]
    pub tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonObject>,
}

derived_body!(SaveContact);

/// A contact. The API defines only `id` and the fields of the request; the times are this service's
/// choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Contact",
        transform = schema::always("createdAt updatedAt lastActivityAt"),
        transform = schema::times("createdAt updatedAt lastActivityAt")
    )
)]
pub struct ContactBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    #[serde(default, deserialize_with = "lenient::text")]
    #[cfg_attr(feature = "schema", schemars(with = "Phone"))]
    pub phone: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub email: Option<String>,
    #[serde(default, deserialize_with = "lenient::texts")]
    pub tags: Vec<String>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "JsonObject"))]
    pub metadata: Value,
    /// Time of creation.
    #[serde(default, deserialize_with = "lenient::text")]
    pub created_at: Option<String>,
    /// Time of the last change.
    #[serde(default, deserialize_with = "lenient::text")]
    pub updated_at: Option<String>,
    /// Time of the last message in either direction.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_activity_at: Option<String>,
}

const DEFINED_FIELDS: [&str; 6] = ["id", "phone", "name", "email", "tags", "metadata"];

impl ContactBody {
    /// Reads a contact with all fields that the API defines; `None` if one is missing, even an empty one.
    pub fn read_complete(answer: &Value) -> Option<Self> {
        let is_complete = DEFINED_FIELDS.iter().all(|name| answer.get(name).is_some());
        if is_complete { Self::deserialize(answer).ok() } else { None }
    }
}
