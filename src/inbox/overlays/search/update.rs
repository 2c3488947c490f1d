//! Looks for words in everything seen: asks the files and the servers, opens a hit.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder, TerminalOrder};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::search::{LIMIT, LINES, REST, Search, SearchPrompt, SearchResult};
use crate::screens::history::find::Find;
use crate::screens::history::lines::ItemKey;
use crate::tab::Focus;
use model::account::Platform;
use model::contacts::FoundContact;
use model::fetches::Fetch;
use model::queries::ConversationKey;
use model::search::{SearchPage, SearchQuery};
use model::time::Moment;

impl Overlay for SearchPrompt {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let page = isize::try_from(inbox.desk.search_rows(&inbox.context)).unwrap_or(1);
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
            (KeyCode::Esc, _) => return KeyOutcome::Done,
            (KeyCode::Char('c'), _) if key.ctrl => return KeyOutcome::Done,
            (KeyCode::Enter, _) => {
                return inbox.features.search.go_to_found(&mut inbox.desk, &mut inbox.context);
            }
            (KeyCode::Tab, _) => {
                inbox.features.search.text.restore_previous();
                inbox.features.search.only_here = !inbox.features.search.only_here;
                inbox.features.search.ask_search(&inbox.desk, &mut inbox.context);
            }
            (_, Some(by)) => {
                inbox.features.search.text.restore_previous();
                inbox.features.search.step(by);
                inbox.features.search.search_more(&mut inbox.context);
            }
            _ => {
                let before = inbox.features.search.text.text().to_owned();
                inbox.features.search.text.key(key);
                if inbox.features.search.text.text() != before {
                    inbox.features.search.ask_search(&inbox.desk, &mut inbox.context);
                }
            }
        }
        inbox.features.search.reveal(inbox.desk.search_rows(&inbox.context));
        KeyOutcome::Stay
    }

    fn paste(&mut self, inbox: &mut Inbox, text: &str) -> bool {
        inbox.features.search.text.insert(text.trim_end());
        inbox.features.search.ask_search(&inbox.desk, &mut inbox.context);
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }

    fn is_read_out(&self) -> bool {
        false
    }

    fn shows(&self, load: &Load) -> bool {
        matches!(load, Load::Search(it) if it.conversation.is_none())
    }

    fn hints(&self, _inbox: &Inbox) -> Option<Vec<(String, String)>> {
        let keys = [("Enter", "go to"), ("↑ ↓", "choose"), ("Tab", "this tab or all"), ("Esc", "back")];
        Some(keys.into_iter().map(|(key, word)| (key.to_owned(), word.to_owned())).collect())
    }
}

impl Search {
    /// Opens the page, with words to look for or as it was left.
    pub(crate) fn open_search(&mut self, text: &str, desk: &Desk, context: &mut Context) {
        self.text = match text {
            "" => TextLine::given(self.text.text(), 0),
            text => TextLine::new(text),
        };
        self.ask_search(desk, context);
        context.open(SearchPrompt);
    }

    /// Asks for what is typed now.
    pub(crate) fn ask_search(&mut self, desk: &Desk, context: &mut Context) {
        let channel = self.only_here.then(|| desk.tab().channel.id.clone());
        if !self.is_asked() {
            (self.found, self.chosen, self.first) = (Vec::new(), 0, 0);
            (self.wanted, self.answered, self.more) = (None, false, false);
            self.asks_at = None;
            self.contacts.clear();
            return;
        }
        let text = self.text.text().to_owned();
        let query = SearchQuery { text, channel, limit: LIMIT, ..SearchQuery::default() };
        self.answered = false;
        self.contacts.clear();
        self.asks_at = Some(context.moment.plus(REST));
        self.wanted = Some(query.clone());
        context.push(Effect::Load(Load::Search(query)));
    }

    /// Near the end, asks for older hits.
    fn search_more(&mut self, context: &mut Context) {
        let near_end = self.chosen + context.size.1 as usize >= self.found.len();
        if near_end
            && self.answered
            && self.more
            && let Some(wanted) = self.wanted.clone()
        {
            self.answered = false;
            context.push(Effect::Load(Load::Search(wanted)));
        }
    }

