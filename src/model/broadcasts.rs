//! Broadcasts, as the server counts them.
//!
//! Interface: Resources, Broadcast.

use crate::failures::FailedRecipient;
use crate::ids::BroadcastId;
use crate::text::SafeText;
use crate::time::Timestamp;

crate::words! {
    /// How far a broadcast has come.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum BroadcastStatus {
        Sending = "sending",
        Completed = "completed",
        ..Other
    }
}

/// How a broadcast stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    pub id: BroadcastId,
    pub status: BroadcastStatus,
    /// What it says, if the server tells.
    pub text: Option<SafeText>,
    /// How many people it goes to.
    pub recipients: i64,
    /// How many it arrived at.
    pub delivered: i64,
    /// How many it did not reach.
    pub failed: i64,
    /// How many of neither is known.
    pub pending: i64,
    pub created_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// Those it did not reach, as far as the service names them.
    pub failures: Vec<FailedRecipient>,
}

impl Broadcast {
    /// Whether nothing more is to be expected: a status this version does not
    /// know counts by what the server says of its end.
    pub fn is_finished(&self) -> bool {
        self.status == BroadcastStatus::Completed || self.completed_at.is_some()
    }

    /// Whether all is known of it.
    pub fn is_settled(&self) -> bool {
        self.is_finished() && self.pending <= 0
    }

    /// Whether it was finished before a time: what is not known by then stays
    /// unknown.
    pub fn finished_before(&self, time: Timestamp) -> bool {
        self.is_finished() && self.completed_at.or(self.created_at).is_some_and(|entry| entry < time)
    }

    /// What became of it, in a line.
    pub fn summary(&self) -> SafeText {
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let pending = match self.pending {
            0 => String::new(),
            pending => format!(", {pending} not known yet"),
        };
        SafeText::line(&format!(
            "broadcast to {}: {} delivered{failed}{pending}",
            self.recipients, self.delivered
        ))
    }
}
