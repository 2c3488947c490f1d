//! Contacts on the wire. Interface: Resources, Contact.
//!
//! Knows nothing of conversations.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A contact. Of its output the interface names only `id` and the inputs; the
/// times are this service's choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContactBody {
    /// Its id.
    pub id: String,
    /// E.164.
    #[serde(default)]
    pub phone: Option<String>,
    /// What the person is called.
    #[serde(default)]
    pub name: Option<String>,
    /// The person's mail address.
    #[serde(default)]
    pub email: Option<String>,
    /// Labels.
    #[serde(default)]
    pub tags: Vec<String>,
    /// A free-form object.
    #[serde(default)]
    pub metadata: Value,
    /// When it was made.
    #[serde(default)]
    pub created_at: Option<String>,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at: Option<String>,
    /// When a message last came or went.
    #[serde(default)]
    pub last_activity_at: Option<String>,
}
