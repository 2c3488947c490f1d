//! Stores verdicts of people on proposals by assistants and answers of the AI.

use crate::shell::effects::failed;
use inbox::event::Event;
use model::ids::ProposalId;
use model::news::News;
use model::proposals::{DeskProposal, ProposalVerdict};
use model::reviews::{ReviewEntry, ReviewVerdict};
use model::text::SafeText;
use model::time::Timestamp;
use store::Store;

pub(super) fn settle_proposal(
    store: &Store,
    id: &ProposalId,
    verdict: ProposalVerdict,
    now: Timestamp,
) -> Event {
    match store.settle_proposal(id, verdict, now) {
        Ok(taken) => Event::ProposalSettled(verdict, taken.map(Box::new)),
        Err(error) => {
            tracing::error!(%error, "a proposal could not be settled");
            let what = "deciding over the proposal".to_owned();
            Event::WriteFailed { what, why: error.to_string(), intents: Vec::new() }
        }
    }
}

pub(super) fn restore_proposal(store: &Store, proposal: DeskProposal) -> Event {
    let channel = proposal.channel.clone();
    let restored = failed(store.restore_proposal(proposal), "bringing the proposal back");
    restored.unwrap_or(Event::News(News::Conversations(channel)))
}

pub(super) fn review(
    store: &Store,
    entry: &ReviewEntry,
    verdict: Option<ReviewVerdict>,
    reviewer: &SafeText,
    now: Timestamp,
) -> Event {
    let kept = failed(store.record_review(entry, verdict, reviewer, now), "keeping the review");
    kept.unwrap_or_else(|| Event::News(News::Conversations(entry.channel.clone())))
}
