//! Pulling the account behind a mail key. Interface: Endpoints, Email.

use crate::Channel;
use crate::health::Resource;
use crate::report::{Pulled, Trouble};
use model::account::Platform;
use model::news::News;

impl Channel {
    /// Reads `GET /email/account`. Mail only.
    pub async fn pull_mailbox(&self) -> Pulled {
        if !self.may_read(Resource::Mailbox) {
            return Pulled::Skipped;
        }
        let result = self.read_mailbox().await;
        self.report(Resource::Mailbox, result)
    }

    async fn read_mailbox(&self) -> Result<Pulled, Trouble> {
        if self.platform().await? != Some(Platform::Email) {
            return Ok(Pulled::Skipped);
        }
        let account = self.client.email_account().await?;
        self.store.apply_mailbox(self.id(), account.clone()).await?;
        self.tell(News::Mailbox(self.id().clone(), Box::new(account)));
        Ok(Pulled::Done)
    }
}
