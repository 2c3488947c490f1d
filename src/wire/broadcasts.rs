//! Broadcasts on the wire. Interface: Resources, Broadcast.
//!
//! Knows nothing of recipients.

use serde::{Deserialize, Serialize};

/// The answer to a new broadcast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BroadcastAccepted {
    /// Its id.
    pub broadcast_id: String,
    /// How many people it goes to.
    pub total_recipients: i64,
    /// What all of them cost; refunds come later.
    #[serde(default)]
    pub credits_used: f64,
    /// `sending`.
    pub status: String,
    /// Present and true for a test key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

/// How a broadcast stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BroadcastBody {
    /// Its id.
    pub id: String,
    /// The text that goes out.
    #[serde(default)]
    pub message: Option<String>,
    /// How many people it goes to.
    #[serde(default)]
    pub total_recipients: i64,
    /// Taken by the platform and not lost later.
    #[serde(default)]
    pub sent_count: i64,
    /// Refused or lost.
    #[serde(default)]
    pub failed_count: i64,
    /// `sending` or `completed`.
    pub status: String,
    /// When it was made.
    #[serde(default)]
    pub created_at: Option<String>,
    /// When the last recipient was tried.
    #[serde(default)]
    pub completed_at: Option<String>,
    /// Arrived.
    #[serde(default)]
    pub delivered: i64,
    /// Refused or lost.
    #[serde(default)]
    pub failed: i64,
    /// Neither arrived nor failed yet.
    #[serde(default)]
    pub pending: i64,
}
