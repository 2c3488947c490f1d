//! Which account the key of a channel has, for the rows that leave with it.
//! The rule is told in [`model::outbox::account`].

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

/// The credential that rows leave with, and its account.
#[derive(Debug, Clone, Copy)]
pub struct SenderAccount<'a> {
    /// The credential's print.
    pub credential: &'a str,
    /// Its account, once confirmed.
    pub account: Option<&'a SendingAccount>,
    /// True if the server may tell the account: one that answered that it has no such
    /// operation is not asked again.
    pub tells_account: bool,
}

/// How a row stands to the account that it would leave from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccountFit {
    Same,
    Other,
    /// The account of the credential is to be read first.
    Unconfirmed,
}

impl SenderAccount<'_> {
    /// Compares the account a row was written for with the one it would leave from.
    pub(crate) fn fit(&self, row: &LaneRow) -> AccountFit {
        let first_print = row.attempted_as.as_deref().or(row.written_as.as_deref());
        let is_own = first_print == Some(self.credential);
        match (self.account, &row.written_for) {
            (Some(now), Some(written)) if written.is_same(now) => AccountFit::Same,
            (Some(_), None) if is_own => AccountFit::Same,
            (Some(_), _) => AccountFit::Other,
            // Of a server that does not tell accounts, the credential is all there is.
            (None, None) if is_own && !self.tells_account => AccountFit::Same,
            (None, _) => AccountFit::Unconfirmed,
        }
    }
}

impl ChannelSync {
    /// The account of this channel's key, if `GET /account` told it to this very
    /// key: now, or before this desk was started.
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

    /// What rows leave with, given the confirmed account.
    pub(crate) fn sender<'a>(&'a self, account: Option<&'a SendingAccount>) -> SenderAccount<'a> {
        let tells_account = self.state(|state| state.tells_account);
        SenderAccount { credential: self.credential(), account, tells_account }
    }

    /// Reads the account and confirms it for the key; returns why not.
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

    /// Reads the account of the key, because a row waits to be compared with it.
    pub(crate) async fn confirm_key(&self, state: &mut PushState, now: Timestamp) -> Result<(), PullError> {
        let Some(error) = self.read_sending_account().await? else {
            // Where the server does not tell it, rows of another key go on waiting.
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

    /// Has a row of another account wait for a person.
    pub(crate) async fn ask_about_account(
        &self,
        row: &LaneRow,
        account: &SendingAccount,
    ) -> Result<(), PullError> {
        let written_for = row.written_for.as_ref();
        // A file that was being uploaded has reached nobody.
        if row.row.attempts > 0 && row.row.operation.class() != RetryClass::Media {
            return self.stop_row(row, Stop::Expired, foreign_attempt_words(written_for, account)).await;
        }
        self.store.offer_account(&row.row.id, account).await?;
        self.stop_row(row, Stop::Account, foreign_words(written_for, account)).await
    }
}
