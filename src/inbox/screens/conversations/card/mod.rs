//! What the current card shows beside the conversation: its contact, and the
//! same person in other tabs. Read only while a card is on screen.

pub(crate) mod update;

use model::contacts::ContactCard;
use model::queries::ConversationKey;

/// Lines a card without contact and other tabs has at most, about.
const LINES: usize = 24;

/// What a card shows, and of which contact.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownCard {
    key: Option<ConversationKey>,
    card: Option<ContactCard>,
    stale: bool,
    /// First line on screen, where it fills the pane.
    first: usize,
}

impl ShownCard {
    /// Something behind it may have changed.
    pub(crate) fn mark_stale(&mut self) {
        self.stale = true;
    }
}
