//! Chooses the outbox row to send next, with the retry times of the outbox while there is no connection
//! and the check of planned rows at their time.
//!
//! Rows of one lane are sent in the order they were queued, one at a time. A row with an unknown outcome
//! blocks its lane, and so does a stopped row that can still be sent; a failed pause holds back the texts
//! behind it, so that person and AI do not cross. Lanes never wait for each other: a message short of credits
//! delays only its own conversation.

use std::collections::{HashMap, HashSet};

use crate::ChannelSync;
use crate::outbox::guard::Outage;
use crate::outbox::reconcile;
use crate::outbox::send::{AccountFit, SenderAccount};
use crate::report::PullError;
use model::ids::ConversationId;
use model::outbox::{ClockTimes, Lane, Operation, RowState, StopReason};
use model::time::{MINUTE, SECOND, Timestamp};
use store::lane::{LaneRow, is_lapsed};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneStep {
    Send(usize),
    /// Read this conversation's history before its text is sent.
    ReadFirst(ConversationId),
    /// Stop this row: the server may no longer recognise its key.
    Expire(usize),
    /// Search the history for this stopped row.
    SearchHistory(usize),
    /// Stop this row: it belongs to another account.
    AskAboutAccount(usize),
    /// Read the account of the key: a row waits to be compared with it.
    ConfirmAccount,
    /// Release rows whose claim has lapsed.
    Recover,
    /// Nothing is due before this time.
    Wait(Timestamp),
    /// Nothing is queued.
    Nothing,
}

/// Facts beside the rows.
#[derive(Debug, Clone, Copy)]
pub struct LaneContext<'a> {
    pub now: ClockTimes,
    /// Lanes on hold, with the end of the hold: their history could not be read, or the retry budget is
    /// used up.
    pub held: &'a HashMap<Lane, Timestamp>,
    /// Credential and account that rows are sent with.
    pub sender: SenderAccount<'a>,
    /// Earliest time of the next account read.
    pub confirm_after: Timestamp,
    /// Time of the last history read before a text, by conversation.
    pub read_at: &'a HashMap<ConversationId, Timestamp>,
    pub outage: &'a Outage,
    /// Earliest time of the next history search; `None` if histories cannot be read.
    pub search_after: Option<Timestamp>,
}

/// Returns the first action that is due.
pub fn choose_row(rows: &[LaneRow], desk: &LaneContext<'_>) -> LaneStep {
    let leaving = |lane_row: &&LaneRow| {
        matches!(lane_row.row.state, RowState::Sending | RowState::Uncertain) && !lane_row.row.is_upload()
    };
    let busy = rows.iter().filter(leaving).map(|row| &row.row.lane).collect();
    let mut walk = LaneWalk { busy, ..LaneWalk::default() };
    for (index, lane) in rows.iter().enumerate() {
        if let Some(choice) = walk.next_step(index, lane, desk) {
            return choice;
        }
    }
    match (walk.search, walk.due) {
        (Some(index), _) => LaneStep::SearchHistory(index),
        (None, Some(due)) => LaneStep::Wait(due),
        (None, None) => LaneStep::Nothing,
    }
}

/// State of the pass over the rows.
#[derive(Default)]
struct LaneWalk<'a> {
    /// Lanes with a row in progress: a row sent again by a person may come before it.
    busy: HashSet<&'a Lane>,
    blocked: HashSet<&'a Lane>,
    paused_in_vain: HashSet<&'a Lane>,
    /// Lanes with an upload in progress: later texts wait for it.
    uploading: HashSet<&'a Lane>,
    due: Option<Timestamp>,
    search: Option<usize>,
}

