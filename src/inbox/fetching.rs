//! Results of the pages' requests to the server.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::keyboard::Keyboard;
use crate::pages::PageKind;
use crate::screens::broadcasts::control;
use crate::screens::broadcasts::sending;
use crate::screens::templates::form;
use model::fetches::{Fetch, FetchOutcome};
use model::ids::ChannelId;

pub(crate) fn receive_fetched(inbox: &mut Inbox, channel: &ChannelId, fetch: &Fetch, fetched: FetchOutcome) {
    sending::handle_contact_fetch(&mut inbox.context, channel, fetch, &fetched);
    match fetch {
        Fetch::People { .. } => inbox.people.people_fetched(channel, fetch, fetched, &inbox.context),
        // The audience of a broadcast is looked up automatically.
        Fetch::Person { .. } if sending::is_broadcast_form_open(&inbox.context) => (),
        Fetch::Person { phone } if fetched.is_ok() => {
            inbox.context.push(Effect::Load(Load::Person(channel.clone(), phone.clone())));
        }
        // Local data was shown; the connection state reports a failed refresh.
        Fetch::Person { .. } => (),
        Fetch::Sent { .. } => control::handle_sent_fetch(inbox, &fetched),
        Fetch::Events | Fetch::Webhooks => {
            inbox.cards.receive_fetched(channel, fetch, fetched, &inbox.context)
        }
        // Arrives with its history; a failed refresh is not reported.
        Fetch::Message { .. } => (),
        Fetch::Templates => form::templates_fetched(&mut inbox.desk, channel, fetched, &inbox.context),
        // Reported by other news.
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
            None => context.show_warning("no phone channel; `frontdesk channel add` adds one"),
        }
    }
}
