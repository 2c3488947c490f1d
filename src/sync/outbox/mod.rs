//! Sends outbox rows. The protocol of the outbox, whole:
//!
//! - **Queued**: on disk with its exact bytes and its idempotency key. Rows of one lane are sent in order,
//!   one at a time ([`queue`]).
//! - Checks before the first byte: the sender's account and the retry budget ([`send`]), answers the
//!   writer has not seen and late texts ([`guard`]), planned times ([`queue`]).
//! - **Sending**: claimed in the store with a new fencing token before a byte is sent. A claim that lapses
//!   counts as an unknown outcome.
//! - `client` classes the answer and `client::retry` decides what follows:
//!   - certainly not executed: **Queued** again, with a delay;
//!   - possibly executed: **Uncertain**, repeated with the same key and bytes as the operation's `RetryClass`
//!     allows, while the server still knows the key;
//!   - refused, or neither of these: **Stopped**, until a person decides;
//!   - accepted: **Done**. The receipt is cached ([`outcome`]) before the row is settled.
//! - A **Stopped** text with an unknown outcome is searched for in its history ([`reconcile`]); exactly one
//!   match settles it as sent. No search leads to another send.
//! - Settling ([`outcome`]) requires the claim's fencing token: an outcome that arrives after the
//!   claim has lapsed changes nothing.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::ChannelSync;
use crate::contacts::PreparedRow;
use crate::health::{ConnectionHealth, PolledResource};
use crate::outbox::guard::{ClockJump, Outage};
use crate::outbox::outcome::result_of_retry;
use crate::outbox::queue::{LaneContext, LaneStep};
use crate::outbox::reconcile::ActiveHistorySearch;
use crate::outbox::send::{AttemptState, SendDecision};
use crate::report::PullError;
use crate::state::SyncState;
use client::retry::{self, RetryStep};
use client::{NotSent, ReadError, Receipt, RequestFailure, WriteOutcome};
use model::ids::ConversationId;
use model::news::{Health, News};
use model::outbox::{ClockTimes, Lane, RetryClass, RowState, StopReason};
use model::text::SafeText;
use model::time::{ClockReading, SECOND, Timestamp};
use store::StoreError;
use store::lane::{AttemptResult, LaneRow};
use store::since::NewerMessages;

pub(crate) mod guard;
pub(crate) mod outcome;
pub(crate) mod queue;
pub(crate) mod reconcile;
pub(crate) mod send;
pub(crate) mod uploads;

/// Delay before a failed history read or a failed database write is repeated, in microseconds.
pub(crate) const RETRY_DELAY: i64 = 2 * SECOND;
/// Longest wait for an unreadable history, in microseconds.
pub(crate) const MAX_RETRY_DELAY: i64 = 60 * SECOND;
/// Maximum number of conversations remembered as read.
const MAX_READ_CONVERSATIONS: usize = 5000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushStep {
    /// One row was advanced; there may be more.
    Moved,
    /// Nothing is due before this time.
    Due(Timestamp),
    /// Nothing is queued, or another process sends.
    Idle,
    /// Sending stops until a person acts: the tab is stopped or read-only.
    Halted,
}

#[derive(Debug)]
pub struct PushState {
    /// Lanes on hold, with the end of the hold: their history could not be read, or the retry budget is
    /// used up.
    held: HashMap<Lane, Timestamp>,
    /// Consecutive failures to read a history.
    unread: HashMap<ConversationId, u32>,
    attempts: AttemptState,
    /// Time of the last history read before a text, by conversation.
    read_at: HashMap<ConversationId, Timestamp>,
    outage: Outage,
    times: Option<ClockReading>,
    /// Set after a clock jump: waits set under the old clock must be ended. `true` if the clock was set
    /// back.
    stale_waits: Option<bool>,
    search: Option<ActiveHistorySearch>,
    search_after: Timestamp,
    /// Consecutive failures to read the account, and the end of the wait.
    pub(crate) unconfirmed: (u32, Timestamp),
}

impl PushState {
    pub fn new(now: Timestamp) -> Self {
        Self {
            held: HashMap::new(),
            unread: HashMap::new(),
            attempts: AttemptState::default(),
            read_at: HashMap::new(),
            outage: Outage::new(now),
            times: None,
            stale_waits: Some(false),
            search: None,
            search_after: Timestamp::default(),
            unconfirmed: (0, Timestamp::default()),
        }
    }

    pub(crate) fn record_no_connection(&mut self, now: Timestamp) {
        self.outage.start(now);
        self.attempts.probe.record_failure(now);
    }

