//! Full-text search over all stored data, while typing. Answers to earlier words are dropped.

pub(crate) mod update;

use crate::components::text_line::TextLine;
use model::contacts::FoundContact;
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::queries::{ConversationKey, ConversationQuery};
use model::search::{NoteHit, SearchHit, SearchQuery};
use model::time::{Moment, Timestamp};

/// Hits per query.
const PAGE_SIZE: u32 = 50;
const MAX_VIEW_ROWS: u32 = 20;
const MIN_QUERY_CHARS: usize = 2;
/// Pause in typing before servers are queried, in microseconds.
const SERVER_QUERY_DELAY: i64 = 250_000;
pub const LINES_PER_HIT: u16 = 2;

/// State of the page; kept while it is closed.
#[derive(Debug, Default)]
pub struct Search {
    pub text: TextLine,
    pub only_active_tab: bool,
    pub results: Vec<SearchResult>,
    pub chosen: usize,
    pub first_visible: usize,
    /// True while older messages are still being indexed.
    pub is_indexing: bool,
    /// Time of the oldest local message.
    pub oldest_message_at: Option<Timestamp>,
    /// True once the newest query was answered.
    pub answered: bool,
    pub has_more: bool,
    query: Option<SearchQuery>,
    /// Query for the rows of the view that was on screen.
    view_query: Option<ConversationQuery>,
    view_name: String,
    /// Rows of the view that match.
    view_rows: Vec<ConversationRow>,
    /// Hits everywhere, with those of the view.
    found: Vec<SearchResult>,
    contacts: Vec<FoundContact>,
    server_query_at: Option<Moment>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SearchResult {
    /// Title of the results below; it cannot be chosen.
    Heading(String),
    /// A match in a name or number.
    Person(Box<ConversationRow>),
    Note(Box<NoteHit>),
    Message(Box<SearchHit>),
    /// A contact of the server without a conversation.
    Contact(Box<FoundContact>),
}

impl Search {
    pub fn has_query_text(&self) -> bool {
        self.text.text().trim().chars().count() >= MIN_QUERY_CHARS
    }

    /// Lists the rows of the view first, then the rest, then the servers' contacts. The chosen
    /// result stays chosen.
    fn list_results(&mut self) {
        let chosen = self.results.get(self.chosen).cloned();
        let in_view =
            |result: &SearchResult| matches!(result, SearchResult::Person(row) if self.view_has(&row.key()));
        let mut rest: Vec<SearchResult> =
            self.found.iter().filter(|result| !in_view(result)).cloned().collect();
        if self.answered && !self.has_more {
            rest.extend(
                self.contacts.iter().cloned().map(|contact| SearchResult::Contact(Box::new(contact))),
            );
        }
        let view: Vec<SearchResult> =
            self.view_rows.iter().map(|row| SearchResult::Person(Box::new(row.clone()))).collect();
        let mut results = Vec::new();
        if !view.is_empty() {
            results.push(SearchResult::Heading(self.view_name.clone()));
            results.extend(view);
            if !rest.is_empty() {
                results.push(SearchResult::Heading("Everywhere".to_owned()));
            }
        }
        results.extend(rest);
        self.results = results;
        let place = chosen.and_then(|chosen| self.results.iter().position(|result| *result == chosen));
        self.chosen = place.unwrap_or(0);
        self.leave_heading(1);
    }

    fn view_has(&self, key: &ConversationKey) -> bool {
        self.view_rows.iter().any(|row| row.has_key(key))
    }

    /// Number of results, without the headings.
    pub fn count(&self) -> usize {
        self.results.iter().filter(|result| !matches!(result, SearchResult::Heading(_))).count()
    }

    fn step(&mut self, by: isize) {
        let last = self.results.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
        self.leave_heading(if by < 0 { -1 } else { 1 });
    }

    /// Moves from a heading to the next result in a direction; at the top to the one below.
    fn leave_heading(&mut self, by: isize) {
        if matches!(self.results.get(self.chosen), Some(SearchResult::Heading(_))) {
            let moved = self.chosen.checked_add_signed(by).unwrap_or(self.chosen + 1);
            self.chosen = moved.min(self.results.len().saturating_sub(1));
        }
    }

    /// Scrolls as little as needed to show the selected row.
    pub fn reveal(&mut self, rows: usize) {
        let rows = rows.max(1);
        self.first_visible = self.first_visible.min(self.chosen).max((self.chosen + 1).saturating_sub(rows));
    }
}

/// The popup; its state is in the inbox, so that it survives closing.
#[derive(Debug)]
pub(crate) struct SearchPrompt;

impl Search {
    /// Stores contacts from a server; those for other words are dropped.
    pub(crate) fn receive_contacts(&mut self, channel: &ChannelId, words: &str, found: Vec<FoundContact>) {
        if self.text.text().trim() != words {
            return;
        }
        self.contacts.retain(|contact| contact.channel != *channel);
        self.contacts.extend(found);
        self.list_results();
    }
}
