//! Latest snapshot number of an event per conversation.

use std::collections::HashMap;

use model::ids::{ChannelId, ConversationId};

/// Bounded map; cleared when full.
#[derive(Debug)]
pub(crate) struct LatestMoments {
    moments: HashMap<(ChannelId, ConversationId), u64>,
    capacity: usize,
}

impl LatestMoments {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { moments: HashMap::new(), capacity }
    }

    /// Records a moment unless a later one is known.
    pub(crate) fn record(&mut self, channel: &ChannelId, conversation: &ConversationId, moment: u64) {
        if self.moments.len() >= self.capacity {
            self.moments.clear();
        }
        let latest = self.moments.entry((channel.clone(), conversation.clone())).or_default();
        *latest = moment.max(*latest);
    }

    pub(crate) fn is_after(&self, channel: &ChannelId, conversation: &ConversationId, moment: u64) -> bool {
        let latest = self.moments.get(&(channel.clone(), conversation.clone()));
        latest.is_some_and(|latest| moment < *latest)
    }
}
