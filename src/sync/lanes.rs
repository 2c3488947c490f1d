//! Which outbox row leaves next. Pure: rows in their order and the time come
//! in.
//!
//! Rows of one lane leave in the order they were queued, one at a time. A row
//! whose outcome is not known blocks its lane, and so does one that waits for
//! a person and can still leave; a pause that failed holds back the texts
//! behind it, so that person and AI do not cross. No row waits for one of
//! another lane: a message that was not paid for holds up its own conversation
//! and no other.

use std::collections::{HashMap, HashSet};

use crate::guard::Outage;
use crate::ownership::{AccountFit, SenderAccount};
use crate::reconcile;
use crate::uploads::is_upload;
use model::ids::ConversationId;
use model::outbox::{Lane, Moment, Operation, RowState, Stop};
use model::time::Timestamp;
use store::lane::{LaneRow, is_lapsed};

/// What to do with the outbox now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneStep {
    Send(usize),
    /// Reads this conversation's history before its text may leave.
    ReadFirst(ConversationId),
    /// Asks a person about this row: the server may not recognise its key.
    Expire(usize),
    /// Looks for this stopped row in its history.
    Look(usize),
    /// Asks a person about this row: it belongs to another account.
    AskAboutAccount(usize),
    /// Reads the account of the key before anything of another one may leave.
    ConfirmAccount,
    /// Frees rows whose claim lapsed.
    Recover,
    /// Nothing before then.
    Wait(Timestamp),
    /// Nothing until something is queued.
    Nothing,
}

/// What the desk knows beside the rows.
#[derive(Debug, Clone, Copy)]
pub struct LaneContext<'a> {
    pub now: Moment,
    /// Lanes that wait until then, because their history could not be read or
    /// a repetition is not paid for.
    pub held: &'a HashMap<Lane, Timestamp>,
    /// What rows leave with.
    pub sender: SenderAccount<'a>,
    /// No reading of the account before then.
    pub confirm_after: Timestamp,
    /// When histories were last read before a text.
    pub read_at: &'a HashMap<ConversationId, Timestamp>,
    /// When rows could not leave last.
    pub outage: &'a Outage,
    /// No look into a history before then; `None` for none at all.
    pub look_after: Option<Timestamp>,
}

/// Chooses the first row that may leave.
pub fn choose(rows: &[LaneRow], desk: &LaneContext<'_>) -> LaneStep {
    let leaving = |lane_row: &&LaneRow| {
        matches!(lane_row.row.state, RowState::Sending | RowState::Uncertain) && !is_upload(lane_row)
    };
    let busy = rows.iter().filter(leaving).map(|row| &row.row.lane).collect();
    let mut walk = LaneWalk { busy, ..LaneWalk::default() };
    for (index, lane) in rows.iter().enumerate() {
        if let Some(choice) = walk.take(index, lane, desk) {
            return choice;
        }
    }
    match (walk.look, walk.due) {
        (Some(index), _) => LaneStep::Look(index),
        (None, Some(due)) => LaneStep::Wait(due),
        (None, None) => LaneStep::Nothing,
    }
}

/// What the rows before decide about the next one.
#[derive(Default)]
struct LaneWalk<'a> {
    /// Lanes of which a row is on its way: one that a person sends again may
    /// stand before it.
    busy: HashSet<&'a Lane>,
    blocked: HashSet<&'a Lane>,
    paused_in_vain: HashSet<&'a Lane>,
    /// Lanes in which a file is uploaded: what is said after it waits.
    uploading: HashSet<&'a Lane>,
    due: Option<Timestamp>,
    look: Option<usize>,
}

