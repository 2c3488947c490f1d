//! Carry: pulls pages into the cache and pushes outbox rows to the server,
//! each as a step under a thin loop.
//!
//! [`ChannelSync`] asks, sends and stores; a [`TabLoop`] makes steps of it, each
//! due at its time; [`Leading`] decides which process takes them; [`Engine`]
//! only waits. Each loop owns what it remembers; what loops know in common is
//! one plain value behind one lock ([`state`]), and what people ask of a
//! [`TabSync`] is in it. What is decided without looking at a socket or a file is in
//! [`plan`], [`overlap`], [`walk`], [`lanes`], [`guard`], [`reconcile`] and
//! [`health`], as plain rules.

mod accepted;
mod account;
mod attempt;
mod audit;
mod broadcasts;
mod campaigns;
mod channel;
mod contacts;
mod conversations;
mod details;
mod draft_only;
mod email;
mod emptied;
mod engine;
mod events;
mod evidence;
mod fetching;
mod file_news;
pub mod finding;
pub mod guard;
pub mod health;
mod histories;
pub mod hooks;
pub mod import;
pub mod lanes;
pub mod leading;
mod looking;
mod loops;
mod message;
mod messages;
mod missing;
pub mod overlap;
mod ownership;
mod people;
pub mod plan;
mod planned;
mod probe;
pub mod process_names;
mod push;
mod receiving;
pub mod reconcile;
mod report;
mod rows;
mod settling;
mod state;
mod switches;
mod tab;
mod templates;
#[cfg(test)]
mod tests;
mod trigger;
mod uploads;
mod verified;
pub mod walk;
mod wishes;

use model::ids::ChannelId;
use model::secret::Secret;
use model::time::MINUTE;

pub use attempt::Tries;
pub use broadcasts::BroadcastState;
pub use campaigns::{Carried, WaveState};
pub use channel::ChannelSync;
pub use conversations::ListState;
pub use email::{fuzz_mail, html as mail_html};
pub use engine::Engine;
pub use leading::Leading;
pub use loops::TabLoop;
pub use plan::Polling;
pub use process_names::ProcessRole;
pub use push::{PushState, PushStep};
pub use report::Pulled;
pub use rows::Reached;
pub use tab::{Loop, TabSync};
pub use trigger::TriggerState;
pub use wishes::Lead;

/// No step asks for a longer wait, so that a suspended machine or a clock
/// that jumped is noticed.
pub(crate) const NAP: i64 = MINUTE / 2;

/// What a tab is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSpec {
    /// The tab's id: drafts and outbox rows hang on it.
    pub id: ChannelId,
    /// The configured name.
    pub name: String,
    /// Where the interface lives, ending in `/v1`.
    pub base_url: String,
    pub key: Secret,
    /// Whether this tab never changes anything on the server.
    pub read_only: bool,
    /// Whether the AI stays paused in all of it.
    pub draft_only: bool,
}
