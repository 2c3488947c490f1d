//! What pages asked the server for and has come.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::keyboard::Keyboard;
use crate::pages::PageKind;
use crate::screens::broadcasts::sending;
use crate::screens::broadcasts::steering;
use model::fetches::{Fetch, FetchOutcome};
use model::ids::ChannelId;

/// A fetch has ended.
pub(crate) fn fetched(inbox: &mut Inbox, channel: &ChannelId, fetch: &Fetch, fetched: FetchOutcome) {
    sending::audience_fetched(&mut inbox.context, channel, fetch, &fetched);
    match fetch {
        Fetch::People { .. } => inbox.people.people_fetched(channel, fetch, fetched, &inbox.context),
        // The audience of a broadcast is looked up by itself.
        Fetch::Person { .. } if sending::fills_broadcast(&inbox.context) => (),
        Fetch::Person { phone } if fetched.is_ok() => {
            inbox.context.push(Effect::Load(Load::Person(channel.clone(), phone.clone())));
        }
        // What is known here was shown; that nothing newer came is told by
        // the connection.
        Fetch::Person { .. } => (),
        Fetch::Sent { .. } => steering::sent_fetched(inbox, &fetched),
        Fetch::Events | Fetch::Webhooks => inbox.cards.deck_fetched(channel, fetch, fetched, &inbox.context),
        // It comes with its history; that nothing newer came is no news.
        Fetch::Message { .. } => (),
        Fetch::Templates => inbox.desk.templates_fetched(channel, fetched, &inbox.context),
        // Told by news of their own.
        Fetch::Contacts { .. } | Fetch::Mail(_) => (),
    }
}

impl Keyboard {
    pub(crate) fn go_to_phone(&mut self, desk: &mut Desk, context: &mut Context) {
        match desk.tabs.iter().position(|tab| tab.is_phone()) {
            Some(index) => {
                self.go_to_tab(index, desk);
                desk.page = PageKind::Inbox;
            }
            None => context.warn("no tab has a phone's key; frontdesk channel add adds one"),
        }
    }
}
