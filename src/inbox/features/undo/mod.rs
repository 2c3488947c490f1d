//! Journal of the changes made at this desk, and their undo: of held rows, of local changes, and of
//! changes the API can reverse.

pub(crate) mod row_outcomes;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod update;

use crate::changes::Changes;
use std::collections::{HashMap, VecDeque};

use crate::components::marks::Marks;
use crate::event::Intent;
use model::conversations::ConversationRow;
use model::ids::{CampaignId, ChannelId, ConversationId, NoteId, RowId};
use model::local::LocalChange;
use model::outbox::{Lane, Operation, OutboxRow};
use model::proposals::DeskProposal;
use model::queries::OutboxOutcome;
use model::reviews::ReviewEntry;
use model::text::SafeText;
use model::time::{MINUTE, Moment, Timestamp};

const MAX_JOURNAL_ENTRIES: usize = 200;

/// Local changes older than this are no longer undoable once something newer was sent.
const MAX_LATE_UNDO_AGE: i64 = 5 * MINUTE;

#[derive(Debug, Clone, PartialEq)]
pub struct JournalEntry {
    pub at: Moment,
    /// Shared by all changes of one key.
    pub group: u64,
    pub channel: ChannelId,
    pub description: SafeText,
    pub target: UndoTarget,
    pub undone: bool,
}

impl JournalEntry {
    /// Conversation of the first change.
    pub(crate) fn conversation(&self) -> Option<ConversationId> {
        match &self.target {
            UndoTarget::Filed(backs) => backs.first().map(|back| back.conversation.clone()),
            UndoTarget::Rows(rows) => rows.first().map(|row| ConversationId::new(row.lane.id())),
            UndoTarget::Act(act) => act.conversation(),
            UndoTarget::Note(of, _) | UndoTarget::DiscardedDraft(of, _) => Some(of.clone()),
            UndoTarget::Local(keep) => single_conversation(keep).cloned(),
            UndoTarget::Marks(..)
            | UndoTarget::Proposal(_)
            | UndoTarget::Review(_)
            | UndoTarget::Campaign(..) => None,
        }
    }

    /// True if all changes concern this conversation.
    pub(crate) fn concerns_only(&self, id: &ConversationId) -> bool {
        match &self.target {
            UndoTarget::Filed(backs) => backs.iter().all(|back| back.conversation == *id),
            UndoTarget::Rows(rows) => rows.iter().all(|row| row.lane.id() == id.as_str()),
            UndoTarget::Act(act) => act.concerns_only(id),
            UndoTarget::Note(of, _) | UndoTarget::DiscardedDraft(of, _) => of == id,
            UndoTarget::Local(keep) => single_conversation(keep) == Some(id),
            UndoTarget::Marks(..)
            | UndoTarget::Proposal(_)
            | UndoTarget::Review(_)
            | UndoTarget::Campaign(..) => false,
        }
    }

    /// `Some(true)` if the change starred a thread, `Some(false)` if it removed the star.
    pub(crate) fn star_change(&self) -> Option<bool> {
        let UndoTarget::Filed(backs) = &self.target else { return None };
        let back = backs.iter().find_map(|back| match &back.operation {
            Operation::ChangeThread { change, .. } => change.is_starred,
            _ => None,
        });
        back.map(|back| !back)
    }

    /// True if a mail of this conversation was sent.
    fn has_sent_mail(&self, channel: &ChannelId, id: &ConversationId) -> bool {
        let sends = |outbox_row: &OutboxRow| {
            matches!(outbox_row.operation, Operation::SendMail(_)) && outbox_row.lane.id() == id.as_str()
        };
        self.channel == *channel && matches!(&self.target, UndoTarget::Rows(rows) if rows.iter().any(sends))
    }

    /// Rows of the outbox that the change made.
    pub(crate) fn rows(&self) -> &[OutboxRow] {
        match &self.target {
            UndoTarget::Rows(rows) => rows,
            UndoTarget::Act(act) => &act.rows,
            UndoTarget::Filed(_)
            | UndoTarget::Note(..)
            | UndoTarget::DiscardedDraft(..)
            | UndoTarget::Local(_)
            | UndoTarget::Marks(..)
            | UndoTarget::Proposal(_)
            | UndoTarget::Review(_)
            | UndoTarget::Campaign(..) => &[],
        }
    }

    /// True if its rows are not on disk yet.
    fn awaits_rows(&self) -> bool {
        matches!(&self.target, UndoTarget::Act(act) if act.awaits_rows)
    }
}

/// The conversation of a local change, `None` if the change has several or none.
fn single_conversation(keep: &LocalChange) -> Option<&ConversationId> {
    fn single_key<T>(pairs: &[(ConversationId, T)]) -> Option<&ConversationId> {
        if let [(id, _)] = pairs { Some(id) } else { None }
    }
    match keep {
        LocalChange::Snooze(pairs) => single_key(pairs),
        LocalChange::Claim(pairs) => single_key(pairs),
        LocalChange::Tags(pairs) => single_key(pairs),
        LocalChange::DraftOnly(pairs) => single_key(pairs),
        LocalChange::Unseen(pairs) => single_key(pairs),
        LocalChange::Wake(_)
        | LocalChange::Rule(..)
        | LocalChange::ExtendPauses(..)
        | LocalChange::ApplyTime { .. } => None,
    }
}

/// One act with several parts, such as taking a conversation over: undone as a whole.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Act {
    /// Rows of the outbox, once they are on disk.
    pub rows: Vec<OutboxRow>,
    /// True until the rows are on disk.
    pub awaits_rows: bool,
    /// Changes that restore the folders of threads.
    pub filed: Vec<Intent>,
    /// Changes that restore what only this desk keeps.
    pub local: Vec<(ChannelId, LocalChange)>,
    /// Notes that were added, once they are on disk.
    pub notes: Vec<(ChannelId, ConversationId, NoteId)>,
}

