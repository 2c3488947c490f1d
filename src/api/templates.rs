use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::fields::{Filled, JsonObjects};
use crate::lenient;
use crate::request::derived_body;
#[cfg(feature = "schema")]
use crate::schema;
use model::templates::{MAX_LANGUAGE_CHARS, MAX_NAME_CHARS};

/// Request of `POST /desk/v1/templates`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transform = schema::set("components", "minItems", 1))
)]
pub struct SubmitTemplate {
    /// Lower-case letters, digits and underscores.
    pub name: Filled<MAX_NAME_CHARS>,
    /// Language code, such as en or pt_BR.
    pub language: Filled<MAX_LANGUAGE_CHARS>,
    pub category: TemplateCategory,
    /// Header, body, footer, buttons.
    pub components: JsonObjects,
}

/// Category of a template that is submitted; the platform may choose another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum TemplateCategory {
    Utility,
    Marketing,
    Authentication,
}

impl TemplateCategory {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Utility => "UTILITY",
            Self::Marketing => "MARKETING",
            Self::Authentication => "AUTHENTICATION",
        }
    }
}

derived_body!(SubmitTemplate);

/// Response of `POST /desk/v1/templates`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubmittedTemplateBody {
    /// The template with the platform's category and status.
    pub template: TemplateBody,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Template"))]
pub struct TemplateBody {
    #[serde(deserialize_with = "lenient::id")]
    pub name: String,
    /// Language code: a string here, an object in a send.
    #[serde(default, deserialize_with = "language")]
    pub language: String,
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub category: String,
    /// `APPROVED` in `data`; in `notApproved` the platform's word, such as `PENDING` or `REJECTED`.
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub status: String,
    /// Header, body, footer, buttons.
    #[serde(default, deserialize_with = "lenient::list")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::fields::JsonObjects"))]
    pub components: Vec<Value>,
    /// Why the platform does not approve it: its word, after which its explanation may follow. Extension of
    /// this service.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub rejected_reason: Option<String>,
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
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TemplateList {
    /// The approved templates, which can be sent.
    pub data: Vec<TemplateBody>,
    /// Templates in review, rejected, paused or disabled; absent if there are none. Extension of this service.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_approved: Vec<TemplateBody>,
}

/// Reads the templates of a response that are not approved; those that cannot be read are left out.
pub fn read_not_approved(body: &[u8]) -> Vec<TemplateBody> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Extension {
        #[serde(default, deserialize_with = "lenient::list")]
        not_approved: Vec<Value>,
    }
    let extension: Option<Extension> = serde_json::from_slice(body).ok();
    let all = extension.map(|extension| extension.not_approved).unwrap_or_default();
    all.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_items_of_the_extension_hide_no_others() {
        let body = br#"{"data": [], "notApproved": [7, {"name": "cart", "status": "REJECTED", "rejectedReason": "SCAM"}]}"#;
        let read = read_not_approved(body);
        assert_eq!(read.len(), 1);
        assert_eq!((read[0].status.as_str(), read[0].rejected_reason.as_deref()), ("REJECTED", Some("SCAM")));
        for other in [&br#"{"data": []}"#[..], br#"{"notApproved": "no list"}"#, b"[]", b"no JSON"] {
            assert!(read_not_approved(other).is_empty());
        }
    }
}
