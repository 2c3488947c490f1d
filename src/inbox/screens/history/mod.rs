//! The message history of the current conversation: its items, its lines,
//! the selected item and a scroll position that stays with what is read.
//!
//! It says how many messages it wants.

pub(crate) mod ahead;
pub(crate) mod commands;
pub(crate) mod details;
pub mod find;
pub(crate) mod letters;
pub(crate) mod line_rows;
pub mod lines;
pub mod links_view;
pub(crate) mod pending_sends;
pub(crate) mod picture_rows;
pub mod pictures;
pub mod pictures_view;
pub(crate) mod pipe;
pub(crate) mod raw;
pub(crate) mod reactions;
pub(crate) mod reactions_view;
pub(crate) mod reading;
pub(crate) mod seeking;
pub mod split_view;
pub(crate) mod text_view;
pub mod view;
pub(crate) mod voice;

use std::collections::BTreeMap;

use crate::resource::{LoadTimeouts, Resource};
use crate::screens::history::find::Find;
use crate::screens::history::lines::{HistoryItem, HistoryLine, ItemKey, Shape, TextWidths};
use crate::screens::mail::reading::MailView;
use crate::screens::phone;
use model::conversations::ConversationRow;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::messages::{Direction, HistoryPosition, MessageRow};
use model::queries::{HistoryPage, HistoryQuery};
use model::text::SafeText;
use model::time::{Moment, Zone};

/// Messages loaded at first and with each further step back.
pub(crate) const STEP: u32 = 100;
/// Messages kept on screen's account at most.
const MOST: u32 = 20_000;

/// The history pane's state.
#[derive(Debug)]
pub struct History {
    pub conversation: ConversationId,
    /// Its row, as fresh as the history.
    pub row: Option<ConversationRow>,
    /// Its items, oldest first.
    pub items: Vec<HistoryItem>,
    /// Its lines at the current width.
    pub lines: Vec<HistoryLine>,
    /// The selected item; none follows the newest.
    pub selected: Option<ItemKey>,
    /// First line on screen while reading back; none follows the newest.
    pub first: Option<usize>,
    /// Messages that came while reading back.
    pub below: usize,
    /// Whether the person has gone into it, not only passed over its row.
    pub opened: bool,
    /// Whether anything has been loaded yet.
    pub loaded: bool,
    /// Whether nothing is told of it but what left from here.
    only_here: bool,
    pub letters: MailView,
    /// What is looked for in it.
    pub find: Option<Find>,
    sought: Option<ItemKey>,
    divider: Option<MessageId>,
    seen_before: Option<HistoryPosition>,
    more_stored: bool,
    more_on_server: bool,
    asked_server_at: Option<usize>,
    wanted: HistoryQuery,
    /// What is read of it.
    pub resource: Resource<HistoryQuery>,
    shape: (TextWidths, Zone),
    visible: usize,
    /// Rows of the pictures below their messages, by address.
    heights: BTreeMap<String, usize>,
    /// What it is about, for a person who took it over.
    pub(crate) brief: Option<crate::screens::composer::suggesting::SuggestionPanel>,
}

impl History {
    /// An empty history that wants its newest messages.
    pub fn new(channel: ChannelId, conversation: ConversationId) -> Self {
        let wanted = HistoryQuery { channel, conversation: conversation.clone(), limit: STEP };
        Self {
            row: None,
            items: Vec::new(),
            lines: Vec::new(),
            selected: None,
            first: None,
            below: 0,
            opened: false,
            loaded: false,
            only_here: false,
            letters: MailView::default(),
            find: None,
            sought: None,
            divider: None,
            seen_before: None,
            more_stored: false,
            more_on_server: false,
            asked_server_at: None,
            resource: Resource::of(LoadTimeouts::FILES, wanted.clone()),
            wanted,
            shape: (TextWidths::default(), Zone::UTC),
            visible: 1,
            heights: BTreeMap::new(),
            brief: None,
            conversation,
        }
    }

    /// What was said in it is told nowhere: only what left from here shows.
    pub fn tell_only_here(&mut self) {
        self.only_here = true;
        self.row = phone::listed_or_new(self.row.take(), &self.wanted.channel, &self.conversation);
    }

    /// Says that what is loaded may be old.
    pub fn mark_stale(&mut self) {
        self.resource.mark_stale();
    }

    /// The query to be sent now, if one is due and none is on its way.
    pub fn take_query(&mut self, now: Moment) -> Option<HistoryQuery> {
        self.resource.take_due_query(now)
    }

