//! The tabs and their content, the active tab, and the layout of the panes.

use crate::command::CommandScope;
use crate::screens::cards::is_card_page;
use crate::screens::history::prefetch::PrefetchedHistories;
use std::collections::HashMap;

use crate::pages::PageKind;
use crate::screens::composer::canned::CannedReplies;
use crate::screens::conversations::ConversationList;
use crate::screens::conversations::card::ShownCard;
use crate::screens::conversations::card::update as card;
use crate::screens::conversations::saved_views::{self, SavedView};
use crate::screens::conversations::urgency::UrgencyWalk;
use crate::screens::history::pictures::Pictures;
use crate::settings::ChannelInfo;
use crate::tab::{Focus, Tab};
use model::ids::{ChannelId, RowId};
use model::team::Presence;

#[derive(Debug)]
pub struct Desk {
    /// Never empty.
    pub tabs: Vec<Tab>,
    pub active: usize,
    /// True while the list of all tabs is on screen; the selected row decides the active tab.
    pub shows_all_tabs: bool,
    /// The list of all tabs.
    pub all_tabs_list: ConversationList,
    /// True if a list stays at its first row while the cursor is there.
    pub list_follows: bool,
    pub views: Vec<SavedView>,
    /// Number of conversations in each view of the menu, once counted.
    pub view_counts: Option<Vec<Option<u64>>>,
    /// Conversations visited by going to the most urgent one.
    pub(crate) urgency_walk: UrgencyWalk,
    pub page: PageKind,
    pub panes: Panes,
    pub(crate) prefetched: PrefetchedHistories,
    pub(crate) shown_card: ShownCard,
    pub canned: CannedReplies,
    pub pictures: Pictures,
    /// Upload progress of outbox rows, in percent.
    pub uploads: HashMap<RowId, u8>,
    /// Configured name of the person.
    pub agent: Option<String>,
    /// Colleagues of the team who are here.
    pub present: Vec<Presence>,
}

#[derive(Debug)]
pub struct Panes {
    /// Columns of the list chosen by the person.
    pub list_width: Option<u16>,
    /// True if the focused pane fills the screen.
    pub zoomed: bool,
    /// True if mouse reporting is on; otherwise the terminal selects text.
    pub mouse: bool,
    pub(crate) is_dragging: bool,
    /// `None` shows the card if the width allows.
    pub card: Option<bool>,
}

impl Desk {
    pub(crate) fn new(channels: Vec<ChannelInfo>, first_view: &SavedView) -> Self {
        let mut tabs: Vec<Tab> = channels.into_iter().map(Tab::new).collect();
        if tabs.is_empty() {
            let id = ChannelId::from("none");
            tabs.push(Tab::new(ChannelInfo { id, name: String::new(), environment: None, read_only: true }));
        }
        for tab in &mut tabs {
            tab.list.set_view(first_view.clone());
        }
        Self {
            tabs,
            active: 0,
            shows_all_tabs: false,
            all_tabs_list: ConversationList::new(None, first_view.clone()),
            list_follows: true,
            views: saved_views::built_in_views(),
            view_counts: None,
            urgency_walk: UrgencyWalk::default(),
            page: PageKind::default(),
            panes: Panes { list_width: None, zoomed: false, mouse: true, is_dragging: false, card: None },
            prefetched: PrefetchedHistories::default(),
            shown_card: ShownCard::default(),
            canned: CannedReplies::default(),
            pictures: Pictures::default(),
            uploads: HashMap::new(),
            agent: None,
            present: Vec::new(),
        }
    }

    /// Adds a tab after the others; false if the channel has one.
    pub(crate) fn add_tab(&mut self, channel: ChannelInfo, first_view: &SavedView) -> bool {
        if self.tabs.iter().any(|tab| tab.channel.id == channel.id) {
            return false;
        }
        let mut tab = Tab::new(channel);
        tab.list.set_view(first_view.clone());
        self.tabs.push(tab);
        true
    }

    pub fn tab(&self) -> &Tab {
        &self.tabs[self.active]
    }

    pub(crate) fn tab_mut(&mut self) -> &mut Tab {
        &mut self.tabs[self.active]
    }

    pub(crate) fn tab_of(&mut self, channel: &ChannelId) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.channel.id == *channel)
    }

    /// Scopes whose keys are active, nearest first.
    pub fn active_scopes(&self) -> Vec<CommandScope> {
        let tab = self.tab();
        match tab.focus {
            _ if self.page == PageKind::Outbox => {
                vec![CommandScope::Outbox, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Proposals => {
                vec![CommandScope::Proposals, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Reviews => {
                vec![CommandScope::Reviews, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Drafts => vec![CommandScope::Rows, CommandScope::Desk],
            _ if self.page == PageKind::Webhooks => {
                vec![CommandScope::Webhooks, CommandScope::Deck, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Templates => {
                vec![CommandScope::Templates, CommandScope::Deck, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Broadcasts => {
                vec![CommandScope::Broadcasts, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Wall => vec![CommandScope::Rows, CommandScope::Desk],
            _ if is_card_page(self.page) => vec![CommandScope::Deck, CommandScope::Rows, CommandScope::Desk],
            _ if self.page == PageKind::People => {
                vec![CommandScope::People, CommandScope::Deck, CommandScope::Rows, CommandScope::Desk]
            }
            Focus::Composer => vec![CommandScope::Composer],
            _ if tab.is_in_triage() => vec![
                CommandScope::Triage,
                CommandScope::History,
                CommandScope::Conversation,
                CommandScope::Desk,
            ],
            _ if !tab.is_inbox() => vec![CommandScope::Desk],
            Focus::List => vec![CommandScope::List, CommandScope::Conversation, CommandScope::Desk],
            Focus::History if card::has_focus(self) => {
                vec![CommandScope::Card, CommandScope::Conversation, CommandScope::Desk]
            }
            Focus::History => vec![CommandScope::History, CommandScope::Conversation, CommandScope::Desk],
        }
    }
}
