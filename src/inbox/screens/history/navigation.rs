//! Navigation to one item of a history, however far back.

use crate::screens::history::lines::ItemKey;
use crate::screens::history::{History, MAX_MESSAGES, MESSAGES_PER_PAGE, message_of};
use model::ids::MessageId;
use model::messages::Direction;
use model::queries::HistoryPage;

impl History {
    pub(crate) fn newest_message(&self) -> Option<MessageId> {
        self.items.iter().rev().find_map(message_of).map(|item| item.message.id.clone())
    }

    /// Goes to the first message that is new since the last visit. Returns false if there is none.
    pub fn go_to_divider(&mut self) -> bool {
        let Some(id) = self.divider.clone() else { return false };
        let found = self.items.iter().position(|item| item.key() == ItemKey::Message(id.clone()));
        if let Some(index) = found {
            self.select_index(index);
        }
        found.is_some()
    }

    /// Selects a message. Returns false if it is not loaded.
    pub fn go_to(&mut self, message: &MessageId) -> bool {
        let key = ItemKey::Message(message.clone());
        let found = self.items.iter().position(|item| item.key() == key);
        if let Some(index) = found {
            self.select_index(index);
        }
        found.is_some()
    }

    /// Selects an item, if it is loaded.
    pub fn select_key(&mut self, key: &ItemKey) {
        if let Some(index) = self.items.iter().position(|item| item.key() == *key) {
            self.select_index(index);
        }
    }

    /// Shows an item now, or once it is loaded. Returns false in the latter case.
    pub fn seek(&mut self, key: &ItemKey) -> bool {
        match self.items.iter().position(|item| item.key() == *key) {
            Some(index) => {
                self.pending_target = None;
                // Centre it, with the messages around it.
                let start = self.line_of(key).unwrap_or(0);
                self.first = Some(start.saturating_sub(self.visible / 2).min(self.max_first_line()));
                self.select_index(index);
                true
            }
            None => {
                self.pending_target = Some(key.clone());
                false
            }
        }
    }

    /// Requests messages up to `depth` back. Returns false if that exceeds the limit.
    pub fn extend_to(&mut self, depth: u32) -> bool {
        if depth >= MAX_MESSAGES {
            return false;
        }
        self.wanted.limit = self.wanted.limit.max((depth + MESSAGES_PER_PAGE / 2).min(MAX_MESSAGES));
        self.resource.set_query(self.wanted.clone());
        self.resource.mark_stale();
        true
    }
}

/// First inbound message after the last one seen.
pub(crate) fn first_unseen(page: &HistoryPage) -> Option<MessageId> {
    let seen = page.seen_until.as_ref()?;
    let found = page.messages.iter().find(|entry| {
        let message = &entry.message;
        message.direction == Direction::Inbound
            && message.created_at.is_some_and(|at| (at, &message.id) > (seen.0, &seen.1))
    })?;
    Some(found.message.id.clone())
}
