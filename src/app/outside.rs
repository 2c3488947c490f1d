//! What the app asks of the world outside beyond stores and servers: files
//! of the person's own, and an editor. Plain data.
//!
//! Knows nothing of how it is done.

use crate::app::App;
use crate::app::canned::Canned;

/// Something asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Read the canned replies, if they have changed.
    Replies,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// The canned replies as they are now.
    Replies(Canned),
}

impl App {
    /// What was asked has come back.
    pub(super) fn answered(&mut self, answered: Answered) {
        match answered {
            Answered::Replies(canned) => self.canned = canned,
        }
    }
}
