//! What pages asked the server for and has come, and the search in their
//! rows.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::keyboard::Keyboard;
use crate::overlays::line::{LineKind, LinePrompt};
use crate::pages::PageKind;
use model::fetches::{Fetch, Fetching};
use model::ids::ChannelId;

impl Inbox {
    /// A fetch has ended.
    pub(crate) fn fetched(&mut self, channel: &ChannelId, fetch: &Fetch, fetched: Fetching) {
        self.context.audience_fetched(channel, fetch, &fetched);
        match fetch {
            Fetch::People { .. } => self.people.people_fetched(channel, fetch, fetched, &self.context),
            // Whom a broadcast goes to is looked up by itself.
            Fetch::Person { .. } if self.context.fills_broadcast() => (),
            Fetch::Person { phone } if fetched.is_ok() => {
                self.context.push(Effect::Load(Load::Person(channel.clone(), phone.clone())));
            }
            // What is known here was shown; that nothing newer came is told by
            // the connection.
            Fetch::Person { .. } => (),
            Fetch::Sent { .. } => self.sent_fetched(&fetched),
            Fetch::Events | Fetch::Webhooks => {
                self.cards.deck_fetched(channel, fetch, fetched, &self.context)
            }
            // It comes with its history; that nothing newer came is no news.
            Fetch::Message { .. } => (),
            Fetch::Templates => self.desk.templates_fetched(channel, fetched, &self.context),
            // Told by news of their own.
            Fetch::Contacts { .. } | Fetch::Mail(_) => (),
        }
    }

    /// Opens the search line of the page.
    pub(crate) fn open_row_search(&mut self) {
        let before = self.row_search().to_owned();
        let text = TextLine::given(before.clone(), 0);
        self.context.open(LinePrompt { kind: LineKind::Rows(before), text });
    }

    /// What is looked for on the page.
    pub fn row_search(&self) -> &str {
        match self.desk.page {
            PageKind::People => &self.people.search,
            PageKind::Inbox | PageKind::Outbox | PageKind::Drafts | PageKind::Broadcasts | PageKind::Wall => {
                ""
            }
            _ => &self.cards.search,
        }
    }

    /// What is looked for on the page has changed.
    pub(crate) fn look_for_rows(&mut self, text: &str) {
        match self.desk.page {
            PageKind::People => self.people.look_for_people(text, &self.context),
            PageKind::Inbox | PageKind::Outbox | PageKind::Drafts | PageKind::Broadcasts | PageKind::Wall => {
            }
            _ => self.cards.search = text.to_owned(),
        }
    }
}

impl Keyboard {
    pub(crate) fn go_to_phone(&mut self, desk: &mut Desk, context: &mut Context) {
        match desk.tabs.iter().position(|it| it.is_phone()) {
            Some(index) => {
                self.go_to_tab(index, desk);
                desk.page = PageKind::Inbox;
            }
            None => context.warn("no tab has a phone's key; frontdesk channel add adds one"),
        }
    }
}
