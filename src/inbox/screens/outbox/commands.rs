//! The commands of the outbox, and of its rows in a history.

use crate::Inbox;
use crate::command::Reason;
use crate::keys::KeyPress;
use crate::pages::PageKind;
use crate::screens::outbox::deciding;
use crate::screens::outbox::decisions;
use model::outbox::RowState;

/// Whether the current row was stopped and asks.
pub(crate) fn may_decide(inbox: &Inbox) -> Result<(), Reason> {
    let Some(row) = inbox.outbox.current_row(&inbox.desk) else {
        return Err(match inbox.desk.page {
            PageKind::Outbox => "the outbox is empty".into(),
            _ => "only a message that was stopped on its way out asks; select one first".into(),
        });
    };
    if inbox.desk.tabs.iter().any(|tab| tab.channel.id == row.channel && tab.channel.read_only) {
        return Err("its tab is read-only: nothing is changed from here".into());
    }
    match row.state {
        RowState::Stopped(..) => Ok(()),
        RowState::Queued if row.can_recall() => Err("it does not ask: it leaves by itself".into()),
        _ => Err("it does not ask: it is tried again by itself".into()),
    }
}

pub(crate) fn decide(inbox: &mut Inbox, _: KeyPress) {
    inbox.outbox.ask_about_row(&inbox.desk, &mut inbox.context);
}

/// Whether there is anything of which one key can send all.
pub(crate) fn may_decide_all(inbox: &Inbox) -> Result<(), Reason> {
    let (go, look) = decisions::plan(&inbox.outbox.rows.rows);
    match (go.len(), look) {
        (0, 0) => Err("nothing here waited for a connection".into()),
        (0, look) => Err(format!("{look} waited, but each needs a look first: {{decide}} decides")),
        _ => Ok(()),
    }
}

pub(crate) fn decide_all(inbox: &mut Inbox, _: KeyPress) {
    inbox.outbox.ask_about_all(&mut inbox.context);
}

/// Whether the current row has not left and can be hurried or taken back.
fn held(inbox: &Inbox, back: bool) -> Result<(), Reason> {
    match inbox.outbox.current_row(&inbox.desk) {
        None => Err("the outbox is empty".into()),
        Some(row) if row.is_stopped() => Err("it asks: {decide} decides over it".into()),
        Some(row) if back && row.can_withdraw() => Ok(()),
        Some(row) if !row.can_recall() => {
            Err("bytes of it may have left; it is tried again by itself".into())
        }
        Some(_) => Ok(()),
    }
}

pub(crate) fn may_send_now(inbox: &Inbox) -> Result<(), Reason> {
    held(inbox, false)
}

pub(crate) fn row_now(inbox: &mut Inbox, _: KeyPress) {
    deciding::held_row(inbox, true);
}

pub(crate) fn may_take_back(inbox: &Inbox) -> Result<(), Reason> {
    held(inbox, true)
}

pub(crate) fn row_back(inbox: &mut Inbox, _: KeyPress) {
    deciding::held_row(inbox, false);
}
