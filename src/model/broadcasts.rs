//! Broadcasts as counted by the server.

use crate::failures::FailedRecipient;
use crate::ids::BroadcastId;
use crate::text::SafeText;
use crate::time::Timestamp;

crate::words! {
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum BroadcastStatus {
        Sending = "sending",
        Completed = "completed",
        ..Other
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    pub id: BroadcastId,
    pub status: BroadcastStatus,
    pub text: Option<SafeText>,
    pub recipients: i64,
    pub delivered: i64,
    pub failed: i64,
    /// Recipients whose result is not known yet.
    pub pending: i64,
    pub created_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// Failed recipients, as far as the service names them.
    pub failures: Vec<FailedRecipient>,
}

impl Broadcast {
    /// True if the broadcast has ended; for unknown status words, if it has an end time.
    pub fn is_finished(&self) -> bool {
        self.status == BroadcastStatus::Completed || self.completed_at.is_some()
    }

    pub fn is_settled(&self) -> bool {
        self.is_finished() && self.pending <= 0
    }

    /// True if the broadcast ended before `time`; results still missing then stay unknown.
    pub fn finished_before(&self, time: Timestamp) -> bool {
        self.is_finished() && self.completed_at.or(self.created_at).is_some_and(|entry| entry < time)
    }

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
