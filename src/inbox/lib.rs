//! Think: the whole state of the screen and every decision about it.
//!
//! Only [`Inbox::update`] changes the inbox; it never blocks, never fails and
//! returns what is to be done as [`crate::event::Effect`] values.

pub(crate) mod actions;
pub mod availability;
pub mod command_line;
pub mod commands;
pub mod components;
pub mod connection_view;
pub mod context;
pub(crate) mod display;
pub(crate) mod due;
pub mod event;
pub mod features;
pub(crate) mod fetching;
pub(crate) mod keyboard;
pub mod keymap;
pub mod keys;
pub mod layout;
pub mod loads;
pub(crate) mod notice;
pub mod outside;
pub mod overlays;
pub mod pages;
pub mod pages_view;
pub(crate) mod pane_sizes;
pub mod plain;
pub mod pointer;
pub mod resource;
pub(crate) mod results;
pub mod screens;
pub(crate) mod scrolling;
pub mod settings;
pub mod status_view;
pub mod sweep_view;
pub mod tab;
pub(crate) mod tab_names;
pub mod tabs_view;
#[cfg(test)]
pub(crate) mod tests;
pub mod theme_view;
pub(crate) mod update;
pub mod view;
pub(crate) mod watch;
pub mod wrap;
pub(crate) mod writes;

use std::collections::HashMap;

use crate::components::paged_rows::PagedRows;
use crate::context::Context;
pub use crate::features::undo_send::Held;
use crate::features::undo_send::Queueing;
use crate::keys::KeyPress;
pub use crate::notice::Notice;
use crate::overlays::Layer;
use crate::overlays::search::Search;
use crate::pages::PageKind;
use crate::screens::conversations::ConversationList;
use crate::screens::conversations::saved_views::SavedView;
use crate::settings::{ChannelInfo, Settings};
use crate::tab::Tab;
use model::ids::{ChannelId, RowId};
use model::queries::{DraftEntry, OutboxEntry};
use model::time::Timestamp;

/// The state of the whole screen.
#[derive(Debug)]
pub struct Inbox {
    /// What every part of the screen gets besides its own state.
    pub context: Context,
    /// The tabs; never empty.
    pub tabs: Vec<Tab>,
    /// The tab at hand.
    pub active: usize,
    /// Whether the list over all tabs is on screen; the tab at hand is then
    /// that of its selected row.
    pub everywhere: bool,
    /// The list over all tabs.
    pub all: ConversationList,
    /// Whether a list goes on showing its first row, as long as the cursor
    /// rests there.
    pub list_follows: bool,
    /// The saved views.
    pub views: Vec<SavedView>,
    /// How many each view of the menu has, once counted.
    pub counted: Option<Vec<Option<u64>>>,
    /// Looking for words in everything seen.
    pub search: Search,
    /// Command lines said before, newest last.
    said: Vec<String>,
    /// What lies under the tabs.
    pub page: PageKind,
    /// The outbox.
    pub outbox: PagedRows<OutboxEntry>,
    /// The drafts.
    pub drafts: PagedRows<DraftEntry>,
    /// The pages of cards.
    pub deck: crate::screens::cards::Deck,
    /// The people of the tab at hand.
    pub people: crate::screens::people::People,
    /// The broadcasts.
    pub board: crate::screens::broadcasts::Board,
    /// The wall.
    pub wall: crate::screens::overview::Wall,
    /// The import under way.
    pub importing: Option<crate::screens::people::importing::RunningImport>,
    /// The canned replies as they were read last.
    pub canned: crate::screens::composer::canned::Canned,
    /// Pictures fetched for the history.
    pub pictures: crate::screens::history::pictures::Pictures,
    /// Who writes here, if the configuration says.
    pub agent: Option<String>,
    /// What lies over the desk, topmost last.
    pub layers: Vec<Layer>,
    /// What the status line says for a while.
    pub notice: Option<Notice>,
    /// The start of a key sequence.
    pub pressed: Vec<KeyPress>,
    /// Rows that can still be taken back, newest last.
    pub undo: Vec<Held>,
    /// How far the files of rows have been uploaded, in percent.
    pub uploads: HashMap<RowId, u8>,
    /// What became of the last action on many.
    pub batch: Option<crate::screens::conversations::bulk_plan::Batch>,
    /// What is on its way into the outbox.
    queueing: Queueing,
    touches: crate::screens::composer::returned_texts::Touches,
    /// Commands that were piped to, the newest last.
    piped: Vec<String>,
    places: crate::features::jump_list::Places,
    /// Modal editing, where it is wanted.
    pub vim: crate::features::vim::Vim,
    /// What was done from here.
    journal: crate::features::undo::Journal,
    acting: crate::screens::conversations::bulk_actions::Acting,
    slept: crate::screens::conversations::snooze::Slept,
    purse: crate::features::credits::Purse,
    burst: crate::features::bursts::Burst,
    second: Option<crate::screens::history::split_view::Second>,
    calls: crate::overlays::request_log::RequestLogView,
    /// What one key would do that suggests itself.
    offer: Option<crate::features::offers::Offer>,
    leasing: crate::screens::conversations::pauses::Leasing,
    /// Where `g w` has been.
    walk: crate::screens::conversations::urgency::UrgencyWalk,
    connections: crate::screens::connections::ConnectionAnswers,
    recording: crate::features::macros::recording::Recording,
    playing: Option<crate::features::macros::playing::Playing>,
    awaited: crate::features::macros::playing::Awaited,
    /// Columns of the list, where a person chose them.
    pub list_width: Option<u16>,
    /// Whether the focused pane fills the screen.
    pub zoomed: bool,
    /// Whether names, numbers and addresses are hidden.
    pub blurred: bool,
    /// Whether the mouse is read; else the terminal selects text with it.
    pub mouse: bool,
    dragging: bool,
    /// Whether the card is wanted; `None` leaves it to the width.
    pub card: Option<bool>,
    contact: crate::screens::conversations::card::ShownCard,
    /// What keeps keys meant for a text from the question over it.
    guard: crate::overlays::guard::PromptGuard,
    interrupted_at: Option<Timestamp>,
    watch: crate::watch::WatchState,
    saving: crate::writes::Saving,
    /// Single values that could not be read.
    loads: crate::loads::Loads,
    /// Whether what comes back from the editor is JSON of the person's own.
    edits_json: bool,
    /// Whether the desk ends as soon as nothing is paused from here.
    leaving: bool,
    /// The next step of the exercise, while one goes on.
    tutor: Option<usize>,
}

