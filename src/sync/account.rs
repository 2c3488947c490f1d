//! Pulls the account: platform, number and balance behind a key.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, Pulled};
use model::account::Account;
use model::news::News;
use model::outbox::SendingAccount;
use model::outbox::account::put_away_words;

impl ChannelSync {
    /// Reads the account (`getAccount`). The platform it names decides which other resources are polled.
    pub async fn pull_account(&self) -> Pulled {
        if !self.may_read(PolledResource::Account) {
            return Pulled::Skipped;
        }
        self.reporting(PolledResource::Account, async {
            let told = self.client.identified_account().await?;
            self.account_told(told).await?;
            Ok(Pulled::Done)
        })
        .await
    }

    /// Stores the account and the identity that outbox rows are bound to.
    pub(crate) async fn account_told(
        &self,
        (account, identity): (Account, SendingAccount),
    ) -> Result<(), PullError> {
        self.put_away_other_account(&identity).await?;
        let known = self.known_platform().is_some();
        self.set_platform(account.platform.clone());
        let now = self.clock.now();
        let confirmed = self.store.confirm_account(self.id(), self.credential(), identity, now).await?;
        if confirmed.moved {
            tracing::warn!(channel = %self.id(), "the channel belongs to another account now");
        }
        if confirmed.moved || confirmed.released > 0 {
            self.tell(News::Conversations(self.id().clone()));
        }
        self.account_read(account, !known).await
    }

    /// Removes cached data of another business before anything of this one is read, so that no text goes
    /// to the wrong customers. Drafts, notes and queued texts are kept.
    async fn put_away_other_account(&self, now: &SendingAccount) -> Result<(), PullError> {
        let before = self.store.sending_account(self.id()).await?.map(|known| known.account);
        let Some(before) = before.filter(|before| !before.is_same_business(now)) else { return Ok(()) };
        self.store.forget_channel(self.id()).await?;
        self.tell(News::Notice(self.id().clone(), None, put_away_words(&before, now)));
        self.tell(News::Conversations(self.id().clone()));
        Ok(())
    }

    /// Stores the account and announces it if it changed.
    pub(crate) async fn account_read(&self, account: Account, is_first: bool) -> Result<(), PullError> {
        if self.store.apply_account(self.id(), account.clone()).await? || is_first {
            self.tell(News::Account(self.id().clone(), Box::new(account)));
        }
        Ok(())
    }
}
