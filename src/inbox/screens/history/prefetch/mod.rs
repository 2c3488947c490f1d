//! Histories loaded ahead: of the rows around the selected one and of those just left.

pub(crate) mod update;

use std::collections::VecDeque;

use model::ids::{ChannelId, ConversationId};
use model::queries::{HistoryPage, HistoryQuery};

const MAX_HISTORIES: usize = 12;
/// Maximum text size of a kept history, in bytes; longer ones are loaded on demand.
const MAX_HISTORY_BYTES: usize = 64 * 1024;

#[derive(Debug, Default)]
pub(crate) struct PrefetchedHistories {
    /// Newest last.
    ready: VecDeque<(HistoryQuery, HistoryPage)>,
    /// Queries in flight; false once the conversation changed since.
    in_flight: Vec<(HistoryQuery, bool)>,
}

impl PrefetchedHistories {
    pub(crate) fn cached_page(&self, query: &HistoryQuery) -> Option<&HistoryPage> {
        self.ready.iter().find(|pair| pair.0 == *query).map(|pair| &pair.1)
    }

    /// Returns true if the query is to be sent, and records it as in flight.
    fn record_request(&mut self, query: &HistoryQuery) -> bool {
        let asks = self.cached_page(query).is_none() && !self.in_flight.iter().any(|pair| pair.0 == *query);
        if asks {
            self.in_flight.push((query.clone(), true));
        }
        asks
    }

    pub(crate) fn insert(&mut self, query: &HistoryQuery, page: HistoryPage) {
        self.ready.retain(|ready| ready.0 != *query);
        if text_bytes(&page) <= MAX_HISTORY_BYTES {
            self.ready.push_back((query.clone(), page));
        }
        if self.ready.len() > MAX_HISTORIES {
            self.ready.pop_front();
        }
    }

    /// Returns true if the query was in flight and nothing has changed since.
    fn finish_request(&mut self, query: &HistoryQuery) -> bool {
        let asked = self.in_flight.iter().position(|pair| pair.0 == *query);
        asked.is_some_and(|number| self.in_flight.swap_remove(number).1)
    }

    /// Drops what is known of a conversation, or of the whole channel if `None`.
    pub(crate) fn forget(&mut self, channel: &ChannelId, conversation: Option<&ConversationId>) {
        let is_old = |history_query: &HistoryQuery| {
            history_query.channel == *channel
                && conversation.is_none_or(|conversation| history_query.conversation == *conversation)
        };
        self.ready.retain(|ready| !is_old(&ready.0));
        self.in_flight.iter_mut().filter(|pair| is_old(&pair.0)).for_each(|pair| pair.1 = false);
    }
}

fn text_bytes(page: &HistoryPage) -> usize {
    page.messages
        .iter()
        .map(|message| message.message.content.as_str().len() + message.message.raw.len())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(conversation: &str) -> HistoryQuery {
        HistoryQuery { channel: "harbor".into(), conversation: conversation.into(), limit: 100 }
    }

    #[test]
    fn what_changed_is_asked_again_and_an_older_answer_is_dropped() {
        let mut ahead = PrefetchedHistories::default();
        assert!(ahead.record_request(&query("c1")) && !ahead.record_request(&query("c1")), "asked once");
        assert!(ahead.finish_request(&query("c1")) && !ahead.finish_request(&query("c1")));
        ahead.insert(&query("c1"), HistoryPage::default());
        assert!(ahead.cached_page(&query("c1")).is_some() && !ahead.record_request(&query("c1")));
        assert!(ahead.record_request(&query("c2")));
        ahead.forget(&"harbor".into(), Some(&"c2".into()));
        assert!(!ahead.record_request(&query("c2")), "its answer is still to come");
        assert!(!ahead.finish_request(&query("c2")), "it changed meanwhile");
        assert!(ahead.record_request(&query("c2")));
        ahead.forget(&"other".into(), None);
        assert!(ahead.cached_page(&query("c1")).is_some());
        ahead.forget(&"harbor".into(), None);
        assert!(ahead.cached_page(&query("c1")).is_none());
    }

    #[test]
    fn what_was_kept_longest_goes_first() {
        let mut ahead = PrefetchedHistories::default();
        for number in 0..=MAX_HISTORIES {
            ahead.insert(&query(&format!("c{number}")), HistoryPage::default());
        }
        assert!(ahead.cached_page(&query("c0")).is_none());
        assert!(ahead.cached_page(&query("c1")).is_some());
        let more = HistoryQuery { limit: 200, ..query("c1") };
        assert!(ahead.cached_page(&more).is_none(), "another question");
    }
}
