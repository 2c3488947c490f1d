//! Think: the whole state of the screen and every decision about it.
//!
//! Only [`Inbox::update`] changes the inbox; it never blocks, never fails and
//! returns what is to be done as [`crate::event::Effect`] values.

// The table comes before the module that makes data of it.
#[macro_use]
pub(crate) mod commands;

pub(crate) mod actions;
pub(crate) mod changes;
pub mod command;
pub mod components;
pub(crate) mod conditions;
pub mod connection_view;
pub mod context;
pub mod contrast;
pub mod desk;
pub(crate) mod desk_commands;
pub(crate) mod dispatch;
pub(crate) mod display;
pub(crate) mod due;
pub mod effects;
pub mod event;
pub mod features;
pub(crate) mod fetching;
pub mod first_run;
pub(crate) mod hints;
pub(crate) mod hints_view;
pub mod intent;
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
pub mod palette_view;
pub(crate) mod pane_sizes;
pub mod plain;
pub mod pointer;
pub mod resource;
pub(crate) mod results;
pub mod screens;
pub(crate) mod scrolling;
pub mod settings;
pub mod status_view;
pub mod strokes_view;
pub mod sweep_view;
pub mod tab;
pub(crate) mod tab_names;
pub mod tabs_view;
pub mod terminal_colors;
#[cfg(test)]
pub(crate) mod tests;
pub mod theme_view;
pub(crate) mod update;
pub mod view;
pub(crate) mod watch;
pub mod window_title;
pub mod wrap;
pub(crate) mod writes;

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::features::Features;
use crate::keyboard::Keyboard;
use crate::loads::Loads;
use crate::screens::broadcasts::BroadcastsScreen;
use crate::screens::cards::CardsScreen;
use crate::screens::connections::ConnectionAnswers;
use crate::screens::outbox::OutboxScreen;
use crate::screens::overview::Overview;
use crate::screens::people::People;
use crate::settings::{ChannelInfo, Settings};
use crate::tab::Tab;
use model::ids::ChannelId;
use model::time::ClockReading;

pub use crate::features::undo_send::Held;
pub use crate::notice::Notice;

/// The whole screen: routes what happens to the part it is about.
#[derive(Debug)]
pub struct Inbox {
    /// What every part of the screen gets besides its own state.
    pub context: Context,
    /// The tabs, with their lists, histories and composers.
    pub desk: Desk,
    /// What was done from here, and can still be taken back.
    pub changes: Changes,
    /// What has not left yet, and what was begun.
    pub outbox: OutboxScreen,
    /// The people of the active tab.
    pub people: People,
    pub broadcasts: BroadcastsScreen,
    pub cards: CardsScreen,
    /// Every channel in a line.
    pub overview: Overview,
    /// What the business's own systems answered.
    pub connections: ConnectionAnswers,
    pub keyboard: Keyboard,
    pub features: Features,
    /// Single values that could not be read.
    pub(crate) loads: Loads,
}

impl Inbox {
    /// An inbox with these tabs on a screen of this size. At least one tab is
    /// needed; with none, a nameless one stands in.
    pub fn new(
        channels: Vec<ChannelInfo>,
        settings: Settings,
        size: (u16, u16),
        times: ClockReading,
    ) -> Self {
        let tutor = settings.tutor.then_some(0);
        Self {
            desk: Desk::new(channels, &settings.first_view),
            context: Context::new(settings, size, times),
            changes: Changes::default(),
            outbox: OutboxScreen::default(),
            people: People::default(),
            broadcasts: BroadcastsScreen::default(),
            cards: CardsScreen::default(),
            overview: Overview::default(),
            connections: ConnectionAnswers::default(),
            keyboard: Keyboard { tutor, knows_tutor: tutor.is_some(), ..Keyboard::default() },
            features: Features::default(),
            loads: Loads::default(),
        }
    }
}

impl Desk {
    /// The active tab.
    pub fn tab(&self) -> &Tab {
        &self.tabs[self.active]
    }

    pub(crate) fn tab_mut(&mut self) -> &mut Tab {
        &mut self.tabs[self.active]
    }

    pub(crate) fn tab_of(&mut self, channel: &ChannelId) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.channel.id == *channel)
    }
}

impl Changes {
    /// Whether a held row is on its way to the disk.
    pub fn is_queueing(&self) -> bool {
        self.queueing.is_holding()
    }
}