    /// The pane's size has changed: columns for text, rows, and the zone
    /// that days are counted in.
    pub fn set_shape(&mut self, widths: TextWidths, rows: usize, zone: &Zone) {
        self.visible = rows.max(1);
        if self.shape.0 != widths || self.shape.1 != *zone {
            self.shape = (widths, zone.clone());
            self.rebuild();
        }
    }

    /// The newest messages came back. Returns whether they were wanted.
    pub fn receive(&mut self, query: &HistoryQuery, mut page: HistoryPage) -> bool {
        if !self.resource.receive(query) {
            return false;
        }
        model::history_search::match_listed(&mut page.messages, &mut page.outbox);
        if !self.loaded {
            self.divider = crate::screens::history::seeking::first_unseen(&page);
            self.seen_before.clone_from(&page.seen_until);
        }
        let newest = self.newest_message();
        let arrived = count_after(&page.messages, newest.as_ref());
        if self.first.is_some() && self.loaded {
            self.below += arrived;
        }
        self.loaded = true;
        self.row = match self.only_here {
            true => phone::listed_or_new(page.conversation, &self.wanted.channel, &self.conversation),
            false => page.conversation,
        };
        self.more_stored = page.more_stored;
        self.more_on_server = page.more_on_server;
        let messages = self.with_letters(page.messages);
        self.items = lines::with_notes(messages, page.notes);
        self.items.extend(page.outbox.into_iter().filter_map(|row| {
            let text = lines::outbox_text(&row)?;
            Some(HistoryItem::Outbox(Box::new(row), text))
        }));
        self.rebuild();
        if self.shows_end() {
            self.below = 0;
        }
        if let Some(sought) = self.sought.take() {
            self.seek(&sought);
        }
        true
    }

    /// Makes the lines anew, keeping what is read where it is.
    fn rebuild(&mut self) {
        let anchor = self.first.and_then(|first| self.anchor_at(first));
        let head = if !self.loaded {
            None
        } else if self.only_here {
            Some("what left from here; the interface tells no more of calls and SMS")
        } else if self.is_new_mail() {
            Some("it gets a thread when it is sent")
        } else if self.more_stored || self.more_on_server {
            Some("older messages load as you go up")
        } else if self.items.is_empty() {
            Some("no messages yet")
        } else {
            Some("start of the conversation")
        };
        let shape = Shape {
            widths: self.shape.0,
            whole_headers: self.letters.unfolded,
            zone: &self.shape.1,
            divider: self.divider.as_ref(),
            head,
            heights: &self.heights,
        };
        self.lines = lines::flatten(&self.items, shape);
        if let Some(selected) = &self.selected
            && self.loaded
            && !self.items.iter().any(|item| item.key() == *selected)
        {
            self.selected = None;
        }
        if let Some((key, offset)) = anchor {
            let start = self.line_of(&key).unwrap_or(0);
            self.first = Some((start + offset).min(self.last_first()));
        }
    }

    /// The first item at or below a line, and how far the line is above it.
    fn anchor_at(&self, first: usize) -> Option<(ItemKey, usize)> {
        let (at, item) = self
            .lines
            .iter()
            .enumerate()
            .skip(first)
            .find_map(|(at, line)| lines::item_of(line).map(|item| (at, item)))?;
        let key = self.items.get(item)?.key();
        let start = self.line_of(&key).unwrap_or(at);
        Some((key, first.saturating_sub(start)))
    }

    fn line_of(&self, key: &ItemKey) -> Option<usize> {
        let item = self.items.iter().position(|item| item.key() == *key)?;
        self.lines.iter().position(|line| lines::item_of(line) == Some(item))
    }

    /// The greatest first line: the newest line is the last on screen.
    fn last_first(&self) -> usize {
        self.lines.len().saturating_sub(self.visible)
    }

    /// Whether the newest line is on screen.
    pub fn shows_end(&self) -> bool {
        self.first.is_none_or(|first| first >= self.last_first())
    }

    /// The lines on screen.
    pub fn window(&self) -> &[HistoryLine] {
        let first = self.first.unwrap_or(usize::MAX).min(self.last_first());
        let end = (first + self.visible).min(self.lines.len());
        &self.lines[first..end]
    }

    /// The place of the selected item.
    pub fn selected_index(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.items.iter().position(|item| item.key() == *selected)
    }

