//! Synchronisation: pulls pages into the cache and pushes outbox rows to the server.
//!
//! - [`ChannelSync`]: one channel's requests and store access, as single steps.
//! - [`TabLoop`]: runs those steps, each when it is due.
//! - [`LeaseManager`]: leases that decide which process polls and sends.
//! - [`Engine`]: timers and tasks around the loops.
//!
//! Each loop owns its state. Values the loops share are behind one lock ([`state`]), with the requests of
//! people to a [`TabSync`]. The rules are pure modules: [`plan`], [`overlap`], [`walk`] and
//! [`health`], and `queue`, `guard` and `reconcile` of the [`outbox`], which describes the life of a row.

mod account;
mod audit;
mod broadcasts;
mod campaigns;
mod channel;
mod contacts;
mod conversations;
mod details;
mod draft_only;
mod earlier;
mod email;
mod emptied;
mod engine;
mod events;
mod fetching;
mod file_news;
pub mod finding;
pub mod health;
mod histories;
pub mod hooks;
pub mod import;
pub mod leases;
mod loops;
mod messages;
mod missing;
mod outbox;
pub mod overlap;
mod pending_commands;
mod people;
pub mod plan;
pub mod process_names;
mod receiving;
mod report;
mod rows;
mod state;
mod switches;
mod tab;
mod team;
mod templates;
#[cfg(test)]
mod tests;
mod trigger;
pub mod walk;

use model::ids::ChannelId;
use model::secret::Secret;
use model::time::MINUTE;

pub use broadcasts::BroadcastState;
pub use campaigns::{CampaignNotices, CampaignStepOutcome};
pub use channel::ChannelSync;
pub use conversations::ListState;
pub use email::{fuzz_mail, html as mail_html};
pub use engine::Engine;
pub use leases::LeaseManager;
pub use loops::TabLoop;
pub use outbox::send::AttemptState;
pub use outbox::{PushState, PushStep};
pub use pending_commands::LeaseStatus;
pub use plan::Polling;
pub use process_names::ProcessRole;
pub use report::PullOutcome;
pub use rows::ListDepth;
pub use tab::{Loop, TabSync};
pub use team::{NewChannel, NewChannels, TeamError, TeamSpec};
pub use trigger::TriggerState;

/// Longest wait between two steps, so that a suspended machine or a clock jump is noticed.
pub(crate) const MAX_STEP_WAIT: i64 = MINUTE / 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSpec {
    /// Id that drafts and outbox rows refer to.
    pub id: ChannelId,
    pub name: String,
    /// Base URL, ending in `/v1`.
    pub base_url: String,
    pub key: Secret,
    /// True if this tab changes nothing on the server.
    pub read_only: bool,
    /// True if the AI stays paused in the whole channel.
    pub draft_only: bool,
}
