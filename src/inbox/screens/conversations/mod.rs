//! The conversation list of one tab or of all: a window of rows, a selection
//! by id, and a scroll position that keeps the selected row where it is on
//! screen.
//!
//! It says which window it wants.

pub(crate) mod bulk_actions;
pub mod bulk_plan;
pub mod card;
pub mod card_view;
pub(crate) mod claims;
pub(crate) mod commands;
pub(crate) mod draft_only;
pub(crate) mod lists;
mod lost_row;
pub(crate) mod pauses;
pub(crate) mod row_view;
pub mod saved_views;
pub mod saved_views_view;
pub(crate) mod seen;
pub(crate) mod snooze;
pub mod tags;
pub(crate) mod takeover;
pub(crate) mod urgency;
pub mod view;

use crate::components::marks::Marks;
use crate::resource::{LoadTimeouts, Resource};
use crate::screens::conversations::lost_row::LostRow;
use crate::screens::conversations::saved_views::SavedView;
use model::conversations::ConversationRow;
use model::filter::{self, FilterSubject, IsFilter, Sort};
use model::ids::ChannelId;
use model::queries::{Anchor, ConversationKey, ConversationPage, ConversationQuery};
use model::time::{ClockReading, MINUTE, Moment, Timestamp};

/// Rows asked for at once.
const WINDOW: u32 = 200;
/// Rows asked for before anything is on screen.
const FIRST: u32 = 64;
/// Rows from the window's edge at which the next window is asked for.
const NEAR_EDGE: usize = 40;

#[derive(Debug)]
pub struct ConversationList {
    pub view: SavedView,
    /// What was typed to narrow it.
    pub typed: String,
    /// The order of its rows.
    pub sort: Sort,
    pub marks: Marks,
    pub page: ConversationPage,
    /// The selected conversation, by id.
    pub selected: Option<ConversationKey>,
    /// First row on screen, counted from the window's start.
    pub first: usize,
    /// Whether anything has been loaded yet.
    pub loaded: bool,
    /// When the selection last moved without a key.
    pub moved_at: Option<Moment>,
    /// Whether the cursor was brought to the first row and nothing was done
    /// with it since: then it stays on whichever row is the first.
    untouched: bool,
    /// Whether the person has scrolled away from the selection.
    scrolled: bool,
    /// The row the person had selected last, since it has left.
    lost: Option<LostRow>,
    /// What came to stand above the cursor since it was at the top.
    arrived: Vec<ConversationKey>,
    wanted: ConversationQuery,
    /// What is read of it.
    pub resource: Resource<ConversationQuery>,
    /// Whether the loaded rows answer another question than the last one.
    other: bool,
}

impl ConversationList {
    /// An empty list of a tab, or of all tabs.
    pub fn new(channel: Option<ChannelId>, view: SavedView) -> Self {
        let (filter, sort) = (view.filter.clone(), view.sort);
        let (at, anchor) = (Timestamp::default(), Anchor::Top);
        let wanted = ConversationQuery { channel, filter, sort, at, anchor, limit: FIRST };
        Self {
            view,
            typed: String::new(),
            sort,
            marks: Marks::default(),
            page: ConversationPage::default(),
            selected: None,
            first: 0,
            loaded: false,
            moved_at: None,
            untouched: true,
            scrolled: false,
            lost: None,
            arrived: Vec::new(),
            resource: Resource::of(LoadTimeouts::FILES, wanted.clone()),
            wanted,
            other: false,
        }
    }

    /// The selected row, if it is in the window.
    pub fn selected_row(&self) -> Option<&ConversationRow> {
        self.page.rows.get(self.index()?)
    }

    /// The selection's place in the window.
    pub fn index(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.page.rows.iter().position(|row| row.has_key(selected))
    }

    /// Whether it is known that there are no rows.
    pub fn is_empty(&self) -> bool {
        self.loaded && !self.other && self.page.rows.is_empty()
    }

    /// Whether rows lie above the screen.
    pub fn more_above(&self) -> bool {
        self.first > 0 || !self.page.reaches_top
    }

