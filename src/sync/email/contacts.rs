//! Pulls correspondents (`listEmailContacts`) and filtered threads (`listEmailThreads`) on request.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, PullOutcome};
use model::account::Platform;
use model::email::{MailQuery, Thread, ThreadFilter};
use model::news::News;
use model::text::SafeText;
use model::unreadable::UnreadableList;

/// Pages of a filtered list read in one pass.
const MAX_PAGES: usize = 4;

impl ChannelSync {
    /// Reads the requested part of the mailbox.
    pub async fn pull_mail(&self, wish: &MailQuery) -> PullOutcome {
        let resource = match wish {
            MailQuery::Threads(_) => PolledResource::List,
            MailQuery::Thread(_) => PolledResource::History,
            MailQuery::Correspondents(_) => PolledResource::Correspondents,
        };
        if !self.may_read(resource) {
            return PullOutcome::Skipped;
        }
        self.reporting(resource, async {
            if self.platform().await? != Some(Platform::Email) {
                return Ok(PullOutcome::Skipped);
            }
            match wish {
                MailQuery::Threads(filter) => self.read_filtered(filter).await?,
                MailQuery::Thread(thread) => {
                    let turn = self.wait_for_history().await;
                    self.read_history(&turn, &self.client.for_person(), &Platform::Email, thread).await?;
                }
                MailQuery::Correspondents(search) => {
                    let typed = Some(search.as_str()).filter(|text| !text.is_empty());
                    let listed = self.client.for_person().email_contacts(typed, None).await?;
                    self.record_unreadable(UnreadableList::Correspondents, &listed, true);
                    self.store.apply_correspondents(self.id(), listed.items).await?;
                    self.publish(News::Correspondents(self.id().clone(), search.clone()));
                }
            }
            Ok(PullOutcome::Done)
        })
        .await
    }

    /// Reads the newest threads that match a filter and records that they match it.
    async fn read_filtered(&self, filter: &ThreadFilter) -> Result<(), PullError> {
        let mut cursor = None;
        let client = self.client.for_person();
        let all = client.email_threads(&ThreadFilter::default(), None).await?;
        for _ in 0..MAX_PAGES {
            let snapshot = self.store.snapshot();
            let mut page = client.email_threads(filter, cursor.as_deref()).await?;
            // A server that ignores the filter returns the unfiltered list; the folder is unknown then.
            let is_known = cursor.is_some()
                || !page.items.iter().map(|item| &item.id).eq(all.items.iter().map(|item| &item.id));
            let folder = filter.folder.as_deref().filter(|_| is_known).map(SafeText::line);
            let defaults = Thread { folder, ..Thread::default() };
            self.store_threads(&mut page.items, Some(defaults), snapshot).await?;
            let items = page.items;
            self.store.apply_conversations(self.id(), items, snapshot, true, Vec::new()).await?;
            if page.next_cursor.is_none() || page.next_cursor == cursor {
                break;
            }
            cursor = page.next_cursor;
        }
        self.publish(News::Conversations(self.id().clone()));
        Ok(())
    }
}