    /// Holds the lane of an unreadable history, longer each time.
    fn record_read_failure(&mut self, conversation: ConversationId, now: Timestamp) {
        let times = self.unread.entry(conversation.clone()).or_default();
        let wait = RETRY_DELAY.saturating_mul(1 << (*times).min(16)).min(MAX_RETRY_DELAY);
        *times += 1;
        self.held.insert(Lane::Conversation(conversation), now.plus(wait));
    }

    fn record_read(&mut self, conversation: ConversationId, now: Timestamp) {
        self.unread.remove(&conversation);
        if self.read_at.len() >= MAX_READ_CONVERSATIONS {
            self.read_at.clear();
        }
        self.read_at.insert(conversation, now);
    }
}

impl ChannelSync {
    /// Claims and sends at most one row, or returns when the next is due. Exclusive access to the state
    /// keeps lanes in order.
    pub async fn push_once(&self, state: &mut PushState, now: Timestamp) -> PushStep {
        state.follow_clock(self.clock.times());
        if !self.may_send(now) {
            return PushStep::Idle;
        }
        if let Err(error) = self.follow_clock_steps().await {
            tracing::error!(
                channel = %self.id(),
                %error,
                "a change of the system clock could not be applied to the outbox"
            );
            return PushStep::Due(now.plus(RETRY_DELAY));
        }
        if self.spec().read_only || !self.with_health(|pulse, _| pulse.may_push()) {
            state.outage.start(now);
            return PushStep::Halted;
        }
        let answered = self.with_health(|pulse, _| pulse.last_answer());
        if let Some(at) = answered {
            state.outage.record_answer(at);
        }
        if let Some(until) = state.attempts.probe.wait_until(answered, now) {
            return PushStep::Due(until);
        }
        let step = self.push_next(state, now).await;
        state.follow_clock(self.clock.times());
        match step {
            Ok(step) => step,
            Err(error) => {
                tracing::error!(channel = %self.id(), %error, "the outbox could not be processed");
                PushStep::Due(now.plus(RETRY_DELAY))
            }
        }
    }

    /// Sends until nothing is due.
    pub async fn push_all(&self, state: &mut PushState, now: Timestamp) -> PushStep {
        loop {
            let step = self.push_once(state, now).await;
            if step != PushStep::Moved {
                return step;
            }
        }
    }

