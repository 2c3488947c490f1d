//! What a person asks for by looking at a page: read once, and told in either
//! case, so that no page waits for what will not come.
//!
//! Knows nothing of what is polled.

use crate::client::ReadError;
use crate::model::fetches::{Fetch, Fetched};
use crate::model::news::News;
use crate::model::text::SafeText;
use crate::sync::Channel;
use crate::sync::health::Resource;
use crate::sync::report::{Pulled, Trouble};

impl Channel {
    /// Asks the server; what came back, or why not, is told as news.
    pub async fn fetch(&self, fetch: &Fetch) -> Pulled {
        let resource = match fetch {
            Fetch::People { .. } | Fetch::Person { .. } => Resource::Contacts,
        };
        if self.is_stopped() {
            return self.tell_fetched(fetch, Err(SafeText::line("this tab's key is not taken")));
        }
        let read = match fetch {
            Fetch::People { search, more } => self.read_people(search, *more).await,
            Fetch::Person { phone } => self.read_person(phone).await,
        };
        match read {
            Ok(fetched) => {
                self.read_succeeded(resource);
                self.tell_budget();
                self.tell_fetched(fetch, Ok(fetched))
            }
            // Not for this key: said on the page, not of the whole tab.
            Err(Trouble::Read(ReadError::Forbidden(why))) => {
                self.deny(resource);
                self.tell_fetched(fetch, Err(why))
            }
            Err(Trouble::Read(ReadError::Paced(wait) | ReadError::Limited(wait))) => Pulled::Paced(wait),
            Err(error) => {
                let why = SafeText::line(&error.to_string());
                self.report(resource, Err(error));
                self.tell_fetched(fetch, Err(why))
            }
        }
    }

    fn tell_fetched(&self, fetch: &Fetch, fetched: Result<Fetched, SafeText>) -> Pulled {
        let pulled = if fetched.is_ok() { Pulled::Done } else { Pulled::Failed };
        self.tell(News::Fetched(self.id().clone(), fetch.clone(), fetched));
        pulled
    }
}
