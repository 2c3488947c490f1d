//! Reading people a page at a time, and one by its number, when someone looks
//! at them. Interface: Endpoints, Contacts.

use crate::ChannelSync;
use crate::report::PullError;
use crate::walk::{Followed, WalkCursors};
use client::ReadError;
use model::fetches::FetchResult;
use model::news::News;
use model::text::SafeText;
use model::time::{Times, Timestamp};
use model::unreadable::List;

/// Pages of a walk through the people at most.
const MAX_PAGES: u32 = 100_000;

/// How far the newest walk through the people has come.
#[derive(Debug)]
pub(crate) struct PeopleState {
    search: String,
    cursors: WalkCursors,
    /// True if a page follows the last one.
    has_more: bool,
    /// True if the walk has begun anew because its cursor was refused.
    restarted: bool,
    /// Why the walk broke off before the end of the list.
    broken: Option<&'static str>,
    began: Times,
}

impl Default for PeopleState {
    fn default() -> Self {
        Self::new("", Times::default())
    }
}

impl PeopleState {
    fn new(search: &str, began: Times) -> Self {
        Self {
            search: search.to_owned(),
            cursors: WalkCursors::new(MAX_PAGES),
            has_more: false,
            restarted: false,
            broken: None,
            began,
        }
    }
}

/// The list broke off: what came before stays, and is not all.
fn not_whole(why: &str) -> PullError {
    ReadError::Trouble(SafeText::line(&format!("{why}; the list of contacts is not whole"))).into()
}

impl ChannelSync {
    /// Reads the first page of those that fit, or the one behind the last.
    ///
    /// # Errors
    /// Also when the list breaks off: its cursors are refused or lead nowhere.
    /// Nobody is forgotten then.
    pub(crate) async fn read_people(&self, search: &str, more: bool) -> Result<FetchResult, PullError> {
        let times = self.clock.times();
        let mut walk = self.state(|state| std::mem::take(&mut state.people));
        if !more || walk.search != search {
            walk = PeopleState::new(search, times);
        }
        let read = self.read_people_page(&mut walk, more, times.now).await;
        self.state(|state| state.people = walk);
        read
    }

    async fn read_people_page(
        &self,
        walk: &mut PeopleState,
        more: bool,
        now: Timestamp,
    ) -> Result<FetchResult, PullError> {
        if let Some(why) = walk.broken {
            return Err(not_whole(why));
        }
        if more && !walk.has_more && walk.cursors.pages() > 0 {
            return Ok(FetchResult::People { more: false });
        }
        let search = walk.search.clone();
        let wanted = Some(search.as_str()).filter(|search| !search.is_empty());
        let client = self.client.for_person();
        let page = match client.people(wanted, walk.cursors.current()).await {
            // Cursors grow old; the walk begins anew, once.
            Err(ReadError::Rejected(_)) if walk.cursors.current().is_some() && !walk.restarted => {
                walk.restarted = true;
                walk.cursors = WalkCursors::new(MAX_PAGES);
                client.people(wanted, None).await?
            }
            Err(ReadError::Rejected(_)) if walk.cursors.current().is_some() => {
                walk.has_more = false;
                return Err(not_whole(walk.broken.insert("the server does not take its own cursor")));
            }
            page => page?,
        };
        self.note_unreadable(List::Contacts, &page, !more);
        let next = walk.cursors.follow(page.items.len(), page.next_cursor.as_deref());
        self.store.apply_people(self.id(), page.items, now).await?;
        walk.has_more = matches!(next, Followed::Next(_));
        self.tell(News::Conversations(self.id().clone()));
        match next {
            Followed::Next(_) => Ok(FetchResult::People { more: true }),
            Followed::End => {
                // All were read: whom the server did not tell of is gone. Under a
                // clock that was set meanwhile it cannot be told who was read.
                if search.is_empty() && walk.began.step(self.clock.times()) == 0 {
                    self.store.forget_people_before(self.id(), walk.began.now).await?;
                }
                Ok(FetchResult::People { more: false })
            }
            Followed::Broken(why) => Err(not_whole(walk.broken.insert(why))),
        }
    }

    /// Whether the newest walk through the people left some on the server.
    pub fn has_more_people(&self) -> bool {
        self.state(|state| state.people.has_more)
    }

    /// True if the newest walk through the people broke off before its end.
    pub fn people_break_off(&self) -> bool {
        self.state(|state| state.people.broken.is_some())
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