    async fn push_next(&self, state: &mut PushState, now: Timestamp) -> Result<PushStep, PullError> {
        state.held.retain(|_, until| (1..=MAX_RETRY_DELAY).contains(&until.since(now)));
        if let Some(set_back) = state.stale_waits {
            self.store.end_waits(self.id(), now, set_back).await?;
            state.stale_waits = None;
        }
        let mut rows = self.store.lane_rows(self.id()).await?;
        self.mark_outdated(&mut rows, state);
        let account = self.confirmed_account().await?;
        let desk = LaneContext {
            now: self.clock_times(now),
            held: &state.held,
            sender: self.sender_account(account.as_ref()),
            confirm_after: state.unconfirmed.1,
            read_at: &state.read_at,
            outage: &state.outage,
            search_after: self.may_read(PolledResource::History).then_some(state.search_after),
        };
        match queue::choose_row(&rows, &desk) {
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
                    "it was first sent with another channel key; the server may not recognise a retry"
                } else {
                    "no clear answer arrived within 23 hours; the server may no longer recognise a retry"
                };
                let why = self.with_balance_change(&row, SafeText::line(why)).await;
                self.stop_row(&row, StopReason::Expired, why).await?;
            }
            LaneStep::AskAboutAccount(index) => {
                if let Some(account) = &account {
                    self.ask_about_account(&rows.swap_remove(index), account).await?;
                }
            }
            LaneStep::ConfirmAccount => self.confirm_key(state, now).await?,
            LaneStep::ReadFirst(conversation) => self.read_before_send(state, conversation, now).await?,
            LaneStep::SearchHistory(index) => {
                let row = rows.swap_remove(index);
                (state.search, state.search_after) =
                    self.search_history(state.search.take(), &row, now).await?;
            }
            LaneStep::Send(index) => self.try_to_send(state, rows.swap_remove(index), now).await?,
        }
        Ok(if self.is_stopped() { PushStep::Halted } else { PushStep::Moved })
    }

    /// Marks texts whose history has to be read before they are sent, because the team reported a
    /// message since they were written.
    fn mark_outdated(&self, rows: &mut [LaneRow], state: &PushState) {
        self.with_state(|sync_state| {
            for row in rows.iter_mut().filter(|row| row.row.attempts == 0 && row.row.seen.is_some()) {
                let Some(conversation) = row.row.lane.conversation() else { continue };
                let told_at = sync_state.message_events.get(conversation);
                let is_unread = |at: &Timestamp| {
                    *at >= row.row.created_at && state.read_at.get(conversation).is_none_or(|read| read < at)
                };
                row.read_first |= told_at.is_some_and(is_unread);
            }
        });
    }

    /// Sends a due row unless a check stops or delays it.
    async fn try_to_send(
        &self,
        state: &mut PushState,
        row: LaneRow,
        now: Timestamp,
    ) -> Result<(), PullError> {
        if let Some((stop, why)) = self.stop_reason(state, &row, now).await? {
            return self.stop_row(&row, stop, SafeText::line(&why)).await;
        }
        let lane = row.row.lane.clone();
        match self.check_may_send(&row, &state.attempts.uncertain).await? {
            SendDecision::Now => {}
            SendDecision::Stopped => return Ok(()),
            SendDecision::Later => {
                state.held.insert(lane, now.plus(RETRY_DELAY));
                return Ok(());
            }
        }
        let row = match self.merge_contact(row).await? {
            PreparedRow::Ready(row) => *row,
            PreparedRow::Removed => return Ok(()),
            PreparedRow::Unread(error) => {
                match error {
                    ReadError::Offline(_) => state.record_no_connection(now),
                    _ => drop(state.held.insert(lane, now.plus(RETRY_DELAY))),
                }
                self.read_failed(PolledResource::Contacts, error);
                return Ok(());
            }
        };
        self.record_balance(&row).await?;
        if !self.may_send(self.clock.now()) {
            // This process was suspended meanwhile and another one sends now.
            return Ok(());
        }
        let Some(claimed) = self
            .store
            .claim(&row.row.id, row.fencing_token, self.clock_times(now), self.credential())
            .await?
        else {
            // Changed by another process; chosen again in the next step.
            return Ok(());
        };
        self.send(state, claimed).await
    }

    /// Returns the reason a row that reaches people must not be sent now: it was delayed too long, or the
    /// conversation changed since it was written.
    async fn stop_reason(
        &self,
        state: &PushState,
        row: &LaneRow,
        now: Timestamp,
    ) -> Result<Option<(StopReason, Cow<'static, str>)>, PullError> {
        let operation = &row.row.operation;
        let reaches_people = matches!(operation.retry_class(), RetryClass::Send | RetryClass::Guarded);
        if row.row.attempts > 0 || row.row.state != RowState::Queued || !reaches_people {
            return Ok(None);
        }
        if let Some(planned) = row.row.planned_at {
            let stop = self.planned_stop_reason(row, planned, now).await?;
            return Ok(stop.map(|(stop, why)| (stop, Cow::Borrowed(why))));
        }
        let mut moved = NewerMessages::default();
        let mut answer = None;
        if let (Some(seen), Some(conversation)) = (&row.row.seen, row.row.lane.conversation())
            && operation.may_cross()
        {
            moved = self.store.messages_since(self.id(), conversation, seen).await?;
            if moved.answers > 0 {
                answer = self.store.first_answer_since(self.id(), conversation, seen).await?;
            }
        }
        Ok(guard::stop_reason((moved, answer.as_ref()), row.row.due_at, &state.outage, now))
    }

    /// Reads the history before a text is sent, so that the latest messages are known. An unreadable
    /// history delays its text.
    async fn read_before_send(
        &self,
        state: &mut PushState,
        conversation: ConversationId,
        now: Timestamp,
    ) -> Result<(), PullError> {
        let Some(platform) = self.platform().await? else {
            state.held.insert(Lane::Conversation(conversation), now.plus(RETRY_DELAY));
            return Ok(());
        };
        let turn = self.wait_for_history().await;
        let read = self.read_history(&turn, &self.client.for_person(), &platform, &conversation).await;
        drop(turn);
        match read {
            // A history the server refuses to show cannot be waited for.
            Ok(_) | Err(PullError::Read(ReadError::Forbidden(_) | ReadError::Rejected(_))) => {
                let now = self.clock.now().max(now);
                state.outage.record_answer(now);
                self.store.record_history_reread(self.id(), &conversation).await?;
                state.record_read(conversation, now);
            }
            Err(PullError::Read(error)) => {
                // Offline delays all lanes together, any other error only this one.
                match error {
                    ReadError::Offline(_) => state.record_no_connection(now),
                    _ => state.record_read_failure(conversation, now),
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
            // Removed since it was claimed; there is nothing to settle.
            return Ok(());
        };
        if !self.may_send(self.clock.now()) {
            let not_before = claimed.row.not_before;
            return self.settle(&claimed, AttemptResult::Wait { not_before }).await;
        }
        let outcome = self.attempt(&claimed, &request).await?;
        let now = self.clock.now();
        state.attempts.record(&row.id, &outcome, now);
        if matches!(outcome, WriteOutcome::NotSent(NotSent::Offline(_))) {
            state.outage.start(now);
        }
        if let Some(first) = &mut claimed.first {
            // This answer's date gives the server time at the latest.
            first.server = first.server.or_else(|| self.client.server_time(*first));
        }
        let attempt = self.attempt_info(&claimed, &state.attempts.uncertain, now).await;
        let next = retry::decide(&outcome, attempt);
        self.apply_outcome(&outcome);
        match (next, outcome) {
            (RetryStep::Done, WriteOutcome::Done(receipt)) => self.record_accepted(&claimed, receipt).await,
            (RetryStep::Stop(stop, why), _) => self.stop_answered(&claimed, stop, why).await,
            (next, _) => match result_of_retry(next, now) {
                Some(settlement) => self.settle(&claimed, settlement).await,
                // Unreachable: `Done` is returned only for an accepted outcome.
                None => Ok(()),
            },
        }
    }

    async fn stop_answered(
        &self,
        claimed: &LaneRow,
        stop: StopReason,
        why: SafeText,
    ) -> Result<(), PullError> {
        if stop == StopReason::Window {
            if let Some(conversation) = claimed.row.lane.conversation() {
                self.store.set_window_closed(self.id(), conversation).await?;
                self.reset_seen_answers();
            }
            self.publish(News::Conversations(self.id().clone()));
        }
        if stop == StopReason::Credits {
            // The displayed balance was wrong.
            self.pull_account().await;
        }
        let why = if stop.is_ambiguous() { self.with_balance_change(claimed, why).await } else { why };
        self.stop_row(claimed, stop, why).await
    }

    /// Updates the tab's health from an outcome.
    pub(crate) fn apply_outcome(&self, outcome: &WriteOutcome<Receipt>) {
        self.record_failure(RequestFailure::of_write(outcome));
        match outcome {
            WriteOutcome::Done(_) => {
                let health = self.with_health(ConnectionHealth::record_accepted);
                self.publish_health(health);
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

    /// Moment by all available clocks.
    pub(crate) fn clock_times(&self, wall: Timestamp) -> ClockTimes {
        let moment = ClockTimes { wall, since_boot: self.clock.since_boot(), server: None };
        ClockTimes { server: self.client.server_time(moment), ..moment }
    }
}

impl PushState {
    /// Records the start or end of a step and shifts stored times if the wall clock was set.
    fn follow_clock(&mut self, times: ClockReading) {
        let by = self.times.replace(times).map_or(0, |before| before.clock_step(times));
        if by != 0 {
            self.move_times(by);
        }
        if let Some(jump) = self.outage.step(times.now) {
            self.stale_waits = Some(jump == ClockJump::Backward);
        }
    }

    fn move_times(&mut self, by: i64) {
        self.held.values_mut().chain(self.read_at.values_mut()).for_each(|at| *at = at.plus(by));
        self.attempts.move_times(by);
        self.outage.move_times(by);
        self.search_after = self.search_after.plus(by);
        self.unconfirmed.1 = self.unconfirmed.1.plus(by);
    }
}

impl ChannelSync {
    /// Shifts the holds and waits of rows by the steps of the wall clock, so that none ends early or
    /// late.
    ///
    /// # Errors
    /// When the database fails; then no row may be sent.
    pub(crate) async fn follow_clock_steps(&self) -> Result<(), StoreError> {
        let steps = self.with_state(SyncState::take_clock_steps);
        let mut moved = false;
        for (index, step) in steps.iter().enumerate() {
            match self.store.move_waits(self.id(), *step).await {
                Ok(count) => moved |= count > 0,
                Err(error) => {
                    self.with_state(|state| state.put_back_clock_steps(steps[index..].to_vec()));
                    return Err(error);
                }
            }
        }
        if moved {
            self.publish(News::Conversations(self.id().clone()));
        }
        Ok(())
    }
}
