//! Commands of the review queue.

use crate::Inbox;
use crate::command::Reason;
use crate::keys::KeyPress;
use crate::screens::reviews::{BadAnswerForm, update};
use model::reviews::ReviewVerdict;

pub(crate) fn is_chosen(inbox: &Inbox) -> Result<(), Reason> {
    inbox.outbox.reviews.rows.chosen().map(drop).ok_or_else(|| "no answers to review".into())
}

pub(crate) fn accept_answer(inbox: &mut Inbox, _: KeyPress) {
    if let Some(entry) = inbox.outbox.reviews.rows.chosen().cloned() {
        update::record_verdict(inbox, entry, ReviewVerdict::Good);
    }
}

pub(crate) fn reject_answer(inbox: &mut Inbox, _: KeyPress) {
    if let Some(entry) = inbox.outbox.reviews.rows.chosen().cloned() {
        inbox.context.open(BadAnswerForm::new(entry));
    }
}
