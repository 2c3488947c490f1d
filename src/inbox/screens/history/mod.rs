//! The message history of the current conversation: items, lines, the selected item, and a scroll
//! position that stays with the text on screen.
//!
//! The history only says how many messages it wants ([`History::take_query`]).

pub(crate) mod commands;
pub(crate) mod details;
pub mod find;
pub(crate) mod line_rows;
pub mod lines;
pub mod links_view;
pub(crate) mod mails;
pub(crate) mod navigation;
pub(crate) mod pending_sends;
pub(crate) mod picture_rows;
pub mod pictures;
pub mod pictures_view;
pub(crate) mod pipe;
pub(crate) mod prefetch;
pub(crate) mod raw;
pub(crate) mod reactions;
pub(crate) mod reactions_view;
pub(crate) mod reading;
pub(crate) mod text_view;
pub mod view;
pub(crate) mod voice;

use std::collections::BTreeMap;

use crate::resource::{LoadTimeouts, Resource};
use crate::screens::history::find::Find;
use crate::screens::history::lines::{HistoryItem, HistoryLayout, HistoryLine, ItemKey, TextWidths};
use crate::screens::mail::reading::MailView;
use crate::screens::phone;
use model::conversations::ConversationRow;
use model::history_events::{self, HistoryEvent};
use model::ids::{ChannelId, ConversationId, MessageId};
use model::messages::{Direction, HistoryPosition, MessageRow};
use model::phone_entries::PhoneEntry;
use model::queries::{HistoryPage, HistoryQuery};
use model::text::SafeText;
use model::time::{Moment, Timestamp, Zone};

/// Messages loaded at first and per step back.
pub(crate) const MESSAGES_PER_PAGE: u32 = 100;
const MAX_MESSAGES: u32 = 20_000;

#[derive(Debug)]
pub struct History {
    pub conversation: ConversationId,
    /// The conversation's list row, loaded together with the history.
    pub row: Option<ConversationRow>,
    /// Oldest first.
    pub items: Vec<HistoryItem>,
    /// Takeovers, hand-backs, closes and reopenings, oldest first.
    events: Vec<HistoryEvent>,
    /// Calls and texts known only from the list of a phone, oldest first.
    listed: Vec<PhoneEntry>,
    pub lines: Vec<HistoryLine>,
    /// `None` follows the newest item.
    pub selected: Option<ItemKey>,
    /// First line on screen while reading back; `None` follows the newest line.
    pub first: Option<usize>,
    /// Messages that arrived while reading back.
    pub arrived_below: usize,
    /// True once the user entered the history, not only selected its row in the list.
    pub opened: bool,
    pub loaded: bool,
    /// True if the history holds only what was sent from this desk (calls and SMS).
    is_local_only: bool,
    pub mail_view: MailView,
    pub find: Option<Find>,
    pending_target: Option<ItemKey>,
    divider: Option<MessageId>,
    seen_before: Option<HistoryPosition>,
    more_stored: bool,
    more_on_server: bool,
    asked_server_at: Option<usize>,
    wanted: HistoryQuery,
    pub resource: Resource<HistoryQuery>,
    layout: (TextWidths, Zone),
    visible: usize,
    /// Rows of each picture, by address.
    heights: BTreeMap<String, usize>,
    /// Summary for an agent who took over the conversation.
    pub(crate) brief: Option<crate::screens::composer::suggestions::SuggestionPanel>,
    /// True if the conversation was taken over before the messages for its brief were read.
    pub(crate) awaits_brief: bool,
}

impl History {
    pub fn new(channel: ChannelId, conversation: ConversationId) -> Self {
        let wanted = HistoryQuery { channel, conversation: conversation.clone(), limit: MESSAGES_PER_PAGE };
        Self {
            row: None,
            items: Vec::new(),
            events: Vec::new(),
            listed: Vec::new(),
            lines: Vec::new(),
            selected: None,
            first: None,
            arrived_below: 0,
            opened: false,
            loaded: false,
            is_local_only: false,
            mail_view: MailView::default(),
            find: None,
            pending_target: None,
            divider: None,
            seen_before: None,
            more_stored: false,
            more_on_server: false,
            asked_server_at: None,
            resource: Resource::with_query(LoadTimeouts::FILES, wanted.clone()),
            wanted,
            layout: (TextWidths::default(), Zone::UTC),
            visible: 1,
            heights: BTreeMap::new(),
            brief: None,
            awaits_brief: false,
            conversation,
        }
    }

    /// Removes the brief, and forgets one that waits for the messages.
    pub(crate) fn drop_brief(&mut self) {
        self.brief = None;
        self.awaits_brief = false;
    }

    /// Limits the history to what was sent from this desk: the server reports no calls and SMS.
    pub fn limit_to_local(&mut self) {
        self.is_local_only = true;
        self.row = phone::listed_or_new(self.row.take(), &self.wanted.channel, &self.conversation);
    }

