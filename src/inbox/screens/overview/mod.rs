//! The wall: every channel in a line, for a screen that people pass by. It
//! reads only; Enter leads to the requests that failed.

pub mod view;

use crate::Inbox;
use crate::event::{Effect, Load};
use crate::pages::PageKind;
use crate::screens::broadcasts::BroadcastQuery;
use crate::tab::Tab;
use model::board::BoardEntry;
use model::ids::ChannelId;
use model::time::{MINUTE, SECOND, Timestamp};

/// Between two looks at what was asked of the servers.
const LOOK: i64 = 10 * SECOND;
/// Errors a minute from which a tab is loud.
pub const LOUD: usize = 3;

/// The page's state.
#[derive(Debug, Default)]
pub struct Wall {
    /// The chosen tab.
    pub chosen: usize,
    /// Broadcasts that go on or wait, of all tabs.
    pub broadcasts: Vec<BoardEntry>,
    looked_at: Option<Timestamp>,
    stale: bool,
}

/// What failed of a tab's requests in the last minute, by code, the most
/// frequent first, and since when any did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// How often.
    pub count: usize,
    /// What the most frequent is called.
    pub most: Option<String>,
    /// Since when.
    pub since: Option<Timestamp>,
}

impl Inbox {
    /// Goes to the page.
    pub(crate) fn go_to_wall(&mut self) {
        self.page = PageKind::Wall;
        self.wall.chosen = self.active.min(self.tabs.len() - 1);
        self.wall.looked_at = None;
        self.wall.stale = true;
    }

    /// Something that stands on it has changed.
    pub(crate) fn wall_changed(&mut self) {
        self.wall.stale = true;
    }

    /// When it is to be looked at again.
    pub(crate) fn wall_due(&self) -> Option<Timestamp> {
        let looked = self.wall.looked_at.filter(|_| self.page == PageKind::Wall)?;
        Some(looked.plus(LOOK))
    }

    /// Asks for what is on it and may be old.
    pub(crate) fn load_wall(&mut self) {
        let due = self.wall.looked_at.is_none_or(|it| !(0..LOOK).contains(&self.context.now.since(it)));
        if due {
            self.wall.looked_at = Some(self.context.now);
            self.context.push(Effect::ReadCalls);
        }
        if due || std::mem::take(&mut self.wall.stale) {
            self.wall.stale = false;
            self.context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Running)));
        }
    }

    /// Chooses another tab of it.
    pub(crate) fn step_wall(&mut self, by: isize) {
        self.wall.chosen = self.wall.chosen.saturating_add_signed(by).min(self.tabs.len() - 1);
    }

    /// The requests of the chosen tab that failed or changed something.
    pub(crate) fn wall_enter(&mut self) {
        let channel = self.tabs[self.wall.chosen.min(self.tabs.len() - 1)].channel.id.clone();
        self.show_calls_of(channel);
    }

    /// What failed of a tab's requests within the last minute.
    pub fn failures_of(&self, channel: &ChannelId) -> Failures {
        let mut codes: Vec<(String, usize)> = Vec::new();
        let mut failures = Failures::default();
        for call in self.failed_calls(channel) {
            if !(0..MINUTE).contains(&self.context.now.since(call.at)) {
                continue;
            }
            failures.count += 1;
            failures.since = Some(failures.since.map_or(call.at, |it| it.min(call.at)));
            let code = call.code.as_ref().map(ToString::to_string);
            let code = code.unwrap_or_else(|| match &call.answer {
                Ok(status) => status.to_string(),
                Err(_) => "no answer".to_owned(),
            });
            match codes.iter_mut().find(|it| it.0 == code) {
                Some(found) => found.1 += 1,
                None => codes.push((code, 1)),
            }
        }
        codes.sort_by_key(|it| std::cmp::Reverse(it.1));
        failures.most = codes.into_iter().next().map(|it| it.0);
        failures
    }

    /// Broadcasts of a tab that go on, and those that wait for a person.
    pub fn running_of(&self, tab: &Tab) -> (usize, usize) {
        let of = self.wall.broadcasts.iter().filter(|it| *it.channel() == tab.channel.id);
        let (waiting, running): (Vec<_>, Vec<_>) = of.partition(|it| it.waits());
        (running.len(), waiting.len())
    }
}
