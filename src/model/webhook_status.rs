//! State and counts of webhook deliveries to this desk.

use crate::ids::ConversationId;
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliverySubject {
    Received,
    Changed,
    Unknown,
}

impl DeliverySubject {
    pub fn from_event(event: &str) -> Self {
        match event {
            "message.received" | "email.received" => Self::Received,
            "message.sent"
            | "message.delivered"
            | "message.read"
            | "message.failed"
            | "email.sent"
            | "email.opened"
            | "email.thread.categorized" => Self::Changed,
            _ => Self::Unknown,
        }
    }
}

/// An accepted delivery, which triggers a poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedDelivery {
    pub subject: DeliverySubject,
    pub conversation: Option<ConversationId>,
    /// Time of the event, if stated.
    pub at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookDeliveryState {
    /// Not listening; holds the reason. Polling continues at its normal rate.
    Closed(SafeText),
    Registering,
    /// Registration failed; holds the reason.
    Refused(SafeText),
    /// Registered, but no delivery has arrived yet.
    Quiet,
    /// Deliveries arrive; polling is slow.
    Instant,
    /// A poll found a message that was not delivered. Polling continues at its normal rate until a
    /// delivery arrives.
    Doubted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryCounts {
    /// Deliveries that triggered a poll.
    pub accepted: u64,
    /// Duplicates.
    pub repeated: u64,
    /// Deliveries of unknown event types.
    pub unknown: u64,
    /// Rejected requests: unsigned, wrongly signed, invalid JSON or too large.
    pub refused: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookStatus {
    pub url: SafeText,
    pub state: WebhookDeliveryState,
    pub counts: DeliveryCounts,
}