    pub fn mark_stale(&mut self) {
        self.resource.mark_stale();
    }

    /// Returns the query to send now, if one is due and none is in flight.
    pub fn take_query(&mut self, now: Moment) -> Option<HistoryQuery> {
        self.resource.take_due_query(now)
    }

    pub fn set_layout(&mut self, widths: TextWidths, rows: usize, zone: &Zone) {
        self.visible = rows.max(1);
        if self.layout.0 != widths || self.layout.1 != *zone {
            self.layout = (widths, zone.clone());
            self.rebuild();
        }
    }

    /// Takes a loaded page. Returns false if the query is no longer the wanted one.
    pub fn receive(&mut self, query: &HistoryQuery, mut page: HistoryPage) -> bool {
        if !self.resource.receive(query) {
            return false;
        }
        model::history_search::match_listed(&mut page.messages, &mut page.outbox);
        if !self.loaded {
            self.divider = crate::screens::history::navigation::first_unseen(&page);
            self.seen_before.clone_from(&page.seen_until);
        }
        let newest = self.newest_message();
        let arrived = count_after(&page.messages, newest.as_ref());
        if self.first.is_some() && self.loaded {
            self.arrived_below += arrived;
        }
        self.loaded = true;
        self.row = match self.is_local_only {
            true => phone::listed_or_new(page.conversation, &self.wanted.channel, &self.conversation),
            false => page.conversation,
        };
        self.listed = page.listed;
        self.more_stored = page.more_stored;
        self.more_on_server = page.more_on_server;
        let inbound = page.messages.iter().filter(|row| row.message.direction == Direction::Inbound);
        let inbound: Vec<Timestamp> = inbound.filter_map(|row| row.message.created_at).collect();
        self.events = history_events::with_reopenings(page.events, &inbound);
        let messages = self.with_mail_texts(page.messages);
        self.items = lines::with_notes(messages, page.notes);
        self.items.extend(page.outbox.into_iter().filter_map(|row| {
            let text = lines::outbox_text(&row)?;
            Some(HistoryItem::Outbox(Box::new(row), text))
        }));
        self.rebuild();
        if self.is_at_end() {
            self.arrived_below = 0;
        }
        if let Some(sought) = self.pending_target.take() {
            self.seek(&sought);
        }
        true
    }

    /// Recomputes the lines and keeps the scroll position on the same item.
    fn rebuild(&mut self) {
        let anchor = self.first.and_then(|first| self.anchor_at(first));
        let head = if !self.loaded {
            None
        } else if self.is_local_only {
            Some(match self.has_messages_from_elsewhere() {
                true => "Earlier calls and texts may be missing",
                false => "Only messages sent from this desk are shown",
            })
        } else if self.is_new_mail() {
            Some("no thread until it is sent")
        } else if self.more_stored || self.more_on_server {
            Some("older messages load as you go up")
        } else if self.items.is_empty() {
            Some("no messages yet")
        } else {
            Some("start of the conversation")
        };
        let listed = self.listed_entries();
        let shape = HistoryLayout {
            widths: self.layout.0,
            full_headers: self.mail_view.unfolded,
            subject: self.row.as_ref().and_then(|row| row.thread.as_ref()?.subject.as_ref()),
            zone: &self.layout.1,
            divider: self.divider.as_ref(),
            top_note: head,
            events: &self.events,
            listed: &listed,
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
            self.first = Some((start + offset).min(self.max_first_line()));
        }
    }

    /// True if the service reports messages from other places.
    fn has_messages_from_elsewhere(&self) -> bool {
        let is_received = |row: &MessageRow| row.message.direction == Direction::Inbound;
        self.items.iter().filter_map(message_of).any(is_received) || !self.listed_entries().is_empty()
    }

    /// Entries of the phone's list, with the row's own unless it is among them.
    fn listed_entries(&self) -> Vec<PhoneEntry> {
        let mut listed = self.listed.clone();
        let newest = self.row.as_ref().filter(|_| self.is_local_only).and_then(|row| {
            let text = row.conversation.preview.clone();
            Some(PhoneEntry { at: row.conversation.last_message_at?, text })
        });
        let is_known = |newest: &PhoneEntry| listed.iter().any(|entry| entry.at == newest.at);
        if let Some(newest) = newest.filter(|newest| !newest.text.is_empty() && !is_known(newest)) {
            listed.push(newest);
        }
        listed
    }

    /// Returns the first item at or below a line, and the line's offset below the item's start.
    fn anchor_at(&self, first: usize) -> Option<(ItemKey, usize)> {
        let (at, item) = self
            .lines
            .iter()
            .enumerate()
            .skip(first)
            .find_map(|(at, line)| lines::item_index(line).map(|item| (at, item)))?;
        let key = self.items.get(item)?.key();
        let start = self.line_of(&key).unwrap_or(at);
        Some((key, first.saturating_sub(start)))
    }