    /// The person does something with the selected row: from now on it stays
    /// selected, whatever comes before it.
    pub fn touch(&mut self) {
        self.untouched = false;
        self.lost = None;
    }

    /// How many that nobody has looked at came to stand above the cursor, and
    /// how many of them need a person.
    pub fn arrived(&self) -> (usize, usize) {
        let rows = self.page.rows.iter().filter(|row| row.unread > 0 && self.arrived.contains(&row.key()));
        rows.fold((0, 0), |(new, need), row| (new + 1, need + usize::from(row.needs_reply())))
    }

    /// Says that what is loaded may be old; the next [`Self::take_query`]
    /// asks again.
    pub fn mark_stale(&mut self) {
        self.resource.mark_stale();
    }

    /// The query to be sent now, if one is due and none is on its way.
    pub fn take_query(&mut self, times: ClockReading) -> Option<ConversationQuery> {
        if self.wanted.filter.uses_time() || self.sort == Sort::Window {
            let minute = Timestamp::from_micros(times.now.micros() / MINUTE * MINUTE);
            if !self.resource.is_asked() {
                self.wanted.at = minute;
                self.resource.want(self.wanted.clone());
            }
        }
        self.resource.take_due_query(times.moment)
    }

    /// Whether what was put aside is what it shows.
    pub fn is_showing_snoozed(&self) -> bool {
        let asked =
            |test: &filter::FilterTest| !test.negated && test.subject == FilterSubject::Is(IsFilter::Snoozed);
        self.wanted.filter.tests.iter().any(asked)
    }

    /// Whether it leaves out who has nothing but a broadcast.
    pub fn leaves_out_broadcasts(&self) -> bool {
        let left_out = |test: &filter::FilterTest| {
            test.negated && test.subject == FilterSubject::Is(IsFilter::Broadcast)
        };
        self.wanted.filter.tests.iter().any(left_out)
    }

    /// What it shows, as a query.
    pub fn query(&self) -> ConversationQuery {
        self.wanted.clone()
    }

    /// Shows another view, as it was saved.
    pub fn set_view(&mut self, view: SavedView) {
        self.sort = view.sort;
        self.view = view;
        self.typed.clear();
        self.show_first();
    }

    /// Narrows the view by what was typed.
    pub fn set_typed(&mut self, typed: &str) {
        if self.typed != typed {
            typed.clone_into(&mut self.typed);
            self.show_first();
        }
    }

    /// Shows the same rows in another order, with the selected one on screen.
    pub fn set_sort(&mut self, sort: Sort) {
        self.sort = sort;
        self.wanted.sort = sort;
        self.other = true;
        self.arrived.clear();
        self.want(match &self.selected {
            Some(selected) => Anchor::Around(selected.clone()),
            None => Anchor::Top,
        });
    }

    /// The first rows of what is wanted now; the first of them is chosen.
    fn show_first(&mut self) {
        self.wanted.filter = self.view.filter.narrow(&filter::parse(&self.typed).filter);
        self.wanted.sort = self.sort;
        (self.selected, self.lost) = (None, None);
        self.first = 0;
        self.other = true;
        self.scrolled = false;
        self.untouched = true;
        self.arrived.clear();
        self.want(Anchor::Top);
    }

    fn want(&mut self, anchor: Anchor) {
        self.wanted.anchor = anchor;
        self.resource.want(self.wanted.clone());
        self.resource.mark_stale();
    }