    /// The selected item, or the newest one.
    pub fn selected_item(&self) -> Option<&HistoryItem> {
        match self.selected_index() {
            Some(index) => self.items.get(index),
            None => self.items.last(),
        }
    }

    /// The selected message, or the newest one that is not ours.
    pub fn selected_message(&self) -> Option<&MessageRow> {
        match self.selected_index() {
            Some(index) => self.items.get(index).and_then(message_of),
            None => self
                .items
                .iter()
                .rev()
                .filter_map(message_of)
                .find(|message_row| message_row.message.direction == Direction::Inbound),
        }
    }

    /// Moves the selection by items.
    pub fn step(&mut self, items: isize) {
        let Some(last) = self.items.len().checked_sub(1) else { return };
        let index = match self.selected_index() {
            Some(index) => index.saturating_add_signed(items).min(last),
            None if items < 0 => last.saturating_add_signed(items + 1),
            None => return self.follow(),
        };
        if index == last && items > 0 {
            return self.follow();
        }
        self.select_index(index);
    }

    fn select_index(&mut self, index: usize) {
        let Some(item) = self.items.get(index) else { return };
        self.selected = Some(item.key());
        let of_item = |history_line: &HistoryLine| lines::item_of(history_line) == Some(index);
        let Some(start) = self.lines.iter().position(of_item) else { return };
        let end = self.lines.iter().rposition(of_item).unwrap_or(start) + 1;
        let first = self.first.unwrap_or(self.last_first()).min(self.last_first());
        let lead = if index == 0 { 0 } else { start };
        if start < first {
            self.first = Some(lead);
        } else if end > first + self.visible {
            self.first = Some(end.saturating_sub(self.visible).min(start));
        } else if self.first.is_none() && end < self.lines.len() {
            self.first = Some(first);
        }
    }

    /// Scrolls by lines; a whole screen is [`Self::visible_rows`].
    pub fn scroll(&mut self, by: isize) {
        let first = self.first.unwrap_or(self.last_first()).min(self.last_first());
        let moved = first.saturating_add_signed(by).min(self.last_first());
        if moved == self.last_first() && by > 0 {
            self.follow();
        } else {
            self.first = Some(moved);
        }
    }

    /// Rows of the pane.
    pub fn visible_rows(&self) -> usize {
        self.visible
    }

    /// Back to the newest message, following what comes.
    pub fn follow(&mut self) {
        (self.first, self.selected, self.below) = (None, None, 0);
    }

    /// To the oldest loaded line.
    pub fn top(&mut self) {
        self.first = Some(0);
        self.selected = self.items.first().map(HistoryItem::key);
    }

    /// Older messages that should be asked for because the top is near:
    /// widens the window, and says whether the server must be asked.
    pub fn want_older(&mut self) -> bool {
        let near_top = self.first.is_some_and(|number| number < self.visible);
        if !near_top || !self.loaded || self.resource.is_asked() || self.wanted.limit >= MOST {
            return false;
        }
        if self.more_stored {
            self.wanted.limit += STEP;
            self.resource.want(self.wanted.clone());
            return false;
        }
        // Asking again only makes sense once the last answer has come.
        let asked = self.more_on_server
            && !self.only_here
            && !self.is_new_mail()
            && self.asked_server_at != Some(self.items.len());
        if asked {
            self.asked_server_at = Some(self.items.len());
            self.wanted.limit += STEP;
            self.resource.amend(self.wanted.clone());
        }
        asked
    }

    /// The newest message this desk had seen before it was opened now.
    pub fn seen_before(&self) -> Option<HistoryPosition> {
        self.seen_before.clone()
    }

    /// The newest message, to be marked as seen.
    pub fn newest(&self) -> Option<HistoryPosition> {
        self.items
            .iter()
            .rev()
            .filter_map(message_of)
            .find_map(|message_row| Some((message_row.message.created_at?, message_row.message.id.clone())))
    }

    /// The name the pane gives the customer.
    pub fn customer(&self) -> SafeText {
        self.row.as_ref().map_or_else(SafeText::default, |row| row.conversation.title())
    }
}

pub fn message_of(item: &HistoryItem) -> Option<&MessageRow> {
    match item {
        HistoryItem::Message(row) => Some(row),
        HistoryItem::Outbox(..) | HistoryItem::Note(_) => None,
    }
}

/// How many messages stand after a known one.
fn count_after(messages: &[MessageRow], newest: Option<&MessageId>) -> usize {
    let Some(newest) = newest else { return 0 };
    messages.iter().rev().take_while(|message| message.message.id != *newest).count()
}
