//! The people page of a tab: a list searched at once in the local store and, after a pause in
//! typing, on the server; and the actions on a person.

pub(crate) mod commands;
pub mod csv_import;
pub mod deleting;
pub mod form;
pub mod form_view;
pub mod marks;
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

/// Pause in typing after which the server is searched, in microseconds.
const SEARCH_DELAY: i64 = 250_000;
/// Age at which results are read again while they are shown.
const REFRESH_INTERVAL: i64 = MINUTE;
/// Rows per query.
const WINDOW_ROWS: u32 = 200;

/// Last search on one tab's server.
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
    fn search(&self) -> Option<&str> {
        self.page.query().and_then(|fetch| {
            if let Fetch::People { search, .. } = fetch { Some(search.as_str()) } else { None }
        })
    }
}

#[derive(Debug, Default)]
pub struct People {
    pub importing: Option<csv_import::RunningImport>,
    pub rows: PagedRows<Person, PeopleQuery>,
    /// Number of matches in the local store.
    pub total: u64,
    pub search: String,
    pub marked: crate::screens::people::marks::MarkedPeople,
    typed_at: Moment,
    wanted: u32,
    fetches: HashMap<ChannelId, PeopleFetch>,
    /// Changes made in a form; a refusal reopens it.
    pub(crate) pending_changes: Vec<RowId>,
    pub(crate) opening: crate::screens::people::form::PendingPersonAction,
    /// Form whose metadata is open in the external editor.
    pub(crate) form_in_editor: Option<Box<crate::screens::people::form::PersonForm>>,
    /// Unfinished form of a new person.
    pub(crate) unfinished_form: Option<Box<crate::screens::people::form::PersonForm>>,
}

impl People {
    pub fn has_more(&self, channel: &ChannelId) -> bool {
        self.fetches.get(channel).is_some_and(|people_fetch| people_fetch.more)
    }

    pub fn load_state(&self, channel: &ChannelId, now: Moment) -> LoadState<'_> {
        self.fetches.get(channel).map_or(LoadState::Current, |people_fetch| people_fetch.page.state(now))
    }

    /// Next time the server must be asked again without any event.
    pub(crate) fn next_fetch_at(&self, channel: &ChannelId, now: Moment) -> Option<Moment> {
        self.fetches.get(channel)?.page.due(now)
    }

    pub fn is_searching(&self, channel: &ChannelId) -> bool {
        self.fetches.get(channel).is_some_and(|people_fetch| {
            people_fetch.page.is_in_flight()
                || people_fetch.search() != Some(&*server_search_text(&self.search))
        })
    }

    /// Returns the search to send now; `last` is the last row on screen.
    fn take_due_fetch(&mut self, channel: &ChannelId, last: usize, now: Moment) -> Option<Fetch> {
        let search = server_search_text(&self.search);
        let rested = now.since(self.typed_at) >= SEARCH_DELAY;
        let near_end = last + 20 >= self.rows.rows.len();
        let asked = self.fetches.entry(channel.clone()).or_default();
        let old = asked.at.is_none_or(|at| now.since(at) >= REFRESH_INTERVAL);
        let same = asked.search() == Some(search.as_str());
        let more = asked.more && same && near_end && !asked.page.has_failed();
        let anew = old || (!same && rested);
        if !asked.page.is_in_flight() && (anew || more) {
            asked.at = Some(now);
            asked.page.set_query(Fetch::People { search, more: more && !anew });
            asked.page.mark_stale();
        }
        asked.page.take_due_query(now)
    }
}

impl People {
    pub(crate) fn receive_people(&mut self, query: &PeopleQuery, page: PeoplePage) {
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
