//! Where the person was before: one key goes back and forth between two
//! conversations, pages or tabs.
//!
//! A conversation that was only passed in the list is no place; one that was
//! opened stays the place until another is.

pub(crate) mod update;

use crate::pages::PageKind;
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};

#[derive(Debug, Clone, PartialEq, Eq)]
struct JumpPlace {
    channel: ChannelId,
    everywhere: bool,
    page: PageKind,
    /// The conversation opened last there.
    open: Option<ConversationId>,
}

/// The current place and the one before it.
#[derive(Debug, Default)]
pub(crate) struct JumpList {
    here: Option<(JumpPlace, Focus)>,
    before: Option<(JumpPlace, Focus)>,
}

impl JumpList {
    /// Whether there is a place to go back to.
    pub(crate) fn has_last_place(&self) -> bool {
        self.before.is_some()
    }
}
