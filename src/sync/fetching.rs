//! Reads requested by a page: each is read once and answered with a result or an error, so that no page
//! waits forever.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, PullOutcome};
use client::{ReadError, RequestFailure};
use model::fetches::{Fetch, FetchResult};
use model::news::News;
use model::text::SafeText;

impl ChannelSync {
    /// Reads from the server. The result or the error is announced as [`News`]; resources with news of
    /// their own use that.
    pub async fn fetch(&self, fetch: &Fetch) -> PullOutcome {
        match fetch {
            Fetch::People { search, more } => {
                self.fetch_page(fetch, PolledResource::Contacts, self.read_people(search, *more)).await
            }
            Fetch::Person { phone } => {
                self.fetch_page(fetch, PolledResource::Contacts, self.read_person(phone)).await
            }
            Fetch::Sent { since } => {
                self.fetch_page(fetch, PolledResource::History, self.read_sent_messages(*since)).await
            }
            Fetch::Events => self.fetch_page(fetch, PolledResource::Events, self.read_events()).await,
            Fetch::Webhooks => self.fetch_page(fetch, PolledResource::Webhooks, self.read_webhooks()).await,
            Fetch::Message { message } => {
                self.fetch_page(fetch, PolledResource::Detail, self.read_message(message)).await
            }
            Fetch::Templates => {
                self.fetch_page(fetch, PolledResource::Templates, self.read_templates()).await
            }
            Fetch::Contacts { words } => self.find_contacts(words).await,
            Fetch::Mail(wish) => self.pull_mail(wish).await,
        }
    }

    async fn fetch_page(
        &self,
        fetch: &Fetch,
        resource: PolledResource,
        read: impl Future<Output = Result<FetchResult, PullError>>,
    ) -> PullOutcome {
        if self.is_stopped() {
            return self
                .publish_fetched(fetch, Err(SafeText::line("the server does not accept this tab's key")));
        }
        let read = read.await;
        if let Err(PullError::Read(error)) = &read {
            self.record_failure(RequestFailure::of_read(error));
        }
        match read {
            Ok(fetched) => {
                self.read_succeeded(resource);
                self.publish_budget();
                self.publish_fetched(fetch, Ok(fetched))
            }
            // The key lacks the permission: shown on the page, not as trouble of the tab.
            Err(PullError::Read(ReadError::Forbidden(why))) => {
                self.record_denied(resource);
                self.publish_fetched(fetch, Err(why))
            }
            // The server does not offer it: shown on the page and not requested again.
            Err(PullError::Read(error)) if is_list(fetch) && resource.is_missing(&error) => {
                self.record_denied(resource);
                self.publish_fetched(fetch, Err(resource.describe_missing()))
            }
            // A deleted item is no trouble.
            Err(PullError::Read(ReadError::NotFound(why))) => self.publish_fetched(fetch, Err(why)),
            Err(PullError::Read(ReadError::Paced(wait) | ReadError::Limited(wait))) => {
                PullOutcome::Paced(wait)
            }
            Err(error) => {
                let why = SafeText::line(&error.to_string());
                self.report(resource, Err(error));
                self.publish_fetched(fetch, Err(why))
            }
        }
    }

    fn publish_fetched(&self, fetch: &Fetch, fetched: Result<FetchResult, SafeText>) -> PullOutcome {
        let pulled = if fetched.is_ok() { PullOutcome::Done } else { PullOutcome::Failed };
        self.publish(News::Fetched(self.id().clone(), fetch.clone(), fetched));
        pulled
    }
}

/// True if the page reads a whole list: a 404 then concerns the list.
fn is_list(fetch: &Fetch) -> bool {
    matches!(fetch, Fetch::People { .. } | Fetch::Events | Fetch::Webhooks | Fetch::Templates)
}
