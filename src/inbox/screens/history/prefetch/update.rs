use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::screens::history::{History, MESSAGES_PER_PAGE};
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::queries::{HistoryPage, HistoryQuery};

pub(crate) const PREFETCHED_THREADS: usize = 3;
/// Offsets of the rows loaded ahead, most likely first.
const PREFETCH_OFFSETS: [isize; 4] = [1, -1, 2, -2];

/// Loads the histories the next keys may open, once the current one is loaded.
pub(crate) fn prefetch_histories(desk: &mut Desk, context: &mut Context) {
    let is_there = |history: &History| history.loaded && !history.resource.is_in_flight();
    if !desk.is_inbox_shown() || !desk.tab().history.as_ref().is_some_and(is_there) {
        return;
    }
    for (channel, conversation) in likely_next(desk) {
        let query = HistoryQuery { channel, conversation, limit: MESSAGES_PER_PAGE };
        if desk.prefetched.record_request(&query) {
            context.push(Effect::Load(Load::HistoryPrefetch(query)));
        }
    }
}

fn likely_next(desk: &Desk) -> Vec<(ChannelId, ConversationId)> {
    let tab = desk.tab();
    if let Some(triage) = tab.triage() {
        let threads = triage.queue.iter().take(PREFETCHED_THREADS);
        return threads.map(|thread| (tab.channel.id.clone(), thread.conversation.id.clone())).collect();
    }
    let list = desk.list();
    let Some(index) = list.index().filter(|_| tab.focus == Focus::List) else { return Vec::new() };
    let rows = PREFETCH_OFFSETS.iter().filter_map(|by| list.page.rows.get(index.checked_add_signed(*by)?));
    rows.map(|row| (row.channel.clone(), row.conversation.id.clone())).collect()
}

pub(crate) fn receive_prefetched(desk: &mut Desk, query: &HistoryQuery, page: HistoryPage) {
    if desk.prefetched.finish_request(query) {
        desk.prefetched.insert(query, page);
    }
}

/// Keeps the history on screen for a later return.
pub(crate) fn cache_history(desk: &mut Desk, query: &HistoryQuery, page: HistoryPage) {
    let history = desk.tab_of(&query.channel).and_then(|tab| tab.history.as_ref());
    let is_fresh = history
        .is_some_and(|history| history.conversation == query.conversation && history.resource.is_fresh());
    if is_fresh && query.limit == MESSAGES_PER_PAGE {
        desk.prefetched.insert(query, page);
    }
}
