//! Account of a channel's key, compared with the account each row was written for. The rule is in
//! [`model::outbox::account`].

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::push::{MAX_RETRY_DELAY, PushState, RETRY_DELAY};
use crate::report::PullError;
use client::ReadError;
use model::outbox::account::{describe_other_account, describe_other_account_attempt};
use model::outbox::{RetryClass, SendingAccount, StopReason};
use model::time::Timestamp;
use store::StoreError;
use store::lane::LaneRow;

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
        match self.client.for_person().identified_account().await {
            Ok(told) => {
                self.apply_reported_account(told).await?;
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
