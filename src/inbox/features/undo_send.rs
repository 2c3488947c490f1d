//! Held rows, and intents that are not on disk yet with decisions about them.

use std::collections::VecDeque;

use crate::event::{Effect, FileWrite, Intent};
use model::ids::{ChannelId, ConversationId, RowId};
use model::outbox::{Lane, Operation};
use model::time::Moment;

/// Decision about intents before they are rows on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EarlyDecision {
    Recall,
    SendNow,
}

/// Intents that enter the outbox together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IntentGroup {
    pub(crate) group: u64,
    pub(crate) is_held: bool,
    /// True if these intents are themselves an undo.
    pub(crate) is_unjournaled: bool,
    pub(crate) decision: Option<EarlyDecision>,
    /// Conversations whose customers get a message.
    answered: Vec<(ChannelId, ConversationId)>,
}

/// Intents on their way to the disk, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingGroups {
    groups: VecDeque<IntentGroup>,
    pub(crate) next_is_undo: bool,
    /// True if held intents were created in this update.
    expects_held: bool,
}

impl PendingGroups {
    pub(crate) fn record(&mut self, effects: &[Effect], mut group: impl FnMut() -> u64) {
        for effect in effects {
            if let Effect::Write(FileWrite::RegisterWebhook { .. }) = effect {
                let quiet = self.next_is_undo;
                self.groups.push_back(IntentGroup {
                    group: group(),
                    is_held: false,
                    is_unjournaled: quiet,
                    decision: None,
                    answered: Vec::new(),
                });
            }
            if let Some(intents) = enqueued_intents(effect) {
                let held = enqueues_held(effect);
                // Changes of threads have their own journal entry.
                let files =
                    intents.iter().all(|intent| matches!(intent.operation, Operation::ChangeThread { .. }));
                let quiet = self.next_is_undo || files;
                self.groups.push_back(IntentGroup {
                    group: group(),
                    is_held: held,
                    is_unjournaled: quiet,
                    decision: None,
                    answered: answered_conversations(intents),
                });
            }
        }
        (self.next_is_undo, self.expects_held) = (false, false);
    }

    /// Decides about the oldest undecided held intents; returns false if there are none.
    pub(crate) fn decide(&mut self, early: EarlyDecision) -> bool {
        let undecided = self.groups.iter_mut().find(|queued| queued.is_held && queued.decision.is_none());
        undecided.map(|queued| queued.decision = Some(early)).is_some()
    }

    /// True if a message to the customer of a conversation is on its way to the disk.
    pub(crate) fn answers(&self, channel: &ChannelId, conversation: &ConversationId) -> bool {
        let is_it = |of: &(ChannelId, ConversationId)| of.0 == *channel && of.1 == *conversation;
        let kept = self.groups.iter().filter(|group| group.decision != Some(EarlyDecision::Recall));
        kept.into_iter().any(|group| group.answered.iter().any(is_it))
    }

    /// True if held intents are on their way.
    pub(crate) fn has_held(&self) -> bool {
        self.expects_held || self.groups.iter().any(|queued| queued.is_held)
    }

    /// Remembers, until the end of this update, if the effects hold something.
    pub(crate) fn expect_held(&mut self, effects: &[Effect]) {
        self.expects_held = effects.iter().any(enqueues_held);
    }

    /// Removes the oldest intents: they are on disk, or the write failed.
    pub(crate) fn remove_oldest(&mut self) -> Option<IntentGroup> {
        self.groups.pop_front()
    }
}

fn enqueued_intents(effect: &Effect) -> Option<&[Intent]> {
    let Effect::Write(FileWrite::Enqueue { intents, .. } | FileWrite::SendProposal(_, intents)) = effect
    else {
        return None;
    };
    Some(intents)
}

fn answered_conversations(intents: &[Intent]) -> Vec<(ChannelId, ConversationId)> {
    let messages = intents.iter().filter(|intent| intent.operation.is_customer_message());
    messages.map(|intent| (intent.channel.clone(), intent.conversation.clone())).collect()
}

fn enqueues_held(effect: &Effect) -> bool {
    enqueued_intents(effect).is_some_and(|intents| intents.iter().any(|intent| intent.hold > 0))
}

/// A held row, which can be withdrawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRow {
    pub row: RowId,
    pub channel: ChannelId,
    pub lane: Lane,
    pub held_until: Moment,
}
