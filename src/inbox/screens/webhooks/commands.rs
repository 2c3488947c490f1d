//! The commands of the webhooks.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::tab_at_hand_writable;
use crate::keys::KeyPress;

pub(crate) fn new_webhook(inbox: &mut Inbox, _: KeyPress) {
    inbox.new_webhook();
}

pub(crate) fn may_remove(inbox: &Inbox) -> Result<(), Reason> {
    tab_at_hand_writable(inbox)?;
    match inbox.chosen_webhook() {
        true => Ok(()),
        false => Err("no registered webhook is chosen".into()),
    }
}

pub(crate) fn remove_webhook(inbox: &mut Inbox, _: KeyPress) {
    inbox.ask_remove_webhook();
}