    /// An answer has come; one to other words is dropped.
    pub(crate) fn searched(
        &mut self,
        query: &SearchQuery,
        page: SearchPage,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        if query.conversation.is_some() {
            return desk.found_here(query, page, context);
        }
        if self.wanted.as_ref() != Some(query) {
            return;
        }
        if query.before.is_none() {
            (self.chosen, self.first) = (0, 0);
            self.found =
                page.people.into_iter().map(|(_, row)| SearchResult::Person(Box::new(row))).collect();
        }
        self.found.retain(|search_result| !matches!(search_result, SearchResult::Contact(_)));
        self.found.extend(page.notes.into_iter().map(|note| SearchResult::Note(Box::new(note))));
        self.found.extend(page.hits.into_iter().map(|hit| SearchResult::Message(Box::new(hit))));
        (self.partial, self.since, self.answered) = (page.partial, page.since, true);
        self.more = page.next.is_some();
        if !self.more {
            self.add_contacts();
        }
        if let (Some(next), Some(wanted)) = (page.next, &mut self.wanted) {
            wanted.before = Some(next);
        }
    }

    /// Once nothing was typed for a moment, asks the servers for contacts.
    pub(crate) fn ask_servers(&mut self, desk: &Desk, context: &mut Context) {
        let due = self.asks_at.is_some_and(|moment| moment <= context.moment);
        if !due || context.layers.top::<SearchPrompt>().is_none() {
            return;
        }
        self.asks_at = None;
        let (here, words) = (desk.tab().channel.id.clone(), self.text.text().trim().to_owned());
        let tabs = desk.tabs.iter().filter(|tab| !self.only_here || tab.channel.id == here);
        let tabs = tabs.filter(|tab| tab.platform().is_some_and(Platform::has_contacts));
        context.push_all(
            tabs.map(|tab| {
                SyncOrder::Fetch(tab.channel.id.clone(), Fetch::Contacts { words: words.clone() })
            }),
        );
    }

    pub(crate) fn servers_due(&self, context: &Context) -> Option<Moment> {
        self.asks_at.filter(|_| context.layers.top::<SearchPrompt>().is_some())
    }

    /// Goes to the chosen row: to the hit in its conversation, with the words
    /// marked there.
    fn go_to_found(&mut self, desk: &mut Desk, context: &mut Context) -> KeyOutcome {
        let Some(found) = self.found.get(self.chosen).cloned() else { return KeyOutcome::Stay };
        let place = |channel, conversation| ConversationKey { channel, conversation };
        let (key, item) = match found {
            SearchResult::Contact(contact) => {
                take_contact(context, &contact);
                return KeyOutcome::Stay;
            }
            SearchResult::Person(row) => (row.key(), None),
            SearchResult::Note(hit) => (place(hit.channel, hit.conversation), Some(ItemKey::Note(hit.note))),
            SearchResult::Message(hit) => {
                (place(hit.channel, hit.conversation), Some(ItemKey::Message(hit.message)))
            }
        };
        desk.visit(&key.channel, &key.conversation, Focus::History, context);
        let Some(item) = item else { return KeyOutcome::Done };
        let text = self.text.text().to_owned();
        if let Some(history) = &mut desk.tab_mut().history {
            history.find = Find::new(&text);
            if let (Some(find), ItemKey::Message(id)) = (&mut history.find, &item) {
                find.hits = Some(vec![id.clone()]);
            }
            history.seek(&item);
        }
        if let ItemKey::Message(message) = item {
            desk.seek(message, context);
            desk.ask_here(context);
        }
        context.say(context.keyed("{search-all} goes back to what was found"));
        KeyOutcome::Done
    }
}

impl Desk {
    /// Rows the page can show.
    pub fn search_rows(&self, context: &Context) -> usize {
        // Two lines of its own, and the border.
        usize::from(self.areas(context).body.height).saturating_sub(4) / usize::from(LINES)
    }
}

/// Someone who has no conversation here cannot be gone to.
fn take_contact(context: &mut Context, contact: &FoundContact) {
    let what = format!("{}; {} has no conversation here yet", contact.phone, contact.name);
    context.push(TerminalOrder::Copy(contact.phone.to_string(), what));
}
