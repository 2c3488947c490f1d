//! Pulls the account: platform, number and balance behind a key.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, PullOutcome};
use client::ReportedAccount;
use model::account::Account;
use model::news::News;
use model::outbox::SendingAccount;
use model::outbox::account::describe_removed_account;

impl ChannelSync {
    /// Reads the account (`getAccount`). The platform it names decides which other resources are polled.
    pub async fn pull_account(&self) -> PullOutcome {
        if !self.may_read(PolledResource::Account) {
            return PullOutcome::Skipped;
        }
        self.reporting(PolledResource::Account, async {
            let reported = self.client.reported_account().await?;
            let import = reported.import;
            self.apply_reported_account(reported).await?;
            if let Some(import) = import {
                self.reread_after_import(import).await?;
            }
            Ok(PullOutcome::Done)
        })
        .await
    }

    /// Stores the account and the identity that outbox rows are bound to.
    pub(crate) async fn apply_reported_account(&self, reported: ReportedAccount) -> Result<(), PullError> {
        let ReportedAccount { account, identity, .. } = reported;
        self.remove_other_account(&identity).await?;
        let known = self.known_platform().is_some();
        self.set_platform(account.platform.clone());
        let now = self.clock.now();
        let confirmed = self.store.confirm_account(self.id(), self.credential(), identity, now).await?;
        if confirmed.has_changed {
            tracing::warn!(channel = %self.id(), "the channel now belongs to another account");
        }
        if confirmed.has_changed || confirmed.released > 0 {
            self.publish(News::Conversations(self.id().clone()));
        }
        self.apply_account(account, !known).await
    }

    /// Removes cached data of another business before anything of this one is read, so that no text goes
    /// to the wrong customers. Drafts, notes and queued texts are kept.
    async fn remove_other_account(&self, now: &SendingAccount) -> Result<(), PullError> {
        let before = self.store.sending_account(self.id()).await?.map(|known| known.account);
        let Some(before) = before.filter(|before| !before.is_same_business(now)) else { return Ok(()) };
        self.store.forget_channel(self.id()).await?;
        self.publish(News::Notice(self.id().clone(), None, describe_removed_account(&before, now)));
        self.publish(News::Conversations(self.id().clone()));
        Ok(())
    }

    /// Stores the account and announces it if it changed.
    pub(crate) async fn apply_account(&self, account: Account, is_first: bool) -> Result<(), PullError> {
        if self.store.apply_account(self.id(), account.clone()).await? || is_first {
            self.publish(News::Account(self.id().clone(), Box::new(account)));
        }
        Ok(())
    }
}
