//! Asks for histories before they are wanted, and shows one that was kept.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::screens::history::{History, STEP};
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::queries::{HistoryPage, HistoryQuery};

/// Threads of a triage that are brought before they are wanted.
pub(crate) const THREADS: usize = 3;
/// Rows beside the selected one whose histories are brought, the likeliest first.
const ROWS: [isize; 4] = [1, -1, 2, -2];

impl Desk {
    /// Asks for the histories that the next keys may want, once the one on
    /// screen is there.
    pub(crate) fn load_ahead(&mut self, context: &mut Context) {
        let is_there = |history: &History| history.loaded && !history.resource.is_asked();
        if !self.is_inbox_shown() || !self.tab().history.as_ref().is_some_and(is_there) {
            return;
        }
        for (channel, conversation) in self.likely_next() {
            let query = HistoryQuery { channel, conversation, limit: STEP };
            if self.ahead.ask(&query) {
                context.push(Effect::Load(Load::Ahead(query)));
            }
        }
    }

    fn likely_next(&self) -> Vec<(ChannelId, ConversationId)> {
        let tab = self.tab();
        if let Some(triage) = tab.triage() {
            let threads = triage.queue.iter().take(THREADS);
            return threads.map(|thread| (tab.channel.id.clone(), thread.conversation.id.clone())).collect();
        }
        let list = self.list();
        let Some(index) = list.index().filter(|_| tab.focus == Focus::List) else { return Vec::new() };
        let rows = ROWS.iter().filter_map(|by| list.page.rows.get(index.checked_add_signed(*by)?));
        rows.map(|row| (row.channel.clone(), row.conversation.id.clone())).collect()
    }

    /// A history that may be wanted has come.
    pub(crate) fn ahead_loaded(&mut self, query: &HistoryQuery, page: HistoryPage) {
        if self.ahead.answered(query) {
            self.ahead.insert(query, page);
        }
    }

    /// Keeps what was read of the history on screen, for whoever comes back to it.
    pub(crate) fn keep_history(&mut self, query: &HistoryQuery, page: HistoryPage) {
        let history = self.tab_of(&query.channel).and_then(|tab| tab.history.as_ref());
        let is_fresh = history
            .is_some_and(|history| history.conversation == query.conversation && history.resource.is_fresh());
        if is_fresh && query.limit == STEP {
            self.ahead.insert(query, page);
        }
    }
}