impl Inbox {
    /// An inbox with these tabs on a screen of this size. At least one tab is
    /// needed; with none, a nameless one stands in.
    pub fn new(channels: Vec<ChannelInfo>, settings: Settings, size: (u16, u16), now: Timestamp) -> Self {
        let mut tabs: Vec<Tab> = channels.into_iter().map(Tab::new).collect();
        if tabs.is_empty() {
            let id = ChannelId::from("none");
            tabs.push(Tab::new(ChannelInfo { id, name: String::new(), environment: None, read_only: true }));
        }
        let all = ConversationList::new(None, settings.first_view.clone());
        for tab in &mut tabs {
            tab.list.set_view(settings.first_view.clone());
        }
        Self {
            context: Context::new(settings, size, now),
            tabs,
            active: 0,
            everywhere: false,
            all,
            counted: None,
            list_follows: true,
            views: crate::screens::conversations::saved_views::shipped(),
            search: Search::default(),
            said: Vec::new(),
            page: PageKind::default(),
            outbox: PagedRows::default(),
            drafts: PagedRows::default(),
            deck: crate::screens::cards::Deck::default(),
            people: crate::screens::people::People::default(),
            board: crate::screens::broadcasts::Board::default(),
            wall: crate::screens::overview::Wall::default(),
            importing: None,
            canned: crate::screens::composer::canned::Canned::default(),
            pictures: crate::screens::history::pictures::Pictures::default(),
            agent: None,
            layers: Vec::new(),
            notice: None,
            pressed: Vec::new(),
            undo: Vec::new(),
            uploads: HashMap::new(),
            batch: None,
            queueing: Queueing::default(),
            touches: crate::screens::composer::returned_texts::Touches::default(),
            piped: Vec::new(),
            places: crate::features::jump_list::Places::default(),
            vim: crate::features::vim::Vim::default(),
            journal: crate::features::undo::Journal::default(),
            acting: crate::screens::conversations::bulk_actions::Acting::default(),
            slept: crate::screens::conversations::snooze::Slept::default(),
            purse: crate::features::credits::Purse::default(),
            burst: crate::features::bursts::Burst::default(),
            second: None,
            calls: crate::overlays::request_log::RequestLogView::default(),
            offer: None,
            leasing: crate::screens::conversations::pauses::Leasing::default(),
            walk: crate::screens::conversations::urgency::UrgencyWalk::default(),
            connections: crate::screens::connections::ConnectionAnswers::default(),
            recording: crate::features::macros::recording::Recording::default(),
            playing: None,
            awaited: crate::features::macros::playing::Awaited::default(),
            list_width: None,
            zoomed: false,
            blurred: false,
            mouse: true,
            dragging: false,
            card: None,
            contact: crate::screens::conversations::card::ShownCard::default(),
            guard: crate::overlays::guard::PromptGuard::default(),
            interrupted_at: None,
            watch: crate::watch::WatchState::default(),
            saving: crate::writes::Saving::default(),
            loads: crate::loads::Loads::default(),
            edits_json: false,
            leaving: false,
            tutor: None,
        }
    }

    /// The tab at hand.
    pub fn tab(&self) -> &Tab {
        &self.tabs[self.active]
    }

    pub(crate) fn tab_mut(&mut self) -> &mut Tab {
        &mut self.tabs[self.active]
    }

    pub(crate) fn tab_of(&mut self, channel: &ChannelId) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|it| it.channel.id == *channel)
    }

    /// Whether a held row is on its way to the disk.
    pub fn is_queueing(&self) -> bool {
        self.queueing.is_holding()
    }
}
