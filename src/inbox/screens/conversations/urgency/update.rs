use crate::context::Context;
use crate::desk::Desk;
use crate::layout::SIDE_BY_SIDE_MIN_WIDTH;
use crate::tab::{Focus, Tab};
use crate::watch::update as watch;
use model::conversations::ConversationRow;
use model::queries::ConversationKey;
use model::urgency;

/// Opens the most urgent conversation the store found. After one was finished, the person stays
/// in the list if nobody else waits.
pub(crate) fn open_most_urgent(desk: &mut Desk, mut rows: Vec<ConversationRow>, context: &mut Context) {
    let finished = desk.urgency_walk.finished.take();
    rows.retain(|row| !Tab::is_closed(row) && finished.as_ref().is_none_or(|key| !row.has_key(key)));
    let ranked = urgency::rank_rows(rows);
    let current = match &finished {
        Some(_) => None,
        None => desk.current_conversation().map(ConversationRow::key),
    };
    let Some(next) = desk.urgency_walk.next(&ranked, current.as_ref(), context.now) else {
        return match (&finished, ranked.is_empty()) {
            (Some(_), _) => desk.tab_mut().focus = Focus::List,
            (None, false) => context.show_warning("no one else is waiting"),
            (None, true) => context.show_warning("no one is waiting on any channel"),
        };
    };
    // A narrow terminal shows no conversation beside the list.
    let is_beside = context.size.0 >= SIDE_BY_SIDE_MIN_WIDTH && !desk.panes.zoomed;
    let focus = if desk.tab().focus == Focus::List && is_beside { Focus::List } else { Focus::History };
    let key = next.key();
    let why = urgency::describe_urgency(next, context.now);
    let title = next.conversation.title();
    if let Some(finished) = finished.as_ref().filter(|finished| finished.channel != key.channel) {
        leave_finished(desk, finished, context);
    }
    desk.open_conversation(&key.channel, &key.conversation, focus, context);
    if finished.is_none() {
        context.show_notice(format!("{title}: {why}"));
    }
}

/// Leaves the tab of a finished conversation with its list, so that nothing typed there later reaches that customer.
fn leave_finished(desk: &mut Desk, finished: &ConversationKey, context: &mut Context) {
    let visible = desk.list_rows(&desk.areas(context));
    let Some(tab) = desk.tab_of(&finished.channel) else { return };
    watch::close_conversation(tab, context);
    tab.focus = Focus::List;
    tab.list.top(visible);
}
