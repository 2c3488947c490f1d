//! Which list is on screen: the tab's own, or the one over all tabs. In that
//! one the tab of the selected row is the active tab, so that everything
//! done to a row is done as in its own tab.

use crate::context::Context;
use crate::desk::Desk;
use crate::keyboard::Keyboard;
use crate::pages::PageKind;
use crate::screens::conversations::{ConversationList, WINDOW};
use crate::screens::history::History;
use crate::tab::Focus;
use crate::watch::update as watch;
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::queries::ConversationKey;
use model::time::Moment;

/// Microseconds after the list moved the selection by itself in which a key
/// that changes something is refused.
const MOVED_GRACE: i64 = 300_000;

impl ConversationList {
    /// Its first rows are on screen: from now on it wants a whole window.
    pub(crate) fn widen(&mut self) {
        if !self.loaded || self.wanted.limit == WINDOW {
            return;
        }
        self.wanted.limit = WINDOW;
        if self.page.reaches_bottom {
            self.resource.amend(self.wanted.clone());
        } else {
            self.resource.want(self.wanted.clone());
        }
    }

    /// Whether the rows it has are those it is to show, with the selected one.
    pub(crate) fn has_selection(&self) -> bool {
        self.loaded && !self.other && self.index().is_some()
    }

    /// Whether the row that keys are meant for is still to be read.
    fn lacks_selection(&self) -> bool {
        let is_empty = self.is_empty() && self.selected.is_none();
        self.resource.is_under_way() && !self.has_selection() && !is_empty
    }

    /// Whether it has just moved its selection by itself.
    pub(crate) fn has_just_moved(&self, now: Moment) -> bool {
        self.moved_at.is_some_and(|at| now.since(at) < MOVED_GRACE) || self.awaits_return(now)
    }
}

impl Desk {
    /// The list on screen.
    pub fn list(&self) -> &ConversationList {
        if self.everywhere { &self.all } else { &self.tab().list }
    }

    pub(crate) fn list_mut(&mut self) -> &mut ConversationList {
        if self.everywhere { &mut self.all } else { &mut self.tab_mut().list }
    }

    /// The conversation commands act on: the one being read, or the selected
    /// row.
    pub fn current_conversation(&self) -> Option<&ConversationRow> {
        let tab = self.tab();
        let key = match (tab.focus, &tab.history) {
            (Focus::List, _) => self.list().selected.clone()?,
            (_, Some(history)) => tab.key_of(&history.conversation),
            (_, None) => return None,
        };
        let read = || tab.history.as_ref()?.row.as_ref().filter(|row| row.has_key(&key));
        let listed = || self.list().page.rows.iter().find(|row| row.has_key(&key));
        if tab.focus == Focus::List { listed().or_else(read) } else { read().or_else(listed) }
    }

    /// Whether the conversation that keys are meant for is still to be read.
    pub(crate) fn lacks_target(&self) -> bool {
        let tab = self.tab();
        match (tab.focus, &tab.history) {
            _ if !self.is_inbox_shown() => false,
            // A mail begins once its thread and its draft are there.
            _ if tab.mail.begun.is_some() => true,
            (Focus::List, _) => self.list().lacks_selection(),
            (Focus::History, Some(history)) => {
                history.resource.is_under_way() && self.current_conversation().is_none()
            }
            (Focus::History, None) | (Focus::Composer, _) => false,
        }
    }

    /// The history of that conversation, once it is there.
    pub(crate) fn current_history(&self) -> Option<&History> {
        let row = self.current_conversation()?;
        self.tab().history.as_ref().filter(|history| history.conversation == row.conversation.id)
    }

    /// Goes to the list over all tabs.
    pub(crate) fn go_everywhere(&mut self, context: &mut Context) {
        let inbox = self.tabs.iter().position(|tab| tab.is_inbox());
        let Some(index) = inbox else {
            return context.warn("no tab has conversations here");
        };
        self.page = PageKind::Inbox;
        if self.everywhere {
            return;
        }
        self.everywhere = true;
        if !self.tab().is_inbox() {
            self.active = index;
        }
        self.tab_mut().focus = Focus::List;
    }

    /// In the list over all tabs, the selected row's tab is the active tab.
    pub(crate) fn follow_row(&mut self) {
        if !self.everywhere || self.tab().focus != Focus::List {
            return;
        }
        let Some(channel) =
            self.all.selected.as_ref().map(|conversation_key| conversation_key.channel.clone())
        else {
            return;
        };
        self.take_up(&channel);
    }

    /// Makes a tab the current one, with its focus where it was in the last.
    pub(crate) fn take_up(&mut self, channel: &ChannelId) {
        let focus = self.tab().focus;
        let Some(index) = self.tabs.iter().position(|tab| tab.channel.id == *channel) else { return };
        if index != self.active {
            self.active = index;
            self.tab_mut().focus = focus;
        }
    }

    /// Puts a conversation into the history pane and composer of its tab.
    pub(crate) fn show(&mut self, key: &ConversationKey, context: &mut Context) {
        let shown =
            self.tabs.iter().find(|tab| tab.channel.id == key.channel).and_then(|tab| tab.history.as_ref());
        if shown.is_some_and(|history| history.conversation == key.conversation) {
            return;
        }
        let row = self.list().page.rows.iter().find(|row| row.has_key(key)).cloned();
        if let Some(tab) = self.tabs.iter_mut().find(|tab| tab.channel.id == key.channel) {
            watch::show(tab, &key.conversation, row, context);
        }
    }

    /// Brings the list on screen, with the keyboard.
    pub(crate) fn bring_list(&mut self, context: &mut Context) {
        if !self.tab().is_inbox() {
            return self.go_everywhere(context);
        }
        self.page = PageKind::Inbox;
        self.tab_mut().focus = Focus::List;
    }
}

impl Keyboard {
    /// Goes to one tab.
    pub(crate) fn go_to_tab(&mut self, index: usize, desk: &mut Desk) {
        desk.active = index;
        desk.everywhere = false;
        self.pressed.clear();
    }
}
