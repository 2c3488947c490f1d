//! Search: queries the files and the servers, and opens a hit.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder, TerminalOrder};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::search::{
    LINES_PER_HIT, MAX_VIEW_ROWS, PAGE_SIZE, SERVER_QUERY_DELAY, Search, SearchPrompt, SearchResult,
};
use crate::screens::history::find::Find;
use crate::screens::history::find::update as find;
use crate::screens::history::lines::ItemKey;
use crate::tab::Focus;
use model::account::Platform;
use model::contacts::FoundContact;
use model::conversations::ConversationRow;
use model::fetches::Fetch;
use model::filter;
use model::queries::{Anchor, ConversationKey, ConversationQuery};
use model::search::{SearchPage, SearchQuery};
use model::time::Moment;

impl Overlay for SearchPrompt {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let page = isize::try_from(visible_search_rows(&inbox.desk, &inbox.context)).unwrap_or(1);
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
                return inbox.features.search.open_result(&mut inbox.desk, &mut inbox.context);
            }
            (KeyCode::Tab, _) => {
                inbox.features.search.text.restore_previous();
                inbox.features.search.only_active_tab = !inbox.features.search.only_active_tab;
                inbox.features.search.start_query(&inbox.desk, &mut inbox.context);
            }
            (_, Some(by)) => {
                inbox.features.search.text.restore_previous();
                inbox.features.search.step(by);
                inbox.features.search.load_more(&mut inbox.context);
            }
            _ => {
                let before = inbox.features.search.text.text().to_owned();
                inbox.features.search.text.key(key);
                if inbox.features.search.text.text() != before {
                    inbox.features.search.start_query(&inbox.desk, &mut inbox.context);
                }
            }
        }
        inbox.features.search.reveal(visible_search_rows(&inbox.desk, &inbox.context));
        KeyOutcome::Stay
    }

    fn paste(&mut self, inbox: &mut Inbox, text: &str) -> bool {
        inbox.features.search.text.insert(text.trim_end());
        inbox.features.search.start_query(&inbox.desk, &mut inbox.context);
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }

    fn shows_load(&self, load: &Load) -> bool {
        matches!(load, Load::Search(query) if query.conversation.is_none())
            || matches!(load, Load::ViewMatches(_))
    }

    fn hints(&self, _inbox: &Inbox) -> Option<Vec<(String, String)>> {
        let keys = [("Enter", "go to"), ("↑ ↓", "choose"), ("Tab", "this channel or all"), ("Esc", "back")];
        Some(keys.into_iter().map(|(key, word)| (key.to_owned(), word.to_owned())).collect())
    }
}

impl Search {
    /// Opens the page with a text, or in its earlier state.
    pub(crate) fn open_search(&mut self, text: &str, desk: &Desk, context: &mut Context) {
        self.text = match text {
            "" => TextLine::with_replaceable(self.text.text(), 0),
            text => TextLine::new(text),
        };
        self.start_query(desk, context);
        context.open(SearchPrompt);
    }

    pub(crate) fn start_query(&mut self, desk: &Desk, context: &mut Context) {
        let channel = self.only_active_tab.then(|| desk.tab().channel.id.clone());
        if !self.has_query_text() {
            (self.results, self.chosen, self.first_visible) = (Vec::new(), 0, 0);
            (self.query, self.answered, self.has_more) = (None, false, false);
            (self.view_query, self.server_query_at) = (None, None);
            self.forget_results();
            return;
        }
        let text = self.text.text().to_owned();
        let query = SearchQuery { text, channel, limit: PAGE_SIZE, ..SearchQuery::default() };
        self.answered = false;
        self.forget_results();
        self.server_query_at = Some(context.moment.plus(SERVER_QUERY_DELAY));
        self.query = Some(query.clone());
        let list = desk.list();
        let words = filter::parse(self.text.text()).filter;
        let view = ConversationQuery {
            filter: list.view.filter.narrow(&words),
            anchor: Anchor::Top,
            limit: MAX_VIEW_ROWS,
            ..list.query()
        };
        self.view_name = format!("This view · {}", list.view.name);
        self.view_query = Some(view.clone());
        context.push(Effect::Load(Load::ViewMatches(view)));
        context.push(Effect::Load(Load::Search(query)));
    }

    fn forget_results(&mut self) {
        self.contacts.clear();
        self.found.clear();
        self.view_rows.clear();
    }

