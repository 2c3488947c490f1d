//! Pulling the account: what the key drives, and the balance.

use crate::Channel;
use crate::health::Resource;
use crate::report::{Pulled, Trouble};
use model::news::News;

impl Channel {
    /// Reads `GET /account`; the platform it names decides what else is
    /// asked. Interface: Endpoints, Account.
    pub async fn pull_account(&self) -> Pulled {
        if !self.may_read(Resource::Account) {
            return Pulled::Skipped;
        }
        let result = self.read_account().await;
        self.report(Resource::Account, result)
    }

    async fn read_account(&self) -> Result<Pulled, Trouble> {
        let account = self.client.account().await?;
        let known = self.known_platform().is_some();
        self.set_platform(account.platform.clone());
        let changed = self.store.apply_account(self.id(), account.clone()).await?;
        if changed || !known {
            self.tell(News::Account(self.id().clone(), Box::new(account)));
        }
        Ok(Pulled::Done)
    }
}
