//! Pushing outbox rows: one is claimed, sent with its exact bytes and key,
//! and settled by what came back.
//!
//! Knows nothing of how an answer is read; `client` classes it, and
//! `client::retry` decides what follows.

use std::collections::HashMap;

use crate::client::retry::{self, Attempt, Next};
use crate::client::{NotSent, Outcome, ReadError, Receipt};
use crate::model::ids::ConversationId;
use crate::model::news::{Health, News};
use crate::model::outbox::Stop;
use crate::model::text::SafeText;
use crate::model::time::{SECOND, Timestamp};
use crate::store::lane::{LaneRow, Settlement};
use crate::sync::Channel;
use crate::sync::health::Resource;
use crate::sync::lanes::{self, Choice};
use crate::sync::report::Trouble;

/// Between two tries to read the history a text waits for, or to write the
/// outbox.
const AGAIN: i64 = 2 * SECOND;

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushStep {
    /// One row was moved on; there may be more.
    Moved,
    /// Nothing may leave before then.
    Due(Timestamp),
    /// Nothing waits.
    Idle,
    /// Nothing leaves until a person acts: the tab is stopped or read-only.
    Halted,
}

/// What is remembered between two steps.
#[derive(Debug, Default)]
pub(crate) struct PushState {
    /// Lanes whose history could not be read again, until when they wait.
    held: HashMap<ConversationId, Timestamp>,
}

impl Channel {
    /// Claims and sends at most one row, or says when the next is due.
    pub async fn push_once(&self, now: Timestamp) -> PushStep {
        if self.spec().read_only || !self.pulse(|it, _| it.may_push()) {
            return PushStep::Halted;
        }
        // One at a time, so that lanes stay in order.
        let mut state = self.outbox.lock().await;
        match self.push_next(&mut state, now).await {
            Ok(step) => step,
            Err(error) => {
                tracing::error!(channel = %self.id(), %error, "the outbox could not be worked on");
                PushStep::Due(now.plus(AGAIN))
            }
        }
    }

    /// Sends until nothing may leave now.
    pub async fn push_all(&self, now: Timestamp) -> PushStep {
        loop {
            let step = self.push_once(now).await;
            if step != PushStep::Moved {
                return step;
            }
        }
    }

    async fn push_next(&self, state: &mut PushState, now: Timestamp) -> Result<PushStep, Trouble> {
        state.held.retain(|_, until| (1..=AGAIN).contains(&until.since(now)));
        let mut rows = self.store.lane_rows(self.id()).await?;
        match lanes::choose(&rows, &state.held, now) {
            Choice::Nothing => Ok(PushStep::Idle),
            Choice::Wait(until) => Ok(PushStep::Due(until)),
            Choice::Recover => {
                self.store.recover_lapsed(now).await?;
                Ok(PushStep::Moved)
            }
            Choice::Expire(index) => {
                let why = "no clear answer came in 23 hours; the server may no longer recognise it";
                self.stop_row(&rows.swap_remove(index), Stop::Unknown, SafeText::line(why)).await?;
                Ok(PushStep::Moved)
            }
            Choice::ReadFirst(conversation) => {
                if !self.read_again(&conversation).await? {
                    state.held.insert(conversation, now.plus(AGAIN));
                }
                Ok(if self.is_stopped() { PushStep::Halted } else { PushStep::Moved })
            }
            Choice::Send(index) => {
                let row = rows.swap_remove(index);
                let Some(claimed) = self.store.claim(&row.row.id, row.fence, now).await? else {
                    // Someone else has changed it; it is looked at anew.
                    return Ok(PushStep::Moved);
                };
                self.send(&claimed).await?;
                Ok(if self.is_stopped() { PushStep::Halted } else { PushStep::Moved })
            }
        }
    }

