//! The page that looks for words in everything this desk has seen, as they
//! are typed.
//!
//! A question whose words have changed meanwhile is no longer answered.

pub(crate) mod update;

use crate::components::text_line::TextLine;
use model::contacts::FoundContact;
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::search::{NoteHit, SearchHit, SearchQuery};
use model::time::{Moment, Timestamp};

/// Hits asked for at once.
const LIMIT: u32 = 50;
/// Letters from which it is looked.
const LETTERS: usize = 2;
/// How long nothing is typed before servers are asked.
const REST: i64 = 250_000;
/// Lines of one row.
pub const LINES: u16 = 2;

/// The page's state; it is as it was left when it is opened again.
#[derive(Debug, Default)]
pub struct Search {
    /// What was typed.
    pub text: TextLine,
    /// Whether only the active tab is looked in.
    pub only_here: bool,
    pub found: Vec<SearchResult>,
    pub chosen: usize,
    /// First row on screen.
    pub first: usize,
    /// Whether older messages are still being made ready.
    pub partial: bool,
    /// How far back local data goes.
    pub since: Option<Timestamp>,
    /// Whether the newest question has been answered.
    pub answered: bool,
    /// Whether more can be found.
    pub more: bool,
    wanted: Option<SearchQuery>,
    contacts: Vec<FoundContact>,
    /// When the servers are asked.
    asks_at: Option<Moment>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchResult {
    /// Someone whose name or number it is.
    Person(Box<ConversationRow>),
    /// A private note.
    Note(Box<NoteHit>),
    Message(Box<SearchHit>),
    /// A contact of the server who has no conversation here.
    Contact(Box<FoundContact>),
}

impl Search {
    /// Whether enough was typed.
    pub fn is_asked(&self) -> bool {
        self.text.text().trim().chars().count() >= LETTERS
    }

    /// Puts the contacts behind what this desk has found.
    fn add_contacts(&mut self) {
        self.found.retain(|search_result| !matches!(search_result, SearchResult::Contact(_)));
        self.found
            .extend(self.contacts.iter().cloned().map(|contact| SearchResult::Contact(Box::new(contact))));
    }

    fn step(&mut self, by: isize) {
        let last = self.found.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    /// Scrolls as little as needed to show the chosen row.
    pub fn reveal(&mut self, rows: usize) {
        let rows = rows.max(1);
        self.first = self.first.min(self.chosen).max((self.chosen + 1).saturating_sub(rows));
    }
}

/// The page over the screen. Its state is the inbox's, so that it can be gone
/// back to.
#[derive(Debug)]
pub(crate) struct SearchPrompt;

impl Search {
    /// A server found contacts; those to other words are dropped.
    pub(crate) fn contacts_found(&mut self, channel: &ChannelId, words: &str, found: Vec<FoundContact>) {
        if self.text.text().trim() != words {
            return;
        }
        self.contacts.retain(|contact| contact.channel != *channel);
        self.contacts.extend(found);
        if self.answered && !self.more {
            self.add_contacts();
        }
    }
}
