//! Requests of people to a tab, and the leases that decide if this process or another one serves them.

use std::collections::VecDeque;

use crate::state::SyncState;
use crate::tab::{Loop, TabSync};
use model::fetches::Fetch;
use model::ids::ConversationId;
use model::news::News;
use model::time::{SECOND, Timestamp};
use store::leases::{LEASE, OwnerRequest};

/// Maximum number of pending reads requested by people.
const ASKED: usize = 16;
/// Safety margin at the end of a lease, in microseconds.
const MARGIN: i64 = SECOND;

/// Permission for one kind of work, polling or sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// No other process uses the folder.
    Always,
    /// Held until the lease lapses.
    Until(Timestamp),
    /// Held by another process or by none.
    Other,
}

impl Lead {
    pub(crate) fn holds(self, now: Timestamp) -> bool {
        match self {
            Self::Always => true,
            // A lease that ends too far ahead predates a clock set back.
            Self::Until(until) => (MARGIN..=LEASE).contains(&until.since(now)),
            Self::Other => false,
        }
    }
}

/// Requests since the last step.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) visible: bool,
    pub(crate) open: Option<ConversationId>,
    pub(crate) refresh: bool,
    pub(crate) refresh_open: bool,
    /// The server answers again, seen here or by another tab on its address.
    pub(crate) came_back: bool,
    /// A delivery concerns a polled resource.
    pub(crate) told: bool,
    /// A delivery concerns the open conversation.
    pub(crate) told_open: bool,
    /// Requested histories; true for their older messages.
    pub(crate) reads: Vec<(ConversationId, bool)>,
    /// Requests of screens, in order.
    pub(crate) fetches: VecDeque<Fetch>,
    /// Requests to post to the leader.
    asks: Vec<OwnerRequest>,
}

impl Wishes {
    /// Appends a request. A contact search replaces an earlier one.
    fn add(&mut self, fetch: Fetch) {
        if looks_for_contacts(&fetch) {
            self.fetches.retain(|fetch| !looks_for_contacts(fetch));
        }
        if !self.fetches.contains(&fetch) && self.fetches.len() < ASKED {
            self.fetches.push_back(fetch);
        }
    }

    /// Returns a request that could not be made yet, unless a newer contact search replaced it.
    pub(crate) fn put_back(&mut self, fetch: Fetch) {
        if !(looks_for_contacts(&fetch) && self.fetches.iter().any(looks_for_contacts)) {
            self.fetches.push_front(fetch);
        }
    }
}

fn looks_for_contacts(fetch: &Fetch) -> bool {
    matches!(fetch, Fetch::Contacts { .. })
}

impl TabSync {
    /// True if this process may poll the channel now.
    pub fn leads(&self, now: Timestamp) -> bool {
        self.channel.state(|channel| channel.asks.holds(now))
    }

    /// Sets the sending permission and wakes the sending loops if it is new at `now`.
    pub(crate) fn set_sending(&self, lead: Lead, now: Timestamp) {
        let before = self.channel.state(|channel| std::mem::replace(&mut channel.sends, lead));
        if !before.holds(now) && lead.holds(now) {
            tracing::info!(channel = %self.channel.id(), "sends");
            [Loop::Push, Loop::Upload, Loop::Waves].iter().for_each(|entry| self.wake(*entry));
        }
    }

    /// Sets the polling permission and wakes all loops if it is new at `now`.
    pub(crate) fn set_lead(&self, lead: Lead, now: Timestamp) {
        let before = self.channel.state(|channel| std::mem::replace(&mut channel.asks, lead));
        if !before.holds(now) && lead.holds(now) {
            tracing::info!(channel = %self.channel.id(), "leads");
            // The previous leader's last answers are unknown here.
            self.channel.forget_answers();
            self.wish(|wishes| wishes.refresh = true);
            Loop::ALL.iter().for_each(|entry| self.wake(*entry));
        }
    }

    /// Sets the visibility of the tab and its open conversation.
    pub fn focus(&self, visible: bool, open: Option<ConversationId>) {
        let opened = self.wish(|wishes| {
            wishes.visible = visible;
            let opened = open.clone().filter(|new| wishes.open.as_ref() != Some(new));
            wishes.open = open;
            opened
        });
        if let Some(conversation) = opened {
            self.ask_leader(OwnerRequest::Open(conversation));
        }
        self.wake(Loop::Poll);
        self.wake(Loop::Open);
    }

    /// Reads everything again, also after the tab was stopped.
    pub fn refresh(&self) {
        if self.ask_leader(OwnerRequest::Refresh) {
            return;
        }
        self.wish(|wishes| {
            wishes.refresh = true;
            wishes.refresh_open = true;
        });
        self.channel.resume();
        self.channel.ask_all_again();
        self.wake(Loop::Poll);
        self.wake(Loop::Open);
    }

    /// Makes tasks in back-off due after the server answers again.
    pub(crate) fn came_back(&self) {
        self.wish(|wishes| wishes.came_back = true);
        self.wake(Loop::Poll);
    }

    /// Queues a screen's request. Served here even if another process leads, because such requests are
    /// rare.
    pub fn fetch(&self, fetch: Fetch) {
        self.wish(|wishes| wishes.add(fetch));
        self.wake(Loop::Open);
    }

    pub fn fetch_older(&self, conversation: ConversationId) {
        if !self.ask_leader(OwnerRequest::Older(conversation.clone())) {
            self.read(conversation, true);
        }
    }

    /// Requests a history for a person, here or from the leading process.
    pub(crate) fn read(&self, conversation: ConversationId, older: bool) {
        let wanted = (conversation, older);
        self.wish(|wishes| {
            if !wishes.reads.contains(&wanted) && wishes.reads.len() < ASKED {
                wishes.reads.push(wanted);
            }
        });
        self.wake(Loop::Open);
    }

    /// Posts a request to another process's leader. Returns true if there is one.
    pub(crate) fn ask_leader(&self, ask: OwnerRequest) -> bool {
        self.channel.state(|SyncState { asks, wishes, .. }| {
            let other = *asks == Lead::Other;
            if other && !wishes.asks.contains(&ask) && wishes.asks.len() < ASKED {
                wishes.asks.push(ask);
            }
            other
        })
    }

    pub(crate) fn take_asks(&self) -> Vec<OwnerRequest> {
        self.wish(|wishes| std::mem::take(&mut wishes.asks))
    }

    /// Announces changes by another process.
    pub(crate) fn tell_changed(&self) {
        let id = &self.channel.spec().id;
        self.channel.tell(News::Conversations(id.clone()));
        if let Some(open) = self.wish(|wishes| wishes.open.clone()) {
            self.channel.tell(News::History(id.clone(), open));
        }
    }

    pub(crate) fn wish<R>(&self, change: impl FnOnce(&mut Wishes) -> R) -> R {
        self.channel.state(|channel| change(&mut channel.wishes))
    }
}
