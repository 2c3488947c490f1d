//! Draft-only conversations: the AI stays paused, and a draft is prepared. Local to this desk.

pub(crate) mod update;
pub(crate) mod view;

use model::queries::ConversationKey;

#[derive(Debug, Default)]
pub(crate) struct PreparedDrafts {
    /// True if a draft may be missing.
    pub(crate) stale: bool,
    /// True while the missing drafts are being loaded.
    is_loading: bool,
    /// Conversations whose draft is being made.
    in_progress: Vec<ConversationKey>,
    /// Conversation that was open last.
    open: Option<ConversationKey>,
}
