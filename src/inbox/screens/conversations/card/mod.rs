//! Data of the card, loaded only while one is on screen.

pub(crate) mod update;

use model::contacts::ContactCard;
use model::ids::{ChannelId, ConversationId};
use model::queries::ConversationKey;

/// Approximate maximum of lines without contact and other tabs.
const USUAL_MAX_LINES: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownCard {
    key: Option<ConversationKey>,
    card: Option<ContactCard>,
    stale: bool,
    /// First line on screen if the card fills the pane.
    first: usize,
    /// Selected conversation of another channel; `Some` while the card has the focus.
    selected: Option<usize>,
    /// True if the selection is scrolled into view.
    follows_selection: bool,
}

impl ShownCard {
    pub(crate) fn mark_stale(&mut self) {
        self.stale = true;
    }

    /// Marks the card stale if it is that of a conversation.
    pub(crate) fn mark_stale_for(&mut self, channel: &ChannelId, conversation: &ConversationId) {
        self.stale |=
            self.key.as_ref().is_some_and(|key| key.channel == *channel && key.conversation == *conversation);
    }
}
