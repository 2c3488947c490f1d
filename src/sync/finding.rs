//! Searches the server for contacts without a stored conversation (`listContacts`).

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::PullOutcome;
use client::ReadError;
use model::account::Platform;
use model::contacts::FoundContact;
use model::news::News;
use model::text::SafeText;

const MAX_SHOWN_CONTACTS: usize = 20;

impl ChannelSync {
    /// Searches contacts (`listContacts`) and leaves out those with a stored conversation.
    pub async fn find_contacts(&self, words: &str) -> PullOutcome {
        self.reporting(PolledResource::Contacts, async {
            let platform = self.may_ask(PolledResource::Contacts).await?;
            if !platform.as_ref().is_some_and(Platform::has_contacts) {
                return Ok(PullOutcome::Skipped);
            }
            let listed = match self.client.for_person().contacts(Some(words), None).await {
                Err(ReadError::Forbidden(_)) => {
                    self.record_denied(PolledResource::Contacts);
                    return Ok(PullOutcome::Skipped);
                }
                listed => listed?,
            };
            let mut found = Vec::new();
            for contact in listed.items {
                let Some(phone) = contact.phone else { continue };
                if found.len() == MAX_SHOWN_CONTACTS || self.store.has_address(self.id(), &phone).await? {
                    continue;
                }
                found.push(FoundContact {
                    channel: self.id().clone(),
                    name: SafeText::line(contact.name.as_deref().unwrap_or(&phone)),
                    phone: SafeText::line(&phone),
                    email: contact.email.as_deref().map(SafeText::line),
                });
            }
            self.publish(News::FoundContacts(self.id().clone(), words.to_owned(), found));
            Ok(PullOutcome::Done)
        })
        .await
    }
}
