//! Commands that only mail has.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::{on_mail, on_writable_tab, thread_can_be_filed, writable_conversation};
use crate::desk_commands;
use crate::event::TerminalOrder;
use crate::keys::KeyPress;
use crate::screens::mail::invitations;
use crate::screens::mail::menus;
use crate::screens::mail::reading::update as reading;
use crate::screens::mail::rules::update as rules;
use crate::screens::mail::saving;
use crate::screens::mail::thread_filing::ThreadFiling;
use crate::screens::mail::triage::TriageDecision;
use crate::screens::mail::triage::update as triage;
use crate::screens::mail::writing::MailStart;
use crate::screens::mail::writing::update as writing;
use crate::tab::Focus;
use model::email::invitations::InvitationAnswer;

pub(crate) fn may_answer(inbox: &Inbox) -> Result<(), Reason> {
    on_mail(inbox)?;
    writable_conversation(inbox).map(drop)
}

pub(crate) fn reply_all(inbox: &mut Inbox, _: KeyPress) {
    writing::start_mail(inbox, MailStart::ReplyAll, false);
}

pub(crate) fn forward(inbox: &mut Inbox, _: KeyPress) {
    writing::start_mail(inbox, MailStart::Forward, false);
}

pub(crate) fn accept(inbox: &mut Inbox, _: KeyPress) {
    invitations::answer(inbox, InvitationAnswer::Accepted);
}

pub(crate) fn decline(inbox: &mut Inbox, _: KeyPress) {
    invitations::answer(inbox, InvitationAnswer::Declined);
}

pub(crate) fn maybe(inbox: &mut Inbox, _: KeyPress) {
    invitations::answer(inbox, InvitationAnswer::Tentative);
}

pub(crate) fn may_file(inbox: &Inbox) -> Result<(), Reason> {
    on_mail(inbox)?;
    thread_can_be_filed(inbox)
}

pub(crate) fn star(inbox: &mut Inbox, _: KeyPress) {
    if triage::is_deciding_in_triage(&inbox.desk) {
        triage::toggle_triage_star(&mut inbox.desk);
    }
    inbox.changes.toggle_filing(ThreadFiling::Starred, &inbox.desk, &mut inbox.context);
}

pub(crate) fn delete_thread(inbox: &mut Inbox, _: KeyPress) {
    toggle_filing_or_decide(inbox, ThreadFiling::trash, TriageDecision::Deleted);
}

pub(crate) fn mark_spam(inbox: &mut Inbox, _: KeyPress) {
    toggle_filing_or_decide(inbox, ThreadFiling::spam, TriageDecision::Spam);
}

pub(crate) fn move_thread(inbox: &mut Inbox, _: KeyPress) {
    menus::choose_destination(&mut inbox.desk, &mut inbox.context);
}

/// Toggles the filing of the current or marked threads; in a triage it is the decision.
fn toggle_filing_or_decide(inbox: &mut Inbox, way: fn(bool) -> ThreadFiling, what: TriageDecision) {
    if triage::is_deciding_in_triage(&inbox.desk) {
        return inbox.changes.file_in_triage(&way(true), what, &mut inbox.desk, &mut inbox.context);
    }
    inbox.changes.toggle_filing(way, &inbox.desk, &mut inbox.context);
}

pub(crate) fn may_make_rule(inbox: &Inbox) -> Result<(), Reason> {
    on_mail(inbox)?;
    let row = writable_conversation(inbox)?;
    match &row.conversation.address {
        Some(address)
            if inbox.desk.tab().own_addresses().iter().any(|own| own.eq_ignore_ascii_case(address)) =>
        {
            Err("it is your own address".into())
        }
        Some(_) => Ok(()),
        None => Err("its sender's address is not known".into()),
    }
}

pub(crate) fn make_rule(inbox: &mut Inbox, _: KeyPress) {
    rules::start_rule(inbox);
}

pub(crate) fn show_rules(inbox: &mut Inbox, _: KeyPress) {
    rules::open_rule_list(inbox);
}

pub(crate) fn set_category(inbox: &mut Inbox, _: KeyPress) {
    menus::choose_category(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn mail_folders(inbox: &mut Inbox, _: KeyPress) {
    menus::choose_folder(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn mail_contacts(inbox: &mut Inbox, _: KeyPress) {
    menus::open_contact_search(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn may_read(inbox: &Inbox) -> Result<(), Reason> {
    on_mail(inbox)?;
    let letter = reading::current_mail(inbox).filter(|_| inbox.desk.tab().focus != Focus::List);
    letter.map(drop).ok_or_else(|| "open the mail first".into())
}

pub(crate) fn html_view(inbox: &mut Inbox, _: KeyPress) {
    reading::toggle_mail_view(inbox, true);
}

pub(crate) fn quoted_text(inbox: &mut Inbox, _: KeyPress) {
    reading::toggle_mail_view(inbox, false);
}

pub(crate) fn save_file(inbox: &mut Inbox, _: KeyPress) {
    saving::choose_file(inbox);
}

pub(crate) fn may_copy_header(inbox: &Inbox) -> Result<(), Reason> {
    may_read(inbox)?;
    saving::header_id(inbox).map(drop).ok_or_else(|| "its Message-ID is unknown".into())
}

pub(crate) fn copy_header(inbox: &mut Inbox, _: KeyPress) {
    if let Some(id) = saving::header_id(inbox) {
        inbox.context.push(TerminalOrder::Copy(id.to_string(), "the Message-ID".to_owned()));
    }
}

pub(crate) fn open_in_browser(inbox: &mut Inbox, _: KeyPress) {
    reading::ask_browser(inbox);
}

pub(crate) fn may_triage(inbox: &Inbox) -> Result<(), Reason> {
    on_mail(inbox)?;
    on_writable_tab(inbox)
}

pub(crate) fn triage(inbox: &mut Inbox, _: KeyPress) {
    triage::start_triage(&mut inbox.desk, &mut inbox.context);
}

pub(crate) fn decide_later(inbox: &mut Inbox, _: KeyPress) {
    if triage::is_deciding_in_triage(&inbox.desk) {
        triage::postpone_in_triage(&mut inbox.desk, &mut inbox.context);
    }
}

pub(crate) fn apply_to_sender(inbox: &mut Inbox, _: KeyPress) {
    if triage::is_deciding_in_triage(&inbox.desk) {
        triage::ask_apply_to_sender(&mut inbox.desk, &mut inbox.context);
    }
}

pub(crate) fn search_in_triage(inbox: &mut Inbox, key: KeyPress) {
    triage::leave_triage(&mut inbox.desk, &mut inbox.context);
    desk_commands::search_all(inbox, key);
}

pub(crate) fn leave_triage(inbox: &mut Inbox, _: KeyPress) {
    triage::leave_triage(&mut inbox.desk, &mut inbox.context);
}
