//! The commands of connections.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::on_conversation;
use crate::keys::KeyPress;
use crate::screens::connections::endpoint_form;
use crate::screens::connections::log;

pub(crate) fn may_ask(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.context.settings.connections.is_empty() {
        true => Err("no connections yet; `frontdesk connection add` adds one".into()),
        false => Ok(()),
    }
}

pub(crate) fn ask_connection(inbox: &mut Inbox, _: KeyPress) {
    endpoint_form::open_endpoint_picker(&mut inbox.context);
}

pub(crate) fn may_look_up(inbox: &Inbox) -> Result<(), Reason> {
    on_conversation(inbox)?;
    may_ask(inbox)
}

pub(crate) fn look_up(inbox: &mut Inbox, _: KeyPress) {
    inbox.connections.look_up(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn show_connection_calls(inbox: &mut Inbox, _: KeyPress) {
    log::show_connection_calls(&mut inbox.context);
}