impl<'a> LaneWalk<'a> {
    fn next_step(&mut self, index: usize, lane: &'a LaneRow, desk: &LaneContext<'_>) -> Option<LaneStep> {
        let row = &lane.row;
        if let RowState::Stopped(stop, _) = row.state {
            self.pass_stopped(index, lane, stop, desk);
            return None;
        }
        if lane.row.is_upload() {
            // Uploads run beside other rows; only texts wait for them.
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
            self.wait_until(lane.lease_until.plus(1));
        } else if !self.is_held(lane) {
            if row.state == RowState::Uncertain || row.not_before <= desk.now.wall {
                match desk.sender.check_fit(lane) {
                    AccountFit::Same => {}
                    AccountFit::Other => return Some(LaneStep::AskAboutAccount(index)),
                    AccountFit::Unconfirmed => {
                        if desk.confirm_after <= desk.now.wall {
                            return Some(LaneStep::ConfirmAccount);
                        }
                        self.wait_until(desk.confirm_after);
                        self.blocked.insert(&row.lane);
                        return None;
                    }
                }
            }
            if row.state == RowState::Uncertain
                && row.operation.retry_class().relies_on_key()
                && is_key_forgotten(lane, desk)
            {
                return Some(LaneStep::Expire(index));
            }
            let conversation = row.lane.conversation();
            let held = desk.held.get(&row.lane);
            let until = held.map_or(row.not_before, |time| row.not_before.max(*time));
            if until <= desk.now.wall {
                let unread = conversation.filter(|conversation| must_read_first(lane, conversation, desk));
                return Some(
                    unread.map_or(LaneStep::Send(index), |unread| LaneStep::ReadFirst(unread.clone())),
                );
            }
            self.wait_until(until);
            if row.planned_at.is_some() {
                // A planned row may be hours away and does not block its lane.
                return None;
            }
        }
        self.blocked.insert(&row.lane);
        None
    }

    fn pass_stopped(&mut self, index: usize, lane: &'a LaneRow, stop: StopReason, desk: &LaneContext<'_>) {
        if stop.blocks_lane() {
            self.blocked.insert(&lane.row.lane);
        } else if matches!(lane.row.operation, Operation::SetAutomation { enabled: false }) {
            self.paused_in_vain.insert(&lane.row.lane);
        }
        let (Some(after), Some(tried), true) =
            (desk.search_after, lane.last_attempt_at, is_findable(lane, stop, desk))
        else {
            return;
        };
        match reconcile::next_search_at(&lane.history_searches, tried).map(|next_look| next_look.max(after)) {
            Some(at) if at <= desk.now.wall => {
                self.search.get_or_insert(index);
            }
            Some(at) => self.wait_until(at),
            None => {}
        }
    }

    /// True if the row waits for the outcome of another.
    fn is_held(&self, lane: &LaneRow) -> bool {
        let operation = &lane.row.operation;
        let lane = &lane.row.lane;
        operation.is_customer_message()
            && (self.paused_in_vain.contains(lane) || self.uploading.contains(lane))
    }

    fn wait_until(&mut self, until: Timestamp) {
        self.due = Some(self.due.map_or(until, |due| due.min(until)));
    }
}

/// True if the server may no longer recognise the key: too old, or first sent with another channel key or
/// to another server.
fn is_key_forgotten(lane: &LaneRow, desk: &LaneContext<'_>) -> bool {
    lane.is_key_expired(&desk.now)
        || lane.attempted_as.as_deref().is_some_and(|attempted_as| attempted_as != desk.sender.credential)
}

/// True if the history must be read before the row is sent: the AI was just paused, the row was planned,
/// an outage delayed it, or it is an answer by mail. SMS have no history.
fn must_read_first(lane: &LaneRow, conversation: &ConversationId, desk: &LaneContext<'_>) -> bool {
    let row = &lane.row;
    let is_mail = matches!(row.operation, Operation::SendMail(_)) && row.seen.is_some();
    if !is_mail && !row.operation.is_customer_message() {
        return false;
    }
    let unread = |at: Timestamp| desk.read_at.get(conversation).is_none_or(|read| *read < at);
    // Other programs answer from the same mailbox, and no event reports it in time.
    let read_after = if is_mail { Some(row.due_at) } else { row.planned_at };
    if row.attempts == 0 && read_after.is_some_and(unread) {
        return true;
    }
    let held_up = row.seen.is_some() && row.attempts == 0 && desk.outage.was_delayed(row.due_at);
    lane.read_first || (held_up && desk.outage.is_behind(desk.read_at.get(conversation).copied()))
}

