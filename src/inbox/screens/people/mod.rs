//! The people of a tab as a page: a list with search, at once over what this
//! desk has read and after a moment by the server; and what is done to one.

pub(crate) mod commands;
pub mod deleting;
pub mod form;
pub mod form_view;
pub mod importing;
pub mod marking;
pub(crate) mod saving;
pub(crate) mod update;
pub mod view;

use std::collections::HashMap;

use crate::components::paged_rows::PagedRows;
use crate::resource::{LoadState, LoadTimeouts, Resource};
use model::contacts::{PeoplePage, PeopleQuery, Person, server_search_text};
use model::fetches::Fetch;
use model::ids::{ChannelId, RowId};
use model::time::{MINUTE, Moment};

/// Microseconds without a key after which the server is asked.
const REST: i64 = 250_000;
/// What was read longer ago is read again when it is looked at.
const FRESH: i64 = MINUTE;
/// People asked for at once; more as one goes.
const WINDOW: u32 = 200;

/// What one tab's server was asked last.
#[derive(Debug)]
struct PeopleFetch {
    page: Resource<Fetch>,
    at: Option<Moment>,
    more: bool,
}

impl Default for PeopleFetch {
    fn default() -> Self {
        Self { page: Resource::new(LoadTimeouts::SERVER), at: None, more: false }
    }
}

impl PeopleFetch {
    /// What the server was to look for.
    fn search(&self) -> Option<&str> {
        self.page.desired().and_then(|fetch| {
            if let Fetch::People { search, .. } = fetch { Some(search.as_str()) } else { None }
        })
    }
}

/// The page's state.
#[derive(Debug, Default)]
pub struct People {
    pub importing: Option<importing::RunningImport>,
    /// Those that fit what is looked for.
    pub rows: PagedRows<Person, PeopleQuery>,
    /// How many of those read here fit.
    pub total: u64,
    pub search: String,
    pub marked: crate::screens::people::marking::Marked,
    typed_at: Moment,
    wanted: u32,
    asked: HashMap<ChannelId, PeopleFetch>,
    /// Changes that left a form: one that is refused brings it back.
    pub(crate) saving: Vec<RowId>,
    pub(crate) opening: crate::screens::people::form::Opening,
    /// A form whose metadata is in the editor.
    pub(crate) lent: Option<Box<crate::screens::people::form::PersonForm>>,
    /// A new person who was begun and left.
    pub(crate) begun: Option<Box<crate::screens::people::form::PersonForm>>,
}

impl People {
    /// Whether the server has more that fit.
    pub fn has_more(&self, channel: &ChannelId) -> bool {
        self.asked.get(channel).is_some_and(|people_fetch| people_fetch.more)
    }

    /// How it stands with what the server tells.
    pub fn load_state(&self, channel: &ChannelId, now: Moment) -> LoadState<'_> {
        self.asked.get(channel).map_or(LoadState::Well, |people_fetch| people_fetch.page.shown(now))
    }

    /// When the server is looked at again without any event.
    pub(crate) fn told_due(&self, channel: &ChannelId, now: Moment) -> Option<Moment> {
        self.asked.get(channel)?.page.due(now)
    }

    /// Whether the server is being asked.
    pub fn is_asking(&self, channel: &ChannelId) -> bool {
        self.asked.get(channel).is_some_and(|people_fetch| {
            people_fetch.page.is_asked() || people_fetch.search() != Some(&*server_search_text(&self.search))
        })
    }

    /// What to ask the server now for a tab, with the last row on screen.
    fn due(&mut self, channel: &ChannelId, last: usize, now: Moment) -> Option<Fetch> {
        let search = server_search_text(&self.search);
        let rested = now.since(self.typed_at) >= REST;
        let near_end = last + 20 >= self.rows.rows.len();
        let asked = self.asked.entry(channel.clone()).or_default();
        let old = asked.at.is_none_or(|at| now.since(at) >= FRESH);
        let same = asked.search() == Some(search.as_str());
        let more = asked.more && same && near_end && !asked.page.has_failed();
        let anew = old || (!same && rested);
        if !asked.page.is_asked() && (anew || more) {
            asked.at = Some(now);
            asked.page.want(Fetch::People { search, more: more && !anew });
            asked.page.mark_stale();
        }
        asked.page.take_due_query(now)
    }
}

impl People {
    /// Rows of the page have come.
    pub(crate) fn people_loaded(&mut self, query: &PeopleQuery, page: PeoplePage) {
        let more = page.total > page.people.len() as u64;
        self.rows.receive(query, page.people, more);
        self.total = page.total;
        if let Some(phone) = &self.opening.choose {
            self.rows.choose(phone);
            if self.rows.chosen().is_some_and(|chosen| chosen.phone == *phone) {
                self.opening.choose = None;
            }
        }
    }
}
