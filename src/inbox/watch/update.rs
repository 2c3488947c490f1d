//! Follows what is on screen: shows the history of the selected row and marks as seen.

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, SyncOrder};
use crate::layout;
use crate::screens::composer::Composer;
use crate::screens::composer::reply_conflict::ReadProgress;
use crate::screens::history::History;
use crate::tab::{Focus, Tab};
use crate::watch::{REST, WatchState};
use model::conversations::ConversationRow;
use model::ids::ConversationId;

impl WatchState {
    /// Side by side, the history shows the selected row; stacked, it shows
    /// what was opened.
    pub(crate) fn follow_selection(&mut self, desk: &mut Desk, context: &mut Context) {
        desk.follow_row();
        let side_by_side = {
            let areas = desk.areas(context);
            areas.list.is_some() && context.size.0 >= crate::layout::SIDE_BY_SIDE && !desk.panes.zoomed
        };
        let side_by_side = side_by_side && !desk.tab().is_in_triage();
        if side_by_side && desk.is_inbox_shown() && desk.tab().focus == Focus::List {
            match desk.list().selected.clone() {
                Some(selected) => desk.show(&selected, context),
                None if desk.list().is_empty() => leave(&mut desk.tabs[desk.active], context),
                None => (),
            }
        }
        self.tell_what_to_watch(desk, context);
    }

    fn tell_what_to_watch(&mut self, desk: &Desk, context: &mut Context) {
        let tab = desk.tab();
        let conversation = match (&tab.history, tab.focus) {
            (Some(history), _) => Some(history.conversation.clone()).filter(|_| !history.is_new_mail()),
            (None, _) => None,
        };
        let current = Some((tab.channel.id.clone(), conversation));
        let now = context.moment;
        if self.wanted != current {
            self.wanted = current;
            self.since = now;
        }
        let rested = now.since(self.since) >= REST || self.told.is_none();
        if self.wanted != self.told && rested {
            self.told.clone_from(&self.wanted);
            if let Some((channel, conversation)) = self.told.clone() {
                context.push(SyncOrder::Watch(channel, conversation));
            }
        }
    }

    /// Marks as seen what an opened history shows at its end, while the
    /// terminal has the focus.
    pub(crate) fn mark_seen(&mut self, desk: &mut Desk, context: &mut Context) {
        let is_shown = context.focused && !layout::is_too_small(context.size);
        if !is_shown || !desk.is_inbox_shown() {
            return;
        }
        let tab = desk.tab();
        let Some(history) = &tab.history else { return };
        let at_end = history.shows_end() && history.opened && tab.focus != Focus::List;
        let Some(newest) = history.newest().filter(|_| at_end) else {
            // Whoever comes back looks again: it may have been marked as not
            // seen meanwhile.
            self.marked = None;
            return;
        };
        let mark = (history.conversation.clone(), newest.1.clone());
        if self.marked.as_ref() == Some(&mark) {
            return;
        }
        let channel = tab.channel.id.clone();
        desk.ahead.forget(&channel, Some(&mark.0));
        context.push(FileWrite::MarkSeen(channel, mark.0.clone(), newest));
        self.marked = Some(mark);
        desk.mark_read(context);
    }
}

impl Desk {
    /// Asks for every window of the active tab that is stale.
    pub(crate) fn load_what_is_missing(&mut self, context: &mut Context) {
        if !self.tab().is_inbox() {
            return;
        }
        let now = context.moment;
        if let Some(query) = self.list_mut().take_query(context.times()) {
            context.push(Effect::Load(Load::Conversations(query)));
        }
        let tab = &mut self.tabs[self.active];
        let Some(history) = &mut tab.history else { return };
        if history.want_older() {
            let (channel, conversation) = (tab.channel.id.clone(), history.conversation.clone());
            context.push(SyncOrder::FetchOlder(channel, conversation));
        }
        let Some(query) = history.take_query(now) else { return };
        match self.ahead.answer(&query).cloned() {
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
                save(tab, context);
            }
        }
        self.save_again(false, context);
    }

    /// Saves every draft now, because the desk is about to end.
    pub fn leave(&mut self, desk: &mut Desk, context: &mut Context) -> Vec<Effect> {
        self.save_every_draft(desk, context);
        std::mem::take(&mut context.effects)
    }

    pub(crate) fn save_every_draft(&mut self, desk: &mut Desk, context: &mut Context) {
        for tab in &mut desk.tabs {
            save(tab, context);
        }
        self.save_again(true, context);
    }
}

/// Puts a conversation into the tab's history pane and composer.
pub(crate) fn show(
    tab: &mut Tab,
    conversation: &ConversationId,
    row: Option<ConversationRow>,
    context: &mut Context,
) {
    if tab.history.as_ref().is_some_and(|history| history.conversation == *conversation) {
        return;
    }
    save(tab, context);
    let channel = tab.channel.id.clone();
    let mut history = History::new(channel.clone(), conversation.clone());
    history.row = row;
    if tab.is_phone() {
        history.tell_only_here();
    }
    tab.history = Some(history);
    tab.composer = Some(Composer::new(conversation.clone()));
    tab.looked = ReadProgress::default();
    context.push(Effect::Load(Load::Draft(channel, conversation.clone())));
}

/// Empties the history pane: there is no conversation to show.
pub(crate) fn leave(tab: &mut Tab, context: &mut Context) {
    save(tab, context);
    tab.history = None;
    tab.composer = None;
}

fn save(tab: &mut Tab, context: &mut Context) {
    let Some(composer) = &mut tab.composer else { return };
    if let Some(draft) = composer.take_unsaved() {
        let conversation = composer.conversation.clone();
        context.push(FileWrite::SaveDraft(tab.channel.id.clone(), conversation, draft));
    }
}
