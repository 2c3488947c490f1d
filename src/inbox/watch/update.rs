//! Follows the screen: shows the history of the selected row and marks it as seen.

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, SyncOrder};
use crate::layout;
use crate::screens::composer::Composer;
use crate::screens::composer::reply_conflict::ReadProgress;
use crate::screens::history::History;
use crate::screens::mail::filing;
use crate::tab::{Focus, Tab};
use crate::watch::{WATCH_DELAY, WatchState};
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::queries::ConversationKey;

impl WatchState {
    /// Keeps the highlighted row and the open conversation the same. While rows are chosen, the
    /// conversation follows the row (beside the list; a narrow terminal shows it once opened); while
    /// a conversation is read or answered, the row follows it.
    pub(crate) fn follow_selection(&mut self, desk: &mut Desk, context: &mut Context) {
        desk.activate_selected_tab();
        let side_by_side = {
            let areas = desk.areas(context);
            areas.list.is_some()
                && context.size.0 >= crate::layout::SIDE_BY_SIDE_MIN_WIDTH
                && !desk.panes.zoomed
        };
        let (is_list, visible) = (desk.tab().focus == Focus::List, desk.list_rows(&desk.areas(context)));
        match desk.open_key() {
            _ if !desk.is_inbox_shown() || desk.tab().is_in_triage() => (),
            _ if is_list && side_by_side => match desk.list().selected.clone() {
                Some(selected) => desk.show_conversation(&selected, context),
                None if desk.list().is_empty() => close_conversation(&mut desk.tabs[desk.active], context),
                None => (),
            },
            _ if is_list => desk.list_mut().select_listed(visible, context.moment),
            Some(open) => desk.list_mut().follow_open(&open, visible),
            None => (),
        }
        self.send_watch(desk, context);
    }

    fn send_watch(&mut self, desk: &Desk, context: &mut Context) {
        let tab = desk.tab();
        let conversation = match (&tab.history, tab.focus) {
            (Some(history), _) => Some(history.conversation.clone()).filter(|_| !history.is_new_mail()),
            (None, _) => None,
        };
        let current = Some((tab.channel.id.clone(), conversation));
        let now = context.moment;
        if self.target != current {
            self.target = current;
            self.target_since = now;
        }
        let rested = now.since(self.target_since) >= WATCH_DELAY || self.sent.is_none();
        if self.target != self.sent && rested {
            self.sent.clone_from(&self.target);
            if let Some((channel, conversation)) = self.sent.clone() {
                context.push(SyncOrder::Watch(channel, conversation));
            }
        }
    }

    /// Marks the end of an open history as seen while the terminal has the focus.
    pub(crate) fn mark_seen(&mut self, desk: &mut Desk, context: &mut Context) {
        let is_shown = context.focused && !layout::is_too_small(context.size);
        if !is_shown || !desk.is_inbox_shown() {
            return;
        }
        let tab = desk.tab();
        let Some(history) = &tab.history else { return };
        let at_end = history.is_at_end() && history.opened && tab.focus != Focus::List;
        let Some(newest) = history.newest_position().filter(|_| at_end) else {
            // Marks again on return: the conversation may have been marked as unread meanwhile.
            self.seen_mark = None;
            return;
        };
        let mark = (history.conversation.clone(), newest.1.clone());
        if self.seen_mark.as_ref() == Some(&mark) {
            return;
        }
        let channel = tab.channel.id.clone();
        desk.prefetched.forget(&channel, Some(&mark.0));
        context.push(FileWrite::MarkSeen(channel, mark.0.clone(), newest));
        self.seen_mark = Some(mark);
        filing::mark_read(desk, context);
    }
}

impl Desk {
    /// The conversation of the history pane, unless it is a mail without a thread yet.
    fn open_key(&self) -> Option<ConversationKey> {
        let tab = self.tab();
        let history = tab.history.as_ref().filter(|history| !history.is_new_mail())?;
        Some(tab.key_of(&history.conversation))
    }

    /// Loads everything stale in the active tab.
    pub(crate) fn load_missing(&mut self, context: &mut Context) {
        if !self.tab().is_inbox() {
            return;
        }
        let now = context.moment;
        if let Some(query) = self.list_mut().take_query(context.clock_reading()) {
            context.push(Effect::Load(Load::Conversations(query)));
        }
        let tab = &mut self.tabs[self.active];
        let Some(history) = &mut tab.history else { return };
        if history.request_older() {
            let (channel, conversation) = (tab.channel.id.clone(), history.conversation.clone());
            context.push(SyncOrder::FetchOlder(channel, conversation));
        }
        let Some(query) = history.take_query(now) else { return };
        match self.prefetched.cached_page(&query).cloned() {
            Some(page) => self.history_loaded(&query, page, context),
            None => context.push(Effect::Load(Load::History(query))),
        }
    }
}

impl Changes {
    /// Saves the drafts whose typing has paused.
    pub(crate) fn save_drafts(&mut self, desk: &mut Desk, context: &mut Context) {
        let now = context.moment;
        for tab in &mut desk.tabs {
            let due = tab.composer.as_ref().and_then(Composer::save_due);
            if due.is_some_and(|at| at <= now) {
                save_draft(tab, context);
            }
        }
        self.retry_drafts(false, context);
    }

    /// Saves every draft before the desk ends.
    pub fn save_on_exit(&mut self, desk: &mut Desk, context: &mut Context) -> Vec<Effect> {
        self.save_all_drafts(desk, context);
        std::mem::take(&mut context.effects)
    }

    pub(crate) fn save_all_drafts(&mut self, desk: &mut Desk, context: &mut Context) {
        for tab in &mut desk.tabs {
            save_draft(tab, context);
        }
        self.retry_drafts(true, context);
    }
}

/// Shows a conversation in the tab's history pane and composer.
pub(crate) fn show_conversation(
    tab: &mut Tab,
    conversation: &ConversationId,
    row: Option<ConversationRow>,
    context: &mut Context,
) {
    if tab.history.as_ref().is_some_and(|history| history.conversation == *conversation) {
        return;
    }
    save_draft(tab, context);
    let channel = tab.channel.id.clone();
    let mut history = History::new(channel.clone(), conversation.clone());
    history.row = row;
    if tab.is_phone() {
        history.limit_to_local();
    }
    tab.history = Some(history);
    let mut composer = Composer::new(conversation.clone());
    composer.has_no_mail = tab.has_no_mail();
    tab.composer = Some(composer);
    tab.read_progress = ReadProgress::default();
    context.push(Effect::Load(Load::Draft(channel, conversation.clone())));
}

pub(crate) fn close_conversation(tab: &mut Tab, context: &mut Context) {
    save_draft(tab, context);
    tab.history = None;
    tab.composer = None;
}

fn save_draft(tab: &mut Tab, context: &mut Context) {
    let Some(composer) = &mut tab.composer else { return };
    if let Some(draft) = composer.take_unsaved() {
        let conversation = composer.conversation.clone();
        context.push(FileWrite::SaveDraft(tab.channel.id.clone(), conversation, draft));
    }
}
