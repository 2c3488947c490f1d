//! The page that looks for words in everything this desk has seen, as they
//! are typed.
//!
//! A question whose words have changed meanwhile is no longer answered.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::screens::history::find::Find;
use crate::screens::history::lines::ItemKey;
use crate::tab::Focus;
use model::account::Platform;
use model::contacts::FoundContact;
use model::conversations::ConversationRow;
use model::fetches::Fetch;
use model::ids::ChannelId;
use model::queries::ConversationKey;
use model::search::{NoteHit, SearchHit, SearchPage, SearchQuery};
use model::time::Timestamp;

/// Hits asked for at once.
const LIMIT: u32 = 50;
/// Letters from which it is looked.
const LETTERS: usize = 2;
/// How long nothing is typed before servers are asked.
const REST: i64 = 250_000;
/// Lines of one row.
pub const LINES: usize = 2;

/// The page's state; it is as it was left when it is opened again.
#[derive(Debug, Default)]
pub struct Search {
    /// What was typed.
    pub text: TextLine,
    /// Whether only the tab at hand is looked in.
    pub only_here: bool,
    /// What was found.
    pub found: Vec<SearchResult>,
    /// The chosen row.
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
    /// Contacts that servers found.
    contacts: Vec<FoundContact>,
    /// When the servers are asked.
    asks_at: Option<Timestamp>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchResult {
    /// Someone whose name or number it is.
    Person(Box<ConversationRow>),
    /// A private note.
    Note(Box<NoteHit>),
    /// A message.
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
        self.found.retain(|it| !matches!(it, SearchResult::Contact(_)));
        self.found.extend(self.contacts.iter().cloned().map(|it| SearchResult::Contact(Box::new(it))));
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

impl Inbox {
    /// Opens the page, with words to look for or as it was left.
    pub(crate) fn open_search(&mut self, text: &str) {
        self.search.text = match text {
            "" => TextLine::given(self.search.text.text(), 0),
            text => TextLine::new(text),
        };
        self.ask_search();
        self.open_layer(Layer::Search);
    }

    /// A key on the page.
    pub(crate) fn search_key(&mut self, key: KeyPress) {
        let page = isize::try_from(self.search_rows()).unwrap_or(1);
        let step = match key.code {
            KeyCode::Down => Some(1),
            KeyCode::Up => Some(-1),
            KeyCode::PageDown => Some(page),
            KeyCode::PageUp => Some(-page),
            KeyCode::Char('n') if key.ctrl => Some(1),
            KeyCode::Char('p') if key.ctrl => Some(-1),
            _ => None,
        };
        match (key.code, step) {
            (KeyCode::Esc, _) => return,
            (KeyCode::Char('c'), _) if key.ctrl => return,
            (KeyCode::Enter, _) => return self.go_to_found(),
            (KeyCode::Tab, _) => {
                self.search.text.keep();
                self.search.only_here = !self.search.only_here;
                self.ask_search();
            }
            (_, Some(by)) => {
                self.search.text.keep();
                self.search.step(by);
                self.search_more();
            }
            _ => {
                let before = self.search.text.text().to_owned();
                self.search.text.key(key);
                if self.search.text.text() != before {
                    self.ask_search();
                }
            }
        }
        self.search.reveal(self.search_rows());
        self.layers.push(Layer::Search);
    }

    /// Rows the page can show.
    pub fn search_rows(&self) -> usize {
        // Two lines of its own, and the border.
        usize::from(self.areas().body.height).saturating_sub(4) / LINES
    }

    /// Asks for what is typed now.
    pub(crate) fn ask_search(&mut self) {
        let channel = self.search.only_here.then(|| self.tab().channel.id.clone());
        let search = &mut self.search;
        if !search.is_asked() {
            (search.found, search.chosen, search.first) = (Vec::new(), 0, 0);
            (search.wanted, search.answered, search.more) = (None, false, false);
            search.asks_at = None;
            search.contacts.clear();
            return;
        }
        let text = search.text.text().to_owned();
        let query = SearchQuery { text, channel, limit: LIMIT, ..SearchQuery::default() };
        search.answered = false;
        search.contacts.clear();
        search.asks_at = Some(self.context.now.plus(REST));
        search.wanted = Some(query.clone());
        self.context.push(Effect::Load(Load::Search(query)));
    }

    /// Near the end, asks for older hits.
    fn search_more(&mut self) {
        let search = &mut self.search;
        let near_end = search.chosen + self.context.size.1 as usize >= search.found.len();
        if near_end
            && search.answered
            && search.more
            && let Some(wanted) = search.wanted.clone()
        {
            search.answered = false;
            self.context.push(Effect::Load(Load::Search(wanted)));
        }
    }

    /// An answer has come; one to other words is dropped.
    pub(crate) fn searched(&mut self, query: &SearchQuery, page: SearchPage) {
        if query.conversation.is_some() {
            return self.found_here(query, page);
        }
        let search = &mut self.search;
        if search.wanted.as_ref() != Some(query) {
            return;
        }
        if query.before.is_none() {
            (search.chosen, search.first) = (0, 0);
            search.found =
                page.people.into_iter().map(|(_, row)| SearchResult::Person(Box::new(row))).collect();
        }
        search.found.retain(|it| !matches!(it, SearchResult::Contact(_)));
        search.found.extend(page.notes.into_iter().map(|it| SearchResult::Note(Box::new(it))));
        search.found.extend(page.hits.into_iter().map(|it| SearchResult::Message(Box::new(it))));
        (search.partial, search.since, search.answered) = (page.partial, page.since, true);
        search.more = page.next.is_some();
        if !search.more {
            search.add_contacts();
        }
        if let (Some(next), Some(wanted)) = (page.next, &mut search.wanted) {
            wanted.before = Some(next);
        }
    }

    /// Once nothing was typed for a moment, asks the servers for contacts.
    pub(crate) fn ask_servers(&mut self) {
        let due = self.search.asks_at.is_some_and(|it| it <= self.context.now);
        if !due || self.layers.last() != Some(&Layer::Search) {
            return;
        }
        self.search.asks_at = None;
        let (here, words) = (self.tab().channel.id.clone(), self.search.text.text().trim().to_owned());
        let tabs = self.tabs.iter().filter(|it| !self.search.only_here || it.channel.id == here);
        let tabs = tabs.filter(|it| it.platform().is_some_and(Platform::has_contacts));
        self.context.effects.extend(
            tabs.map(|it| Effect::Fetch(it.channel.id.clone(), Fetch::Contacts { words: words.clone() })),
        );
    }

    /// When they are.
    pub(crate) fn servers_due(&self) -> Option<Timestamp> {
        self.search.asks_at.filter(|_| self.layers.last() == Some(&Layer::Search))
    }

    /// A server found contacts; those to other words are dropped.
    pub(crate) fn contacts_found(&mut self, channel: &ChannelId, words: &str, found: Vec<FoundContact>) {
        let search = &mut self.search;
        if search.text.text().trim() != words {
            return;
        }
        search.contacts.retain(|it| it.channel != *channel);
        search.contacts.extend(found);
        if search.answered && !search.more {
            search.add_contacts();
        }
    }

    /// Someone who has no conversation here cannot be gone to.
    fn take_contact(&mut self, contact: &FoundContact) {
        let what = format!("{}; {} has no conversation here yet", contact.phone, contact.name);
        self.context.push(Effect::Copy(contact.phone.to_string(), what));
        self.layers.push(Layer::Search);
    }

    /// Goes to the chosen row: to the hit in its conversation, with the words
    /// marked there.
    fn go_to_found(&mut self) {
        let Some(found) = self.search.found.get(self.search.chosen).cloned() else {
            self.layers.push(Layer::Search);
            return;
        };
        let place = |channel, conversation| ConversationKey { channel, conversation };
        let (key, item) = match found {
            SearchResult::Contact(contact) => return self.take_contact(&contact),
            SearchResult::Person(row) => (row.key(), None),
            SearchResult::Note(hit) => (place(hit.channel, hit.conversation), Some(ItemKey::Note(hit.note))),
            SearchResult::Message(hit) => {
                (place(hit.channel, hit.conversation), Some(ItemKey::Message(hit.message)))
            }
        };
        self.visit(&key.channel, &key.conversation, Focus::History);
        let Some(item) = item else { return };
        let text = self.search.text.text().to_owned();
        if let Some(history) = &mut self.tab_mut().history {
            history.find = Find::new(&text);
            if let (Some(find), ItemKey::Message(id)) = (&mut history.find, &item) {
                find.hits = Some(vec![id.clone()]);
            }
            history.seek(&item);
        }
        if let ItemKey::Message(message) = item {
            self.seek(message);
            self.ask_here();
        }
        self.say(self.keyed("{search-all} goes back to what was found"));
    }
}
