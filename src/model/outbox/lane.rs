//! Lanes: rows of one lane leave in the order they were queued, one at a time.

use crate::ids::{ConversationId, ThreadId};

/// What rows are kept in order for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Lane {
    Conversation(ConversationId),
    /// An email thread.
    Thread(ThreadId),
    /// New mails to one address, which have no thread yet.
    Address(String),
    /// One phone number: texts, calls, and chat messages that open a
    /// conversation.
    Number(String),
    /// All broadcasts: each must be seen to end before the next is paid for.
    Broadcasts,
    /// One contact, by its phone number.
    Contact(String),
    /// All webhook subscriptions: a removal must not overtake a registration.
    Webhooks,
    /// Uploads.
    Media,
}

impl Lane {
    /// The conversation, where it is one.
    pub fn conversation(&self) -> Option<&ConversationId> {
        match self {
            Self::Conversation(id) => Some(id),
            _ => None,
        }
    }

    /// The word kept in the database.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Conversation(_) => "conversation",
            Self::Thread(_) => "thread",
            Self::Address(_) => "address",
            Self::Number(_) => "number",
            Self::Broadcasts => "broadcasts",
            Self::Contact(_) => "contact",
            Self::Webhooks => "webhooks",
            Self::Media => "media",
        }
    }

    /// Which of its kind; empty where there is only one.
    pub fn id(&self) -> &str {
        match self {
            Self::Conversation(id) => id.as_str(),
            Self::Thread(id) => id.as_str(),
            Self::Address(text) | Self::Number(text) | Self::Contact(text) => text,
            Self::Broadcasts | Self::Webhooks | Self::Media => "",
        }
    }

    /// Reads the database's words; `None` for a kind this version does not
    /// know.
    pub fn from_parts(kind: &str, id: String) -> Option<Self> {
        Some(match kind {
            "conversation" => Self::Conversation(ConversationId::new(id)),
            "thread" => Self::Thread(ThreadId::new(id)),
            "address" => Self::Address(id),
            "number" => Self::Number(id),
            "broadcasts" => Self::Broadcasts,
            "contact" => Self::Contact(id),
            "webhooks" => Self::Webhooks,
            "media" => Self::Media,
            _ => return None,
        })
    }
}

impl From<ConversationId> for Lane {
    fn from(id: ConversationId) -> Self {
        Self::Conversation(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_the_same_lane() {
        let lanes = [
            Lane::Conversation("c1".into()),
            Lane::Thread("t1".into()),
            Lane::Address("maria@mail.example".into()),
            Lane::Number("+34600111222".into()),
            Lane::Broadcasts,
            Lane::Contact("+34600111222".into()),
            Lane::Webhooks,
            Lane::Media,
        ];
        for lane in lanes {
            assert_eq!(Lane::from_parts(lane.kind(), lane.id().to_owned()), Some(lane));
        }
        assert_eq!(Lane::from_parts("elsewhere", String::new()), None);
    }
}
