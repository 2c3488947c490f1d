//! What is held and can be taken back, also while it is on its way to the
//! disk.
//!
//! Knows nothing of keys or effects.

use crate::model::ids::{ChannelId, RowId};
use crate::model::outbox::Lane;
use crate::model::time::Timestamp;

/// Held rows that are not on disk yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Queueing {
    pub(super) rows: usize,
    decided: Vec<Early>,
}

/// What was decided over a held row before it was on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Early {
    Recall,
    SendNow,
}

impl Queueing {
    /// Decides over the oldest row nothing was decided over; false when there
    /// is none.
    pub(super) fn decide(&mut self, early: Early) -> bool {
        let undecided = self.decided.len() < self.rows;
        if undecided {
            self.decided.push(early);
        }
        undecided
    }

    /// A row is on disk, or could not be put there; what was decided over it.
    pub(super) fn settle(&mut self) -> Option<Early> {
        self.rows = self.rows.saturating_sub(1);
        if self.decided.is_empty() { None } else { Some(self.decided.remove(0)) }
    }
}

/// A row that is held and can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The row.
    pub row: RowId,
    /// Its tab.
    pub channel: ChannelId,
    /// Its lane.
    pub lane: Lane,
    /// Until when.
    pub until: Timestamp,
}