    /// Reads the history again before the first text after a pause, so that
    /// what the AI said last is on screen. Tells whether the text may leave.
    async fn read_again(&self, conversation: &ConversationId) -> Result<bool, Trouble> {
        let Some(platform) = self.platform().await? else {
            return Ok(false);
        };
        let one = self.histories.lock().await;
        let read = self.read_history(&self.client.for_person(), &platform, conversation).await;
        drop(one);
        match read {
            // What the server will not show cannot be waited for.
            Ok(()) | Err(Trouble::Read(ReadError::Forbidden(_) | ReadError::Rejected(_))) => {
                self.store.note_read_again(self.id(), conversation).await?;
                Ok(true)
            }
            Err(Trouble::Read(error)) => {
                self.read_failed(Resource::History, error);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    async fn send(&self, claimed: &LaneRow) -> Result<(), Trouble> {
        let row = &claimed.row;
        tracing::info!(channel = %self.id(), row = %row.id, operation = row.operation.word(), "sending");
        let Some(request) = self.store.request(&row.id).await? else {
            // Taken away since it was claimed; there is nothing to settle.
            return Ok(());
        };
        let outcome = self.client.carry_out(&row.operation, &request, &row.key).await;
        let outcome = self.verified(claimed, outcome).await;
        let now = self.clock.now();
        let attempt = Attempt {
            failures: claimed.failures,
            age: row.first_attempt_at.map_or(0, |it| now.since(it)),
            was_unclear: row.attempts > 1,
            jitter: self.store.chance().fraction(),
        };
        let next = retry::decide(&outcome, attempt);
        self.hear(&outcome);
        match (next, outcome) {
            (Next::Done, Outcome::Done(receipt)) => return self.accepted(claimed, receipt).await,
            // Not reached: only what was done is decided as done.
            (Next::Done, _) => {}
            (Next::Wait(wait), _) => {
                self.settle(claimed, Settlement::Wait { not_before: now.plus(wait) }).await?
            }
            (Next::AskAgain { after, counted }, _) => {
                let not_before = now.plus(after);
                self.settle(claimed, Settlement::AskAgain { not_before, counted }).await?;
            }
            (Next::Stop(stop, why), _) => {
                if stop == Stop::Window {
                    if let Some(conversation) = row.lane.conversation() {
                        self.store.set_window_closed(self.id(), conversation).await?;
                        self.forget_answers();
                    }
                    self.tell(News::Conversations(self.id().clone()));
                }
                self.stop_row(claimed, stop, why).await?;
            }
            (Next::Halt(_), _) => self.settle(claimed, Settlement::Wait { not_before: now }).await?,
        }
        Ok(())
    }

    /// What an outcome says of the whole tab.
    fn hear(&self, outcome: &Outcome<Receipt>) {
        match outcome {
            Outcome::Refused(refusal) if refusal.status == 401 => {
                let (code, why) = (refusal.word.clone(), refusal.message.clone());
                self.stop(Health::Refused { code, why });
            }
            Outcome::NotSent(NotSent::Misconfigured(why)) => {
                self.stop(Health::Misconfigured { why: why.clone() });
            }
            _ => {}
        }
    }

    pub(crate) async fn stop_row(&self, row: &LaneRow, stop: Stop, why: SafeText) -> Result<(), Trouble> {
        tracing::info!(channel = %self.id(), row = %row.row.id, stop = stop.word(), "a row waits for a person");
        let conversation = row.row.lane.conversation().cloned();
        self.settle(row, Settlement::Stop(stop, why.clone())).await?;
        self.tell(News::Notice(self.id().clone(), conversation, why));
        Ok(())
    }

    /// Writes down what became of a row and tells of it.
    pub(crate) async fn settle(&self, row: &LaneRow, settlement: Settlement) -> Result<(), Trouble> {
        if !self.store.settle(row, settlement).await? {
            tracing::warn!(row = %row.row.id, "the outcome came after its claim had lapsed");
        }
        if let Some(conversation) = row.row.lane.conversation() {
            self.tell(News::History(self.id().clone(), conversation.clone()));
        }
        self.tell(News::Conversations(self.id().clone()));
        Ok(())
    }
}
