//! The tabs and what they show, the active tab, and the layout of the panes.

use crate::screens::history::History;
use crate::screens::history::ahead::HistoriesAhead;
use model::queries::ConversationKey;
use std::collections::HashMap;

use crate::pages::PageKind;
use crate::screens::composer::canned::Canned;
use crate::screens::conversations::ConversationList;
use crate::screens::conversations::card::ShownCard;
use crate::screens::conversations::saved_views::{self, SavedView};
use crate::screens::conversations::urgency::UrgencyWalk;
use crate::screens::history::pictures::Pictures;
use crate::settings::ChannelInfo;
use crate::tab::Tab;
use model::ids::{ChannelId, RowId};

/// See the module's text.
#[derive(Debug)]
pub struct Desk {
    /// The tabs; never empty.
    pub tabs: Vec<Tab>,
    pub active: usize,
    /// Whether the list over all tabs is on screen; the active tab is then
    /// that of its selected row.
    pub everywhere: bool,
    /// The list over all tabs.
    pub all: ConversationList,
    /// Whether a list goes on showing its first row, as long as the cursor
    /// rests there.
    pub list_follows: bool,
    pub views: Vec<SavedView>,
    /// How many each view of the menu has, once counted.
    pub counted: Option<Vec<Option<u64>>>,
    /// Where `g w` has been.
    pub(crate) walk: UrgencyWalk,
    /// What lies under the tabs.
    pub page: PageKind,
    pub panes: Panes,
    /// A second conversation beside the current one.
    pub(crate) beside: Option<SecondConversation>,
    /// Histories that were read before they are wanted.
    pub(crate) ahead: HistoriesAhead,
    pub(crate) contact: ShownCard,
    /// The canned replies as they were read last.
    pub canned: Canned,
    /// Pictures fetched for the history.
    pub pictures: Pictures,
    /// How far the files of rows have been uploaded, in percent.
    pub uploads: HashMap<RowId, u8>,
    /// Who writes here, if the configuration says.
    pub agent: Option<String>,
}

/// The layout of the panes.
#[derive(Debug)]
pub struct Panes {
    /// Columns of the list, where a person chose them.
    pub list_width: Option<u16>,
    /// Whether the focused pane fills the screen.
    pub zoomed: bool,
    /// Whether names, numbers and addresses are hidden.
    pub blurred: bool,
    /// Whether the mouse is read; else the terminal selects text with it.
    pub mouse: bool,
    pub(crate) dragging: bool,
    /// Whether the card is wanted; `None` leaves it to the width.
    pub card: Option<bool>,
}

impl Desk {
    /// A desk with these tabs, each with this view at first.
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
            everywhere: false,
            all: ConversationList::new(None, first_view.clone()),
            list_follows: true,
            views: saved_views::shipped(),
            counted: None,
            walk: UrgencyWalk::default(),
            page: PageKind::default(),
            panes: Panes {
                list_width: None,
                zoomed: false,
                blurred: false,
                mouse: true,
                dragging: false,
                card: None,
            },
            beside: None,
            ahead: HistoriesAhead::default(),
            contact: ShownCard::default(),
            canned: Canned::default(),
            pictures: Pictures::default(),
            uploads: HashMap::new(),
            agent: None,
        }
    }
}

/// The conversation that is kept beside others.
#[derive(Debug)]
pub struct SecondConversation {
    pub key: ConversationKey,
    pub history: History,
}
