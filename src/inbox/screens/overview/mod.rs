//! The wall: every channel in a line, for a big screen in the room. It
//! reads only; Enter leads to the requests that failed.

pub(crate) mod update;
pub mod view;

use crate::tab::Tab;
use model::board::BoardEntry;
use model::time::{Moment, SECOND, Timestamp};

/// Between two looks at what was asked of the servers.
const LOOK: i64 = 10 * SECOND;
/// Errors a minute from which a tab is loud.
pub const LOUD: usize = 3;

/// The page's state.
#[derive(Debug, Default)]
pub struct Overview {
    pub chosen: usize,
    /// Broadcasts that go on or wait, of all tabs.
    pub broadcasts: Vec<BoardEntry>,
    looked_at: Option<Moment>,
    stale: bool,
}

/// What failed of a tab's requests in the last minute, by code, the most
/// frequent first, and since when any did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    pub count: usize,
    /// What the most frequent is called.
    pub most: Option<String>,
    pub since: Option<Timestamp>,
}

impl Overview {
    /// Something that stands on it has changed.
    pub(crate) fn wall_changed(&mut self) {
        self.stale = true;
    }

    /// Broadcasts of a tab that go on, and those that wait for a person.
    pub fn running_of(&self, tab: &Tab) -> (usize, usize) {
        let of = self.broadcasts.iter().filter(|broadcast| *broadcast.channel() == tab.channel.id);
        let (waiting, running): (Vec<_>, Vec<_>) = of.partition(|entry| entry.is_waiting());
        (running.len(), waiting.len())
    }
}
