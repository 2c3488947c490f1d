//! The conversation list of one tab or of all tabs: a window of rows, a selection by id, and a
//! scroll position that keeps the selected row at its place on screen.
//!
//! The list only says which window it wants ([`ConversationList::take_query`]).

pub(crate) mod bulk_actions;
pub mod bulk_plan;
pub mod card;
pub mod card_view;
pub(crate) mod claims;
pub(crate) mod commands;
pub(crate) mod done;
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
use model::queue::Section;
use model::time::{ClockReading, MINUTE, Moment, Timestamp};

/// Rows per query.
const WINDOW_ROWS: u32 = 200;
/// Rows of the first query, before anything is on screen.
const FIRST_QUERY_ROWS: u32 = 64;
/// Distance from the window's edge, in rows, at which the next window is requested.
const EDGE_DISTANCE_ROWS: usize = 40;

pub(crate) const ROW_LINES: u16 = 2;

/// Content of a line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListEntry {
    Header(Section),
    /// Index into the window.
    Row(usize),
}

#[derive(Debug)]
pub struct ConversationList {
    pub view: SavedView,
    pub typed: String,
    pub sort: Sort,
    pub marks: Marks,
    pub page: ConversationPage,
    pub selected: Option<ConversationKey>,
    /// First row on screen, as an index into the window.
    pub first: usize,
    pub loaded: bool,
    /// Time of the last selection move without a key press.
    pub moved_at: Option<Moment>,
    /// True until the user acts on the selected first row: the selection then follows the top of
    /// the list.
    untouched: bool,
    /// True after the user scrolled away from the selection.
    scrolled: bool,
    /// The row the user selected last, after it left the list.
    lost_row: Option<LostRow>,
    /// Place of the selected row before it left the list while its conversation was open: it stays
    /// selected, and no row is highlighted.
    unlisted_at: Option<usize>,
    /// True while the rows around a selection are read that may not be in the list.
    awaits_selected: bool,
    /// Conversations that appeared above the cursor since it was at the top.
    arrived: Vec<ConversationKey>,
    wanted: ConversationQuery,
    pub resource: Resource<ConversationQuery>,
    /// True while the loaded rows answer an older query than `wanted`.
    answers_old_query: bool,
}

