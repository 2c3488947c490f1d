//! Lanes: rows of one lane leave in the order they were queued, one at a time.

use crate::ids::{ConversationId, ThreadId};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Lane {
    Conversation(ConversationId),
    Thread(ThreadId),
    /// New mails to an address, which have no thread yet.
    Address(String),
    /// A phone number: SMS, calls, and chat messages without a conversation.
    Number(String),
    /// All broadcasts: each must end before the next one is charged.
    Broadcasts,
    Contact(String),
    /// All webhook subscriptions: a removal must not overtake a registration.
    Webhooks,
    /// All submissions of templates.
    Templates,
    Media,
}

impl Lane {
    pub fn conversation(&self) -> Option<&ConversationId> {
        match self {
            Self::Conversation(id) => Some(id),
            _ => None,
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Self::Conversation(_) => "conversation",
            Self::Thread(_) => "thread",
            Self::Address(_) => "address",
            Self::Number(_) => "number",
            Self::Broadcasts => "broadcasts",
            Self::Contact(_) => "contact",
            Self::Webhooks => "webhooks",
            Self::Templates => "templates",
            Self::Media => "media",
        }
    }

    /// Id within the kind; empty if the kind has one lane only.
    pub fn id(&self) -> &str {
        match self {
            Self::Conversation(id) => id.as_str(),
            Self::Thread(id) => id.as_str(),
            Self::Address(text) | Self::Number(text) | Self::Contact(text) => text,
            Self::Broadcasts | Self::Webhooks | Self::Templates | Self::Media => "",
        }
    }

    /// Parses the database columns; `None` for an unknown kind.
    pub fn from_parts(kind: &str, id: String) -> Option<Self> {
        Some(match kind {
            "conversation" => Self::Conversation(ConversationId::new(id)),
            "thread" => Self::Thread(ThreadId::new(id)),
            "address" => Self::Address(id),
            "number" => Self::Number(id),
            "broadcasts" => Self::Broadcasts,
            "contact" => Self::Contact(id),
            "webhooks" => Self::Webhooks,
            "templates" => Self::Templates,
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
            Lane::Templates,
            Lane::Media,
        ];
        for lane in lanes {
            assert_eq!(Lane::from_parts(lane.kind(), lane.id().to_owned()), Some(lane));
        }
        assert_eq!(Lane::from_parts("elsewhere", String::new()), None);
    }
}
