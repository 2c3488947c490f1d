//! Pulls the account behind a mail key (`getEmailAccount`).

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::PullOutcome;
use model::account::Platform;
use model::news::News;

impl ChannelSync {
    /// Reads the mail account (`getEmailAccount`). Mail only.
    pub async fn pull_mailbox(&self) -> PullOutcome {
        if !self.may_read(PolledResource::Mailbox) {
            return PullOutcome::Skipped;
        }
        self.reporting(PolledResource::Mailbox, async {
            if self.platform().await? != Some(Platform::Email) {
                return Ok(PullOutcome::Skipped);
            }
            let account = self.client.email_account().await?;
            self.store.apply_mailbox(self.id(), account.clone()).await?;
            self.publish(News::Mailbox(self.id().clone(), Box::new(account)));
            Ok(PullOutcome::Done)
        })
        .await
    }
}
