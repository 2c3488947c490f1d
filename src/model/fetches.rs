//! Requests to the server caused by a screen, and their results. None of these are polled.

use crate::email::MailQuery;
use crate::ids::MessageId;
use crate::messages::Message;
use crate::text::SafeText;
use crate::time::Timestamp;
use crate::trigger_events::TriggerEvents;
use crate::webhooks::Webhook;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetch {
    /// A page of contacts; results are merged into the store.
    People {
        /// Name or number for the server's search; empty for all contacts.
        search: String,
        /// True for the page after the last one.
        more: bool,
    },
    /// Events of the triggers.
    Events,
    /// Webhooks of the key.
    Webhooks,
    /// Current state of one message.
    Message { message: MessageId },
    /// The contact with this number.
    Person { phone: String },
    /// Outbound messages since a time, which show the recipients a broadcast reached.
    Sent { since: Timestamp },
    /// Templates of the channel.
    Templates,
    /// Search while typing; a newer request replaces an older one. Reported by its own `News`, like
    /// the ones below.
    Contacts { words: String },
    /// Mail threads or correspondents.
    Mail(MailQuery),
}

#[derive(Debug, Clone, PartialEq)]
pub enum FetchResult {
    /// True if the server has more matches.
    People {
        more: bool,
    },
    /// The contact was read or does not exist.
    Person,
    Events(Box<TriggerEvents>),
    Webhooks(Vec<Webhook>),
    Sent,
    Templates,
    Message(Box<Message>),
}

pub type FetchOutcome = Result<FetchResult, SafeText>;
