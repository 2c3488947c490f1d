//! A page of rows: what is loaded, which row is chosen, by its name, and how
//! far it is scrolled. The outbox and the drafts are such pages.
//!
//! It says what it wants.

use crate::resource::{LoadTimeouts, Resource};
use model::contacts::Person;
use model::ids::{ChannelId, ConversationId, ProposalId, RowId};
use model::proposals::ProposalEntry;
use model::queries::{DeskQuery, DraftEntry, OutboxEntry};
use model::time::Moment;

/// Rows asked for at once.
const LIMIT: u32 = 500;

/// Something a page shows a row for.
pub trait PageRow {
    /// What names it across reloads.
    type Name: Clone + PartialEq + std::fmt::Debug;

    fn name(&self) -> Self::Name;
}

impl PageRow for OutboxEntry {
    type Name = RowId;

    fn name(&self) -> RowId {
        self.row.id.clone()
    }
}

impl PageRow for ProposalEntry {
    type Name = ProposalId;

    fn name(&self) -> ProposalId {
        self.proposal.id.clone()
    }
}

impl PageRow for DraftEntry {
    type Name = (ChannelId, ConversationId);

    fn name(&self) -> Self::Name {
        (self.channel.clone(), self.conversation.clone())
    }
}

impl PageRow for Person {
    type Name = String;

    fn name(&self) -> String {
        self.phone.clone()
    }
}

/// The page, and what it asks the store for.
#[derive(Debug)]
pub struct PagedRows<T: PageRow, Q = DeskQuery> {
    pub rows: Vec<T>,
    /// Whether there are more than are shown.
    pub more: bool,
    /// First row on screen.
    pub first: usize,
    /// Whether the rows of the wanted tabs have come.
    pub loaded: bool,
    /// Whether the rows of all tabs are wanted.
    pub all_tabs: bool,
    chosen: Option<T::Name>,
    /// What is read of it.
    pub resource: Resource<Q>,
}

impl<T: PageRow, Q> Default for PagedRows<T, Q> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            more: false,
            first: 0,
            loaded: false,
            all_tabs: false,
            chosen: None,
            resource: Resource::new(LoadTimeouts::FILES),
        }
    }
}

impl<T: PageRow> PagedRows<T> {
    /// The query to be sent now for this tab, if one is due and none is on
    /// its way.
    pub fn take_query(&mut self, channel: &ChannelId, now: Moment) -> Option<DeskQuery> {
        let channel = if self.all_tabs { None } else { Some(channel.clone()) };
        // Rows of other tabs must not be taken for these.
        self.want(DeskQuery { channel, limit: LIMIT }, |_, _| false);
        self.resource.take_due_query(now)
    }
}

impl<T: PageRow, Q: Clone + PartialEq> PagedRows<T, Q> {
    /// Says that what is loaded may be old.
    pub fn mark_stale(&mut self) {
        self.resource.mark_stale();
    }

    /// Wants the answer to a query. Rows that answered another one stay until
    /// these have come, if they may be shown as long.
    pub fn want(&mut self, query: Q, may_stay: impl Fn(&Q, &Q) -> bool) {
        let stays = self.resource.desired().is_some_and(|entry| *entry == query || may_stay(entry, &query));
        if !stays {
            (self.rows, self.loaded, self.first) = (Vec::new(), false, 0);
        }
        self.resource.want(query);
    }

    /// Rows came back; those of another question are dropped.
    pub fn receive(&mut self, query: &Q, rows: Vec<T>, more: bool) {
        if self.resource.receive(query) {
            self.put(rows, more);
        }
    }

    /// Puts rows in place of those that are loaded.
    pub fn put(&mut self, rows: Vec<T>, more: bool) {
        let was_at = self.index();
        (self.rows, self.more, self.loaded) = (rows, more, true);
        if self.index().is_none() {
            // The chosen row is gone: its neighbour takes its place.
            let last = self.rows.len().saturating_sub(1);
            let near = was_at.unwrap_or(0).min(last);
            self.chosen = self.rows.get(near).map(T::name);
        }
    }

