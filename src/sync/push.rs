//! Pushing outbox rows: one is claimed, sent with its exact bytes and key,
//! and settled by what came back.
//!
//! `client` classes it, and `client::retry` decides what follows.

use std::collections::HashMap;

use crate::ChannelSync;
use crate::attempt::{Leave, Tries};
use crate::contacts::PreparedRow;
use crate::guard::{self, Outage};
use crate::health::{PolledResource, Pulse};
use crate::lanes::{self, LaneContext, LaneStep};
use crate::looking::Looking;
use crate::report::PullError;
use crate::settling::settlement;
use client::retry::{self, RetryStep};
use client::{NotSent, ReadError, Receipt, RequestFailure, WriteOutcome};
use model::ids::ConversationId;
use model::news::{Health, News};
use model::outbox::{Lane, Moment, RetryClass, RowState, Stop};
use model::text::SafeText;
use model::time::{SECOND, Times, Timestamp};
use store::lane::{LaneRow, Settlement};
use store::since::Moved;

mod clock_steps;

/// Between two tries to read the history a text waits for, or to write the
/// outbox.
pub(crate) const AGAIN: i64 = 2 * SECOND;
/// The longest wait for a history that cannot be read.
pub(crate) const LONGEST: i64 = 60 * SECOND;
/// Conversations remembered as read at most.
const REMEMBERED: usize = 5000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushStep {
    /// One row was moved on; there may be more.
    Moved,
    /// Nothing may leave before then.
    Due(Timestamp),
    /// Nothing waits, or another process sends.
    Idle,
    /// Nothing leaves until a person acts: the tab is stopped or read-only.
    Halted,
}

/// What is remembered between two steps.
#[derive(Debug)]
pub struct PushState {
    /// Lanes whose history could not be read again, or whose repetition is
    /// not paid for, until when they wait.
    held: HashMap<Lane, Timestamp>,
    /// How often in a row a history could not be read.
    unread: HashMap<ConversationId, u32>,
    tries: Tries,
    /// When histories were last read before a text.
    read_at: HashMap<ConversationId, Timestamp>,
    outage: Outage,
    /// Both clocks at the last step.
    times: Option<Times>,
    /// Waits that may have been set under a clock that was set back since are
    /// to be ended: `true` if it was seen to be set back.
    doubtful_waits: Option<bool>,
    looking: Option<Looking>,
    look_after: Timestamp,
    /// How often the account could not be read, and until when that waits.
    pub(crate) unconfirmed: (u32, Timestamp),
}

impl PushState {
    /// Of a sender that starts now.
    pub fn new(now: Timestamp) -> Self {
        Self {
            held: HashMap::new(),
            unread: HashMap::new(),
            tries: Tries::default(),
            read_at: HashMap::new(),
            outage: Outage::new(now),
            times: None,
            doubtful_waits: Some(false),
            looking: None,
            look_after: Timestamp::default(),
            unconfirmed: (0, Timestamp::default()),
        }
    }

    /// A try found no connection.
    pub(crate) fn no_connection(&mut self, now: Timestamp) {
        self.outage.begins(now);
        self.tries.probe.failed(now);
    }

    /// A history could not be read: its lane waits, longer each time.
    fn was_not_read(&mut self, conversation: ConversationId, now: Timestamp) {
        let times = self.unread.entry(conversation.clone()).or_default();
        let wait = AGAIN.saturating_mul(1 << (*times).min(16)).min(LONGEST);
        *times += 1;
        self.held.insert(Lane::Conversation(conversation), now.plus(wait));
    }

    fn was_read(&mut self, conversation: ConversationId, now: Timestamp) {
        self.unread.remove(&conversation);
        if self.read_at.len() >= REMEMBERED {
            self.read_at.clear();
        }
        self.read_at.insert(conversation, now);
    }
}

impl ChannelSync {
    /// Claims and sends at most one row, or says when the next is due.
    /// The sender owns its state: one row at a time, so that lanes stay in
    /// order.
    pub async fn push_once(&self, state: &mut PushState, now: Timestamp) -> PushStep {
        state.step(self.clock.times());
        if !self.sends(now) {
            return PushStep::Idle;
        }
        if let Err(error) = self.follow_clock_steps().await {
            tracing::error!(channel = %self.id(), %error, "the outbox could not follow the clock");
            return PushStep::Due(now.plus(AGAIN));
        }
        if self.spec().read_only || !self.pulse(|pulse, _| pulse.may_push()) {
            state.outage.begins(now);
            return PushStep::Halted;
        }
        let answered = self.pulse(|pulse, _| pulse.last_answer());
        if let Some(at) = answered {
            state.outage.heard(at);
        }
        if let Some(until) = state.tries.probe.wait(answered, now) {
            return PushStep::Due(until);
        }
        let step = self.push_next(state, now).await;
        state.step(self.clock.times());
        match step {
            Ok(step) => step,
            Err(error) => {
                tracing::error!(channel = %self.id(), %error, "the outbox could not be worked on");
                PushStep::Due(now.plus(AGAIN))
            }
        }
    }

