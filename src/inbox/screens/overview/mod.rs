//! The overview: every channel in one line, for a wall display. Read-only.

pub(crate) mod update;
pub mod view;

use crate::tab::Tab;
use model::board::BoardEntry;
use model::time::{Moment, SECOND, Timestamp};

/// Interval between refreshes, in microseconds.
const REFRESH_INTERVAL: i64 = 10 * SECOND;
/// Errors per minute from which a tab is highlighted.
pub const MIN_HIGHLIGHTED_ERRORS: usize = 3;

#[derive(Debug, Default)]
pub struct Overview {
    pub chosen: usize,
    /// Running and waiting broadcasts of all tabs.
    pub broadcasts: Vec<BoardEntry>,
    refreshed_at: Option<Moment>,
    stale: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailureSummary {
    pub count: usize,
    /// Most frequent error.
    pub most_frequent: Option<String>,
    pub since: Option<Timestamp>,
}

impl Overview {
    pub(crate) fn mark_stale(&mut self) {
        self.stale = true;
    }

    /// Numbers of running broadcasts and of those that wait for a person.
    pub fn broadcast_counts(&self, tab: &Tab) -> (usize, usize) {
        let of = self.broadcasts.iter().filter(|broadcast| *broadcast.channel() == tab.channel.id);
        let (waiting, running): (Vec<_>, Vec<_>) = of.partition(|entry| entry.is_waiting());
        (running.len(), waiting.len())
    }
}
