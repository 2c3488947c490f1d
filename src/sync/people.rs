//! Reading people a page at a time, and one by its number, when someone looks
//! at them. Interface: Endpoints, Contacts.

use crate::ChannelSync;
use crate::report::PullError;
use client::ReadError;
use model::fetches::FetchResult;
use model::news::News;
use model::time::Timestamp;
use model::unreadable::List;

/// How far the newest walk through the people has come.
#[derive(Debug, Default)]
pub(crate) struct PeopleState {
    search: String,
    cursor: Option<String>,
    began: Timestamp,
}

impl PeopleState {
    /// Where to read on, and when that walk began.
    fn place(&self, search: &str, more: bool, now: Timestamp) -> (Option<String>, Timestamp) {
        if more && self.search == search { (self.cursor.clone(), self.began) } else { (None, now) }
    }
}

impl ChannelSync {
    /// Reads the first page of those that fit, or the one behind the last.
    pub(crate) async fn read_people(&self, search: &str, more: bool) -> Result<FetchResult, PullError> {
        let now = self.clock.now();
        let (cursor, began) = self.state(|it| it.people.place(search, more, now));
        if more && cursor.is_none() {
            return Ok(FetchResult::People { more: false });
        }
        let wanted = Some(search).filter(|it| !it.is_empty());
        let client = self.client.for_person();
        let page = match client.people(wanted, cursor.as_deref()).await {
            // Cursors grow old; the walk begins anew.
            Err(ReadError::Rejected(_)) if cursor.is_some() => client.people(wanted, None).await?,
            page => page?,
        };
        self.note_unreadable(List::Contacts, &page, !more);
        // Another page with the same cursor would bring the same again.
        let next = page.next_cursor.filter(|it| cursor.as_ref() != Some(it));
        self.store.apply_people(self.id(), page.items, now).await?;
        if next.is_none() && search.is_empty() {
            // All were read: whom the server did not tell of is gone.
            self.store.forget_people_before(self.id(), began).await?;
        }
        let more = next.is_some();
        self.state(|it| it.people = PeopleState { search: search.to_owned(), cursor: next, began });
        self.tell(News::Conversations(self.id().clone()));
        Ok(FetchResult::People { more })
    }

    /// Whether the newest walk through the people left some on the server.
    pub fn has_more_people(&self) -> bool {
        self.state(|it| it.people.cursor.is_some())
    }

    /// Reads one by its number; one that is gone is forgotten.
    pub(crate) async fn read_person(&self, phone: &str) -> Result<FetchResult, PullError> {
        let client = self.client.for_person();
        // By its id where that is known: a search may find it late.
        let known = match self.store.contact_id(self.id(), phone).await? {
            Some(id) => client.contact_at(&id, phone).await?,
            None => None,
        };
        let found = match known {
            Some(found) => Some(found),
            None => client.contact_with(phone).await?,
        };
        let told = found.unwrap_or_default();
        if self.store.apply_contact(self.id(), phone, told, self.clock.now()).await? {
            self.tell(News::Conversations(self.id().clone()));
        }
        Ok(FetchResult::Person)
    }
}
