//! Histories that were read before they are wanted: of the rows around the
//! selected one, and of those that were just left. A key that goes there reads
//! nothing.

pub(crate) mod update;

use std::collections::VecDeque;

use model::ids::{ChannelId, ConversationId};
use model::queries::{HistoryPage, HistoryQuery};

/// Histories kept at most.
const KEPT: usize = 12;
/// Bytes of text of one that is kept at most: a thread of long mails is read
/// when it is wanted.
const LONGEST: usize = 64 * 1024;

/// What is kept, and what was asked for.
#[derive(Debug, Default)]
pub(crate) struct HistoriesAhead {
    /// The newest last.
    ready: VecDeque<(HistoryQuery, HistoryPage)>,
    /// What is being read, and whether nothing has changed since.
    asked: Vec<(HistoryQuery, bool)>,
}

impl HistoriesAhead {
    /// What a question is answered with, if that is known.
    pub(crate) fn answer(&self, query: &HistoryQuery) -> Option<&HistoryPage> {
        self.ready.iter().find(|pair| pair.0 == *query).map(|pair| &pair.1)
    }

    /// Whether a question is to be asked; it counts as asked from then on.
    fn ask(&mut self, query: &HistoryQuery) -> bool {
        let asks = self.answer(query).is_none() && !self.asked.iter().any(|pair| pair.0 == *query);
        if asks {
            self.asked.push((query.clone(), true));
        }
        asks
    }

    /// Keeps the answer to a question, in the place of what was kept longest.
    pub(crate) fn insert(&mut self, query: &HistoryQuery, page: HistoryPage) {
        self.ready.retain(|ready| ready.0 != *query);
        if bytes(&page) <= LONGEST {
            self.ready.push_back((query.clone(), page));
        }
        if self.ready.len() > KEPT {
            self.ready.pop_front();
        }
    }

    /// An answer has come. Returns whether it was asked for and nothing has
    /// changed since.
    fn answered(&mut self, query: &HistoryQuery) -> bool {
        let asked = self.asked.iter().position(|pair| pair.0 == *query);
        asked.is_some_and(|number| self.asked.swap_remove(number).1)
    }

    /// What is known of a channel's conversation, or of all of them, may be old.
    pub(crate) fn forget(&mut self, channel: &ChannelId, conversation: Option<&ConversationId>) {
        let is_old = |history_query: &HistoryQuery| {
            history_query.channel == *channel
                && conversation.is_none_or(|conversation| history_query.conversation == *conversation)
        };
        self.ready.retain(|ready| !is_old(&ready.0));
        self.asked.iter_mut().filter(|pair| is_old(&pair.0)).for_each(|pair| pair.1 = false);
    }
}

/// Bytes of text of a history.
fn bytes(page: &HistoryPage) -> usize {
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
        let mut ahead = HistoriesAhead::default();
        assert!(ahead.ask(&query("c1")) && !ahead.ask(&query("c1")), "asked once");
        assert!(ahead.answered(&query("c1")) && !ahead.answered(&query("c1")));
        ahead.insert(&query("c1"), HistoryPage::default());
        assert!(ahead.answer(&query("c1")).is_some() && !ahead.ask(&query("c1")));
        assert!(ahead.ask(&query("c2")));
        ahead.forget(&"harbor".into(), Some(&"c2".into()));
        assert!(!ahead.ask(&query("c2")), "its answer is still to come");
        assert!(!ahead.answered(&query("c2")), "it changed meanwhile");
        assert!(ahead.ask(&query("c2")));
        ahead.forget(&"other".into(), None);
        assert!(ahead.answer(&query("c1")).is_some());
        ahead.forget(&"harbor".into(), None);
        assert!(ahead.answer(&query("c1")).is_none());
    }

    #[test]
    fn what_was_kept_longest_goes_first() {
        let mut ahead = HistoriesAhead::default();
        for number in 0..=KEPT {
            ahead.insert(&query(&format!("c{number}")), HistoryPage::default());
        }
        assert!(ahead.answer(&query("c0")).is_none());
        assert!(ahead.answer(&query("c1")).is_some());
        let more = HistoryQuery { limit: 200, ..query("c1") };
        assert!(ahead.answer(&more).is_none(), "another question");
    }
}
