//! Features that span several screens.

pub(crate) mod absence;
pub(crate) mod attention;
pub(crate) mod cheapest_way;
pub mod clipboard;
pub(crate) mod commands;
pub mod credits;
pub mod handover;
pub mod macros;
pub(crate) mod new_needs;
pub(crate) mod notifications;
pub(crate) mod service_levels;
pub(crate) mod team;
pub(crate) mod tutor;
pub mod undo;
pub(crate) mod undo_send;

use crate::features::absence::Absences;
use crate::features::attention::AttentionQueue;
use crate::features::cheapest_way::CheapestWay;
use crate::features::credits::Credits;
use crate::features::macros::Macros;
use crate::features::new_needs::NewNeeds;
use crate::features::notifications::Bell;
use crate::features::service_levels::LevelsChart;
use crate::features::team::TeamKnowledge;
use crate::overlays::request_log::RequestLogView;
use crate::overlays::search::Search;
use crate::screens::conversations::draft_only::PreparedDrafts;
use crate::screens::conversations::pauses::PauseLeases;
use crate::screens::conversations::snooze::EndedSnoozes;
use crate::watch::WatchState;

#[derive(Debug, Default)]
pub struct Features {
    pub(crate) macros: Macros,
    pub(crate) credits: Credits,
    /// Drafts prepared before a person opens a conversation.
    pub(crate) prepared_drafts: PreparedDrafts,
    pub(crate) pauses: PauseLeases,
    pub(crate) snoozed: EndedSnoozes,
    pub(crate) absence: Absences,
    pub(crate) attention: AttentionQueue,
    pub(crate) new_needs: NewNeeds,
    pub(crate) service_levels: LevelsChart,
    pub(crate) cheapest_way: CheapestWay,
    pub(crate) bell: Bell,
    pub(crate) team: TeamKnowledge,
    pub(crate) request_log: RequestLogView,
    pub(crate) watch: WatchState,
    pub search: Search,
}