    /// Stores the rows of the view; those for another text are dropped.
    pub(crate) fn receive_view_rows(&mut self, query: &ConversationQuery, rows: Vec<ConversationRow>) {
        if self.view_query.as_ref() == Some(query) {
            self.view_rows = rows;
            self.list_results();
        }
    }

    /// Loads older hits near the end.
    fn load_more(&mut self, context: &mut Context) {
        let near_end = self.chosen + context.size.1 as usize >= self.results.len();
        if near_end
            && self.answered
            && self.has_more
            && let Some(wanted) = self.query.clone()
        {
            self.answered = false;
            context.push(Effect::Load(Load::Search(wanted)));
        }
    }

    /// Stores a page of hits; one for another text is dropped.
    pub(crate) fn receive_page(
        &mut self,
        query: &SearchQuery,
        page: SearchPage,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        if query.conversation.is_some() {
            return find::receive_hits(desk, query, page, context);
        }
        if self.query.as_ref() != Some(query) {
            return;
        }
        if query.before.is_none() {
            (self.chosen, self.first_visible) = (0, 0);
            self.results.clear();
            self.found =
                page.people.into_iter().map(|(_, row)| SearchResult::Person(Box::new(row))).collect();
        }
        self.found.extend(page.notes.into_iter().map(|note| SearchResult::Note(Box::new(note))));
        self.found.extend(page.hits.into_iter().map(|hit| SearchResult::Message(Box::new(hit))));
        (self.is_indexing, self.oldest_message_at, self.answered) = (page.partial, page.since, true);
        self.has_more = page.next.is_some();
        self.list_results();
        if let (Some(next), Some(wanted)) = (page.next, &mut self.query) {
            wanted.before = Some(next);
        }
    }

    /// Queries the servers for contacts after a pause in typing.
    pub(crate) fn query_servers(&mut self, desk: &Desk, context: &mut Context) {
        let due = self.server_query_at.is_some_and(|moment| moment <= context.moment);
        if !due || context.overlays.top::<SearchPrompt>().is_none() {
            return;
        }
        self.server_query_at = None;
        let (here, words) = (desk.tab().channel.id.clone(), self.text.text().trim().to_owned());
        let tabs = desk.tabs.iter().filter(|tab| !self.only_active_tab || tab.channel.id == here);
        let tabs = tabs.filter(|tab| tab.platform().is_some_and(Platform::has_contacts));
        context.push_all(
            tabs.map(|tab| {
                SyncOrder::Fetch(tab.channel.id.clone(), Fetch::Contacts { words: words.clone() })
            }),
        );
    }

    pub(crate) fn server_query_due(&self, context: &Context) -> Option<Moment> {
        self.server_query_at.filter(|_| context.overlays.top::<SearchPrompt>().is_some())
    }

    /// Opens the selected hit in its conversation, with the words marked.
    fn open_result(&mut self, desk: &mut Desk, context: &mut Context) -> KeyOutcome {
        let Some(found) = self.results.get(self.chosen).cloned() else { return KeyOutcome::Stay };
        let place = |channel, conversation| ConversationKey { channel, conversation };
        let (key, item) = match found {
            SearchResult::Heading(_) => return KeyOutcome::Stay,
            SearchResult::Contact(contact) => {
                copy_contact_number(context, &contact);
                return KeyOutcome::Stay;
            }
            SearchResult::Person(row) => (row.key(), None),
            SearchResult::Note(hit) => (place(hit.channel, hit.conversation), Some(ItemKey::Note(hit.note))),
            SearchResult::Message(hit) => {
                (place(hit.channel, hit.conversation), Some(ItemKey::Message(hit.message)))
            }
        };
        desk.open_conversation(&key.channel, &key.conversation, Focus::History, context);
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
            find::seek_message(desk, message, context);
            find::request_hits(desk, context);
        }
        context.show_notice(context.fill_in_keys("{search-all} back to the matches"));
        KeyOutcome::Done
    }
}

pub fn visible_search_rows(desk: &Desk, context: &Context) -> usize {
    // Two lines of its own, and the border.
    usize::from(desk.areas(context).body.height).saturating_sub(4) / usize::from(LINES_PER_HIT)
}

/// A contact without a conversation cannot be opened; the number is copied.
fn copy_contact_number(context: &mut Context, contact: &FoundContact) {
    let what = format!("{}; {} has no conversation here yet", contact.phone, contact.name);
    context.push(TerminalOrder::Copy(contact.phone.to_string(), what));
}
