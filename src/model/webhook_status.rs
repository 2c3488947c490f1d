//! Webhook deliveries to this desk: their state for a tab, and what came.

use crate::ids::ConversationId;
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliverySubject {
    /// A customer has written.
    Received,
    /// Something in a conversation is otherwise now.
    Changed,
    /// An event this version does not know.
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

/// A delivery that was taken: a reason to ask the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedDelivery {
    pub subject: DeliverySubject,
    /// The conversation, if it names one.
    pub conversation: Option<ConversationId>,
    /// When it happened, if it tells.
    pub at: Option<Timestamp>,
}

/// The state of webhook deliveries for a tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookDeliveryState {
    /// Nobody listens: why. Polling goes on as usual.
    Closed(SafeText),
    /// The webhook is being looked for or registered.
    Registering,
    /// The webhook was not registered: why.
    Refused(SafeText),
    /// Registered; nothing has shown yet that deliveries come through.
    Quiet,
    /// Deliveries come through: polling is slow.
    Instant,
    /// A message was found that was not delivered: polling goes on as usual
    /// until one is.
    Doubted,
}

/// What came so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryCounts {
    /// Deliveries that led to a look.
    pub accepted: u64,
    /// Deliveries that had come before.
    pub repeated: u64,
    /// Deliveries of events this version does not know.
    pub unknown: u64,
    /// Requests that were refused: unsigned, wrongly signed, no JSON, too large.
    pub refused: u64,
}

/// All of it, for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookStatus {
    /// Where deliveries are to come.
    pub url: SafeText,
    pub state: WebhookDeliveryState,
    pub counts: DeliveryCounts,
}
