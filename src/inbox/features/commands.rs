//! Commands of features across screens: undo, macros, credits, copying.

use crate::Inbox;
use crate::command::Reason;
use crate::features::attention::update as attention;
use crate::features::clipboard;
use crate::features::clipboard::{CopiedPart, CopyTarget};
use crate::features::handover;
use crate::features::macros;
use crate::features::macros::menu::MacroMenu;
use crate::keys::KeyPress;
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::screens::composer::sending;
use crate::screens::mail::triage::undo_steps as triage;

pub(crate) fn may_send_unpaid(inbox: &Inbox) -> Result<(), Reason> {
    Ok(inbox.features.credits.may_send_unpaid(&inbox.desk, &inbox.context)?)
}

pub(crate) fn send_unpaid(inbox: &mut Inbox, _: KeyPress) {
    inbox.features.credits.ask_to_send_unpaid(&inbox.desk, &mut inbox.context);
}

pub(crate) fn may_undo(inbox: &Inbox) -> Result<(), Reason> {
    if inbox.desk.tab().is_in_triage()
        || inbox.changes.next_undo_group(&inbox.context).is_some()
        || inbox.changes.is_queueing()
    {
        return Ok(());
    }
    let more = if inbox.changes.journal_entries(&inbox.context).next().is_some() {
        "; {show-done} undo list"
    } else {
        ""
    };
    Err(format!("nothing to undo{more}"))
}

pub(crate) fn undo(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab().is_in_triage() {
        true => triage::undo_in_triage(inbox),
        false => sending::undo_last(inbox),
    }
}

pub(crate) fn show_attention(inbox: &mut Inbox, _: KeyPress) {
    attention::show_attention(inbox);
}

pub(crate) fn show_service_levels(inbox: &mut Inbox, _: KeyPress) {
    inbox.features.service_levels.load(&inbox.desk, &mut inbox.context);
    listing::show_list(&mut inbox.context, ListKind::ServiceLevels);
}

pub(crate) fn show_done(inbox: &mut Inbox, _: KeyPress) {
    inbox.changes.load_journal_outcomes(&mut inbox.context);
    listing::show_list(&mut inbox.context, ListKind::Journal);
}

pub(crate) fn may_repeat(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.features.macros.has_last_action() {
        true => Ok(()),
        false => Err("nothing to repeat yet".into()),
    }
}

pub(crate) fn repeat(inbox: &mut Inbox, _: KeyPress) {
    macros::repeat(inbox);
}

pub(crate) fn play_macro(inbox: &mut Inbox, _: KeyPress) {
    inbox.context.open(MacroMenu::default());
}

pub(crate) fn show_credits(inbox: &mut Inbox, _: KeyPress) {
    inbox.features.credits.show_credits(&inbox.desk, &mut inbox.context);
}

pub(crate) fn copy_text(inbox: &mut Inbox, _: KeyPress) {
    clipboard::copy(&mut inbox.desk, CopyTarget::History(CopiedPart::Text), &mut inbox.context);
}

pub(crate) fn copy_phone(inbox: &mut Inbox, _: KeyPress) {
    clipboard::copy(&mut inbox.desk, CopyTarget::Address, &mut inbox.context);
}

pub(crate) fn copy_id(inbox: &mut Inbox, _: KeyPress) {
    clipboard::copy(&mut inbox.desk, CopyTarget::Id, &mut inbox.context);
}

pub(crate) fn copy_link(inbox: &mut Inbox, _: KeyPress) {
    clipboard::copy(&mut inbox.desk, CopyTarget::History(CopiedPart::Link), &mut inbox.context);
}

pub(crate) fn copy_transcript(inbox: &mut Inbox, _: KeyPress) {
    clipboard::copy(&mut inbox.desk, CopyTarget::History(CopiedPart::Transcript), &mut inbox.context);
}

pub(crate) fn copy_error(inbox: &mut Inbox, _: KeyPress) {
    clipboard::copy(&mut inbox.desk, CopyTarget::History(CopiedPart::Error), &mut inbox.context);
}

pub(crate) fn handover(inbox: &mut Inbox, line: &str) -> Result<(), String> {
    handover::handover(inbox, line)
}

pub(crate) fn tutor(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    inbox.keyboard.turn_tutor(&mut inbox.context)
}
