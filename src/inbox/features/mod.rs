//! What crosses screens: undo, macros, notifications, credits, modal editing.

pub(crate) mod absence;
pub(crate) mod attention;
pub(crate) mod bursts;
pub(crate) mod cheapest_way;
pub mod clipboard;
pub(crate) mod commands;
pub mod credits;
pub mod handover;
pub(crate) mod jump_list;
pub mod macros;
pub(crate) mod notifications;
pub(crate) mod offers;
pub mod privacy;
pub(crate) mod service_levels;
pub(crate) mod tutor;
pub mod undo;
pub(crate) mod undo_send;

use crate::features::absence::Absences;
use crate::features::attention::AttentionQueue;
use crate::features::bursts::Burst;
use crate::features::cheapest_way::CheapestWay;
use crate::features::credits::Credits;
use crate::features::jump_list::JumpList;
use crate::features::macros::Macros;
use crate::features::service_levels::LevelsChart;
use crate::overlays::request_log::RequestLogView;
use crate::overlays::search::Search;
use crate::screens::conversations::draft_only::PreparedDrafts;
use crate::screens::conversations::pauses::PauseLeases;
use crate::screens::conversations::snooze::SnoozeState;
use crate::watch::WatchState;

/// What crosses screens.
#[derive(Debug, Default)]
pub struct Features {
    pub(crate) macros: Macros,
    pub(crate) credits: Credits,
    /// Drafts that are to be ready when a person looks.
    pub(crate) prepared_drafts: PreparedDrafts,
    /// Pauses of the AI made from here.
    pub(crate) pauses: PauseLeases,
    /// Conversations put aside from here.
    pub(crate) snoozed: SnoozeState,
    /// When nobody was here, and what happened since.
    pub(crate) absence: Absences,
    /// What needs a person, by urgency.
    pub(crate) attention: AttentionQueue,
    /// How fast customers are answered.
    pub(crate) service_levels: LevelsChart,
    /// What the server tells that the interface does not name.
    /// Writing on the way that costs least.
    pub(crate) cheapest: CheapestWay,
    /// Many customers at once.
    pub(crate) bursts: Burst,
    /// Where the person was before.
    pub(crate) jump_list: JumpList,
    /// The requests of the last while.
    pub(crate) request_log: RequestLogView,
    /// What is told to the hands about what is on screen.
    pub(crate) watch: WatchState,
    /// Looking for words in everything seen.
    pub search: Search,
}
