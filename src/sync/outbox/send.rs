//! Sends one row: the account of the key it leaves with, the conditions for a retry, the request itself,
//! and the record of its outcome.

use std::collections::HashMap;

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::outbox::queue::Probe;
use crate::outbox::{MAX_RETRY_DELAY, PushState, RETRY_DELAY};
use crate::report::PullError;
use client::budget::RetryCause;
use client::errors::ErrorCode;
use client::retry::{Attempt, describe_not_repeated, is_repeatable};
use client::{AttemptPhase, Client, NotSent, ReadError, Receipt, Unclear, WriteOutcome};
use model::ids::RowId;
use model::outbox::account::{describe_other_account, describe_other_account_attempt};
use model::outbox::{OutboxRow, PreparedRequest, RetryClass, RowState, SendingAccount, StopReason};
use model::time::Timestamp;
use store::StoreError;
use store::lane::LaneRow;

/// Outcomes of the latest attempts at rows that may be retried.
#[derive(Debug, Default)]
pub(crate) struct UncertainAttempts {
    outcomes: HashMap<RowId, RetryCause>,
    /// First time the server reported an earlier attempt as in progress, by row.
    in_progress: HashMap<RowId, Timestamp>,
}

impl UncertainAttempts {
    /// Records an outcome; a row with a known outcome is removed.
    pub(crate) fn record<T>(&mut self, row: &RowId, outcome: &WriteOutcome<T>, now: Timestamp) {
        let code = outcome.refusal().and_then(|refusal| refusal.code);
        if code == Some(ErrorCode::IdempotencyInProgress) {
            self.in_progress.entry(row.clone()).or_insert(now);
        } else {
            self.in_progress.remove(row);
        }
        match outcome {
            WriteOutcome::Unknown(unclear) => {
                let doubt = if unclear.status.is_some() { RetryCause::Answered } else { RetryCause::Silent };
                self.outcomes.insert(row.clone(), doubt);
            }
            _ => {
                self.outcomes.remove(row);
            }
        }
    }

    /// Shifts stored times by `by` microseconds (negative if the wall clock was set back).
    fn move_times(&mut self, by: i64) {
        self.in_progress.values_mut().for_each(|since| *since = since.plus(by));
    }

    /// Microseconds since the server first reported an earlier attempt as in progress.
    pub(crate) fn in_progress_for(&self, row: &RowId, now: Timestamp) -> i64 {
        self.in_progress.get(row).map_or(0, |entry| now.since(*entry))
    }

    /// Cost class of a retry. Nothing is known after a restart.
    fn retry_permit(&self, row: &RowId) -> RetryCause {
        self.outcomes.get(row).copied().unwrap_or(RetryCause::Answered)
    }
}

/// State of attempts at rows of one kind, sends or uploads.
#[derive(Debug, Default)]
pub struct AttemptState {
    pub(crate) probe: Probe,
    pub(crate) uncertain: UncertainAttempts,
}

impl AttemptState {
    /// Shifts stored times by `by` microseconds (negative if the wall clock was set back).
    pub(crate) fn move_times(&mut self, by: i64) {
        self.probe.move_times(by);
        self.uncertain.move_times(by);
    }

