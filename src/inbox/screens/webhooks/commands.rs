//! Commands of the webhooks page.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::on_writable_tab;
use crate::keys::KeyPress;
use crate::screens::webhooks;

pub(crate) fn new_webhook(inbox: &mut Inbox, _: KeyPress) {
    webhooks::new_webhook(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_remove(inbox: &Inbox) -> Result<(), Reason> {
    on_writable_tab(inbox)?;
    match inbox.cards.is_webhook_chosen(&inbox.desk) {
        true => Ok(()),
        false => Err("no registered webhook is selected".into()),
    }
}

pub(crate) fn remove_webhook(inbox: &mut Inbox, _: KeyPress) {
    inbox.cards.ask_remove_webhook(&inbox.desk, &mut inbox.context);
}
