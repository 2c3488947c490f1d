//! What pages asked the server for and has come, and the search in their
//! rows.
//!
//! Knows nothing of what a page shows.

use crate::app::App;
use crate::app::commands::Command;
use crate::app::event::{Effect, Load};
use crate::app::layers::Layer;
use crate::app::line::{Kind, Line};
use crate::app::pages::Page;
use crate::app::text_line::TextLine;
use crate::model::fetches::{Fetch, Fetching};
use crate::model::ids::ChannelId;

impl App {
    /// A fetch has ended.
    pub(super) fn fetched(
        &mut self,
        channel: &ChannelId,
        fetch: &Fetch,
        fetched: Fetching,
        effects: &mut Vec<Effect>,
    ) {
        match fetch {
            Fetch::People { .. } => self.people_fetched(channel, fetch, fetched),
            Fetch::Person { phone } if fetched.is_ok() => {
                effects.push(Effect::Load(Load::Person(channel.clone(), phone.clone())));
            }
            // What is known here was shown; that nothing newer came is told by
            // the connection.
            Fetch::Person { .. } => (),
        }
    }

    /// Commands of the pages the server is asked for.
    pub(super) fn page_command(&mut self, command: Command, effects: &mut Vec<Effect>) {
        match command {
            Command::GoToPeople => self.go_to_page(Page::People),
            Command::SearchRows => self.open_row_search(),
            _ => self.people_command(command, effects),
        }
    }

    /// Opens the search line of the page.
    pub(super) fn open_row_search(&mut self) {
        let before = self.row_search().to_owned();
        let text = TextLine::new(before.clone());
        self.open_layer(Layer::Line(Line { kind: Kind::Rows(before), text }));
    }

    /// What is looked for on the page.
    pub fn row_search(&self) -> &str {
        match self.page {
            Page::People => &self.people.search,
            Page::Inbox | Page::Outbox | Page::Drafts => "",
        }
    }

    /// What is looked for on the page has changed.
    pub(super) fn look_for_rows(&mut self, text: &str) {
        match self.page {
            Page::People => self.look_for_people(text),
            Page::Inbox | Page::Outbox | Page::Drafts => (),
        }
    }
}
