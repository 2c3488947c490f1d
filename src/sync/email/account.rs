//! Pulling the account behind a mail key. Interface: Endpoints, Email.

use crate::model::account::Platform;
use crate::model::news::News;
use crate::sync::Channel;
use crate::sync::health::Resource;
use crate::sync::report::{Pulled, Trouble};

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