    pub(crate) fn record<T>(&mut self, row: &RowId, outcome: &WriteOutcome<T>, now: Timestamp) {
        self.uncertain.record(row, outcome, now);
        match outcome {
            WriteOutcome::NotSent(NotSent::Offline(_)) => self.probe.record_failure(now),
            WriteOutcome::NotSent(NotSent::Paced(_)) => {}
            _ => self.probe = Probe::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendDecision {
    Now,
    /// The retry budget is used up; decided again later.
    Later,
    /// The row was stopped and needs a decision.
    Stopped,
}

pub(crate) fn attempt_phase(claimed: &LaneRow) -> AttemptPhase {
    match claimed.row.attempts {
        2.. => AttemptPhase::AfterUnclear,
        _ if claimed.is_successor => AttemptPhase::Anew,
        _ => AttemptPhase::First,
    }
}

impl ChannelSync {
    /// Decides if the next row may be sent. Only a row that may already have been processed is checked:
    /// its class must allow a retry and the retry budget must cover it.
    pub(crate) async fn check_may_send(
        &self,
        row: &LaneRow,
        doubts: &UncertainAttempts,
    ) -> Result<SendDecision, PullError> {
        if row.row.state != RowState::Uncertain || row.is_retry_requested {
            return Ok(SendDecision::Now);
        }
        let recognised = self.supports_idempotency(row).await?;
        if !is_repeatable(row.row.operation.retry_class(), recognised) {
            let why = describe_not_repeated("this desk closed before an answer arrived");
            self.stop_row(row, StopReason::KeyUnproven, why).await?;
            return Ok(SendDecision::Stopped);
        }
        let paid = row.failures == 0 || self.client.retries().try_spend(doubts.retry_permit(&row.row.id));
        Ok(if paid { SendDecision::Now } else { SendDecision::Later })
    }

    /// Returns true if the server has been seen to recognise idempotency keys on this row's path. Read
    /// only for guarded operations.
    pub(crate) async fn supports_idempotency(&self, row: &LaneRow) -> Result<bool, PullError> {
        if row.row.operation.retry_class() != RetryClass::Guarded {
            return Ok(false);
        }
        let Some(request) = self.store.request(&row.row.id).await? else { return Ok(false) };
        Ok(self.store.supports_idempotency(self.client.base_url(), &request.path).await?)
    }

    pub(crate) async fn attempt_info(
        &self,
        claimed: &LaneRow,
        doubts: &UncertainAttempts,
        now: Timestamp,
    ) -> Attempt {
        Attempt {
            class: claimed.row.operation.retry_class(),
            // A failing database counts as "not recognised".
            is_idempotency_supported: self.supports_idempotency(claimed).await.unwrap_or_default(),
            failures: claimed.failures,
            age: claimed.key_age(&self.clock_times(now)).unwrap_or(0),
            in_progress: doubts.in_progress_for(&claimed.row.id, now),
            jitter: self.store.chance().fraction(),
        }
    }

    /// Client that sends a row. In a team, it names what the writer of an answer has seen.
    fn client_for(&self, row: &OutboxRow) -> Client {
        match &row.seen {
            Some((_, message)) if row.operation.may_cross() && self.with_state(|state| state.is_of_team) => {
                self.client.with_seen(message)
            }
            _ => self.client.clone(),
        }
    }

    /// Sends the bytes of a claimed row once.
    pub(crate) async fn attempt(
        &self,
        claimed: &LaneRow,
        request: &PreparedRequest,
    ) -> Result<WriteOutcome<Receipt>, PullError> {
        let row = &claimed.row;
        if row.operation.retry_class() == RetryClass::Webhook && row.attempts > 1 {
            match self.find_registered(row).await {
                Ok(Some(receipt)) => return Ok(WriteOutcome::Done(receipt)),
                Ok(None) => {}
                Err(PullError::Read(error)) => {
                    let why = format!("could not read whether the webhook is registered: {error}");
                    return Ok(WriteOutcome::Unknown(Unclear::new(&why, None)));
                }
                Err(error) => return Err(error),
            }
        }
        let client = self.client_for(row);
        let outcome = client.send_write(&row.operation, request, &row.key, attempt_phase(claimed)).await;
        let outcome = self.verify_outcome(claimed, outcome).await;
        let replayed = match &outcome {
            WriteOutcome::Done(receipt) => receipt.replayed,
            WriteOutcome::Unknown(unclear) => unclear.replayed,
            WriteOutcome::NotSent(_) | WriteOutcome::Refused(_) => false,
        };
        let about_the_key =
            outcome.refusal().filter(|refusal| refusal.is_idempotency_error() && refusal.status == 409);
        if (replayed || about_the_key.is_some()) && row.operation.retry_class() == RetryClass::Guarded {
            // A failure here must not hide the outcome of the row.
            if let Err(error) =
                self.store.record_idempotency_support(self.client.base_url(), &request.path).await
            {
                tracing::error!(%error, "could not store whether the server recognises retries");
            }
        }
        if replayed && attempt_phase(claimed) == AttemptPhase::First {
            self.mark_other_rows_unknown(row).await;
        }
        if let Some(refusal) = about_the_key {
            tracing::warn!(
                channel = %self.id(), row = %row.id, operation = row.operation.word(), code = %refusal.word,
                attempts = row.attempts,
                bytes = request.body.len(),
                "the server already knows this idempotency key"
            );
        }
        Ok(outcome)
    }

    /// Marks all other rows as unknown, because the server had already received this one: the files
    /// are an older copy.
    async fn mark_other_rows_unknown(&self, row: &OutboxRow) {
        match self.store.mark_other_rows_unknown(&row.id).await {
            Ok(0) => {}
            Ok(rows) => tracing::warn!(row = %row.id, rows, "the outbox was restored from an older copy"),
            Err(error) => tracing::error!(%error, "rows that may have been sent could not be marked"),
        }
    }
}

/// Credential that rows are sent with, and its account.
#[derive(Debug, Clone, Copy)]
pub struct SenderAccount<'a> {
    /// Fingerprint of the credential.
    pub credential: &'a str,
    /// Account, once confirmed.
    pub account: Option<&'a SendingAccount>,
    /// True if the server may report the account; false once it answered that it has no such operation.
    pub reports_account: bool,
}

/// Relation of a row to the account it would be sent from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccountFit {
    Same,
    Other,
    /// The account of the credential must be read first.
    Unconfirmed,
}

impl SenderAccount<'_> {
    pub(crate) fn check_fit(&self, row: &LaneRow) -> AccountFit {
        let first_print = row.attempted_as.as_deref().or(row.written_as.as_deref());
        let is_own = first_print == Some(self.credential);
        match (self.account, &row.written_for) {
            (Some(now), Some(written)) if written.is_same(now) => AccountFit::Same,
            (Some(_), None) if is_own => AccountFit::Same,
            (Some(_), _) => AccountFit::Other,
            // Without account reports the credential is the only evidence.
            (None, None) if is_own && !self.reports_account => AccountFit::Same,
            (None, _) => AccountFit::Unconfirmed,
        }
    }
}

