//! Commands of the people page.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::on_writable_tab;
use crate::keys::KeyPress;
use crate::screens::people::form::PersonField;
use crate::screens::people::marks::MarkedPeople;
use crate::screens::people::update as people;
use model::account::Platform;
use model::outbox::Operation;

pub(crate) fn has_people(inbox: &Inbox) -> Result<(), Reason> {
    if people::has_people(&inbox.desk) {
        return Ok(());
    }
    let label = inbox.desk.tab().platform().map_or("this channel", Platform::label);
    Err(format!("no contacts for {label}; business chat channels have them"))
}

pub(crate) fn may_go_to(inbox: &Inbox) -> Result<(), Reason> {
    has_people(inbox)?;
    match inbox.people.rows.chosen() {
        Some(_) => Ok(()),
        None => Err("no person is selected".into()),
    }
}

pub(crate) fn may_add(inbox: &Inbox) -> Result<(), Reason> {
    has_people(inbox)?;
    on_writable_tab(inbox)
}

pub(crate) fn new_person(inbox: &mut Inbox, _: KeyPress) {
    inbox.people.new_person(&mut inbox.context);
}

pub(crate) fn may_change(inbox: &Inbox) -> Result<(), Reason> {
    may_add(inbox)?;
    let chosen = inbox.people.rows.chosen().ok_or("no person is selected")?;
    let row = inbox.outbox.change_of(&chosen.phone, &inbox.desk);
    if row.is_some_and(|row| matches!(row.operation, Operation::DeleteContact { .. })) {
        return Err("this person is being deleted; {undo} undo".into());
    }
    Ok(())
}

pub(crate) fn edit_person(inbox: &mut Inbox, _: KeyPress) {
    inbox.people.edit_person(PersonField::Name, &inbox.desk, &mut inbox.context);
}

pub(crate) fn tag_person(inbox: &mut Inbox, _: KeyPress) {
    inbox.people.edit_person(PersonField::Tags, &inbox.desk, &mut inbox.context);
}

pub(crate) fn delete_person(inbox: &mut Inbox, _: KeyPress) {
    inbox.people.ask_delete_person(&inbox.desk, &mut inbox.context);
}

pub(crate) fn mark_person(inbox: &mut Inbox, _: KeyPress) {
    inbox.people.mark_person();
}

pub(crate) fn mark_all_people(inbox: &mut Inbox, _: KeyPress) {
    inbox.people.marked = MarkedPeople::All(inbox.people.search.trim().to_owned());
}

pub(crate) fn mark_no_people(inbox: &mut Inbox, _: KeyPress) {
    inbox.people.marked = MarkedPeople::default();
}
