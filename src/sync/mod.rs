//! Carry: pulls pages into the cache and pushes outbox rows to the server,
//! each as a `once()` under a thin loop.
//!
//! [`Channel`] holds the steps of one tab; [`Engine`] only decides when to
//! take which. What is decided without looking at a socket or a file is in
//! [`plan`], [`overlap`], [`walk`], [`lanes`], [`guard`], [`reconcile`] and
//! [`health`], as plain rules.
//!
//! Knows nothing of screens.

mod accepted;
mod account;
mod channel;
mod conversations;
mod details;
mod engine;
mod evidence;
pub mod guard;
pub mod health;
pub mod lanes;
mod looking;
mod messages;
pub mod overlap;
pub mod plan;
mod push;
pub mod reconcile;
mod report;
mod trigger;
pub mod walk;

use crate::model::ids::ChannelId;
use crate::model::secret::Secret;

pub use channel::Channel;
pub use engine::Engine;
pub use plan::Polling;
pub use push::PushStep;
pub use report::Pulled;

/// What a tab is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSpec {
    /// The tab's id: drafts and outbox rows hang on it.
    pub id: ChannelId,
    /// The configured name.
    pub name: String,
    /// Where the interface lives, ending in `/v1`.
    pub base_url: String,
    /// The channel key.
    pub key: Secret,
    /// Whether this tab never changes anything on the server.
    pub read_only: bool,
}
