//! What pages asked the server for and has come, and the search in their
//! rows.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::overlays::Layer;
use crate::overlays::line::{LineKind, LinePrompt};
use crate::pages::PageKind;
use model::fetches::{Fetch, Fetching};
use model::ids::ChannelId;

impl Inbox {
    /// A fetch has ended.
    pub(crate) fn fetched(&mut self, channel: &ChannelId, fetch: &Fetch, fetched: Fetching) {
        self.audience_fetched(channel, fetch, &fetched);
        match fetch {
            Fetch::People { .. } => self.people_fetched(channel, fetch, fetched),
            // Whom a broadcast goes to is looked up by itself.
            Fetch::Person { .. } if self.fills_broadcast() => (),
            Fetch::Person { phone } if fetched.is_ok() => {
                self.context.push(Effect::Load(Load::Person(channel.clone(), phone.clone())));
            }
            // What is known here was shown; that nothing newer came is told by
            // the connection.
            Fetch::Person { .. } => (),
            Fetch::Sent { .. } => self.sent_fetched(&fetched),
            Fetch::Events | Fetch::Webhooks => self.deck_fetched(channel, fetch, fetched),
            // It comes with its history; that nothing newer came is no news.
            Fetch::Message { .. } => (),
            Fetch::Templates => self.templates_fetched(channel, fetched),
            // Told by news of their own.
            Fetch::Contacts { .. } | Fetch::Mail(_) => (),
        }
    }

    pub(crate) fn go_to_phone(&mut self) {
        match self.tabs.iter().position(|it| it.is_phone()) {
            Some(index) => {
                self.go_to_tab(index);
                self.page = PageKind::Inbox;
            }
            None => self.warn("no tab has a phone's key; frontdesk channel add adds one"),
        }
    }

    /// Opens the search line of the page.
    pub(crate) fn open_row_search(&mut self) {
        let before = self.row_search().to_owned();
        let text = TextLine::given(before.clone(), 0);
        self.open_layer(Layer::Line(LinePrompt { kind: LineKind::Rows(before), text }));
    }

    /// What is looked for on the page.
    pub fn row_search(&self) -> &str {
        match self.page {
            PageKind::People => &self.people.search,
            PageKind::Inbox | PageKind::Outbox | PageKind::Drafts | PageKind::Broadcasts | PageKind::Wall => {
                ""
            }
            _ => &self.deck.search,
        }
    }

    /// What is looked for on the page has changed.
    pub(crate) fn look_for_rows(&mut self, text: &str) {
        match self.page {
            PageKind::People => self.look_for_people(text),
            PageKind::Inbox | PageKind::Outbox | PageKind::Drafts | PageKind::Broadcasts | PageKind::Wall => {
            }
            _ => self.deck.search = text.to_owned(),
        }
    }
}
