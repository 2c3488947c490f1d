//! Uploaded media on the wire. Interface: Resources, Uploaded media.

use serde::{Deserialize, Serialize};

/// An uploaded file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MediaBody {
    /// Where it is served; a send takes it as `link` or `url`.
    pub url: String,
    pub mime_type: String,
    /// Its bytes.
    pub size: u64,
    pub filename: String,
}