/// True if the row may have been sent and the history would show it.
fn is_findable(lane: &LaneRow, stop: StopReason, desk: &LaneContext<'_>) -> bool {
    stop.is_ambiguous()
        // The history of another account proves nothing.
        && desk.sender.check_fit(lane) == AccountFit::Same
        && lane.row.operation.listed_text().is_some()
        && lane.row.lane.conversation().is_some()
}

/// First wait, in microseconds, doubled each time.
const BASE_DELAY: i64 = 5 * SECOND;
/// Longest wait, in microseconds.
const MAX_PROBE_DELAY: i64 = 120 * SECOND;

/// Failed connection attempts since the last answer.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    failures: u32,
    last: Timestamp,
}

impl Probe {
    pub(crate) fn record_failure(&mut self, now: Timestamp) {
        self.failures = self.failures.saturating_add(1);
        self.last = now;
    }

    /// Shifts stored times by `by` microseconds (negative if the wall clock was set back).
    pub(crate) fn move_times(&mut self, by: i64) {
        self.last = self.last.plus(by);
    }

    /// Returns the time until which no row may be tried; `None` if one may. `answered` is the time of the
    /// last answer.
    pub(crate) fn wait_until(&mut self, answered: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
        // A clock set back must not delay anything.
        if self.failures == 0 || answered.is_some_and(|time| time > self.last) || now < self.last {
            self.failures = 0;
            return None;
        }
        let until =
            self.last.plus(BASE_DELAY.saturating_mul(1 << (self.failures - 1).min(16)).min(MAX_PROBE_DELAY));
        (now < until).then_some(until)
    }
}

/// Maximum delay, in microseconds, after which a planned message is sent without asking.
const MAX_PLANNED_DELAY: i64 = 2 * MINUTE;

impl ChannelSync {
    /// Returns the reason a planned message must not be sent now; `None` if it may.
    pub(crate) async fn planned_stop_reason(
        &self,
        row: &LaneRow,
        planned: Timestamp,
        now: Timestamp,
    ) -> Result<Option<(StopReason, &'static str)>, PullError> {
        let stop = |why| Ok(Some((StopReason::Late, why)));
        if now.since(planned) > MAX_PLANNED_DELAY {
            return stop("its time passed while it waited to be sent; check that it still fits");
        }
        let (Some(conversation), Some(seen)) = (row.row.lane.conversation(), &row.row.seen) else {
            return Ok(None);
        };
        if self.store.window_is_closed(self.id(), conversation).await? {
            return stop("reply window closed; only templates can be sent");
        }
        if self.store.messages_since(self.id(), conversation, seen).await?.messages > 0 {
            return stop("new messages arrived after it was scheduled; read them first");
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod probe_tests {
    use super::*;
    use crate::tests::at;

    #[test]
    fn tries_become_rare_until_anything_answers() {
        let mut probe = Probe::default();
        assert_eq!(probe.wait_until(None, at(0)), None);
        let mut now = 0;
        for wait in [5, 10, 20, 40, 80, 120, 120] {
            probe.record_failure(at(now));
            assert_eq!(probe.wait_until(Some(at(now)), at(now)), Some(at(now + wait)));
            assert_eq!(probe.wait_until(None, at(now + wait - 1)), Some(at(now + wait)));
            now += wait;
            assert_eq!(probe.wait_until(None, at(now)), None);
        }
        probe.record_failure(at(now));
        assert_eq!(probe.wait_until(Some(at(now + 1)), at(now + 1)), None, "something answered");
        probe.record_failure(at(now + 2));
        assert_eq!(probe.wait_until(None, at(now + 2)), Some(at(now + 7)), "and the count began anew");
        assert_eq!(probe.wait_until(None, at(-9)), None, "a clock set back");
    }
}