impl ChannelSync {
    /// Account of this channel's key, if `getAccount` returned it for this very key, now or in an earlier
    /// run.
    pub(crate) async fn confirmed_account(&self) -> Result<Option<SendingAccount>, StoreError> {
        let known = self.store.sending_account(self.id()).await?;
        Ok(known.filter(|known| known.credential == self.credential()).map(|known| known.account))
    }

    /// True if the account of this channel's key is confirmed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_confirmed_account(&self) -> Result<bool, StoreError> {
        Ok(self.confirmed_account().await?.is_some())
    }

    /// Sender for rows, given the confirmed account.
    pub(crate) fn sender_account<'a>(&'a self, account: Option<&'a SendingAccount>) -> SenderAccount<'a> {
        let tells_account = self.with_state(|state| state.reports_account);
        SenderAccount { credential: self.credential(), account, reports_account: tells_account }
    }

    /// Reads the account and confirms it for the key. Returns the error if that failed.
    pub(crate) async fn read_sending_account(&self) -> Result<Option<ReadError>, PullError> {
        match self.client.for_person().reported_account().await {
            Ok(reported) => {
                self.apply_reported_account(reported).await?;
                Ok(None)
            }
            Err(ReadError::Forbidden(_) | ReadError::NotFound(_) | ReadError::NoSuchPath(_)) => {
                self.with_state(|state| state.reports_account = false);
                Ok(None)
            }
            Err(error) => Ok(Some(error)),
        }
    }

    /// Reads the account of the key because a row waits to be compared with it.
    pub(crate) async fn confirm_key(&self, state: &mut PushState, now: Timestamp) -> Result<(), PullError> {
        let Some(error) = self.read_sending_account().await? else {
            // If the server does not report it, rows of another key keep waiting.
            let is_told = self.confirmed_account().await?.is_some();
            state.unconfirmed = (0, if is_told { Timestamp::default() } else { now.plus(MAX_RETRY_DELAY) });
            return Ok(());
        };
        let (times, _) = state.unconfirmed;
        let wait = RETRY_DELAY.saturating_mul(1 << times.min(16)).min(MAX_RETRY_DELAY);
        state.unconfirmed = (times + 1, now.plus(wait));
        if let ReadError::Offline(_) = error {
            state.record_no_connection(now);
        }
        self.read_failed(PolledResource::Account, error);
        Ok(())
    }

    /// Stops a row of another account for a decision.
    pub(crate) async fn ask_about_account(
        &self,
        row: &LaneRow,
        account: &SendingAccount,
    ) -> Result<(), PullError> {
        let written_for = row.written_for.as_ref();
        // An upload reaches no recipient, so it can start again.
        if row.row.attempts > 0 && row.row.operation.retry_class() != RetryClass::Media {
            return self
                .stop_row(row, StopReason::Expired, describe_other_account_attempt(written_for, account))
                .await;
        }
        self.store.record_offered_account(&row.row.id, account).await?;
        self.stop_row(row, StopReason::Account, describe_other_account(written_for, account)).await
    }
}
