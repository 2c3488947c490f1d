use serde::{Deserialize, Serialize};

use crate::lenient;
#[cfg(feature = "schema")]
use crate::schema;

/// Response of `POST /media`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "UploadedMedia",
        transform = schema::set("size", "minimum", 1),
        transform = schema::set("filename", "maxLength", model::bounds::MAX_FILENAME_CHARS)
    )
)]
pub struct MediaBody {
    /// To be used as `link` or `url` of a send.
    #[serde(deserialize_with = "lenient::created_id")]
    pub url: String,
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub mime_type: String,
    /// In bytes.
    #[serde(default, deserialize_with = "lenient::count_or_zero")]
    pub size: u64,
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub filename: String,
}
