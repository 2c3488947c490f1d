//! Pulls the account behind a mail key (`getEmailAccount`).

use crate::ChannelSync;
use crate::conversations::{REMAINING_FROM_MARK, REST, SINCE};
use crate::health::PolledResource;
use crate::report::{PullError, PullOutcome};
use model::account::Platform;
use model::news::News;

/// Mark: number of mails older than the connection that were filed when the whole list was last read.
const EARLIER_MAIL_MARK: &str = "earlier_mail";

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
            if let Some(earlier) = account.earlier {
                self.reread_for_earlier_mail(earlier).await?;
            }
            self.publish(News::Mailbox(self.id().clone(), Box::new(account)));
            Ok(PullOutcome::Done)
        })
        .await
    }

    /// Reads the whole list again after mail older than the connection was filed: its threads are far
    /// below the top, where no poll looks.
    async fn reread_for_earlier_mail(&self, (filed, is_finished): (u64, bool)) -> Result<(), PullError> {
        let known = self.store.meta(self.id(), EARLIER_MAIL_MARK).await?;
        let (seen, had_finished) =
            known.as_deref().and_then(|text| text.split_once(' ')).unwrap_or(("0", "false"));
        let seen: u64 = seen.parse().unwrap_or(0);
        // While the import runs, only a large increase counts.
        let is_more = filed / 2 >= seen.max(1) || (is_finished && filed > seen);
        let is_news = is_more || (is_finished && had_finished != "true" && filed > 0);
        let is_being_read = self.store.meta(self.id(), REST).await?.is_some();
        if !is_news || is_being_read || self.time_mark(SINCE).await?.is_none() {
            return Ok(());
        }
        let marks = vec![
            (EARLIER_MAIL_MARK, Some(format!("{filed} {is_finished}"))),
            (REST, Some(String::new())),
            (REMAINING_FROM_MARK, None),
        ];
        Ok(self.store.set_meta(self.id(), marks).await?)
    }
}
