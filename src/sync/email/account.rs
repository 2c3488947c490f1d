//! Pulling the account behind a mail key. Interface: Endpoints, Email.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::Pulled;
use model::account::Platform;
use model::news::News;

impl ChannelSync {
    /// Reads `GET /email/account`. Mail only.
    pub async fn pull_mailbox(&self) -> Pulled {
        if !self.may_read(PolledResource::Mailbox) {
            return Pulled::Skipped;
        }
        self.reporting(PolledResource::Mailbox, async {
            if self.platform().await? != Some(Platform::Email) {
                return Ok(Pulled::Skipped);
            }
            let account = self.client.email_account().await?;
            self.store.apply_mailbox(self.id(), account.clone()).await?;
            self.tell(News::Mailbox(self.id().clone(), Box::new(account)));
            Ok(Pulled::Done)
        })
        .await
    }
}
