//! The commands of the broadcasts, and those that lead to the form of one.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::on_writable_tab;
use crate::keys::KeyPress;
use crate::screens::broadcasts::sending;
use crate::screens::broadcasts::update as broadcasts;
use model::waves::CampaignPhase;

/// Checks that the channel of the active tab has broadcasts.
pub(crate) fn has_broadcasts(inbox: &Inbox) -> Result<(), Reason> {
    if broadcasts::has_broadcasts(&inbox.desk) {
        return Ok(());
    }
    Err("broadcasts go out on business chat only".into())
}

pub(crate) fn may_broadcast(inbox: &Inbox) -> Result<(), Reason> {
    has_broadcasts(inbox)?;
    on_writable_tab(inbox)
}

pub(crate) fn broadcast(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.open_broadcast(
        sending::marked_conversations(&inbox.desk),
        &inbox.desk,
        &mut inbox.context,
    );
}

pub(crate) fn broadcast_people(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.open_broadcast(inbox.people.marked_people(), &inbox.desk, &mut inbox.context);
}

pub(crate) fn new_broadcast(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.open_broadcast(
        inbox.broadcasts.unfinished_source(&inbox.desk, &inbox.context),
        &inbox.desk,
        &mut inbox.context,
    );
}

pub(crate) fn may_pause(inbox: &Inbox) -> Result<(), Reason> {
    inbox.broadcasts.controllable_campaign(Some(CampaignPhase::Running), &inbox.desk).map(drop)
}

pub(crate) fn pause(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.pause_broadcast(&mut inbox.context);
}

pub(crate) fn may_continue(inbox: &Inbox) -> Result<(), Reason> {
    inbox.broadcasts.controllable_campaign(Some(CampaignPhase::Paused), &inbox.desk).map(drop)
}

pub(crate) fn continue_paused(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.ask_continue(&mut inbox.context);
}

pub(crate) fn may_stop(inbox: &Inbox) -> Result<(), Reason> {
    inbox.broadcasts.controllable_campaign(None, &inbox.desk).map(drop)
}

pub(crate) fn stop(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.ask_stop(&mut inbox.context);
}

pub(crate) fn is_chosen(inbox: &Inbox) -> Result<(), Reason> {
    inbox.broadcasts.rows.chosen().map(drop).ok_or_else(|| "No broadcast is selected".into())
}

pub(crate) fn show_recipients(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.open_recipients(&mut inbox.context);
}

pub(crate) fn may_retry_failed(inbox: &Inbox) -> Result<(), Reason> {
    is_chosen(inbox)?;
    inbox.broadcasts.failed_recipients().map(drop)
}

pub(crate) fn retry_failed(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.retry_failed(&mut inbox.context);
}

pub(crate) fn copy_failed(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.copy_failed(&mut inbox.context);
}

pub(crate) fn export_report(inbox: &mut Inbox, _: KeyPress) {
    inbox.broadcasts.export_report("", &mut inbox.context);
}

pub(crate) fn audience_completions(_: &Inbox) -> Vec<String> {
    ["everyone", "file ", "track "].map(str::to_owned).to_vec()
}
