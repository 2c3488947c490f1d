//! Commands of the proposals page.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions;
use crate::event::FileWrite;
use crate::keys::KeyPress;
use crate::screens::proposals::update;
use model::proposals::{ProposalEntry, ProposalVerdict, ProposedChange};

fn chosen(inbox: &Inbox) -> Result<&ProposalEntry, Reason> {
    inbox.outbox.proposals.chosen().ok_or_else(|| "no proposals".into())
}

pub(crate) fn is_chosen(inbox: &Inbox) -> Result<(), Reason> {
    chosen(inbox).map(drop)
}

pub(crate) fn may_accept(inbox: &Inbox) -> Result<(), Reason> {
    let entry = chosen(inbox)?;
    if entry.row.is_none() {
        return Err("its conversation is no longer here; {drop-proposal} drop".into());
    }
    let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == entry.proposal.channel);
    conditions::check_tab_writable(tab.ok_or("its channel was removed")?)
}

pub(crate) fn may_edit(inbox: &Inbox) -> Result<(), Reason> {
    may_accept(inbox)?;
    match chosen(inbox)?.proposal.change {
        ProposedChange::Reply { .. } => Ok(()),
        _ => Err("only replies can be edited; {accept-proposal} accept".into()),
    }
}

pub(crate) fn accept(inbox: &mut Inbox, _: KeyPress) {
    if let Some(entry) = inbox.outbox.proposals.chosen().cloned() {
        update::accept(inbox, entry);
    }
}

pub(crate) fn edit(inbox: &mut Inbox, _: KeyPress) {
    settle_chosen(inbox, ProposalVerdict::Edited);
}

pub(crate) fn drop_proposal(inbox: &mut Inbox, _: KeyPress) {
    settle_chosen(inbox, ProposalVerdict::Dropped);
}

fn settle_chosen(inbox: &mut Inbox, verdict: ProposalVerdict) {
    let id = inbox.outbox.proposals.chosen().map(|chosen| chosen.proposal.id.clone());
    inbox.context.push_all(id.map(|entry| FileWrite::SettleProposal(entry, verdict)));
}