    /// The place of the chosen row.
    pub fn index(&self) -> Option<usize> {
        let chosen = self.chosen.as_ref()?;
        self.rows.iter().position(|row| row.name() == *chosen)
    }

    pub fn chosen(&self) -> Option<&T> {
        self.rows.get(self.index()?)
    }

    /// Chooses a row by its name, if there is one.
    pub fn choose(&mut self, name: &T::Name) {
        if self.rows.iter().any(|row| row.name() == *name) {
            self.chosen = Some(name.clone());
        }
    }

    /// Moves the choice by rows.
    pub fn step(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        let index = self.index().unwrap_or(0).saturating_add_signed(by).min(last);
        self.chosen = self.rows.get(index).map(T::name);
    }

    /// Chooses a row by its place on screen, if there is one.
    pub fn select_shown(&mut self, place: usize) {
        if let Some(row) = self.rows.get(self.first + place) {
            self.chosen = Some(row.name());
        }
    }

    /// Scrolls as little as needed to show the chosen row.
    pub fn reveal(&mut self, visible: usize) {
        let visible = visible.max(1);
        let index = self.index().unwrap_or(0);
        if index < self.first {
            self.first = index;
        } else if index >= self.first + visible {
            self.first = index + 1 - visible;
        }
        self.first = self.first.min(self.rows.len().saturating_sub(visible));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl PageRow for &'static str {
        type Name = Self;

        fn name(&self) -> Self {
            self
        }
    }

    fn page(rows: &[&'static str]) -> PagedRows<&'static str> {
        let mut page = PagedRows::default();
        let query = page.take_query(&ChannelId::from("a"), Moment::default()).expect("a first query");
        page.receive(&query, rows.to_vec(), false);
        page
    }

    fn again(page: &mut PagedRows<&'static str>, rows: &[&'static str]) {
        page.mark_stale();
        let query = page.take_query(&ChannelId::from("a"), Moment::default()).expect("it is stale");
        page.receive(&query, rows.to_vec(), false);
    }

    #[test]
    fn the_choice_stays_with_its_row_and_falls_to_a_neighbour() {
        let mut page = page(&["one", "two", "three"]);
        assert_eq!(page.chosen(), Some(&"one"));
        page.step(1);
        again(&mut page, &["zero", "one", "two", "three"]);
        assert_eq!((page.chosen(), page.index()), (Some(&"two"), Some(2)));
        again(&mut page, &["zero", "one", "three"]);
        assert_eq!(page.chosen(), Some(&"three"));
        again(&mut page, &[]);
        assert_eq!(page.chosen(), None);
        page.step(1);
        assert_eq!(page.chosen(), None);
    }

    #[test]
    fn rows_of_another_tab_are_never_shown_as_these() {
        let mut page = page(&["one"]);
        assert_eq!(page.take_query(&ChannelId::from("a"), Moment::default()), None, "nothing is stale");
        let old = DeskQuery { channel: Some(ChannelId::from("a")), limit: LIMIT };
        let other = page.take_query(&ChannelId::from("b"), Moment::default()).expect("another tab");
        assert!(page.rows.is_empty() && !page.loaded);
        page.receive(&old, vec!["one"], false);
        assert!(page.rows.is_empty());
        page.receive(&other, vec!["two"], false);
        page.all_tabs = true;
        assert_eq!(
            page.take_query(&ChannelId::from("b"), Moment::default()).map(|query| query.channel),
            Some(None)
        );
    }

    #[test]
    fn scrolling_shows_the_chosen_row() {
        let mut page = page(&["1", "2", "3", "4", "5"]);
        page.step(3);
        page.reveal(2);
        assert_eq!(page.first, 2);
        page.step(-3);
        page.reveal(2);
        assert_eq!(page.first, 0);
        page.step(isize::MAX);
        page.reveal(9);
        assert_eq!((page.chosen(), page.first), (Some(&"5"), 0));
    }
}