impl<'a> LaneWalk<'a> {
    fn take(&mut self, index: usize, lane: &'a LaneRow, desk: &LaneContext<'_>) -> Option<LaneStep> {
        let row = &lane.row;
        if let RowState::Stopped(stop, _) = row.state {
            self.stopped(index, lane, stop, desk);
            return None;
        }
        if is_upload(lane) {
            // It goes beside the others; only what speaks waits for it.
            self.uploading.insert(&row.lane);
            return None;
        }
        if row.state == RowState::Done || self.blocked.contains(&row.lane) {
            return None;
        }
        if row.state == RowState::Queued && self.busy.contains(&row.lane) {
            return None;
        }
        if row.state == RowState::Sending {
            if lane.cut_off || is_lapsed(lane.lease_until, desk.now.wall) {
                return Some(LaneStep::Recover);
            }
            self.wait(lane.lease_until.plus(1));
        } else if !self.is_held(lane) {
            if row.state == RowState::Uncertain || row.not_before <= desk.now.wall {
                match desk.sender.fit(lane) {
                    AccountFit::Same => {}
                    AccountFit::Other => return Some(LaneStep::AskAboutAccount(index)),
                    AccountFit::Unconfirmed => {
                        if desk.confirm_after <= desk.now.wall {
                            return Some(LaneStep::ConfirmAccount);
                        }
                        self.wait(desk.confirm_after);
                        self.blocked.insert(&row.lane);
                        return None;
                    }
                }
            }
            if row.state == RowState::Uncertain
                && row.operation.class().relies_on_key()
                && is_forgotten(lane, desk)
            {
                return Some(LaneStep::Expire(index));
            }
            let conversation = row.lane.conversation();
            let held = desk.held.get(&row.lane);
            let until = held.map_or(row.not_before, |time| row.not_before.max(*time));
            if until <= desk.now.wall {
                let unread = conversation.filter(|conversation| must_read(lane, conversation, desk));
                return Some(
                    unread.map_or(LaneStep::Send(index), |unread| LaneStep::ReadFirst(unread.clone())),
                );
            }
            self.wait(until);
            if row.planned_at.is_some() {
                // Hours may pass: what is said meanwhile is said.
                return None;
            }
        }
        self.blocked.insert(&row.lane);
        None
    }

    fn stopped(&mut self, index: usize, lane: &'a LaneRow, stop: Stop, desk: &LaneContext<'_>) {
        if stop.blocks_lane() {
            self.blocked.insert(&lane.row.lane);
        } else if matches!(lane.row.operation, Operation::SetAutomation { enabled: false }) {
            self.paused_in_vain.insert(&lane.row.lane);
        }
        let (Some(after), Some(tried), true) =
            (desk.look_after, lane.last_attempt_at, can_be_found(lane, stop, desk))
        else {
            return;
        };
        match reconcile::next_look(&lane.looks, tried).map(|next_look| next_look.max(after)) {
            Some(at) if at <= desk.now.wall => {
                self.look.get_or_insert(index);
            }
            Some(at) => self.wait(at),
            None => {}
        }
    }

    /// Whether it waits for what became of another row.
    fn is_held(&self, lane: &LaneRow) -> bool {
        let operation = &lane.row.operation;
        let lane = &lane.row.lane;
        operation.speaks() && (self.paused_in_vain.contains(lane) || self.uploading.contains(lane))
    }

    fn wait(&mut self, until: Timestamp) {
        self.due = Some(self.due.map_or(until, |due| due.min(until)));
    }
}

/// Whether the server may not recognise its key any more: too old, or first
/// sent with another channel key or to another server.
fn is_forgotten(lane: &LaneRow, desk: &LaneContext<'_>) -> bool {
    lane.is_spent(&desk.now)
        || lane.attempted_as.as_deref().is_some_and(|attempted_as| attempted_as != desk.sender.credential)
}

/// Whether the history must be read before it leaves: the AI was paused just
/// now, or rows could not leave meanwhile.
fn must_read(lane: &LaneRow, conversation: &ConversationId, desk: &LaneContext<'_>) -> bool {
    let row = &lane.row;
    if !row.operation.speaks() {
        return false;
    }
    let unread = |at: Timestamp| desk.read_at.get(conversation).is_none_or(|read| *read < at);
    if row.attempts == 0 && row.planned_at.is_some_and(unread) {
        return true;
    }
    let held_up = row.seen.is_some() && row.attempts == 0 && desk.outage.held_up(row.due_at);
    lane.read_first || (held_up && desk.outage.is_behind(desk.read_at.get(conversation).copied()))
}

/// Whether it may have been sent and the history would show it.
fn can_be_found(lane: &LaneRow, stop: Stop, desk: &LaneContext<'_>) -> bool {
    stop.is_ambiguous()
        // The history of another account shows nothing about it.
        && desk.sender.fit(lane) == AccountFit::Same
        && matches!(lane.row.operation, Operation::SendText { .. })
        && lane.row.lane.conversation().is_some()
}

#[cfg(test)]
mod tests;
