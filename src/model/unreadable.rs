//! Items of server lists that could not be parsed; stored unparsed for counting and inspection.

/// Maximum number of items kept per list.
pub const MAX_ITEMS: usize = 200;

/// List that contained the items. Conversations and messages have placeholder rows instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnreadableList {
    /// New messages of a trigger.
    Messages,
    Contacts,
    Correspondents,
    Templates,
    Webhooks,
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

pub fn describe_unreadable(count: usize) -> String {
    match count {
        1 => "1 row could not be read".to_owned(),
        count => format!("{count} rows could not be read"),
    }
}
