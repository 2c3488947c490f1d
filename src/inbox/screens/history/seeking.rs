//! Going to one item of a history, however far back it is.

use crate::screens::history::lines::ItemKey;
use crate::screens::history::{History, MOST, STEP, message_of};
use model::ids::MessageId;
use model::messages::Direction;
use model::queries::HistoryPage;

impl History {
    /// The newest message there is of it.
    pub(crate) fn newest_message(&self) -> Option<MessageId> {
        self.items.iter().rev().find_map(message_of).map(|item| item.message.id.clone())
    }

    /// To the first message new since the last look. Returns whether there
    /// is one.
    pub fn go_to_divider(&mut self) -> bool {
        let Some(id) = self.divider.clone() else { return false };
        let found = self.items.iter().position(|item| item.key() == ItemKey::Message(id.clone()));
        if let Some(index) = found {
            self.select_index(index);
        }
        found.is_some()
    }

    /// Selects a message; false if it is not loaded.
    pub fn go_to(&mut self, message: &MessageId) -> bool {
        let key = ItemKey::Message(message.clone());
        let found = self.items.iter().position(|item| item.key() == key);
        if let Some(index) = found {
            self.select_index(index);
        }
        found.is_some()
    }

    /// Selects an item by its name, if it is loaded.
    pub fn select_key(&mut self, key: &ItemKey) {
        if let Some(index) = self.items.iter().position(|item| item.key() == *key) {
            self.select_index(index);
        }
    }

    /// Shows an item; one that is not loaded yet is shown when it comes.
    /// Returns whether it is loaded.
    pub fn seek(&mut self, key: &ItemKey) -> bool {
        match self.items.iter().position(|item| item.key() == *key) {
            Some(index) => {
                self.sought = None;
                // It shall stand in the middle, with what was said around it.
                let start = self.line_of(key).unwrap_or(0);
                self.first = Some(start.saturating_sub(self.visible / 2).min(self.last_first()));
                self.select_index(index);
                true
            }
            None => {
                self.sought = Some(key.clone());
                false
            }
        }
    }

    /// Wants messages as far back as the sought one; false if that is more
    /// than a history shows.
    pub fn widen(&mut self, depth: u32) -> bool {
        if depth >= MOST {
            return false;
        }
        self.wanted.limit = self.wanted.limit.max((depth + STEP / 2).min(MOST));
        self.resource.want(self.wanted.clone());
        self.resource.mark_stale();
        true
    }
}

/// The first inbound message after what had been seen.
pub(crate) fn first_unseen(page: &HistoryPage) -> Option<MessageId> {
    let seen = page.seen_until.as_ref()?;
    let found = page.messages.iter().find(|entry| {
        let message = &entry.message;
        message.direction == Direction::Inbound
            && message.created_at.is_some_and(|at| (at, &message.id) > (seen.0, &seen.1))
    })?;
    Some(found.message.id.clone())
}
