//! When something was last done to conversations, in snapshot numbers, of as
//! many as matter.

use std::collections::HashMap;

use model::ids::{ChannelId, ConversationId};

/// The latest moment of each conversation; forgets all when there are too
/// many.
#[derive(Debug)]
pub(crate) struct LatestMoments {
    moments: HashMap<(ChannelId, ConversationId), u64>,
    capacity: usize,
}

impl LatestMoments {
    /// Remembers so many conversations at most.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { moments: HashMap::new(), capacity }
    }

    /// Notes a moment; one that is not the latest changes nothing.
    pub(crate) fn record(&mut self, channel: &ChannelId, conversation: &ConversationId, moment: u64) {
        if self.moments.len() >= self.capacity {
            self.moments.clear();
        }
        let latest = self.moments.entry((channel.clone(), conversation.clone())).or_default();
        *latest = moment.max(*latest);
    }

    /// Whether the latest moment known is after this one.
    pub(crate) fn is_after(&self, channel: &ChannelId, conversation: &ConversationId, moment: u64) -> bool {
        let latest = self.moments.get(&(channel.clone(), conversation.clone()));
        latest.is_some_and(|latest| moment < *latest)
    }
}
