//! Reactions on both chat channels. Interface: react operations; the fields
//! of the answer are not shown.

use serde::{Deserialize, Serialize};

/// The body of a react operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReactBody {
    /// An emoji; empty removes the reaction.
    pub emoji: String,
}

/// The answer this service gives to a react operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReactResult {
    pub success: bool,
    pub message_id: String,
    /// The emoji that stands now; empty for none.
    pub emoji: String,
    /// True for a test key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}
