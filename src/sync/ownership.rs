//! Account of a channel's key, compared with the account each row was written for. The rule is in
//! [`model::outbox::account`].

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::push::{AGAIN, LONGEST, PushState};
use crate::report::PullError;
use client::ReadError;
use model::outbox::account::{foreign_attempt_words, foreign_words};
use model::outbox::{RetryClass, SendingAccount, Stop};
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
    pub tells_account: bool,
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
    pub(crate) fn fit(&self, row: &LaneRow) -> AccountFit {
        let first_print = row.attempted_as.as_deref().or(row.written_as.as_deref());
        let is_own = first_print == Some(self.credential);
        match (self.account, &row.written_for) {
            (Some(now), Some(written)) if written.is_same(now) => AccountFit::Same,
            (Some(_), None) if is_own => AccountFit::Same,
            (Some(_), _) => AccountFit::Other,
            // Without account reports the credential is the only evidence.
            (None, None) if is_own && !self.tells_account => AccountFit::Same,
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
    pub async fn knows_account(&self) -> Result<bool, StoreError> {
        Ok(self.confirmed_account().await?.is_some())
    }

    /// Sender for rows, given the confirmed account.
    pub(crate) fn sender<'a>(&'a self, account: Option<&'a SendingAccount>) -> SenderAccount<'a> {
        let tells_account = self.state(|state| state.tells_account);
        SenderAccount { credential: self.credential(), account, tells_account }
    }

    /// Reads the account and confirms it for the key. Returns the error if that failed.
    pub(crate) async fn read_sending_account(&self) -> Result<Option<ReadError>, PullError> {
        match self.client.for_person().identified_account().await {
            Ok(told) => {
                self.account_told(told).await?;
                Ok(None)
            }
            Err(ReadError::Forbidden(_) | ReadError::NotFound(_) | ReadError::NoSuchPath(_)) => {
                self.state(|state| state.tells_account = false);
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
            state.unconfirmed = (0, if is_told { Timestamp::default() } else { now.plus(LONGEST) });
            return Ok(());
        };
        let (times, _) = state.unconfirmed;
        let wait = AGAIN.saturating_mul(1 << times.min(16)).min(LONGEST);
        state.unconfirmed = (times + 1, now.plus(wait));
        if let ReadError::Offline(_) = error {
            state.no_connection(now);
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
        if row.row.attempts > 0 && row.row.operation.class() != RetryClass::Media {
            return self.stop_row(row, Stop::Expired, foreign_attempt_words(written_for, account)).await;
        }
        self.store.offer_account(&row.row.id, account).await?;
        self.stop_row(row, Stop::Account, foreign_words(written_for, account)).await
    }
}
