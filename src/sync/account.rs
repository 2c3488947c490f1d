//! Pulling the account: what the key drives, and the balance.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::Pulled;
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
            let changed = self.store.apply_account(self.id(), account.clone()).await?;
            if changed || !known {
                self.tell(News::Account(self.id().clone(), Box::new(account)));
            }
            Ok(Pulled::Done)
        })
        .await
    }
}
