//! Sends outbox rows. The protocol of the outbox, whole:
//!
//! - **Queued**: on disk with its exact bytes and its idempotency key. Rows of one lane are sent in order,
//!   one at a time ([`lanes`]).
//! - Checks before the first byte: the sender's account ([`crate::ownership`]), answers the writer has not
//!   seen and late texts ([`guard`]), planned times ([`crate::planned`]), the retry budget
//!   ([`crate::attempt`]).
//! - **Sending**: claimed in the store with a new fencing token before a byte is sent. A claim that lapses
//!   counts as an unknown outcome.
//! - `client` classes the answer and `client::retry` decides what follows:
//!   - certainly not executed: **Queued** again, with a delay;
//!   - possibly executed: **Uncertain**, repeated with the same key and bytes as the operation's `RetryClass`
//!     allows, while the server still knows the key;
//!   - refused, or neither of these: **Stopped**, until a person decides;
//!   - accepted: **Done**. The receipt is cached ([`crate::accepted`]) before the row is settled.
//! - A **Stopped** text with an unknown outcome is searched for in its history ([`crate::looking`],
//!   [`crate::reconcile`]); exactly one match settles it as sent. No search leads to another send.
//! - Settling ([`crate::settling`]) requires the claim's fencing token: an outcome that arrives after the
//!   claim has lapsed changes nothing.

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

/// Delay before a failed history read or a failed database write is repeated, in microseconds.
pub(crate) const AGAIN: i64 = 2 * SECOND;
/// Longest wait for an unreadable history, in microseconds.
pub(crate) const LONGEST: i64 = 60 * SECOND;
/// Maximum number of conversations remembered as read.
const REMEMBERED: usize = 5000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushStep {
    /// One row was advanced; there may be more.
    Moved,
    /// Nothing is due before this time.
    Due(Timestamp),
    /// Nothing is queued, or another process sends.
    Idle,
    /// Nothing is sent until a person acts: the tab is stopped or read-only.
    Halted,
}

/// State kept between two steps.
#[derive(Debug)]
pub struct PushState {
    /// Lanes on hold, with the end of the hold: their history could not be read, or the retry budget is
    /// used up.
    held: HashMap<Lane, Timestamp>,
    /// Consecutive failures to read a history.
    unread: HashMap<ConversationId, u32>,
    tries: Tries,
    /// Time of the last history read before a text, by conversation.
    read_at: HashMap<ConversationId, Timestamp>,
    outage: Outage,
    times: Option<Times>,
    /// Set after a clock jump: waits set under the old clock must be ended. `true` if the clock was set
    /// back.
    doubtful_waits: Option<bool>,
    looking: Option<Looking>,
    look_after: Timestamp,
    /// Consecutive failures to read the account, and the end of the wait.
    pub(crate) unconfirmed: (u32, Timestamp),
}

impl PushState {
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

    /// Records an attempt without a connection.
    pub(crate) fn no_connection(&mut self, now: Timestamp) {
        self.outage.begins(now);
        self.tries.probe.failed(now);
    }

    /// Holds the lane of an unreadable history, longer each time.
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
    /// Claims and sends at most one row, or returns when the next is due. Exclusive access to the state
    /// keeps lanes in order.
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

    /// Sends a due row unless a check stops or delays it.
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
            // This process was suspended meanwhile and another one sends now.
            return Ok(());
        }
        let Some(claimed) =
            self.store.claim(&row.row.id, row.fence, self.moment(now), self.credential()).await?
        else {
            // Changed by another process; chosen again in the next step.
            return Ok(());
        };
        self.send(state, claimed).await
    }

    /// Returns the reason a row that reaches people must not be sent now: it was delayed too long, or the
    /// conversation changed since it was written.
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

    /// Reads the history before a text is sent, so that the latest messages are known. An unreadable
    /// history delays its text.
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
            // A history the server refuses to show cannot be waited for.
            Ok(_) | Err(PullError::Read(ReadError::Forbidden(_) | ReadError::Rejected(_))) => {
                let now = self.clock.now().max(now);
                state.outage.heard(now);
                self.store.note_read_again(self.id(), &conversation).await?;
                state.was_read(conversation, now);
            }
            Err(PullError::Read(error)) => {
                // Offline delays all lanes together, any other error only this one.
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
            // Removed since it was claimed; there is nothing to settle.
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
            // This answer's date gives the server time at the latest.
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
                // Unreachable: `Done` is returned only for an accepted outcome.
                None => Ok(()),
            },
        }
    }

    /// Stops a row because of the server's answer.
    async fn stop_sent(&self, claimed: &LaneRow, stop: Stop, why: SafeText) -> Result<(), PullError> {
        if stop == Stop::Window {
            if let Some(conversation) = claimed.row.lane.conversation() {
                self.store.set_window_closed(self.id(), conversation).await?;
                self.forget_answers();
            }
            self.tell(News::Conversations(self.id().clone()));
        }
        if stop == Stop::Credits {
            // The displayed balance was wrong.
            self.pull_account().await;
        }
        let why = if stop.is_ambiguous() { self.with_evidence(claimed, why).await } else { why };
        self.stop_row(claimed, stop, why).await
    }

    /// Updates the tab's health from an outcome.
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

    /// Moment by all available clocks.
    pub(crate) fn moment(&self, wall: Timestamp) -> Moment {
        let moment = Moment { wall, since_boot: self.clock.since_boot(), server: None };
        Moment { server: self.client.server_time(moment), ..moment }
    }
}
