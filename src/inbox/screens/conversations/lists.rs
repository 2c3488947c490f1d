//! Selects the list on screen: the tab's own, or the list over all tabs. In the latter, the tab of
//! the selected row is the active tab, so commands act as in that tab.

use crate::context::Context;
use crate::desk::Desk;
use crate::keyboard::Keyboard;
use crate::pages::PageKind;
use crate::screens::conversations::{ConversationList, WINDOW_ROWS};
use crate::screens::history::History;
use crate::tab::Focus;
use crate::watch::update as watch;
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::queries::ConversationKey;
use model::time::Moment;

/// Time after the list moved its selection by itself during which changing keys are refused, in
/// microseconds.
const MOVE_GUARD_DURATION: i64 = 300_000;

impl ConversationList {
    /// Requests a whole window once the first rows are on screen.
    pub(crate) fn request_full_window(&mut self) {
        if !self.loaded || self.wanted.limit == WINDOW_ROWS {
            return;
        }
        self.wanted.limit = WINDOW_ROWS;
        if self.page.reaches_bottom {
            self.resource.replace_query(self.wanted.clone());
        } else {
            self.resource.set_query(self.wanted.clone());
        }
    }

    /// True if the loaded rows are current and contain the selected one.
    pub(crate) fn has_selection(&self) -> bool {
        let is_known = self.index().is_some() || self.unlisted_at.is_some();
        self.loaded && !self.answers_old_query && is_known
    }

    /// True if the row that keys act on is still being read.
    fn is_selection_loading(&self) -> bool {
        let is_empty = self.is_empty() && self.selected.is_none();
        self.resource.is_loading() && !self.has_selection() && !is_empty
    }

    /// True shortly after the list moved its selection by itself.
    pub(crate) fn has_just_moved(&self, now: Moment) -> bool {
        self.moved_at.is_some_and(|at| now.since(at) < MOVE_GUARD_DURATION) || self.awaits_return(now)
    }
}

impl Desk {
    pub fn list(&self) -> &ConversationList {
        if self.shows_all_tabs { &self.all_tabs_list } else { &self.tab().list }
    }

    pub(crate) fn list_mut(&mut self) -> &mut ConversationList {
        if self.shows_all_tabs { &mut self.all_tabs_list } else { &mut self.tab_mut().list }
    }

    /// The conversation that commands act on: the open one, or the selected row.
    pub fn current_conversation(&self) -> Option<&ConversationRow> {
        let tab = self.tab();
        let key = match (tab.focus, &tab.history) {
            // The summary shows none.
            _ if tab.has_finished_triage() => return None,
            (Focus::List, _) => self.list().selected.clone()?,
            (_, Some(history)) => tab.key_of(&history.conversation),
            (_, None) => return None,
        };
        let read = || tab.history.as_ref()?.row.as_ref().filter(|row| row.has_key(&key));
        let listed = || self.list().page.rows.iter().find(|row| row.has_key(&key));
        if tab.focus == Focus::List { listed().or_else(read) } else { read().or_else(listed) }
    }

    /// True if the conversation that keys act on is still being read.
    pub(crate) fn is_target_loading(&self) -> bool {
        let tab = self.tab();
        match (tab.focus, &tab.history) {
            _ if !self.is_inbox_shown() => false,
            // A mail begins once its thread and its draft are there.
            _ if tab.mail.pending_mail.is_some_and(|begun| !begun.is_given_up) => true,
            (Focus::List, _) => self.list().is_selection_loading(),
            (Focus::History, Some(history)) => {
                let lacks_row = self.current_conversation().is_none();
                history.resource.is_loading() && (lacks_row || tab.mail.pending_mail.is_some())
            }
            (Focus::History, None) | (Focus::Composer, _) => false,
        }
    }

    pub(crate) fn current_history(&self) -> Option<&History> {
        let row = self.current_conversation()?;
        self.tab().history.as_ref().filter(|history| history.conversation == row.conversation.id)
    }

    pub(crate) fn go_to_all_tabs(&mut self, context: &mut Context) {
        let inbox = self.tabs.iter().position(|tab| tab.is_inbox());
        let Some(index) = inbox else {
            return context.show_warning("no channel has conversations");
        };
        self.page = PageKind::Inbox;
        if self.shows_all_tabs {
            return;
        }
        self.shows_all_tabs = true;
        if !self.tab().is_inbox() {
            self.active = index;
        }
        self.tab_mut().focus = Focus::List;
    }

    /// Index of the chosen tab; `None` in the list over all tabs.
    pub(crate) fn tab_on_screen(&self) -> Option<usize> {
        (!self.shows_all_tabs).then_some(self.active)
    }

    /// Makes the selected row's tab the active one in the list over all tabs.
    pub(crate) fn activate_selected_tab(&mut self) {
        if !self.shows_all_tabs || self.tab().focus != Focus::List {
            return;
        }
        let Some(channel) =
            self.all_tabs_list.selected.as_ref().map(|conversation_key| conversation_key.channel.clone())
        else {
            return;
        };
        self.activate_tab(&channel);
    }

    pub(crate) fn activate_tab(&mut self, channel: &ChannelId) {
        let focus = self.tab().focus;
        let Some(index) = self.tabs.iter().position(|tab| tab.channel.id == *channel) else { return };
        if index != self.active {
            self.active = index;
            self.tab_mut().focus = focus;
        }
    }

    pub(crate) fn show_conversation(&mut self, key: &ConversationKey, context: &mut Context) {
        let shown =
            self.tabs.iter().find(|tab| tab.channel.id == key.channel).and_then(|tab| tab.history.as_ref());
        if shown.is_some_and(|history| history.conversation == key.conversation) {
            return;
        }
        let row = self.list().page.rows.iter().find(|row| row.has_key(key)).cloned();
        if let Some(tab) = self.tabs.iter_mut().find(|tab| tab.channel.id == key.channel) {
            watch::show_conversation(tab, &key.conversation, row, context);
        }
    }

    pub(crate) fn go_to_list(&mut self, context: &mut Context) {
        if !self.tab().is_inbox() {
            return self.go_to_all_tabs(context);
        }
        self.page = PageKind::Inbox;
        self.tab_mut().focus = Focus::List;
    }
}

impl Keyboard {
    pub(crate) fn go_to_tab(&mut self, index: usize, desk: &mut Desk) {
        desk.active = index;
        desk.shows_all_tabs = false;
        self.pressed.clear();
    }
}
