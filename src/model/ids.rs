//! Identifiers as distinct types, so that a message id cannot be passed as a conversation id. Ids
//! are created by servers, or by the crates that create the records.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! string_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

string_id!(
    /// A configured channel key. Derived from the configured name, so that drafts survive a
    /// replaced key.
    ChannelId
);
string_id!(
    /// A conversation, mail thread or phone number, by the server's id.
    ConversationId
);
/// Prefix of the id of a placeholder for an item that could not be parsed.
pub const STAND_IN_PREFIX: &str = "unreadable-";

impl ConversationId {
    /// True for a placeholder of an item that could not be parsed; the server does not know its id.
    pub fn is_stand_in(&self) -> bool {
        self.0.starts_with(STAND_IN_PREFIX)
    }
}

string_id!(
    /// A message by the service's id; the platform's ids are stored separately.
    MessageId
);
string_id!(
    /// A private note; a UUIDv7 created on this desk.
    NoteId
);
string_id!(
    /// A proposal; a UUIDv7 created on this desk.
    ProposalId
);
string_id!(
    /// A row of the outbox; a UUIDv7 created on this desk.
    RowId
);
string_id!(
    /// Value of the `Idempotency-Key` header: a random UUIDv4 without personal data, bound to the
    /// exact request bytes.
    IdempotencyKey
);
string_id!(
    /// An email thread, by the server's id.
    ThreadId
);
string_id!(
    /// A contact, by the server's id.
    ContactId
);
string_id!(
    /// A broadcast, by the server's id.
    BroadcastId
);
string_id!(
    /// A campaign; a UUIDv7 created on this desk.
    CampaignId
);
string_id!(
    /// A webhook subscription, by the server's id.
    WebhookId
);
