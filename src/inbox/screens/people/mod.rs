//! The people of a tab as a page: a list with search, at once over what this
//! desk has read and after a moment by the server; and what is done to one.

pub(crate) mod commands;
pub mod deleting;
pub mod form;
pub mod form_view;
pub mod importing;
pub mod marking;
pub(crate) mod saving;
pub mod view;

use crate::context::Context;
use crate::desk::Desk;
use crate::pages;
use crate::screens::outbox::OutboxScreen;
use std::collections::HashMap;

use crate::Inbox;
use crate::components::paged_rows::PagedRows;
use crate::event::{Effect, Load};
use crate::pages::PageKind;
use crate::resource::{LoadState, LoadTimeouts, Resource};
use crate::tab::Focus;
use model::account::Platform;
use model::contacts::{PeoplePage, PeopleQuery, Person};
use model::fetches::{Fetch, FetchResult, Fetching};
use model::ids::{ChannelId, RowId};
use model::outbox::{Lane, OutboxRow};
use model::time::{MINUTE, Timestamp};

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
    at: Option<Timestamp>,
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
        self.page
            .wanted()
            .and_then(|it| if let Fetch::People { search, .. } = it { Some(search.as_str()) } else { None })
    }
}

/// The page's state.
#[derive(Debug, Default)]
pub struct People {
    /// The import under way.
    pub importing: Option<importing::RunningImport>,
    /// Those that fit what is looked for.
    pub rows: PagedRows<Person, PeopleQuery>,
    /// How many of those read here fit.
    pub total: u64,
    /// What is looked for.
    pub search: String,
    /// Who is marked.
    pub marked: crate::screens::people::marking::Marked,
    typed_at: Timestamp,
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
        self.asked.get(channel).is_some_and(|it| it.more)
    }

    /// How it stands with what the server tells.
    pub fn told(&self, channel: &ChannelId, now: Timestamp) -> LoadState<'_> {
        self.asked.get(channel).map_or(LoadState::Well, |it| it.page.shown(now))
    }

    /// When the server is looked at again without any event.
    pub(crate) fn told_due(&self, channel: &ChannelId, now: Timestamp) -> Option<Timestamp> {
        self.asked.get(channel)?.page.due(now)
    }

    /// Whether the server is being asked.
    pub fn is_asking(&self, channel: &ChannelId) -> bool {
        self.asked
            .get(channel)
            .is_some_and(|it| it.page.is_asked() || it.search() != Some(self.search.trim()))
    }

    /// What to ask the server now for a tab, with the last row on screen.
    fn due(&mut self, channel: &ChannelId, last: usize, now: Timestamp) -> Option<Fetch> {
        let search = self.search.trim().to_owned();
        let rested = now.since(self.typed_at) >= REST;
        let near_end = last + 20 >= self.rows.rows.len();
        let asked = self.asked.entry(channel.clone()).or_default();
        let old = asked.at.is_none_or(|at| !(0..FRESH).contains(&now.since(at)));
        let same = asked.search() == Some(search.as_str());
        let more = asked.more && same && near_end && !asked.page.has_failed();
        let anew = old || (!same && rested);
        if !asked.page.is_asked() && (anew || more) {
            asked.at = Some(now);
            asked.page.want(Fetch::People { search, more: more && !anew });
            asked.page.mark_stale();
        }
        asked.page.take(now)
    }
}

impl Desk {
    /// Whether the tab at hand has people.
    pub fn has_people(&self) -> bool {
        self.tab().platform().is_none_or(Platform::has_contacts)
    }
}

impl People {
    /// When the server is to be asked for what was typed.
    pub(crate) fn people_due(&self, desk: &Desk) -> Option<Timestamp> {
        let asked = self.asked.get(&desk.tab().channel.id)?;
        let waits = desk.page == PageKind::People && asked.search() != Some(self.search.trim());
        waits.then(|| self.typed_at.plus(REST))
    }

