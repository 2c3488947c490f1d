//! Reactions on both chat channels. The fields of the response are this service's choice.

use serde::{Deserialize, Serialize};

use crate::fields::Text;
use crate::request::derived_body;

/// Maximum length of a reaction, in characters: one emoji may have many.
const MAX_REACTION_CHARS: usize = 64;

/// Request of `POST /messages/{messageId}/react` and `POST /telegram/messages/{messageId}/react`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct React {
    /// Empty to remove the reaction.
    pub emoji: Text<MAX_REACTION_CHARS>,
}

derived_body!(React);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Reaction"))]
pub struct ReactResult {
    pub success: bool,
    /// Service id of the message.
    pub message_id: String,
    /// Current reaction; empty if there is none.
    pub emoji: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}
