//! State of the whole screen and all decisions about it.
//!
//! Only [`Inbox::update`] changes the inbox; it never blocks, never fails and returns
//! [`crate::event::Effect`] values.

// The macro must be defined before the module that uses it.
#[macro_use]
pub(crate) mod commands;

pub(crate) mod actions;
pub mod borders_view;
pub(crate) mod changes;
pub mod color_depth;
pub mod command;
pub mod components;
pub(crate) mod conditions;
pub mod connection_state;
pub mod context;
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
pub mod input_queue;
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
pub(crate) mod pane_sizes;
pub mod plain;
pub mod pointer;
pub mod resource;
pub(crate) mod results;
pub mod screens;
pub(crate) mod scrolling;
pub mod settings;
pub(crate) mod status;
pub mod status_view;
pub mod sweep_view;
pub mod synonyms;
pub mod tab;
pub(crate) mod tab_names;
pub mod tabs_view;
#[cfg(test)]
pub(crate) mod tests;
pub mod theme_table_view;
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
use crate::features::tutor::Tutor;
use crate::keyboard::Keyboard;
use crate::loads::Loads;
use crate::screens::broadcasts::BroadcastsScreen;
use crate::screens::cards::CardsScreen;
use crate::screens::connections::ConnectionAnswers;
use crate::screens::outbox::OutboxScreen;
use crate::screens::overview::Overview;
use crate::screens::people::People;
use crate::settings::{ChannelInfo, Settings};
use model::time::ClockReading;

pub use crate::features::undo_send::HeldRow;
pub use crate::notice::Notice;

/// The whole screen: routes events to its parts.
#[derive(Debug)]
pub struct Inbox {
    pub context: Context,
    pub desk: Desk,
    pub changes: Changes,
    pub outbox: OutboxScreen,
    /// The people of the active tab.
    pub people: People,
    pub broadcasts: BroadcastsScreen,
    pub cards: CardsScreen,
    /// The wall: one line per channel.
    pub overview: Overview,
    /// Answers of the business's own systems.
    pub connections: ConnectionAnswers,
    pub keyboard: Keyboard,
    pub features: Features,
    pub(crate) loads: Loads,
}

impl Inbox {
    /// An inbox with these tabs on a screen of this size. Without a tab, a nameless one is added.
    pub fn new(
        channels: Vec<ChannelInfo>,
        settings: Settings,
        size: (u16, u16),
        times: ClockReading,
    ) -> Self {
        let tutor = if settings.tutor { Tutor::started() } else { Tutor::default() };
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
            keyboard: Keyboard { tutor, ..Keyboard::default() },
            features: Features::default(),
            loads: Loads::default(),
        }
    }
}

impl Changes {
    /// True while a held row is on its way to the disk.
    pub fn is_queueing(&self) -> bool {
        self.pending_groups.has_held()
    }
}
