//! Commands of the phone tab.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::on_writable_tab;
use crate::keys::KeyPress;
use crate::screens::mail::update as mail;
use crate::screens::phone::update as phone;

pub(crate) fn may_write_number(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.tab().is_mail() {
        true => on_writable_tab(inbox),
        false => may_call(inbox),
    }
}

pub(crate) fn write_number(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab().is_mail() {
        true => mail::new_mail(inbox),
        false => phone::ask_number(&mut inbox.context),
    }
}

pub(crate) fn may_call(inbox: &Inbox) -> Result<(), Reason> {
    on_writable_tab(inbox)?;
    match inbox.desk.tab().is_phone() {
        true => Ok(()),
        false => Err("only available on a phone channel".into()),
    }
}

pub(crate) fn call(inbox: &mut Inbox, _: KeyPress) {
    phone::ask_call(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn go_to_phone(inbox: &mut Inbox, _: KeyPress) {
    inbox.keyboard.go_to_phone(&mut inbox.desk, &mut inbox.context);
}