    /// Sends until nothing may leave now.
    pub async fn push_all(&self, state: &mut PushState, now: Timestamp) -> PushStep {
        loop {
            let step = self.push_once(state, now).await;
            if step != PushStep::Moved {
                return step;
            }
        }
    }

    async fn push_next(&self, state: &mut PushState, now: Timestamp) -> Result<PushStep, PullError> {
        state.held.retain(|_, until| (1..=LONGEST).contains(&until.since(now)));
        if let Some(set_back) = state.doubtful_waits {
            self.store.end_waits(self.id(), now, set_back).await?;
            state.doubtful_waits = None;
        }
        let mut rows = self.store.lane_rows(self.id()).await?;
        let account = self.confirmed_account().await?;
        let desk = LaneContext {
            now: self.moment(now),
            held: &state.held,
            sender: self.sender(account.as_ref()),
            confirm_after: state.unconfirmed.1,
            read_at: &state.read_at,
            outage: &state.outage,
            look_after: self.may_read(PolledResource::History).then_some(state.look_after),
        };
        match lanes::choose(&rows, &desk) {
            LaneStep::Nothing => return Ok(PushStep::Idle),
            LaneStep::Wait(until) => return Ok(PushStep::Due(until)),
            LaneStep::Recover => {
                self.store.recover_lapsed(now).await?;
            }
            LaneStep::Expire(index) => {
                let row = rows.swap_remove(index);
                let why = if row
                    .attempted_as
                    .as_ref()
                    .is_some_and(|attempted_as| attempted_as != self.credential())
                {
                    "it was first sent with another channel key; the server may not recognise it"
                } else {
                    "no clear answer came in 23 hours; the server may no longer recognise it"
                };
                let why = self.with_evidence(&row, SafeText::line(why)).await;
                self.stop_row(&row, Stop::Expired, why).await?;
            }
            LaneStep::AskAboutAccount(index) => {
                if let Some(account) = &account {
                    self.ask_about_account(&rows.swap_remove(index), account).await?;
                }
            }
            LaneStep::ConfirmAccount => self.confirm_key(state, now).await?,
            LaneStep::ReadFirst(conversation) => self.read_first(state, conversation, now).await?,
            LaneStep::Look(index) => {
                let row = rows.swap_remove(index);
                (state.looking, state.look_after) = self.look(state.looking.take(), &row, now).await?;
            }
            LaneStep::Send(index) => self.try_to_send(state, rows.swap_remove(index), now).await?,
        }
        Ok(if self.is_stopped() { PushStep::Halted } else { PushStep::Moved })
    }

    /// Sends a row that is due, unless its writer should know something first.
    async fn try_to_send(
        &self,
        state: &mut PushState,
        row: LaneRow,
        now: Timestamp,
    ) -> Result<(), PullError> {
        if let Some((stop, why)) = self.objection(state, &row, now).await? {
            return self.stop_row(&row, stop, SafeText::line(why)).await;
        }
        let lane = row.row.lane.clone();
        match self.may_leave(&row, &state.tries.doubts).await? {
            Leave::Now => {}
            Leave::Stopped => return Ok(()),
            Leave::Later => {
                state.held.insert(lane, now.plus(AGAIN));
                return Ok(());
            }
        }
        let row = match self.merge_contact(row).await? {
            PreparedRow::Ready(row) => *row,
            PreparedRow::Gone => return Ok(()),
            PreparedRow::Unread(error) => {
                match error {
                    ReadError::Offline(_) => state.no_connection(now),
                    _ => drop(state.held.insert(lane, now.plus(AGAIN))),
                }
                self.read_failed(PolledResource::Contacts, error);
                return Ok(());
            }
        };
        self.note_balance(&row).await?;
        if !self.sends(self.clock.now()) {
            // It was stopped for a while, and another process sends now.
            return Ok(());
        }
        let Some(claimed) =
            self.store.claim(&row.row.id, row.fence, self.moment(now), self.credential()).await?
        else {
            // Someone else has changed it; it is looked at anew.
            return Ok(());
        };
        self.send(state, claimed).await
    }

    /// What speaks against something that reaches people leaving now: it had
    /// to wait for long, or the conversation is not what its writer saw.
    async fn objection(
        &self,
        state: &PushState,
        row: &LaneRow,
        now: Timestamp,
    ) -> Result<Option<(Stop, &'static str)>, PullError> {
        let operation = &row.row.operation;
        let reaches_people = matches!(operation.class(), RetryClass::Send | RetryClass::Guarded);
        if row.row.attempts > 0 || row.row.state != RowState::Queued || !reaches_people {
            return Ok(None);
        }
        if let Some(planned) = row.row.planned_at {
            return self.planned_objection(row, planned, now).await;
        }
        let moved = match (&row.row.seen, row.row.lane.conversation()) {
            (Some(seen), Some(conversation)) if operation.speaks() => {
                self.store.moved_since(self.id(), conversation, seen).await?
            }
            _ => Moved::default(),
        };
        Ok(guard::objection(moved, row.row.due_at, &state.outage, now))
    }

