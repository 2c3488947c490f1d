//! The commands of what crosses screens: undo, macros, credits, copying.

use crate::Inbox;
use crate::command::Reason;
use crate::features::clipboard::{CopiedPart, CopyTarget};
use crate::keys::KeyPress;
use crate::overlays::listing::ListKind;

pub(crate) fn may_take_offer(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.offered() {
        Some(_) => Ok(()),
        None => Err("nothing is offered now".into()),
    }
}

pub(crate) fn take_offer(inbox: &mut Inbox, _: KeyPress) {
    inbox.take_offer();
}

pub(crate) fn may_undo(inbox: &Inbox) -> Result<(), Reason> {
    if inbox.tab().is_in_triage() || inbox.undoable().is_some() || inbox.is_queueing() {
        return Ok(());
    }
    let more = if inbox.done().next().is_some() { "; {show-done} lists what was done" } else { "" };
    Err(format!("nothing is held that could be taken back{more}"))
}

pub(crate) fn undo(inbox: &mut Inbox, _: KeyPress) {
    match inbox.tab().is_in_triage() {
        true => inbox.triage_undo(),
        false => inbox.undo(),
    }
}

pub(crate) fn show_done(inbox: &mut Inbox, _: KeyPress) {
    inbox.ask_fates_of_done();
    inbox.show_list(ListKind::Done);
}

pub(crate) fn may_repeat(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.repeatable() {
        true => Ok(()),
        false => Err("nothing was done to a conversation yet that can be done again".into()),
    }
}

pub(crate) fn repeat(inbox: &mut Inbox, _: KeyPress) {
    inbox.repeat();
}

pub(crate) fn may_play_macro(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.is_recording() {
        Some(_) => Err("a macro is being recorded; {record-macro} ends it".into()),
        None => Ok(()),
    }
}

pub(crate) fn play_macro(inbox: &mut Inbox, _: KeyPress) {
    inbox.context.open(crate::features::macros::recording::MacroMenu { chosen: 0, records: false });
}

pub(crate) fn record_macro(inbox: &mut Inbox, _: KeyPress) {
    inbox.record();
}

pub(crate) fn may_go_back(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.has_last_place() {
        true => Ok(()),
        false => Err("this is the first place since the start".into()),
    }
}

pub(crate) fn last_place(inbox: &mut Inbox, _: KeyPress) {
    inbox.go_back();
}

pub(crate) fn show_credits(inbox: &mut Inbox, _: KeyPress) {
    inbox.show_credits();
}

pub(crate) fn copy_text(inbox: &mut Inbox, _: KeyPress) {
    inbox.copy(CopyTarget::OfHistory(CopiedPart::Text));
}

pub(crate) fn copy_phone(inbox: &mut Inbox, _: KeyPress) {
    inbox.copy(CopyTarget::Address);
}

pub(crate) fn copy_id(inbox: &mut Inbox, _: KeyPress) {
    inbox.copy(CopyTarget::Id);
}

pub(crate) fn copy_link(inbox: &mut Inbox, _: KeyPress) {
    inbox.copy(CopyTarget::OfHistory(CopiedPart::Link));
}

pub(crate) fn copy_transcript(inbox: &mut Inbox, _: KeyPress) {
    inbox.copy(CopyTarget::OfHistory(CopiedPart::Transcript));
}

pub(crate) fn copy_error(inbox: &mut Inbox, _: KeyPress) {
    inbox.copy(CopyTarget::OfHistory(CopiedPart::Error));
}

pub(crate) fn handover(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    inbox.handover()
}

pub(crate) fn tutor(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    inbox.tutor()
}
