//! Consequences of the screen's content: loads, saved drafts, seen marks, polling priority.

pub(crate) mod update;

use model::ids::{ChannelId, ConversationId, MessageId};
use model::time::Moment;

/// Time a selection rests before it is polled, in microseconds: passing over rows costs no request.
const WATCH_DELAY: i64 = 250_000;

/// Conversation that sync watches, and the last seen mark.
#[derive(Debug, Default)]
pub(crate) struct WatchState {
    sent: Option<(ChannelId, Option<ConversationId>)>,
    target: Option<(ChannelId, Option<ConversationId>)>,
    target_since: Moment,
    seen_mark: Option<(ConversationId, MessageId)>,
}

impl WatchState {
    /// Time at which a rested selection is reported.
    pub(crate) fn due(&self) -> Option<Moment> {
        (self.target != self.sent).then(|| self.target_since.plus(WATCH_DELAY))
    }
}
