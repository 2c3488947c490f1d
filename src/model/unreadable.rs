//! Items of the server's lists that could not be read: kept as they came, so
//! that they are counted and can be looked at.

/// Items kept of a list at most.
pub const MAX_ITEMS: usize = 200;

/// A list such items are in. Those of conversations and histories have rows
/// of their own that stand in for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnreadableList {
    /// New messages, as a trigger tells them.
    Messages,
    Contacts,
    Correspondents,
    Templates,
    Webhooks,
    /// What the triggers tell.
    Events,
}

impl UnreadableList {
    pub fn label(self) -> &'static str {
        match self {
            Self::Messages => "new messages",
            Self::Contacts => "contacts",
            Self::Correspondents => "mail addresses",
            Self::Templates => "templates",
            Self::Webhooks => "webhooks",
            Self::Events => "events",
        }
    }
}

/// So many rows that could not be read, in words.
pub fn describe_unreadable(count: usize) -> String {
    match count {
        1 => "1 row could not be read".to_owned(),
        count => format!("{count} rows could not be read"),
    }
}
