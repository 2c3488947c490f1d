//! Webhook subscriptions and event types.

use crate::account::Platform;
use crate::ids::WebhookId;
use crate::text::SafeText;
use crate::time::Timestamp;

/// A subscription; its secret is never reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub id: WebhookId,
    pub url: String,
    pub events: Vec<SafeText>,
    pub is_active: bool,
    pub created_at: Option<Timestamp>,
    /// Time since which deliveries fail; `None` while they succeed or if not reported.
    pub failing_since: Option<Timestamp>,
    /// `None` while it is active, or if not reported.
    pub ended_why: Option<EndReason>,
    /// Events that wait for their next attempt.
    pub waiting: u64,
    /// Events that were given up and can be sent again.
    pub dead_letters: u64,
}

/// Reason why deliveries ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The operator of the service has switched it off.
    Operator,
    /// The endpoint has answered that it is gone.
    Gone,
    /// Deliveries have failed for too long.
    Failing,
    /// A reason unknown to this version.
    Other,
}

impl EndReason {
    pub fn read(word: &str) -> Self {
        match word {
            "operator" => Self::Operator,
            "gone" => Self::Gone,
            "failing" => Self::Failing,
            _ => Self::Other,
        }
    }
}

/// Business chat and bot-chat: name and description.
const CHAT_EVENTS: &[(&str, &str)] = &[
    ("message.received", "a customer wrote"),
    ("message.sent", "the platform accepted a message"),
    ("message.delivered", "a message reached the phone"),
    ("message.read", "a message was read"),
    ("message.failed", "a message could not be sent or delivered"),
];
/// Mail: name and description.
const MAIL_EVENTS: &[(&str, &str)] = &[
    ("email.received", "a mail arrived"),
    ("email.sent", "a mail was sent"),
    ("email.opened", "a sent mail was opened"),
    ("email.thread.categorized", "the AI set the category of a thread"),
];

pub fn events_of(platform: &Platform) -> &'static [(&'static str, &'static str)] {
    if *platform == Platform::Email { MAIL_EVENTS } else { CHAT_EVENTS }
}

pub const CHALLENGE_CHECKLIST: [&str; 5] = [
    "the address is public and https, with a certificate that browsers accept",
    "a GET with ?challenge=VALUE is answered with 200 at once, without a key",
    "the body is the VALUE alone: no JSON, no HTML, no quotes, no line break",
    "it is not answered with a redirect, a login page or a page of a firewall",
    "the whole value comes back: some frameworks cut or decode it",
];

pub fn is_challenge_failure(why: &str) -> bool {
    why.contains("WEBHOOK_VERIFICATION_FAILED")
}
