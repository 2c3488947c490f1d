//! What was done from here, newest last, and taking it back: what is held,
//! what only this desk keeps, and what the interface can turn round.

pub(crate) mod fates;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod update;

use crate::changes::Changes;
use std::collections::{HashMap, VecDeque};

use crate::components::marks::Marks;
use crate::event::Intent;
use model::ids::{CampaignId, ChannelId, ConversationId, NoteId, RowId};
use model::local::LocalChange;
use model::macros::Macro;
use model::outbox::{Operation, OutboxRow};
use model::proposals::DeskProposal;
use model::queries::OutboxOutcome;
use model::reviews::ReviewEntry;
use model::text::SafeText;
use model::time::{MINUTE, Moment};

/// Things remembered at most.
const REMEMBERED: usize = 200;

/// How long what only this desk keeps is taken back although something newer
/// has left: later nobody means it any more.
const FRESH: i64 = 5 * MINUTE;

/// One thing that was done from here.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub at: Moment,
    /// What was done with one key has one number.
    pub group: u64,
    pub channel: ChannelId,
    /// What was done, in words.
    pub words: SafeText,
    /// What taking it back takes.
    pub what: UndoTarget,
    /// Whether it was taken back.
    pub undone: bool,
}

impl Done {
    /// The first conversation it was done to.
    pub(crate) fn conversation(&self) -> Option<ConversationId> {
        match &self.what {
            UndoTarget::Filed(backs) => backs.first().map(|back| back.conversation.clone()),
            UndoTarget::Rows(rows) => rows.first().map(|row| ConversationId::new(row.lane.id())),
            UndoTarget::Note(of, _) | UndoTarget::Discarded(of, _) => Some(of.clone()),
            UndoTarget::Keep(keep) => only(keep).cloned(),
            UndoTarget::Marks(..)
            | UndoTarget::Macro(..)
            | UndoTarget::Proposal(_)
            | UndoTarget::Review(_)
            | UndoTarget::Campaign(..) => None,
        }
    }

    /// Whether it was done to this conversation alone.
    pub(crate) fn is_of(&self, id: &ConversationId) -> bool {
        match &self.what {
            UndoTarget::Filed(backs) => backs.iter().all(|back| back.conversation == *id),
            UndoTarget::Rows(rows) => rows.iter().all(|row| row.lane.id() == id.as_str()),
            UndoTarget::Note(of, _) | UndoTarget::Discarded(of, _) => of == id,
            UndoTarget::Keep(keep) => only(keep) == Some(id),
            UndoTarget::Marks(..)
            | UndoTarget::Macro(..)
            | UndoTarget::Proposal(_)
            | UndoTarget::Review(_)
            | UndoTarget::Campaign(..) => false,
        }
    }

    /// Whether it gave a star, or took one away; `None` if it did neither.
    pub(crate) fn starred(&self) -> Option<bool> {
        let UndoTarget::Filed(backs) = &self.what else { return None };
        let back = backs.iter().find_map(|back| match &back.operation {
            Operation::ChangeThread { change, .. } => change.is_starred,
            _ => None,
        });
        back.map(|back| !back)
    }

    /// Whether it sent a mail of this conversation.
    fn mails(&self, channel: &ChannelId, id: &ConversationId) -> bool {
        let sends = |outbox_row: &OutboxRow| {
            matches!(outbox_row.operation, Operation::SendMail(_)) && outbox_row.lane.id() == id.as_str()
        };
        self.channel == *channel && matches!(&self.what, UndoTarget::Rows(rows) if rows.iter().any(sends))
    }
}

/// The conversation a change of this desk is about, if it is one.
fn only(keep: &LocalChange) -> Option<&ConversationId> {
    fn one<T>(pairs: &[(ConversationId, T)]) -> Option<&ConversationId> {
        if let [(id, _)] = pairs { Some(id) } else { None }
    }
    match keep {
        LocalChange::Snooze(it) => one(it),
        LocalChange::Claim(it) => one(it),
        LocalChange::Tags(it) => one(it),
        LocalChange::DraftOnly(it) => one(it),
        LocalChange::Unseen(it) => one(it),
        LocalChange::Wake(_) | LocalChange::Rule(..) | LocalChange::ExtendPauses(..) => None,
    }
}

/// What taking something back takes.
#[derive(Debug, Clone, PartialEq)]
pub enum UndoTarget {
    Rows(Vec<OutboxRow>),
    /// The change that brings back what was kept before.
    Keep(LocalChange),
    /// The marks that were set before, and whether in the list over all tabs.
    Marks(Marks, bool),
    /// A private note, to be taken back into the composer.
    Note(ConversationId, NoteId),
    /// A draft that was thrown away.
    Discarded(ConversationId, String),
    /// Threads that were filed: what files them as they were.
    Filed(Vec<Intent>),
    /// A macro as it was before.
    Macro(char, Option<Macro>),
    Proposal(Box<DeskProposal>),
    /// What was said of an answer of the AI.
    Review(Box<ReviewEntry>),
    /// A broadcast, held until then.
    Campaign(CampaignId, Moment),
}

/// How something can be taken back.
#[derive(Debug, Clone, PartialEq)]
enum UndoMethod {
    /// It has not left.
    Recall(Vec<RowId>),
    /// It has left, and the opposite can be asked for.
    Turn(Vec<OutboxRow>),
    /// Only this desk knows of it.
    Here,
}

/// What was done from here.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    done: VecDeque<Done>,
    groups: u64,
    /// Whether what follows belongs to the group before it.
    joined: bool,
    /// What could not be taken back and was said so, by its number.
    passed: Option<u64>,
    /// What became of the rows, as of when the list was opened.
    fates: HashMap<RowId, OutboxOutcome>,
}

impl Journal {
    /// The number of the next thing done.
    pub(crate) fn group(&mut self) -> u64 {
        if !self.joined {
            self.groups += 1;
        }
        self.groups
    }

    /// The number of the newest thing done.
    pub(crate) fn newest(&self) -> u64 {
        self.groups
    }

    /// From now on things belong together, or not any more.
    pub(crate) fn join(&mut self, joined: bool) {
        // Within a macro, what belongs together belongs to all of it.
        if joined && self.joined {
            return;
        }
        self.joined = false;
        if joined {
            self.group();
            self.joined = true;
        }
    }

    fn record(&mut self, done: Done) {
        if self.done.len() == REMEMBERED {
            self.done.pop_front();
        }
        self.done.push_back(done);
    }
}

impl Changes {
    /// A row was taken back, by whichever key.
    pub(crate) fn note_recalled(&mut self, row: &RowId) {
        for done in &mut self.journal.done {
            if let UndoTarget::Rows(rows) = &mut done.what
                && rows.iter().any(|outbox_row| outbox_row.id == *row)
            {
                if rows.len() == 1 {
                    done.undone = true;
                } else {
                    rows.retain(|entry| entry.id != *row);
                }
            }
        }
    }
}