    /// Reads the history again before a text leaves, so that what was said
    /// last is on screen. A text whose history cannot be read waits.
    async fn read_first(
        &self,
        state: &mut PushState,
        conversation: ConversationId,
        now: Timestamp,
    ) -> Result<(), PullError> {
        let Some(platform) = self.platform().await? else {
            state.held.insert(Lane::Conversation(conversation), now.plus(AGAIN));
            return Ok(());
        };
        let turn = self.history_turn().await;
        let read = self.read_history(&turn, &self.client.for_person(), &platform, &conversation).await;
        drop(turn);
        match read {
            // What the server will not show cannot be waited for.
            Ok(_) | Err(PullError::Read(ReadError::Forbidden(_) | ReadError::Rejected(_))) => {
                let now = self.clock.now().max(now);
                state.outage.heard(now);
                self.store.note_read_again(self.id(), &conversation).await?;
                state.was_read(conversation, now);
            }
            Err(PullError::Read(error)) => {
                // It leaves as soon as anything answers; no lane waits for itself.
                match error {
                    ReadError::Offline(_) => state.no_connection(now),
                    _ => state.was_not_read(conversation, now),
                }
                self.read_failed(PolledResource::History, error);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn send(&self, state: &mut PushState, mut claimed: LaneRow) -> Result<(), PullError> {
        let row = &claimed.row;
        tracing::info!(channel = %self.id(), row = %row.id, operation = row.operation.word(), "sending");
        let Some(request) = self.store.request(&row.id).await? else {
            // Taken away since it was claimed; there is nothing to settle.
            return Ok(());
        };
        if !self.sends(self.clock.now()) {
            let not_before = claimed.row.not_before;
            return self.settle(&claimed, Settlement::Wait { not_before }).await;
        }
        let outcome = self.attempt(&claimed, &request).await?;
        let now = self.clock.now();
        state.tries.note(&row.id, &outcome, now);
        if matches!(outcome, WriteOutcome::NotSent(NotSent::Offline(_))) {
            state.outage.begins(now);
        }
        if let Some(first) = &mut claimed.first {
            // Known at the latest by this answer's date.
            first.server = first.server.or_else(|| self.client.server_time(*first));
        }
        let attempt = self.known_of(&claimed, &state.tries.doubts, now).await;
        let next = retry::decide(&outcome, attempt);
        self.hear(&outcome);
        match (next, outcome) {
            (RetryStep::Done, WriteOutcome::Done(receipt)) => self.accepted(&claimed, receipt).await,
            (RetryStep::Stop(stop, why), _) => self.stop_sent(&claimed, stop, why).await,
            (next, _) => match settlement(next, now) {
                Some(settlement) => self.settle(&claimed, settlement).await,
                // Not reached: only what was done is decided as done.
                None => Ok(()),
            },
        }
    }

    /// Stops a row because of what the server answered.
    async fn stop_sent(&self, claimed: &LaneRow, stop: Stop, why: SafeText) -> Result<(), PullError> {
        if stop == Stop::Window {
            if let Some(conversation) = claimed.row.lane.conversation() {
                self.store.set_window_closed(self.id(), conversation).await?;
                self.forget_answers();
            }
            self.tell(News::Conversations(self.id().clone()));
        }
        if stop == Stop::Credits {
            // The balance on screen was wrong.
            self.pull_account().await;
        }
        let why = if stop.is_ambiguous() { self.with_evidence(claimed, why).await } else { why };
        self.stop_row(claimed, stop, why).await
    }

    /// What an outcome says of the whole tab.
    pub(crate) fn hear(&self, outcome: &WriteOutcome<Receipt>) {
        self.note_failure(RequestFailure::of_write(outcome));
        match outcome {
            WriteOutcome::Done(_) => {
                let health = self.pulse(Pulse::accepted);
                self.tell_health(health);
            }
            WriteOutcome::NotSent(NotSent::Misconfigured(why)) => {
                self.stop(Health::Misconfigured { why: why.clone() });
            }
            WriteOutcome::Unknown(unclear) if unclear.is_redirect() => {
                self.stop(Health::Misconfigured { why: unclear.why.clone() });
            }
            _ => {}
        }
        if let Some(refusal) = outcome.refusal().filter(|refusal| refusal.status == 401) {
            let (code, why) = (refusal.word.clone(), refusal.message.clone());
            self.stop(Health::Refused { code, why });
        }
    }

    /// A moment by all clocks that are known.
    pub(crate) fn moment(&self, wall: Timestamp) -> Moment {
        let moment = Moment { wall, since_boot: self.clock.since_boot(), server: None };
        Moment { server: self.client.server_time(moment), ..moment }
    }
}
