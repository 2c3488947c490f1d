//! A page of rows (outbox, drafts): loaded rows, the selected row by name, scroll position.

use crate::resource::{LoadTimeouts, Resource};
use model::contacts::Person;
use model::ids::{ChannelId, ConversationId, ProposalId, RowId};
use model::proposals::ProposalEntry;
use model::queries::{DeskQuery, DraftEntry, OutboxEntry};
use model::time::Moment;

const MAX_ROWS: u32 = 500;

pub trait PageRow {
    /// Identity across reloads.
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

#[derive(Debug)]
pub struct PagedRows<T: PageRow, Q = DeskQuery> {
    pub rows: Vec<T>,
    pub has_more: bool,
    pub first_visible: usize,
    /// True once the rows of the wanted tabs are loaded.
    pub loaded: bool,
    pub all_tabs: bool,
    chosen: Option<T::Name>,
    pub resource: Resource<Q>,
}

impl<T: PageRow, Q> Default for PagedRows<T, Q> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            has_more: false,
            first_visible: 0,
            loaded: false,
            all_tabs: false,
            chosen: None,
            resource: Resource::new(LoadTimeouts::FILES),
        }
    }
}

impl<T: PageRow> PagedRows<T> {
    pub fn take_query(&mut self, channel: &ChannelId, now: Moment) -> Option<DeskQuery> {
        let channel = if self.all_tabs { None } else { Some(channel.clone()) };
        // Rows of other tabs must not be mistaken for these.
        self.set_query(DeskQuery { channel, limit: MAX_ROWS }, |_, _| false);
        self.resource.take_due_query(now)
    }
}

impl<T: PageRow, Q: Clone + PartialEq> PagedRows<T, Q> {
    pub fn mark_stale(&mut self) {
        self.resource.mark_stale();
    }

    /// Changes the query. The old rows stay until the new ones arrive if `may_stay` allows it.
    pub fn set_query(&mut self, query: Q, may_stay: impl Fn(&Q, &Q) -> bool) {
        let stays = self.resource.query().is_some_and(|entry| *entry == query || may_stay(entry, &query));
        if !stays {
            (self.rows, self.loaded, self.first_visible) = (Vec::new(), false, 0);
        }
        self.resource.set_query(query);
    }

    /// Stores an answer; the answer to another query is dropped.
    pub fn receive(&mut self, query: &Q, rows: Vec<T>, more: bool) {
        if self.resource.receive(query) {
            self.set_rows(rows, more);
        }
    }

    pub fn set_rows(&mut self, rows: Vec<T>, more: bool) {
        let was_at = self.index();
        (self.rows, self.has_more, self.loaded) = (rows, more, true);
        if self.index().is_none() {
            // The selected row is gone: its neighbour is selected.
            let last = self.rows.len().saturating_sub(1);
            let near = was_at.unwrap_or(0).min(last);
            self.chosen = self.rows.get(near).map(T::name);
        }
    }

    pub fn index(&self) -> Option<usize> {
        let chosen = self.chosen.as_ref()?;
        self.rows.iter().position(|row| row.name() == *chosen)
    }

    pub fn chosen(&self) -> Option<&T> {
        self.rows.get(self.index()?)
    }

    pub fn choose(&mut self, name: &T::Name) {
        if self.rows.iter().any(|row| row.name() == *name) {
            self.chosen = Some(name.clone());
        }
    }

    pub fn step(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        let index = self.index().unwrap_or(0).saturating_add_signed(by).min(last);
        self.chosen = self.rows.get(index).map(T::name);
    }

    /// Selects a row by its position on screen.
    pub fn select_visible(&mut self, place: usize) {
        if let Some(row) = self.rows.get(self.first_visible + place) {
            self.chosen = Some(row.name());
        }
    }

    /// Scrolls as little as needed to show the selected row.
    pub fn reveal(&mut self, visible: usize) {
        let visible = visible.max(1);
        let index = self.index().unwrap_or(0);
        if index < self.first_visible {
            self.first_visible = index;
        } else if index >= self.first_visible + visible {
            self.first_visible = index + 1 - visible;
        }
        self.first_visible = self.first_visible.min(self.rows.len().saturating_sub(visible));
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
        let old = DeskQuery { channel: Some(ChannelId::from("a")), limit: MAX_ROWS };
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
        assert_eq!(page.first_visible, 2);
        page.step(-3);
        page.reveal(2);
        assert_eq!(page.first_visible, 0);
        page.step(isize::MAX);
        page.reveal(9);
        assert_eq!((page.chosen(), page.first_visible), (Some(&"5"), 0));
    }
}
