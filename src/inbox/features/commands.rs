//! The commands of what crosses screens: undo, macros, credits, copying.

use crate::Inbox;
use crate::command::Reason;
use crate::features::absence::update as absence;
use crate::features::attention::update as attention;
use crate::features::clipboard::{CopiedPart, CopyTarget};
use crate::features::handover;
use crate::features::jump_list::update as jump_list;
use crate::features::macros::recording::update as recording;
use crate::features::offers::update as offers;
use crate::keys::KeyPress;
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::screens::composer::sending;
use crate::screens::mail::triage::taking_back as triage;

pub(crate) fn may_take_offer(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.features.credits.offered(&inbox.desk, &inbox.context) {
        Some(_) => Ok(()),
        None => Err("nothing is offered now".into()),
    }
}

pub(crate) fn take_offer(inbox: &mut Inbox, _: KeyPress) {
    offers::take_offer(inbox);
}

pub(crate) fn may_undo(inbox: &Inbox) -> Result<(), Reason> {
    if inbox.desk.tab().is_in_triage()
        || inbox.changes.undoable(&inbox.context).is_some()
        || inbox.changes.is_queueing()
    {
        return Ok(());
    }
    let more = if inbox.changes.done(&inbox.context).next().is_some() {
        "; {show-done} lists what was done"
    } else {
        ""
    };
    Err(format!("nothing is held that could be taken back{more}"))
}

pub(crate) fn undo(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab().is_in_triage() {
        true => triage::triage_undo(inbox),
        false => sending::undo(inbox),
    }
}

pub(crate) fn since(inbox: &mut Inbox, _: KeyPress) {
    absence::show_digest(inbox);
}

pub(crate) fn show_attention(inbox: &mut Inbox, _: KeyPress) {
    attention::show_attention(inbox);
}

pub(crate) fn show_service_levels(inbox: &mut Inbox, _: KeyPress) {
    inbox.features.service_levels.ask(&inbox.desk, &mut inbox.context);
    listing::show_list(&mut inbox.context, ListKind::ServiceLevels);
}

pub(crate) fn show_done(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.ask_fates_of_done(&mut inbox.context);
    listing::show_list(&mut inbox.context, ListKind::Done);
}

pub(crate) fn may_repeat(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.features.macros.repeatable() {
        true => Ok(()),
        false => Err("nothing was done to a conversation yet that can be done again".into()),
    }
}

pub(crate) fn repeat(inbox: &mut Inbox, _: KeyPress) {
    recording::repeat(inbox);
}

pub(crate) fn may_play_macro(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.features.macros.is_recording() {
        Some(_) => Err("a macro is being recorded; {record-macro} ends it".into()),
        None => Ok(()),
    }
}

pub(crate) fn play_macro(inbox: &mut Inbox, _: KeyPress) {
    inbox.context.open(crate::features::macros::recording::MacroMenu { chosen: 0, records: false });
}

pub(crate) fn record_macro(inbox: &mut Inbox, _: KeyPress) {
    recording::record(inbox);
}

pub(crate) fn may_go_back(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.features.jump_list.has_last_place() {
        true => Ok(()),
        false => Err("this is the first place since the start".into()),
    }
}

pub(crate) fn last_place(inbox: &mut Inbox, _: KeyPress) {
    jump_list::go_back(inbox);
}

pub(crate) fn show_credits(inbox: &mut Inbox, _: KeyPress) {
    inbox.features.credits.show_credits(&inbox.desk, &mut inbox.context);
}

pub(crate) fn copy_text(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.copy(CopyTarget::OfHistory(CopiedPart::Text), &mut inbox.context);
}

pub(crate) fn copy_phone(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.copy(CopyTarget::Address, &mut inbox.context);
}

pub(crate) fn copy_id(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.copy(CopyTarget::Id, &mut inbox.context);
}

pub(crate) fn copy_link(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.copy(CopyTarget::OfHistory(CopiedPart::Link), &mut inbox.context);
}

pub(crate) fn copy_transcript(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.copy(CopyTarget::OfHistory(CopiedPart::Transcript), &mut inbox.context);
}

pub(crate) fn copy_error(inbox: &mut Inbox, _: KeyPress) {
    inbox.desk.copy(CopyTarget::OfHistory(CopiedPart::Error), &mut inbox.context);
}

pub(crate) fn handover(inbox: &mut Inbox, line: &str) -> Result<(), String> {
    handover::handover(inbox, line)
}

pub(crate) fn tutor(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    inbox.keyboard.tutor(&mut inbox.context)
}
