//! Think: the whole state of the screen and every decision about it.
//!
//! Only [`App::update`] changes the app; it never blocks, never fails and
//! returns what is to be done as [`event::Effect`] values.

pub mod attaching;
pub mod availability;
pub mod broadcasts;
pub mod bulk;
pub mod canned;
pub mod command_line;
pub mod commands;
pub mod composer;
pub mod connections;
pub mod contact;
pub mod context;
pub mod conversations;
pub mod crossing;
pub mod decisions;
pub mod deck;
pub mod email;
pub mod event;
pub mod find;
pub mod forms;
pub mod handover;
pub mod help;
pub mod history;
pub mod importing;
pub mod keys;
pub mod layers;
pub mod layout;
pub mod line;
pub mod line_input;
pub mod lines;
pub mod listing;
pub mod loads;
pub mod marks;
pub mod menu;
pub mod outside;
pub mod pages;
pub mod palette;
pub mod people;
pub mod phone;
pub mod picker;
pub mod pictures;
mod piping;
mod places;
pub mod planning;
pub mod pointer;
pub mod resource;
pub mod rows;
pub mod search;
pub mod second;
pub mod settings;
pub mod sheet;
pub mod tab;
pub mod tagging;
pub mod templates;
pub mod text_line;
pub mod undoing;
pub mod views;
pub mod vim;
pub mod wall;
pub mod wrap;

mod acting;
mod actions;
mod bursts;
mod calls;
mod claiming;
pub mod copying;
mod cost;
mod deciding;
mod details;
mod due;
mod editor;
mod emoji;
mod fetching;
mod giving_back;
mod guard;
mod held;
mod keyboard;
pub mod keymap;
mod layer_keys;
mod layer_text;
mod leasing;
mod lists;
mod markup;
mod notes;
mod notice;
mod offers;
mod on_the_way;
mod playing;
pub mod purse;
mod raw;
mod reactions;
mod reading;
pub mod recording;
mod results;
mod ringing;
mod saving;
mod seeing;
mod sending;
mod shaping;
mod snoozing;
pub mod steps;
#[cfg(test)]
mod tests;
mod travel;
mod turn;
mod tutor;
mod view;
mod waiting;
mod watch;
mod windows;
mod wishing;
mod writing;

use std::collections::HashMap;

use crate::context::Context;
use crate::conversations::ConversationList;
pub use crate::held::Held;
use crate::held::Queueing;
use crate::keys::KeyPress;
use crate::layers::Layer;
pub use crate::notice::Notice;
use crate::pages::PageKind;
use crate::rows::PagedRows;
use crate::search::Search;
use crate::settings::{ChannelInfo, Settings};
use crate::tab::Tab;
use crate::views::SavedView;
use model::ids::{ChannelId, RowId};
use model::queries::{DraftEntry, OutboxEntry};
use model::time::Timestamp;

/// The state of the whole screen.
#[derive(Debug)]
pub struct App {
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
    pub deck: deck::Deck,
    /// The people of the tab at hand.
    pub people: people::People,
    /// The broadcasts.
    pub board: broadcasts::Board,
    /// The wall.
    pub wall: wall::Wall,
    /// The import under way.
    pub importing: Option<importing::RunningImport>,
    /// The canned replies as they were read last.
    pub canned: canned::Canned,
    /// Pictures fetched for the history.
    pub pictures: pictures::Pictures,
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
    pub batch: Option<bulk::Batch>,
    /// What is on its way into the outbox.
    queueing: Queueing,
    touches: giving_back::Touches,
    /// Commands that were piped to, the newest last.
    piped: Vec<String>,
    places: places::Places,
    /// Modal editing, where it is wanted.
    pub vim: vim::Vim,
    /// What was done from here.
    journal: undoing::Journal,
    acting: acting::Acting,
    slept: snoozing::Slept,
    purse: purse::Purse,
    burst: bursts::Burst,
    second: Option<second::Second>,
    calls: calls::RequestLogView,
    /// What one key would do that suggests itself.
    offer: Option<offers::Offer>,
    leasing: leasing::Leasing,
    /// Where `g w` has been.
    walk: waiting::UrgencyWalk,
    connections: connections::ConnectionAnswers,
    recording: recording::Recording,
    playing: Option<playing::Playing>,
    awaited: playing::Awaited,
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
    contact: contact::ShownCard,
    /// What keeps keys meant for a text from the question over it.
    guard: guard::PromptGuard,
    interrupted_at: Option<Timestamp>,
    watch: watch::WatchState,
    saving: saving::Saving,
    /// Single values that could not be read.
    loads: loads::Loads,
    /// Whether what comes back from the editor is JSON of the person's own.
    edits_json: bool,
    /// Whether the desk ends as soon as nothing is paused from here.
    leaving: bool,
    /// The next step of the exercise, while one goes on.
    tutor: Option<usize>,
}

impl App {
    /// An app with these tabs on a screen of this size. At least one tab is
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
            views: views::shipped(),
            search: Search::default(),
            said: Vec::new(),
            page: PageKind::default(),
            outbox: PagedRows::default(),
            drafts: PagedRows::default(),
            deck: deck::Deck::default(),
            people: people::People::default(),
            board: broadcasts::Board::default(),
            wall: wall::Wall::default(),
            importing: None,
            canned: canned::Canned::default(),
            pictures: pictures::Pictures::default(),
            agent: None,
            layers: Vec::new(),
            notice: None,
            pressed: Vec::new(),
            undo: Vec::new(),
            uploads: HashMap::new(),
            batch: None,
            queueing: Queueing::default(),
            touches: giving_back::Touches::default(),
            piped: Vec::new(),
            places: places::Places::default(),
            vim: vim::Vim::default(),
            journal: undoing::Journal::default(),
            acting: acting::Acting::default(),
            slept: snoozing::Slept::default(),
            purse: purse::Purse::default(),
            burst: bursts::Burst::default(),
            second: None,
            calls: calls::RequestLogView::default(),
            offer: None,
            leasing: leasing::Leasing::default(),
            walk: waiting::UrgencyWalk::default(),
            connections: connections::ConnectionAnswers::default(),
            recording: recording::Recording::default(),
            playing: None,
            awaited: playing::Awaited::default(),
            list_width: None,
            zoomed: false,
            blurred: false,
            mouse: true,
            dragging: false,
            card: None,
            contact: contact::ShownCard::default(),
            guard: guard::PromptGuard::default(),
            interrupted_at: None,
            watch: watch::WatchState::default(),
            saving: saving::Saving::default(),
            loads: loads::Loads::default(),
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
