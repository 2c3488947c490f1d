//! Draft-only conversations: the AI stays paused, and a draft is made ready for
//! the person who looks. Which they are is kept on this desk.

pub(crate) mod update;
pub(crate) mod view;

use model::queries::ConversationKey;

/// What is known of the drafts that are to be made ready.
#[derive(Debug, Default)]
pub(crate) struct PreparedDrafts {
    /// Whether a draft may be missing.
    pub(crate) stale: bool,
    /// Whether those that are missing were asked for.
    asked: bool,
    /// The conversations for which one is being made.
    making: Vec<ConversationKey>,
    /// The conversation that was open last.
    open: Option<ConversationKey>,
}
