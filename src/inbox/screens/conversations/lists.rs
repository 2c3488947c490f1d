//! Which list is on screen: the tab's own, or the one over all tabs. In that
//! one the tab of the selected row is the tab at hand, so that everything
//! done to a row is done as in its own tab.

use crate::Inbox;
use crate::pages::PageKind;
use crate::screens::conversations::ConversationList;
use crate::tab::Focus;
use crate::watch;
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::queries::ConversationKey;

impl Inbox {
    /// The list on screen.
    pub fn list(&self) -> &ConversationList {
        if self.everywhere { &self.all } else { &self.tab().list }
    }

    pub(crate) fn list_mut(&mut self) -> &mut ConversationList {
        if self.everywhere { &mut self.all } else { &mut self.tab_mut().list }
    }

    /// The conversation commands act on: the one being read, or the selected
    /// row.
    pub fn at_hand(&self) -> Option<&ConversationRow> {
        let tab = self.tab();
        let key = match (tab.focus, &tab.history) {
            (Focus::List, _) => self.list().selected.clone()?,
            (_, Some(history)) => tab.key_of(&history.conversation),
            (_, None) => return None,
        };
        let read = || tab.history.as_ref()?.row.as_ref().filter(|it| it.is(&key));
        let listed = || self.list().page.rows.iter().find(|it| it.is(&key));
        if tab.focus == Focus::List { listed().or_else(read) } else { read().or_else(listed) }
    }

    /// Goes to the list over all tabs.
    pub(crate) fn go_everywhere(&mut self) {
        let inbox = self.tabs.iter().position(|it| it.is_inbox());
        let Some(index) = inbox else {
            return self.warn("no tab has conversations here");
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

    /// Goes to one tab.
    pub(crate) fn go_to_tab(&mut self, index: usize) {
        self.active = index;
        self.everywhere = false;
        self.pressed.clear();
    }

    /// In the list over all tabs, the selected row's tab is the tab at hand.
    pub(crate) fn follow_row(&mut self) {
        if !self.everywhere || self.tab().focus != Focus::List {
            return;
        }
        let Some(channel) = self.all.selected.as_ref().map(|it| it.channel.clone()) else { return };
        self.take_up(&channel);
    }

    /// Makes a tab the one at hand, with its focus where it was in the last.
    pub(crate) fn take_up(&mut self, channel: &ChannelId) {
        let focus = self.tab().focus;
        let Some(index) = self.tabs.iter().position(|it| it.channel.id == *channel) else { return };
        if index != self.active {
            self.active = index;
            self.tab_mut().focus = focus;
        }
    }

    /// Puts a conversation into the history pane and composer of its tab.
    pub(crate) fn show(&mut self, key: &ConversationKey) {
        let row = self.list().page.rows.iter().find(|it| it.key() == *key).cloned();
        if let Some(tab) = self.tabs.iter_mut().find(|it| it.channel.id == key.channel) {
            watch::show(tab, &key.conversation, row, &mut self.context);
        }
    }

    /// Brings the list on screen, with the keyboard.
    pub(crate) fn bring_list(&mut self) {
        if !self.tab().is_inbox() {
            return self.go_everywhere();
        }
        self.page = PageKind::Inbox;
        self.tab_mut().focus = Focus::List;
    }
}
