//! Reads contacts page by page, or one by its number, for their page (`listContacts`, `getContact`).

use crate::ChannelSync;
use crate::report::PullError;
use crate::walk::{CursorStep, WalkCursors};
use client::ReadError;
use model::fetches::FetchResult;
use model::news::News;
use model::text::SafeText;
use model::time::{ClockReading, Timestamp};
use model::unreadable::UnreadableList;

/// Maximum pages of one walk.
const MAX_PAGES: u32 = 100_000;

/// Progress of the latest walk through the contacts.
#[derive(Debug)]
pub(crate) struct PeopleState {
    search: String,
    cursors: WalkCursors,
    /// True if another page follows.
    has_more: bool,
    /// True if the walk was restarted because its cursor was refused.
    restarted: bool,
    /// Reason the walk broke off before the end of the list.
    break_reason: Option<&'static str>,
    started_at: ClockReading,
}

impl Default for PeopleState {
    fn default() -> Self {
        Self::new("", ClockReading::default())
    }
}

impl PeopleState {
    fn new(search: &str, started_at: ClockReading) -> Self {
        Self {
            search: search.to_owned(),
            cursors: WalkCursors::new(MAX_PAGES),
            has_more: false,
            restarted: false,
            break_reason: None,
            started_at,
        }
    }
}

/// Error of an incomplete list; pages read before it are kept.
fn list_broke_off(why: &str) -> PullError {
    ReadError::Trouble(SafeText::line(&format!("{why}; the list of contacts is incomplete"))).into()
}

impl ChannelSync {
    /// Reads the first page that matches `search`, or the next one if `more`.
    ///
    /// # Errors
    /// Also when the list breaks off because its cursors are unusable; no contact is removed then.
    pub(crate) async fn read_people(&self, search: &str, more: bool) -> Result<FetchResult, PullError> {
        let times = self.clock.times();
        let mut walk = self.with_state(|state| std::mem::take(&mut state.people));
        if !more || walk.search != search {
            walk = PeopleState::new(search, times);
        }
        let read = self.read_people_page(&mut walk, more, times.now).await;
        self.with_state(|state| state.people = walk);
        read
    }

    async fn read_people_page(
        &self,
        walk: &mut PeopleState,
        more: bool,
        now: Timestamp,
    ) -> Result<FetchResult, PullError> {
        if let Some(why) = walk.break_reason {
            return Err(list_broke_off(why));
        }
        if more && !walk.has_more && walk.cursors.pages() > 0 {
            return Ok(FetchResult::People { more: false });
        }
        let search = walk.search.clone();
        let wanted = Some(search.as_str()).filter(|search| !search.is_empty());
        let client = self.client.for_person();
        let page = match client.people(wanted, walk.cursors.current()).await {
            // The cursor has expired: the walk is restarted once.
            Err(ReadError::Rejected(_)) if walk.cursors.current().is_some() && !walk.restarted => {
                walk.restarted = true;
                walk.cursors = WalkCursors::new(MAX_PAGES);
                client.people(wanted, None).await?
            }
            Err(ReadError::Rejected(_)) if walk.cursors.current().is_some() => {
                walk.has_more = false;
                return Err(list_broke_off(walk.break_reason.insert("the server refused the next page")));
            }
            page => page?,
        };
        self.record_unreadable(UnreadableList::Contacts, &page, !more);
        let next = walk.cursors.follow(page.items.len(), page.next_cursor.as_deref());
        self.store.apply_people(self.id(), page.items, now).await?;
        walk.has_more = matches!(next, CursorStep::Next(_));
        self.publish(News::Conversations(self.id().clone()));
        match next {
            CursorStep::Next(_) => Ok(FetchResult::People { more: true }),
            CursorStep::End => {
                // A complete walk removes contacts the server did not list. If the clock was set
                // meanwhile, their read times prove nothing.
                if search.is_empty() && walk.started_at.clock_step(self.clock.times()) == 0 {
                    self.store.remove_people_before(self.id(), walk.started_at.now).await?;
                }
                Ok(FetchResult::People { more: false })
            }
            CursorStep::Broken(why) => Err(list_broke_off(walk.break_reason.insert(why))),
        }
    }

    /// True if the latest walk left contacts unread.
    pub fn has_more_people(&self) -> bool {
        self.with_state(|state| state.people.has_more)
    }

    /// True if the latest walk broke off before the end of the list.
    pub fn has_people_broken_off(&self) -> bool {
        self.with_state(|state| state.people.break_reason.is_some())
    }

    /// Reads one contact by its number and removes it if it is gone.
    pub(crate) async fn read_person(&self, phone: &str) -> Result<FetchResult, PullError> {
        let client = self.client.for_person();
        // By id if known: a search may lag behind.
        let known = match self.store.contact_id(self.id(), phone).await? {
            Some(id) => client.contact_by_id(&id, phone).await?,
            None => None,
        };
        let found = match known {
            Some(found) => Some(found),
            None => client.contact_by_phone(phone).await?,
        };
        let contact = found.unwrap_or_default();
        if self.store.apply_contact(self.id(), phone, contact, self.clock.now()).await? {
            self.publish(News::Conversations(self.id().clone()));
        }
        Ok(FetchResult::Person)
    }
}