    fn line_of(&self, key: &ItemKey) -> Option<usize> {
        let item = self.items.iter().position(|item| item.key() == *key)?;
        self.lines.iter().position(|line| lines::item_index(line) == Some(item))
    }

    /// Greatest first line: the newest line is then the last on screen.
    fn max_first_line(&self) -> usize {
        self.lines.len().saturating_sub(self.visible)
    }

    pub fn is_at_end(&self) -> bool {
        self.first.is_none_or(|first| first >= self.max_first_line())
    }

    pub fn visible_lines(&self) -> &[HistoryLine] {
        let first = self.first.unwrap_or(usize::MAX).min(self.max_first_line());
        let end = (first + self.visible).min(self.lines.len());
        &self.lines[first..end]
    }

    pub fn selected_index(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.items.iter().position(|item| item.key() == *selected)
    }

    /// Returns the selected item, or the newest one.
    pub fn selected_item(&self) -> Option<&HistoryItem> {
        match self.selected_index() {
            Some(index) => self.items.get(index),
            None => self.items.last(),
        }
    }

    /// Returns the selected message, or the newest inbound one if nothing is selected.
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

    /// Moves the selection by `items`; a step past the newest follows new messages.
    pub fn step(&mut self, items: isize) {
        let Some(last) = self.items.len().checked_sub(1) else { return };
        let index = match self.selected_index() {
            Some(index) => index.saturating_add_signed(items).min(last),
            None if items < 0 => last.saturating_add_signed(items + 1),
            None => return self.follow_newest(),
        };
        if index == last && items > 0 {
            return self.follow_newest();
        }
        self.select_index(index);
    }

    fn select_index(&mut self, index: usize) {
        let Some(item) = self.items.get(index) else { return };
        self.selected = Some(item.key());
        let of_item = |history_line: &HistoryLine| lines::item_index(history_line) == Some(index);
        let Some(start) = self.lines.iter().position(of_item) else { return };
        let end = self.lines.iter().rposition(of_item).unwrap_or(start) + 1;
        let first = self.first.unwrap_or(self.max_first_line()).min(self.max_first_line());
        let lead = if index == 0 { 0 } else { start };
        if start < first {
            self.first = Some(lead);
        } else if end > first + self.visible {
            self.first = Some(end.saturating_sub(self.visible).min(start));
        } else if self.first.is_none() && end < self.lines.len() {
            self.first = Some(first);
        }
    }

    /// Scrolls by lines; at the end it follows new messages.
    pub fn scroll(&mut self, by: isize) {
        let first = self.first.unwrap_or(self.max_first_line()).min(self.max_first_line());
        let moved = first.saturating_add_signed(by).min(self.max_first_line());
        if moved == self.max_first_line() && by > 0 {
            self.follow_newest();
        } else {
            self.first = Some(moved);
        }
    }

    pub fn visible_rows(&self) -> usize {
        self.visible
    }

    /// Goes back to the newest message and follows new ones.
    pub fn follow_newest(&mut self) {
        (self.first, self.selected, self.arrived_below) = (None, None, 0);
    }

    /// Goes to the oldest loaded line.
    pub fn top(&mut self) {
        self.first = Some(0);
        self.selected = self.items.first().map(HistoryItem::key);
    }

    /// Requests older messages if the top is near; true if the server must be asked for them.
    pub fn request_older(&mut self) -> bool {
        let near_top = self.first.is_some_and(|number| number < self.visible);
        if !near_top || !self.loaded || self.resource.is_in_flight() || self.wanted.limit >= MAX_MESSAGES {
            return false;
        }
        if self.more_stored {
            self.wanted.limit += MESSAGES_PER_PAGE;
            self.resource.set_query(self.wanted.clone());
            return false;
        }
        // Ask the server again only after its last answer added items.
        let asked = self.more_on_server
            && !self.is_local_only
            && !self.is_new_mail()
            && self.asked_server_at != Some(self.items.len());
        if asked {
            self.asked_server_at = Some(self.items.len());
            self.wanted.limit += MESSAGES_PER_PAGE;
            self.resource.replace_query(self.wanted.clone());
        }
        asked
    }

    /// Returns the newest message that was seen before this visit.
    pub fn seen_before(&self) -> Option<HistoryPosition> {
        self.seen_before.clone()
    }

    /// Returns the newest message, to be marked as seen.
    pub fn newest_position(&self) -> Option<HistoryPosition> {
        self.items
            .iter()
            .rev()
            .filter_map(message_of)
            .find_map(|message_row| Some((message_row.message.created_at?, message_row.message.id.clone())))
    }

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

fn count_after(messages: &[MessageRow], newest: Option<&MessageId>) -> usize {
    let Some(newest) = newest else { return 0 };
    let arrived: Vec<&MessageRow> =
        messages.iter().rev().take_while(|message| message.message.id != *newest).collect();
    // An album counts once.
    let repeats = arrived.windows(2).filter(|pair| pair[0].is_in_album_of(pair[1])).count();
    arrived.len() - repeats
}
