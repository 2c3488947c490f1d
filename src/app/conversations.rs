//! The conversation list of one tab: a window of rows, a selection by id,
//! and a scroll position that keeps the selected row where it is on screen.
//!
//! Knows nothing of the store; it says which window it wants.

use crate::model::conversations::ConversationRow;
use crate::model::ids::{ChannelId, ConversationId};
use crate::model::queries::{Anchor, ConversationPage, ConversationQuery, ListFilter};
use crate::model::time::Timestamp;

/// Rows asked for at once.
const WINDOW: u32 = 200;
/// Rows from the window's edge at which the next window is asked for.
const NEAR_EDGE: usize = 40;
/// Microseconds after the list moved the selection by itself in which a key
/// that changes something is refused.
pub const MOVED_GRACE: i64 = 300_000;

/// The list.
#[derive(Debug)]
pub struct ConversationList {
    /// Which conversations it shows.
    pub filter: ListFilter,
    /// The rows at hand.
    pub page: ConversationPage,
    /// The selected conversation, by id.
    pub selected: Option<ConversationId>,
    /// First row on screen, counted from the window's start.
    pub first: usize,
    /// Whether anything has been loaded yet.
    pub loaded: bool,
    /// When the selection last moved without a key.
    pub moved_at: Option<Timestamp>,
    wanted: ConversationQuery,
    in_flight: bool,
    stale: bool,
}

impl ConversationList {
    /// An empty list of open conversations.
    pub fn new(channel: ChannelId) -> Self {
        let filter = ListFilter::default();
        Self {
            filter,
            page: ConversationPage::default(),
            selected: None,
            first: 0,
            loaded: false,
            moved_at: None,
            wanted: ConversationQuery { channel, filter, anchor: Anchor::Top, limit: WINDOW },
            in_flight: false,
            stale: true,
        }
    }

    /// The selected row, if it is in the window.
    pub fn selected_row(&self) -> Option<&ConversationRow> {
        self.page.rows.get(self.index()?)
    }

    /// The selection's place in the window.
    pub fn index(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.page.rows.iter().position(|it| it.conversation.id == *selected)
    }

    /// Whether rows lie above the screen.
    pub fn more_above(&self) -> bool {
        self.first > 0 || !self.page.reaches_top
    }

    /// Says that what is at hand may be old; the next [`Self::take_query`]
    /// asks again.
    pub fn mark_stale(&mut self) {
        self.stale = true;
    }

    /// The query to be sent now, if one is due and none is on its way.
    pub fn take_query(&mut self) -> Option<ConversationQuery> {
        if self.in_flight || !self.stale {
            return None;
        }
        (self.stale, self.in_flight) = (false, true);
        Some(self.wanted.clone())
    }

    /// What it shows, as a query.
    pub fn query(&self) -> ConversationQuery {
        self.wanted.clone()
    }

    /// Shows other conversations.
    pub fn set_filter(&mut self, filter: ListFilter) {
        self.filter = filter;
        self.want(Anchor::Top);
        self.wanted.filter = filter;
        self.first = 0;
    }

    fn want(&mut self, anchor: Anchor) {
        self.wanted.anchor = anchor;
        // A query on its way answers another question: it is dropped.
        self.in_flight = false;
        self.stale = true;
    }

    /// A window came back. Returns whether it was the wanted one.
    pub fn receive(
        &mut self,
        query: &ConversationQuery,
        page: ConversationPage,
        visible: usize,
        now: Timestamp,
    ) -> bool {
        if *query != self.wanted {
            return false;
        }
        self.in_flight = false;
        let offset = self.index().map(|it| it.saturating_sub(self.first));
        let old_index = self.index();
        self.page = page;
        self.loaded = true;
        match self.index() {
            Some(index) => {
                if let Some(offset) = offset {
                    self.first = index.saturating_sub(offset);
                }
            }
            None => self.select_near(old_index, now),
        }
        self.reveal(visible);
        true
    }

    /// The selected row has left the list: its neighbour takes its place.
    fn select_near(&mut self, old_index: Option<usize>, now: Timestamp) {
        let last = self.page.rows.len().checked_sub(1);
        let had_selection = self.selected.is_some();
        let index = match (&self.wanted.anchor, last) {
            (Anchor::Bottom, Some(last)) => Some(last),
            (_, Some(last)) => Some(old_index.unwrap_or(0).min(last)),
            (_, None) => None,
        };
        self.selected = index.map(|it| self.page.rows[it].conversation.id.clone());
        if had_selection && old_index.is_some() {
            self.moved_at = Some(now);
        }
    }

    /// Moves the selection by rows; a whole list either way.
    pub fn step(&mut self, rows: isize, visible: usize) {
        let Some(last) = self.page.rows.len().checked_sub(1) else { return };
        let index = self.index().unwrap_or(0).saturating_add_signed(rows).min(last);
        self.select_index(index, visible);
    }

    /// Selects a row of the window.
    pub fn select_index(&mut self, index: usize, visible: usize) {
        let Some(row) = self.page.rows.get(index) else { return };
        let id = row.conversation.id.clone();
        self.selected = Some(id.clone());
        self.moved_at = None;
        self.reveal(visible);
        let near_end = index + NEAR_EDGE >= self.page.rows.len() && !self.page.reaches_bottom;
        let near_start = index < NEAR_EDGE && !self.page.reaches_top;
        let anchor = match index {
            0 if self.page.reaches_top => Anchor::Top,
            _ => Anchor::Around(id),
        };
        if near_end || near_start {
            self.want(anchor);
        } else if index == 0 && self.page.reaches_top && self.wanted.anchor != Anchor::Top {
            // Back at the newest row: from now on new ones are of interest.
            self.want(Anchor::Top);
        }
    }

    /// Selects a conversation by id; the window follows if it is elsewhere.
    pub fn select(&mut self, id: &ConversationId, visible: usize) {
        match self.page.rows.iter().position(|it| it.conversation.id == *id) {
            Some(index) => self.select_index(index, visible),
            None => {
                self.selected = Some(id.clone());
                self.want(Anchor::Around(id.clone()));
            }
        }
    }

    /// Goes to the newest row.
    pub fn top(&mut self, visible: usize) {
        if self.page.reaches_top {
            self.select_index(0, visible);
        } else {
            self.selected = None;
            self.first = 0;
            self.want(Anchor::Top);
        }
    }

    /// Goes to the oldest row.
    pub fn bottom(&mut self, visible: usize) {
        if self.page.reaches_bottom {
            let last = self.page.rows.len().saturating_sub(1);
            self.select_index(last, visible);
        } else {
            self.selected = None;
            self.want(Anchor::Bottom);
        }
    }

    /// The next row after the selection that needs a person, from the top
    /// again at the end.
    pub fn next_waiting(&self) -> Option<ConversationId> {
        let from = self.index().map_or(0, |it| it + 1);
        let rows = &self.page.rows;
        let (before, after) = rows.split_at(from.min(rows.len()));
        let found = after.iter().chain(before).find(|it| it.needs_reply())?;
        Some(found.conversation.id.clone())
    }

    /// Scrolls as little as needed to show the selection.
    pub fn reveal(&mut self, visible: usize) {
        let Some(index) = self.index() else { return };
        let visible = visible.max(1);
        if index < self.first {
            self.first = index;
        } else if index >= self.first + visible {
            self.first = index + 1 - visible;
        }
        let most = self.page.rows.len().saturating_sub(visible);
        self.first = self.first.min(most);
    }
}
