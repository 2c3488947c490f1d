//! Pulling the account: what the key drives, and the balance.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, Pulled};
use model::account::Account;
use model::news::News;

impl ChannelSync {
    /// Reads `GET /account`; the platform it names decides what else is
    /// asked. Interface: Endpoints, Account.
    pub async fn pull_account(&self) -> Pulled {
        if !self.may_read(PolledResource::Account) {
            return Pulled::Skipped;
        }
        self.reporting(PolledResource::Account, async {
            let account = self.client.account().await?;
            let known = self.known_platform().is_some();
            self.set_platform(account.platform.clone());
            self.account_read(account, !known).await?;
            Ok(Pulled::Done)
        })
        .await
    }

    /// Keeps what the account is, and tells it where that is new.
    pub(crate) async fn account_read(&self, account: Account, is_first: bool) -> Result<(), PullError> {
        if self.store.apply_account(self.id(), account.clone()).await? || is_first {
            self.tell(News::Account(self.id().clone(), Box::new(account)));
        }
        Ok(())
    }
}
