//! What follows from what is on screen: the history of the selected row,
//! loads, saved drafts, marks of what has been seen, and telling the hands
//! what to poll first.

use crate::Inbox;
use crate::context::Context;
use crate::event::{Effect, Load};
use crate::screens::composer::Composer;
use crate::screens::composer::reply_conflict::ReadProgress;
use crate::screens::history::History;
use crate::tab::{Focus, Tab};
use model::conversations::ConversationRow;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::time::Timestamp;

/// Microseconds a selection rests before it is polled: passing over rows
/// costs no request.
const REST: i64 = 250_000;

/// What the hands were told to watch, and what was marked as seen.
#[derive(Debug, Default)]
pub(crate) struct WatchState {
    told: Option<(ChannelId, Option<ConversationId>)>,
    wanted: Option<(ChannelId, Option<ConversationId>)>,
    since: Timestamp,
    marked: Option<(ConversationId, MessageId)>,
}

impl WatchState {
    /// When a rested selection is due to be told.
    pub(crate) fn due(&self) -> Option<Timestamp> {
        (self.wanted != self.told).then(|| self.since.plus(REST))
    }
}

impl Inbox {
    /// Side by side, the history shows the selected row; stacked, it shows
    /// what was opened.
    pub(crate) fn follow_selection(&mut self) {
        self.follow_row();
        let side_by_side = {
            let areas = self.areas();
            areas.list.is_some() && self.context.size.0 >= crate::layout::SIDE_BY_SIDE && !self.zoomed
        };
        let side_by_side = side_by_side && !self.tab().is_in_triage();
        if side_by_side && self.is_inbox_shown() && self.tab().focus == Focus::List {
            match self.list().selected.clone() {
                Some(selected) => self.show(&selected),
                None if self.list().is_empty() => leave(&mut self.tabs[self.active], &mut self.context),
                None => (),
            }
        }
        self.tell_what_to_watch();
    }

    fn tell_what_to_watch(&mut self) {
        let tab = self.tab();
        let conversation = match (&tab.history, tab.focus) {
            (Some(history), _) => Some(history.conversation.clone()).filter(|_| !history.is_new_mail()),
            (None, _) => None,
        };
        let current = Some((tab.channel.id.clone(), conversation));
        let now = self.context.now;
        let watch = &mut self.watch;
        if watch.wanted != current {
            watch.wanted = current;
            watch.since = now;
        }
        let rested = now.since(watch.since) >= REST || watch.told.is_none();
        if watch.wanted != watch.told && rested {
            watch.told.clone_from(&watch.wanted);
            if let Some((channel, conversation)) = watch.told.clone() {
                self.context.push(Effect::Watch(channel, conversation));
            }
        }
    }

    /// Asks for every window of the active tab that is stale.
    pub(crate) fn load_what_is_missing(&mut self) {
        if !self.tab().is_inbox() {
            return;
        }
        let now = self.context.now;
        if let Some(query) = self.list_mut().take_query(now) {
            self.context.push(Effect::Load(Load::Conversations(query)));
        }
        let tab = &mut self.tabs[self.active];
        let Some(history) = &mut tab.history else { return };
        if history.want_older() {
            let (channel, conversation) = (tab.channel.id.clone(), history.conversation.clone());
            self.context.push(Effect::FetchOlder(channel, conversation));
        }
        if let Some(query) = history.take_query(now) {
            self.context.push(Effect::Load(Load::History(query)));
        }
    }

    /// Saves the drafts whose typing has paused.
    pub(crate) fn save_drafts(&mut self) {
        let now = self.context.now;
        for tab in &mut self.tabs {
            let due = tab.composer.as_ref().and_then(Composer::save_due);
            if due.is_some_and(|at| at <= now) {
                save(tab, &mut self.context);
            }
        }
        self.save_again(false);
    }

    /// Saves every draft now, because the desk is about to end.
    pub fn leave(&mut self) -> Vec<Effect> {
        self.save_every_draft();
        std::mem::take(&mut self.context.effects)
    }

    pub(crate) fn save_every_draft(&mut self) {
        for tab in &mut self.tabs {
            save(tab, &mut self.context);
        }
        self.save_again(true);
    }

    /// Marks as seen what an opened history shows at its end, while the
    /// terminal has the focus.
    pub(crate) fn mark_seen(&mut self) {
        if !self.context.focused || !self.is_inbox_shown() {
            return;
        }
        let tab = self.tab();
        let Some(history) = &tab.history else { return };
        let at_end = history.shows_end() && history.opened && tab.focus != Focus::List;
        let Some(newest) = history.newest().filter(|_| at_end) else {
            // Whoever comes back looks again: it may have been marked as not
            // seen meanwhile.
            self.watch.marked = None;
            return;
        };
        let mark = (history.conversation.clone(), newest.1.clone());
        if self.watch.marked.as_ref() == Some(&mark) {
            return;
        }
        self.context.push(Effect::MarkSeen(tab.channel.id.clone(), mark.0.clone(), newest));
        self.watch.marked = Some(mark);
        self.mark_read();
    }
}

/// Puts a conversation into the tab's history pane and composer.
pub(crate) fn show(
    tab: &mut Tab,
    conversation: &ConversationId,
    row: Option<ConversationRow>,
    context: &mut Context,
) {
    if tab.history.as_ref().is_some_and(|it| it.conversation == *conversation) {
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
        context.push(Effect::SaveDraft(tab.channel.id.clone(), conversation, draft));
    }
}
