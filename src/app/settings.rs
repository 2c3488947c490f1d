//! How the desk behaves, as the configuration says.
//!
//! Knows nothing of files; the edge reads them.

use crate::model::account::Environment;
use crate::model::ids::ChannelId;
use crate::model::text::SafeText;
use crate::model::time::HOUR;

/// What sending does while the AI is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PauseOnReply {
    /// Ask: pause and send, send only, or back.
    #[default]
    Ask,
    /// Pause and send, and say so.
    Always,
    /// Send only.
    Never,
}

/// The desk's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What sending does while the AI is on.
    pub pause_on_reply: PauseOnReply,
    /// Microseconds a chat message or a close is held; 0 sends at once.
    pub hold: i64,
    /// Minutes the desk is ahead of UTC.
    pub offset_minutes: i32,
    /// Whether this is the demo, which the status line says.
    pub demo: bool,
    /// Who works here: claims bear this name.
    pub agent: SafeText,
    /// Microseconds after which a pause made here asks whether it shall go
    /// on; 0 never asks.
    pub pause_lease: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pause_on_reply: PauseOnReply::Ask,
            hold: 5_000_000,
            offset_minutes: 0,
            demo: false,
            agent: SafeText::line("me"),
            pause_lease: 4 * HOUR,
        }
    }
}

/// One tab as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelInfo {
    /// The local id.
    pub id: ChannelId,
    /// The configured name.
    pub name: String,
    /// What the key's prefix says, before the account has been read.
    pub environment: Option<Environment>,
    /// Whether nothing may be changed from here.
    pub read_only: bool,
}