impl ConversationList {
    /// Creates an empty list of one tab, or of all tabs if `channel` is `None`.
    pub fn new(channel: Option<ChannelId>, view: SavedView) -> Self {
        let (filter, sort) = (view.filter.clone(), view.sort);
        let (at, anchor) = (Timestamp::default(), Anchor::Top);
        let wanted = ConversationQuery { channel, filter, sort, at, anchor, limit: FIRST_QUERY_ROWS };
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
            lost_row: None,
            unlisted_at: None,
            awaits_selected: false,
            arrived: Vec::new(),
            resource: Resource::with_query(LoadTimeouts::FILES, wanted.clone()),
            wanted,
            answers_old_query: false,
        }
    }

    pub fn selected_row(&self) -> Option<&ConversationRow> {
        self.page.rows.get(self.index()?)
    }

    pub fn index(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.page.rows.iter().position(|row| row.has_key(selected))
    }

    /// True if the list is known to have no rows.
    pub fn is_empty(&self) -> bool {
        self.loaded && !self.answers_old_query && self.page.rows.is_empty()
    }

    /// Returns the section of a row if the list shows sections.
    pub(crate) fn section_of(&self, index: usize) -> Option<Section> {
        let row = self.page.rows.get(index).filter(|_| self.sort == Sort::Queue)?;
        row.section()
    }

    /// Returns the entries that fit in a height of lines, each with its first line. The section of
    /// the first row has its header in the border above.
    pub(crate) fn layout(&self, height: u16) -> Vec<(ListEntry, u16)> {
        let (mut entries, mut line) = (Vec::new(), 0);
        for index in self.first..self.page.rows.len() {
            let section = self.section_of(index);
            if index > self.first && section != self.section_of(index - 1) {
                // A header alone at the bottom says nothing.
                if line + 1 >= height {
                    break;
                }
                entries.extend(section.map(|section| (ListEntry::Header(section), line)));
                line += 1;
            }
            if line >= height {
                break;
            }
            entries.push((ListEntry::Row(index), line));
            line += ROW_LINES;
        }
        entries
    }

    /// Returns the row at a line of the list; `None` for a header.
    pub(crate) fn row_at(&self, line: u16, height: u16) -> Option<usize> {
        let entries = self.layout(height);
        let (entry, _) = entries.into_iter().take_while(|(_, first)| *first <= line).last()?;
        match entry {
            ListEntry::Row(index) => Some(index),
            ListEntry::Header(_) => None,
        }
    }

    /// Lines between the top of the list and a row, if `first` is the first row on screen.
    fn lines_above(&self, first: usize, index: usize) -> usize {
        let headers = (first + 1..=index).filter(|at| self.section_of(*at) != self.section_of(at - 1));
        (index - first) * usize::from(ROW_LINES) + headers.count()
    }

    /// True if a row is completely on screen; `visible` is the number of rows without
    /// headers.
    fn fits(&self, first: usize, index: usize, visible: usize) -> bool {
        let lines = visible.max(1) * usize::from(ROW_LINES);
        self.lines_above(first, index) + usize::from(ROW_LINES) <= lines
    }

    /// Returns the first row on screen when the list is scrolled to its end.
    fn last_first(&self, visible: usize) -> usize {
        let Some(last) = self.page.rows.len().checked_sub(1) else { return 0 };
        (0..=last).rev().take_while(|first| self.fits(*first, last, visible)).last().unwrap_or(last)
    }

    pub fn more_above(&self) -> bool {
        self.first > 0 || !self.page.reaches_top
    }

    /// Marks the selected row as used: it stays selected when rows arrive above it.
    pub fn mark_touched(&mut self) {
        self.untouched = false;
        self.lost_row = None;
    }

    /// Counts the unread rows that appeared above the cursor: all, and those that need a person.
    pub fn count_arrivals(&self) -> (usize, usize) {
        let rows = self.page.rows.iter().filter(|row| row.unread > 0 && self.arrived.contains(&row.key()));
        rows.fold((0, 0), |(new, need), row| (new + 1, need + usize::from(row.needs_person())))
    }

    /// Marks the loaded rows as outdated; the next [`Self::take_query`] asks again.
    pub fn mark_stale(&mut self) {
        self.resource.mark_stale();
    }

    /// Returns the query to send now, if one is due and none is in flight. Queries that depend on
    /// time are rounded to the minute.
    pub fn take_query(&mut self, times: ClockReading) -> Option<ConversationQuery> {
        if self.wanted.filter.uses_time() || self.sort == Sort::Window {
            let minute = Timestamp::from_micros(times.now.micros() / MINUTE * MINUTE);
            if !self.resource.is_in_flight() {
                self.wanted.at = minute;
                self.resource.set_query(self.wanted.clone());
            }
        }
        self.resource.take_due_query(times.moment)
    }

    pub fn is_showing_snoozed(&self) -> bool {
        let asked =
            |test: &filter::FilterTest| !test.negated && test.subject == FilterSubject::Is(IsFilter::Snoozed);
        self.wanted.filter.tests.iter().any(asked)
    }

    /// True if the view excludes conversations with nothing but a broadcast.
    pub fn excludes_broadcasts(&self) -> bool {
        let left_out = |test: &filter::FilterTest| {
            test.negated && test.subject == FilterSubject::Is(IsFilter::Broadcast)
        };
        self.wanted.filter.tests.iter().any(left_out)
    }

    pub fn query(&self) -> ConversationQuery {
        self.wanted.clone()
    }

    pub fn set_view(&mut self, view: SavedView) {
        self.sort = view.sort;
        self.view = view;
        self.typed.clear();
        self.show_first();
    }

    pub fn set_typed_filter(&mut self, typed: &str) {
        if self.typed != typed {
            typed.clone_into(&mut self.typed);
            self.show_first();
        }
    }

    /// Changes the order and keeps the selected row on screen.
    pub fn set_sort(&mut self, sort: Sort) {
        self.sort = sort;
        self.wanted.sort = sort;
        self.answers_old_query = true;
        self.arrived.clear();
        self.request_anchor(match &self.selected {
            Some(selected) => Anchor::Around(selected.clone()),
            None => Anchor::Top,
        });
    }

    /// Requests the top of the current filter and drops the selection.
    fn show_first(&mut self) {
        self.wanted.filter = self.view.filter.narrow(&filter::parse(&self.typed).filter);
        self.wanted.sort = self.sort;
        self.drop_selection();
        self.first = 0;
        self.answers_old_query = true;
        self.scrolled = false;
        self.untouched = true;
        self.arrived.clear();
        self.request_anchor(Anchor::Top);
    }

    fn drop_selection(&mut self) {
        (self.selected, self.lost_row, self.unlisted_at) = (None, None, None);
        self.awaits_selected = false;
    }

    fn request_anchor(&mut self, anchor: Anchor) {
        self.wanted.anchor = anchor;
        self.resource.set_query(self.wanted.clone());
        self.resource.mark_stale();
    }

    /// Takes a loaded window. Returns false if the query is no longer the wanted one. With
    /// `is_open`, the selected conversation is being read or answered and stays selected.
    pub fn receive(
        &mut self,
        query: &ConversationQuery,
        page: ConversationPage,
        (visible, follow, is_open): (usize, bool, bool),
        now: Moment,
    ) -> bool {
        if !self.resource.receive(query) {
            return false;
        }
        let stays = is_open || std::mem::take(&mut self.awaits_selected) || self.unlisted_at.is_some();
        let other = std::mem::take(&mut self.answers_old_query);
        let shown = self.index().filter(|index| *index >= self.first && !self.scrolled);
        let line = shown.map(|index| self.lines_above(self.first, index));
        let old_index = self.index();
        let before: Vec<ConversationKey> = self.page.rows.iter().map(ConversationRow::key).collect();
        let knew_top = !other && self.page.reaches_top;
        self.page = page;
        self.loaded = true;
        if follow && self.untouched && old_index == Some(0) && self.marks.is_empty() && !other {
            return self.follow_top(visible, now);
        }
        if knew_top {
            self.record_arrivals(&before);
        }
        self.select_returned();
        match self.index() {
            Some(index) => {
                self.unlisted_at = None;
                if let Some(line) = line {
                    let fitting = (0..=index).rev();
                    let fitting = fitting.take_while(|first| self.lines_above(*first, index) <= line);
                    self.first = fitting.last().unwrap_or(index);
                }
            }
            None if stays && self.selected.is_some() => {
                self.unlisted_at = Some(self.unlisted_at.or(old_index).unwrap_or(0));
            }
            None => self.select_near(old_index, now),
        }
        self.reveal(visible);
        true
    }

    pub fn step(&mut self, rows: isize, visible: usize) {
        let Some(last) = self.page.rows.len().checked_sub(1) else { return };
        // The row below has moved up to the place of the one that left.
        let gap = isize::from(self.index().is_none() && self.unlisted_at.is_some() && rows > 0);
        let from = self.index().or(self.unlisted_at).unwrap_or(0);
        self.select_index(from.saturating_add_signed(rows - gap).min(last), visible);
    }

    /// Selects the open conversation without asking for other rows; it need not be in the list.
    pub(crate) fn follow_open(&mut self, open: &ConversationKey, visible: usize) {
        if self.selected.as_ref() == Some(open) {
            return;
        }
        let place = self.index().or(self.unlisted_at).unwrap_or(0);
        self.selected = Some(open.clone());
        self.mark_touched();
        self.scrolled = false;
        self.unlisted_at = self.index().is_none().then_some(place);
        self.reveal(visible);
    }

    /// Selects a row again where the selected one is not in the list and its conversation is not
    /// on screen.
    pub(crate) fn select_listed(&mut self, visible: usize, now: Moment) {
        if let Some(place) = self.unlisted_at.take().filter(|_| self.index().is_none()) {
            self.select_near(Some(place), now);
            self.reveal(visible);
        }
    }

    pub fn select_index(&mut self, index: usize, visible: usize) {
        let Some(row) = self.page.rows.get(index) else { return };
        let key = row.key();
        self.selected = Some(key.clone());
        (self.moved_at, self.lost_row, self.unlisted_at) = (None, None, None);
        self.awaits_selected = false;
        self.scrolled = false;
        self.untouched = index == 0 && self.page.reaches_top;
        let above = &self.page.rows[..index];
        self.arrived.retain(|conversation_key| above.iter().any(|row| row.has_key(conversation_key)));
        self.reveal(visible);
        let near_end = index + EDGE_DISTANCE_ROWS >= self.page.rows.len() && !self.page.reaches_bottom;
        let near_start = index < EDGE_DISTANCE_ROWS && !self.page.reaches_top;
        let anchor = match index {
            0 if self.page.reaches_top => Anchor::Top,
            _ => Anchor::Around(key),
        };
        if near_end || near_start {
            self.request_anchor(anchor);
        } else if index == 0 && self.page.reaches_top && self.wanted.anchor != Anchor::Top {
            // Back at the first row: follow new arrivals again.
            self.request_anchor(Anchor::Top);
        }
    }

    /// Selects a conversation and requests a window around it if it is not loaded.
    pub fn select(&mut self, key: &ConversationKey, visible: usize) {
        match self.page.rows.iter().position(|row| row.has_key(key)) {
            // The loaded rows may answer an older query.
            Some(index) if !self.answers_old_query => self.select_index(index, visible),
            _ => {
                self.selected = Some(key.clone());
                self.mark_touched();
                (self.unlisted_at, self.awaits_selected) = (None, true);
                self.request_anchor(Anchor::Around(key.clone()));
            }
        }
    }

    pub fn top(&mut self, visible: usize) {
        if self.page.reaches_top {
            self.select_index(0, visible);
        } else {
            self.drop_selection();
            self.first = 0;
            self.untouched = true;
            self.arrived.clear();
            self.request_anchor(Anchor::Top);
        }
    }

    pub fn bottom(&mut self, visible: usize) {
        if self.page.reaches_bottom {
            let last = self.page.rows.len().saturating_sub(1);
            self.select_index(last, visible);
        } else {
            self.drop_selection();
            self.request_anchor(Anchor::Bottom);
        }
    }

    /// Scrolls without moving the selection; the next step reveals it again.
    pub fn scroll(&mut self, rows: isize, visible: usize) {
        let most = self.last_first(visible);
        self.first = self.first.saturating_add_signed(rows).min(most);
        self.scrolled = true;
    }

    /// Scrolls as little as needed to show the selection, unless the user has scrolled away.
    pub fn reveal(&mut self, visible: usize) {
        let most = self.last_first(visible);
        self.first = self.first.min(most);
        if self.scrolled {
            return;
        }
        let Some(index) = self.index() else { return };
        self.first = self.first.min(index);
        while self.first < index && !self.fits(self.first, index, visible) {
            self.first += 1;
        }
        self.first = self.first.min(most);
    }
}