    /// Goes to the page, to the person at hand if it is one of them.
    pub(crate) fn go_to_people(&mut self, desk: &mut Desk) {
        let at_hand = desk.at_hand().and_then(|it| it.conversation.address.clone());
        desk.page = PageKind::People;
        self.rows.mark_stale();
        self.search.clear();
        self.opening.choose = at_hand;
    }

    /// Rows of the page have come.
    pub(crate) fn people_loaded(&mut self, query: &PeopleQuery, page: PeoplePage) {
        let more = page.total > page.people.len() as u64;
        self.rows.receive(query, page.people, more);
        self.total = page.total;
        if let Some(phone) = &self.opening.choose {
            self.rows.choose(phone);
            if self.rows.chosen().is_some_and(|it| it.phone == *phone) {
                self.opening.choose = None;
            }
        }
    }

    /// A fetch has ended.
    pub(crate) fn people_fetched(
        &mut self,
        channel: &ChannelId,
        fetch: &Fetch,
        fetched: Fetching,
        context: &Context,
    ) {
        let now = context.now;
        let Some(asked) = self.asked.get_mut(channel) else { return };
        match fetched {
            Ok(fetched) => {
                if asked.page.receive(fetch)
                    && let FetchResult::People { more } = fetched
                {
                    asked.more = more;
                }
            }
            Err(why) => asked.page.fail(fetch, &why, now),
        }
    }

    /// What is looked for has changed.
    pub(crate) fn look_for_people(&mut self, text: &str, context: &Context) {
        if self.search != text {
            self.search = text.to_owned();
            self.typed_at = context.now;
            self.wanted = WINDOW;
        }
    }

    /// Goes to the conversation with the chosen person.
    pub(crate) fn go_to_person(&mut self, desk: &mut Desk, context: &mut Context) {
        let channel = desk.tab().channel.id.clone();
        let Some(person) = self.rows.chosen() else { return };
        match person.conversation.clone() {
            Some(conversation) => desk.visit(&channel, &conversation, Focus::History, context),
            None => {
                let words = format!(
                    "{} has written nothing yet; only an approved template or a broadcast reaches who never wrote",
                    person.title()
                );
                context.warn(words);
            }
        }
    }
}

/// Asks for the rows that may be old, and the server where that is due.
pub(crate) fn load_people(inbox: &mut Inbox) {
    if !inbox.desk.has_people() {
        return;
    }
    let channel = inbox.desk.tab().channel.id.clone();
    let (visible, now) = (pages::rows_shown(inbox), inbox.context.now);
    let people = &mut inbox.people;
    people.rows.reveal(visible);
    let last = people.rows.first + visible;
    people.wanted = people.wanted.max(WINDOW);
    if last + visible >= people.rows.rows.len() && people.total > u64::from(people.wanted) {
        people.wanted += WINDOW;
    }
    let query =
        PeopleQuery { channel: channel.clone(), text: people.search.trim().to_owned(), limit: people.wanted };
    let same_tab = |old: &PeopleQuery, new: &PeopleQuery| old.channel == new.channel;
    people.rows.want(query, same_tab);
    inbox.context.effects.extend(people.rows.resource.take(now).map(|it| Effect::Load(Load::People(it))));
    let due = if inbox.desk.tab().account.is_some() { inbox.people.due(&channel, last, now) } else { None };
    inbox.context.effects.extend(due.map(|it| Effect::Fetch(channel.clone(), it)));
    // What is queued for one of them stands beside it.
    inbox
        .context
        .effects
        .extend(inbox.outbox.rows.take_query(&channel, now).map(|it| Effect::Load(Load::Outbox(it))));
    saving::bring_refused_back(inbox);
}

impl OutboxScreen {
    /// The row of the outbox that is about a person, the newest of them.
    pub fn row_about(&self, phone: &str, desk: &Desk) -> Option<&OutboxRow> {
        let channel = &desk.tab().channel.id;
        let rows = self.rows.rows.iter().map(|it| &it.row).filter(|it| it.channel == *channel);
        let mut about = rows.filter(|it| matches!(&it.lane, Lane::Contact(of) if of == phone));
        about.next_back()
    }
}
