//! What is held and can be taken back, and what is on its way into the outbox
//! with what was decided over it meanwhile: keys may be faster than the disk.

use std::collections::VecDeque;

use crate::event::{Effect, FileWrite, Intent};
use model::ids::{ChannelId, RowId};
use model::outbox::{Lane, Operation};
use model::time::Moment;

/// What was decided over rows before they were on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Early {
    Recall,
    SendNow,
}

/// Intents that go into the outbox together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Queued {
    /// The number of what was done.
    pub(crate) group: u64,
    /// Whether it is held.
    pub(crate) held: bool,
    /// Whether it is itself the undoing of something.
    pub(crate) quiet: bool,
    /// What was decided over it.
    pub(crate) early: Option<Early>,
}

/// All that is on its way, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queueing {
    waiting: VecDeque<Queued>,
    /// Whether what is asked for now undoes something.
    pub(crate) quiet: bool,
    /// Whether something held was asked for in this turn.
    expected: bool,
}

impl Queueing {
    /// Notes what is asked for now.
    pub(crate) fn record(&mut self, effects: &[Effect], mut group: impl FnMut() -> u64) {
        for effect in effects {
            if let Effect::Write(FileWrite::Register { .. }) = effect {
                let quiet = self.quiet;
                self.waiting.push_back(Queued { group: group(), held: false, quiet, early: None });
            }
            if let Some(intents) = sent(effect) {
                let held = is_held(effect);
                // What is filed has a line of its own among what was done.
                let files =
                    intents.iter().all(|intent| matches!(intent.operation, Operation::ChangeThread { .. }));
                let quiet = self.quiet || files;
                self.waiting.push_back(Queued { group: group(), held, quiet, early: None });
            }
        }
        (self.quiet, self.expected) = (false, false);
    }

    /// Decides over the oldest held one nothing was decided over; false when
    /// there is none.
    pub(crate) fn decide(&mut self, early: Early) -> bool {
        let undecided = self.waiting.iter_mut().find(|queued| queued.held && queued.early.is_none());
        undecided.map(|queued| queued.early = Some(early)).is_some()
    }

    /// Whether anything held is on its way.
    pub(crate) fn is_holding(&self) -> bool {
        self.expected || self.waiting.iter().any(|queued| queued.held)
    }

    /// What was just asked for is held: it is noted at the end of this turn.
    pub(crate) fn expect(&mut self, effects: &[Effect]) {
        self.expected = effects.iter().any(is_held);
    }

    /// The oldest is on disk, or could not be put there.
    pub(crate) fn settle(&mut self) -> Option<Queued> {
        self.waiting.pop_front()
    }
}

/// What an effect puts into the outbox as a person's own text or change.
fn sent(effect: &Effect) -> Option<&[Intent]> {
    let Effect::Write(FileWrite::Enqueue { intents, .. } | FileWrite::SendProposed(_, intents)) = effect
    else {
        return None;
    };
    Some(intents)
}

/// Whether an effect puts something held into the outbox.
fn is_held(effect: &Effect) -> bool {
    sent(effect).is_some_and(|intents| intents.iter().any(|intent| intent.hold > 0))
}

/// A row that is held and can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub row: RowId,
    pub channel: ChannelId,
    pub lane: Lane,
    /// Its hold ends then.
    pub until: Moment,
}