impl Act {
    pub(crate) fn new(awaits_rows: bool, local: Vec<(ChannelId, LocalChange)>) -> Self {
        Self { awaits_rows, local, ..Self::default() }
    }

    fn conversation(&self) -> Option<ConversationId> {
        let row = self.rows.first().map(|row| ConversationId::new(row.lane.id()));
        let filed = || self.filed.first().map(|intent| intent.conversation.clone());
        let local = || self.local.first().and_then(|(_, change)| single_conversation(change).cloned());
        row.or_else(filed).or_else(local)
    }

    fn concerns_only(&self, id: &ConversationId) -> bool {
        self.rows.iter().all(|row| row.lane.id() == id.as_str())
            && self.filed.iter().all(|intent| intent.conversation == *id)
            && self.local.iter().all(|(_, change)| single_conversation(change) == Some(id))
    }
}

/// State that the undo needs.
#[derive(Debug, Clone, PartialEq)]
pub enum UndoTarget {
    Rows(Vec<OutboxRow>),
    Act(Box<Act>),
    /// The local change that restores the earlier state.
    Local(LocalChange),
    /// Marks before the change; true for the list of all tabs.
    Marks(Marks, bool),
    /// A private note, which returns to the composer.
    Note(ConversationId, NoteId),
    DiscardedDraft(ConversationId, String),
    /// Changes that restore the folders and flags of threads.
    Filed(Vec<Intent>),
    Proposal(Box<DeskProposal>),
    /// The review of an AI answer before the change.
    Review(Box<ReviewEntry>),
    /// A broadcast and the end of its hold.
    Campaign(CampaignId, Moment),
}

#[derive(Debug, Clone, PartialEq)]
enum UndoMethod {
    /// Withdraw rows that were not sent.
    Recall(Vec<RowId>),
    /// Send the opposite change of rows that were sent.
    Invert(Vec<OutboxRow>),
    /// Restore local state and folders.
    RestoreLocal,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    entries: VecDeque<JournalEntry>,
    newest_group: u64,
    /// True while entries join the group before them.
    joins_group: bool,
    /// Group of a change that was reported as not undoable.
    reported_group: Option<u64>,
    /// Outcomes of the rows, as of the opening of the list.
    row_outcomes: HashMap<RowId, OutboxOutcome>,
}

impl Journal {
    /// Returns the newest entry after a group, unless it was undone.
    pub(crate) fn newest_since(&self, group: u64) -> Option<&UndoTarget> {
        let newest = self.entries.back().filter(|entry| entry.group > group && !entry.undone)?;
        Some(&newest.target)
    }

    pub(crate) fn next_group(&mut self) -> u64 {
        if !self.joins_group {
            self.newest_group += 1;
        }
        self.newest_group
    }

    pub(crate) fn newest_group(&self) -> u64 {
        self.newest_group
    }

    /// Begins or ends a group that following entries join.
    pub(crate) fn set_joining(&mut self, joined: bool) {
        // Groups within a macro belong to the group of the macro.
        if joined && self.joins_group {
            return;
        }
        self.joins_group = false;
        if joined {
            self.next_group();
            self.joins_group = true;
        }
    }

    /// True if the newest entry is an act whose rows are not on disk yet.
    pub(crate) fn is_newest_awaiting_rows(&self) -> bool {
        self.entries.back().is_some_and(|entry| entry.awaits_rows() && !entry.undone)
    }

    /// Hands the rows that reached the disk to the act that made them; returns that act, `None` if
    /// they belong to none.
    fn complete_act(&mut self, group: u64, rows: &[OutboxRow]) -> Option<&JournalEntry> {
        let entry = self.entries.iter_mut().find(|entry| entry.group == group && entry.awaits_rows())?;
        if let UndoTarget::Act(act) = &mut entry.target {
            (act.awaits_rows, act.rows) = (false, rows.to_vec());
        }
        Some(entry)
    }

    fn record(&mut self, done: JournalEntry) {
        if self.entries.len() == MAX_JOURNAL_ENTRIES {
            self.entries.pop_front();
        }
        self.entries.push_back(done);
    }
}

impl Changes {
    /// True if this desk sent the customer a message since a time, or holds one.
    pub(crate) fn has_answered_since(&self, row: &ConversationRow, since: Timestamp) -> bool {
        let id = &row.conversation.id;
        let answers = |sent: &OutboxRow| {
            // A phone's conversation is its number.
            let is_here = match &sent.lane {
                Lane::Number(number) => number == id.as_str(),
                lane => lane.conversation() == Some(id),
            };
            let is_answer =
                sent.operation.is_customer_message() || matches!(sent.operation, Operation::SendSms { .. });
            is_here && is_answer && sent.channel == row.channel && sent.created_at >= since
        };
        let sent = self.journal.entries.iter().filter(|entry| !entry.undone).flat_map(JournalEntry::rows);
        sent.into_iter().any(answers) || self.pending_groups.answers(&row.channel, id)
    }

    /// Returns the description of the act that a withdrawn row belongs to.
    pub(crate) fn undone_act(&self, row: &RowId) -> Option<SafeText> {
        let of_row = |entry: &&JournalEntry| {
            matches!(entry.target, UndoTarget::Act(_)) && entry.rows().iter().any(|own| own.id == *row)
        };
        self.journal.entries.iter().rev().find(of_row).map(|entry| entry.description.clone())
    }

    /// Marks the entry of a withdrawn row as undone.
    pub(crate) fn mark_recalled(&mut self, row: &RowId) {
        for done in &mut self.journal.entries {
            if let UndoTarget::Rows(rows) = &mut done.target
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
