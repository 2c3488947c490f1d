//! What follows from what is on screen: the history of the selected row,
//! loads, saved drafts, marks of what has been seen, and telling the hands
//! what to poll first.

pub(crate) mod update;

use model::ids::{ChannelId, ConversationId, MessageId};
use model::time::Moment;

/// Microseconds a selection rests before it is polled: passing over rows
/// costs no request.
const REST: i64 = 250_000;

/// What the hands were told to watch, and what was marked as seen.
#[derive(Debug, Default)]
pub(crate) struct WatchState {
    told: Option<(ChannelId, Option<ConversationId>)>,
    wanted: Option<(ChannelId, Option<ConversationId>)>,
    since: Moment,
    marked: Option<(ConversationId, MessageId)>,
}

impl WatchState {
    /// When a rested selection is due to be told.
    pub(crate) fn due(&self) -> Option<Moment> {
        (self.wanted != self.told).then(|| self.since.plus(REST))
    }
}
