//! Identifiers as distinct types, so that a message id can never be passed
//! where a conversation id is meant.
//!
//! Servers and the edges make them.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! string_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
        pub struct $name(String);

        impl $name {
            /// Wraps the text of an id as it came from its maker.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as text, for a path, a query or a database column.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether there is no text at all.
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
    /// One configured channel key on this desk. Made from the configured name,
    /// so that drafts outlive a replaced key.
    ChannelId
);
string_id!(
    /// A conversation (or bot-chat conversation) as the server names it.
    ConversationId
);
/// How the id of a row begins that stands in for an item which could not be
/// read.
pub const STAND_IN_PREFIX: &str = "unreadable-";

impl ConversationId {
    /// Whether it names a row that stands in for an item which could not be
    /// read: there is nothing on the server to ask for or to change.
    pub fn is_stand_in(&self) -> bool {
        self.0.starts_with(STAND_IN_PREFIX)
    }
}

string_id!(
    /// A message as the service names it; raw platform ids are kept apart.
    MessageId
);
string_id!(
    /// One private note: a UUIDv7 made on this desk.
    NoteId
);
string_id!(
    /// One proposal of an assistant: a UUIDv7 made on this desk.
    ProposalId
);
string_id!(
    /// One row of the outbox: a UUIDv7 made on this desk.
    RowId
);
string_id!(
    /// The value of the `Idempotency-Key` header: a random UUIDv4 that carries
    /// nothing personal. Pinned to its exact bytes (interface, Idempotency).
    IdempotencyKey
);
string_id!(
    /// An email thread as the server names it.
    ThreadId
);
string_id!(
    /// A contact as the server names it.
    ContactId
);
string_id!(
    /// A broadcast as the server names it.
    BroadcastId
);
string_id!(
    /// A broadcast in waves: a UUIDv7 made on this desk.
    CampaignId
);
string_id!(
    /// A webhook subscription as the server names it.
    WebhookId
);
