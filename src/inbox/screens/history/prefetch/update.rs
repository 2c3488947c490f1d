use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::screens::history::{History, MESSAGES_PER_PAGE};
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::queries::{HistoryPage, HistoryQuery};

/// Threads of a triage loaded ahead.
pub(crate) const PREFETCHED_THREADS: usize = 3;
/// Offsets of the rows loaded ahead, most likely first.
const PREFETCH_OFFSETS: [isize; 4] = [1, -1, 2, -2];

impl Desk {
    /// Loads the histories the next keys may open, once the current one is loaded.
    pub(crate) fn prefetch_histories(&mut self, context: &mut Context) {
        let is_there = |history: &History| history.loaded && !history.resource.is_in_flight();
        if !self.is_inbox_shown() || !self.tab().history.as_ref().is_some_and(is_there) {
            return;
        }
        for (channel, conversation) in self.likely_next() {
            let query = HistoryQuery { channel, conversation, limit: MESSAGES_PER_PAGE };
            if self.prefetched.record_request(&query) {
                context.push(Effect::Load(Load::HistoryPrefetch(query)));
            }
        }
    }

    fn likely_next(&self) -> Vec<(ChannelId, ConversationId)> {
        let tab = self.tab();
        if let Some(triage) = tab.triage() {
            let threads = triage.queue.iter().take(PREFETCHED_THREADS);
            return threads.map(|thread| (tab.channel.id.clone(), thread.conversation.id.clone())).collect();
        }
        let list = self.list();
        let Some(index) = list.index().filter(|_| tab.focus == Focus::List) else { return Vec::new() };
        let rows =
            PREFETCH_OFFSETS.iter().filter_map(|by| list.page.rows.get(index.checked_add_signed(*by)?));
        rows.map(|row| (row.channel.clone(), row.conversation.id.clone())).collect()
    }

    pub(crate) fn receive_prefetched(&mut self, query: &HistoryQuery, page: HistoryPage) {
        if self.prefetched.finish_request(query) {
            self.prefetched.insert(query, page);
        }
    }

    /// Keeps the history on screen for a later return.
    pub(crate) fn cache_history(&mut self, query: &HistoryQuery, page: HistoryPage) {
        let history = self.tab_of(&query.channel).and_then(|tab| tab.history.as_ref());
        let is_fresh = history
            .is_some_and(|history| history.conversation == query.conversation && history.resource.is_fresh());
        if is_fresh && query.limit == MESSAGES_PER_PAGE {
            self.prefetched.insert(query, page);
        }
    }
}
