//! Commands of the outbox, and of its rows in a history.

use crate::Inbox;
use crate::command::Reason;
use crate::keys::KeyPress;
use crate::pages::PageKind;
use crate::screens::outbox::decision_actions;
use crate::screens::outbox::decisions;
use model::outbox::RowState;

pub(crate) fn may_decide(inbox: &Inbox) -> Result<(), Reason> {
    let Some(row) = inbox.outbox.current_row(&inbox.desk) else {
        return Err(match inbox.desk.page {
            PageKind::Outbox => "the outbox is empty".into(),
            _ => "no decision needed; select a stopped message first".into(),
        });
    };
    if inbox.desk.tabs.iter().any(|tab| tab.channel.id == row.channel && tab.channel.read_only) {
        return Err("its channel is read-only: nothing can be changed here".into());
    }
    match row.state {
        RowState::Stopped(..) => Ok(()),
        RowState::Queued if row.can_recall() => Err("no decision needed: it is sent automatically".into()),
        _ => Err("no decision needed: it is retried automatically".into()),
    }
}

pub(crate) fn decide(inbox: &mut Inbox, _: KeyPress) {
    inbox.outbox.load_question(&inbox.desk, &mut inbox.context);
}

pub(crate) fn may_decide_all(inbox: &Inbox) -> Result<(), Reason> {
    let (go, look) = decisions::plan_send_all(&inbox.outbox.rows.rows);
    match (go.len(), look) {
        (0, 0) => Err("nothing here waited for a connection".into()),
        (0, look) => Err(format!("{look} waited; check each one first: {{decide}} decide")),
        _ => Ok(()),
    }
}

pub(crate) fn decide_all(inbox: &mut Inbox, _: KeyPress) {
    inbox.outbox.ask_about_all(&mut inbox.context);
}

/// Returns the reason if the current row cannot be sent now, or recalled if `back`.
fn check_held_row(inbox: &Inbox, back: bool) -> Result<(), Reason> {
    match inbox.outbox.current_row(&inbox.desk) {
        None => Err("the outbox is empty".into()),
        Some(row) if row.is_stopped() => Err("needs a decision: {decide} decide".into()),
        Some(row) if back && row.can_withdraw() => Ok(()),
        Some(row) if !row.can_recall() => Err("it may be partly sent; it is retried automatically".into()),
        Some(_) => Ok(()),
    }
}

pub(crate) fn may_send_now(inbox: &Inbox) -> Result<(), Reason> {
    check_held_row(inbox, false)
}

pub(crate) fn send_row_now(inbox: &mut Inbox, _: KeyPress) {
    decision_actions::send_or_recall_held(inbox, true);
}

pub(crate) fn may_recall(inbox: &Inbox) -> Result<(), Reason> {
    check_held_row(inbox, true)
}

pub(crate) fn recall_row(inbox: &mut Inbox, _: KeyPress) {
    decision_actions::send_or_recall_held(inbox, false);
}
