//! Broadcasts on the wire. Interface: Resources, Broadcast.

use serde::{Deserialize, Serialize};

use crate::content::TypedContent;
use crate::lenient;
use model::broadcasts::{Broadcast, BroadcastStatus};
use model::ids::BroadcastId;
use model::text::SafeText;
use model::time::Timestamp;

/// The body of `POST /broadcast`, as this desk writes it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendBroadcastBody<'a> {
    /// Left out for everyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_ids: Option<Vec<&'a str>>,
    /// What goes out.
    pub message: TypedContent<'a>,
}

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
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// The text that goes out.
    #[serde(default, deserialize_with = "lenient::text")]
    pub message: Option<String>,
    /// How many people it goes to.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub total_recipients: i64,
    /// Taken by the platform and not lost later.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub sent_count: i64,
    /// Refused or lost.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub failed_count: i64,
    /// `sending` or `completed`.
    #[serde(default, deserialize_with = "lenient::words")]
    pub status: String,
    /// When it was made.
    #[serde(default, deserialize_with = "lenient::text")]
    pub created_at: Option<String>,
    /// When the last recipient was tried.
    #[serde(default, deserialize_with = "lenient::text")]
    pub completed_at: Option<String>,
    /// Arrived.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub delivered: i64,
    /// Refused or lost.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub failed: i64,
    /// Neither arrived nor failed yet.
    #[serde(default, deserialize_with = "lenient::integer")]
    pub pending: i64,
}

impl BroadcastBody {
    /// In this program's words.
    pub fn into_model(self) -> Broadcast {
        let time = |it: &Option<String>| it.as_deref().and_then(Timestamp::parse);
        Broadcast {
            status: BroadcastStatus::from_word(&self.status),
            text: self.message.as_deref().map(SafeText::line),
            recipients: self.total_recipients,
            delivered: self.delivered,
            failed: self.failed.max(self.failed_count),
            pending: self.pending,
            created_at: time(&self.created_at),
            completed_at: time(&self.completed_at),
            id: BroadcastId::new(self.id),
        }
    }
}
