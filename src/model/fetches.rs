//! What a screen asks the server for when a person looks at it, and what came
//! back to a page. Nothing of it is polled.

use crate::email::MailQuery;
use crate::ids::MessageId;
use crate::messages::Message;
use crate::text::SafeText;
use crate::time::Timestamp;
use crate::trigger_events::TriggerEvents;
use crate::webhooks::Webhook;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetch {
    /// A page of the contacts; what is read joins those this desk has.
    People {
        /// Whose name or number the server shall look for; empty: of all.
        search: String,
        /// Whether the page behind the last one is wanted.
        more: bool,
    },
    /// What the triggers tell.
    Events,
    /// The webhooks of the key.
    Webhooks,
    /// One message, as the server has it now.
    Message { message: MessageId },
    /// The contact with a number.
    Person { phone: String },
    /// Messages that went out since a time: the recipients a broadcast reached.
    Sent { since: Timestamp },
    /// The list of templates.
    Templates,
    /// Contacts by what is typed; newer words take the place of older ones.
    /// Told by its own news, as those below.
    Contacts { words: String },
    /// Threads or correspondents.
    Mail(MailQuery),
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub enum FetchResult {
    /// People were read; whether the server has more that fit.
    People {
        more: bool,
    },
    /// The contact was read, or is gone.
    Person,
    /// What the triggers told.
    Events(Box<TriggerEvents>),
    Webhooks(Vec<Webhook>),
    /// Messages that went out were read.
    Sent,
    /// The templates were read.
    Templates,
    Message(Box<Message>),
}

/// The end of a fetch: what came back, or why nothing did.
pub type FetchOutcome = Result<FetchResult, SafeText>;