    /// A window came back. Returns whether it was the wanted one.
    pub fn receive(
        &mut self,
        query: &ConversationQuery,
        page: ConversationPage,
        (visible, follow): (usize, bool),
        now: Moment,
    ) -> bool {
        if !self.resource.receive(query) {
            return false;
        }
        let other = std::mem::take(&mut self.other);
        let offset = self.index().map(|index| index.saturating_sub(self.first));
        let old_index = self.index();
        let above: Vec<ConversationKey> =
            self.page.rows.iter().take(old_index.unwrap_or(0)).map(ConversationRow::key).collect();
        let knew_top = !other && self.page.reaches_top;
        self.page = page;
        self.loaded = true;
        if follow && self.untouched && old_index == Some(0) && self.marks.is_empty() && !other {
            return self.follow_top(visible, now);
        }
        if knew_top {
            self.note_arrivals(&above);
        }
        self.select_returned(now);
        match self.index() {
            Some(index) => {
                if let Some(offset) = offset.filter(|_| !self.scrolled) {
                    self.first = index.saturating_sub(offset);
                }
            }
            None => self.select_near(old_index, now),
        }
        self.reveal(visible);
        true
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
        let key = row.key();
        self.selected = Some(key.clone());
        (self.moved_at, self.lost) = (None, None);
        self.scrolled = false;
        self.untouched = index == 0 && self.page.reaches_top;
        let above = &self.page.rows[..index];
        self.arrived.retain(|conversation_key| above.iter().any(|row| row.has_key(conversation_key)));
        self.reveal(visible);
        let near_end = index + NEAR_EDGE >= self.page.rows.len() && !self.page.reaches_bottom;
        let near_start = index < NEAR_EDGE && !self.page.reaches_top;
        let anchor = match index {
            0 if self.page.reaches_top => Anchor::Top,
            _ => Anchor::Around(key),
        };
        if near_end || near_start {
            self.want(anchor);
        } else if index == 0 && self.page.reaches_top && self.wanted.anchor != Anchor::Top {
            // Back at the first row: from now on new ones are of interest.
            self.want(Anchor::Top);
        }
    }

    /// Selects a conversation; the window follows if it is elsewhere.
    pub fn select(&mut self, key: &ConversationKey, visible: usize) {
        match self.page.rows.iter().position(|row| row.has_key(key)) {
            // The loaded rows may be those of another question.
            Some(index) if !self.other => self.select_index(index, visible),
            _ => {
                self.selected = Some(key.clone());
                self.touch();
                self.want(Anchor::Around(key.clone()));
            }
        }
    }

    /// Goes to the first row.
    pub fn top(&mut self, visible: usize) {
        if self.page.reaches_top {
            self.select_index(0, visible);
        } else {
            (self.selected, self.lost) = (None, None);
            self.first = 0;
            self.untouched = true;
            self.arrived.clear();
            self.want(Anchor::Top);
        }
    }

    /// Goes to the last row.
    pub fn bottom(&mut self, visible: usize) {
        if self.page.reaches_bottom {
            let last = self.page.rows.len().saturating_sub(1);
            self.select_index(last, visible);
        } else {
            (self.selected, self.lost) = (None, None);
            self.want(Anchor::Bottom);
        }
    }

    /// The next row after the selection that needs a person, from the top
    /// again at the end; or the one before it, from the bottom again.
    pub fn next_waiting(&self, forwards: bool) -> Option<ConversationKey> {
        let rows = &self.page.rows;
        let (before, after) = match (self.index(), forwards) {
            (Some(index), true) => (&rows[..index], &rows[index + 1..]),
            (Some(index), false) => (&rows[index + 1..], &rows[..index]),
            (None, _) => (&rows[..0], &rows[..]),
        };
        let needs = |conversation_row: &&ConversationRow| conversation_row.needs_reply();
        let found = match forwards {
            true => after.iter().chain(before).find(needs),
            false => before.iter().chain(after).rfind(needs),
        };
        found.map(ConversationRow::key)
    }

    /// Scrolls the rows; the selection stays, and is shown again by the next
    /// step.
    pub fn scroll(&mut self, rows: isize, visible: usize) {
        let most = self.page.rows.len().saturating_sub(visible.max(1));
        self.first = self.first.saturating_add_signed(rows).min(most);
        self.scrolled = true;
    }

    /// Scrolls as little as needed to show the selection, unless the person
    /// has scrolled away from it.
    pub fn reveal(&mut self, visible: usize) {
        let visible = visible.max(1);
        let most = self.page.rows.len().saturating_sub(visible);
        self.first = self.first.min(most);
        if self.scrolled {
            return;
        }
        let Some(index) = self.index() else { return };
        if index < self.first {
            self.first = index;
        } else if index >= self.first + visible {
            self.first = index + 1 - visible;
        }
        self.first = self.first.min(most);
    }
}
