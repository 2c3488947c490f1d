//! What a tab is asked to do by people, and whether it is this process that
//! does it or another that leads.

use std::collections::VecDeque;

use crate::state::SyncState;
use crate::tab::{Loop, TabSync};
use model::fetches::Fetch;
use model::ids::ConversationId;
use model::news::News;
use model::time::{SECOND, Timestamp};
use store::leases::{LEASE, OwnerRequest};

/// Conversations that wait to be read because a person asked at most.
const ASKED: usize = 16;
/// A lease is not relied on for its last part.
const MARGIN: i64 = SECOND;

/// Whether a kind of work, asking or sending, may be done here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// Nobody else is on the folder.
    Always,
    /// Until the lease lapses.
    Until(Timestamp),
    /// Another process leads, or nobody does yet.
    Other,
}

impl Lead {
    /// Whether the work may be done now.
    pub(crate) fn holds(self, now: Timestamp) -> bool {
        match self {
            Self::Always => true,
            // One that reaches too far is from before the clock was set back.
            Self::Until(until) => (MARGIN..=LEASE).contains(&until.since(now)),
            Self::Other => false,
        }
    }
}

/// What people asked for since the last step.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) visible: bool,
    pub(crate) open: Option<ConversationId>,
    pub(crate) refresh: bool,
    pub(crate) refresh_open: bool,
    /// The server, or another tab's on the same address, answers again.
    pub(crate) came_back: bool,
    /// A delivery told of something that is polled.
    pub(crate) told: bool,
    /// A delivery told of the open conversation.
    pub(crate) told_open: bool,
    /// Histories a person asked for, and whether for their older messages.
    pub(crate) reads: Vec<(ConversationId, bool)>,
    /// What screens asked for, in its order.
    pub(crate) fetches: VecDeque<Fetch>,
    /// What the leader is to be asked.
    asks: Vec<OwnerRequest>,
}

impl Wishes {
    /// Takes in what is wanted behind what was wanted before.
    fn add(&mut self, fetch: Fetch) {
        if looks_for_contacts(&fetch) {
            self.fetches.retain(|fetch| !looks_for_contacts(fetch));
        }
        if !self.fetches.contains(&fetch) && self.fetches.len() < ASKED {
            self.fetches.push_back(fetch);
        }
    }

    /// Takes back what could not be asked yet, unless newer words took its
    /// place.
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
    /// Whether this process may ask for the channel now.
    pub fn leads(&self, now: Timestamp) -> bool {
        self.channel.state(|channel| channel.asks.holds(now))
    }

    /// Notes who sends; `now` tells whether that is new.
    pub(crate) fn set_sending(&self, lead: Lead, now: Timestamp) {
        let before = self.channel.state(|channel| std::mem::replace(&mut channel.sends, lead));
        if !before.holds(now) && lead.holds(now) {
            tracing::info!(channel = %self.channel.id(), "sends");
            [Loop::Push, Loop::Upload, Loop::Waves].iter().for_each(|entry| self.wake(*entry));
        }
    }

    /// Notes who asks; `now` tells whether that is new.
    pub(crate) fn set_lead(&self, lead: Lead, now: Timestamp) {
        let before = self.channel.state(|channel| std::mem::replace(&mut channel.asks, lead));
        if !before.holds(now) && lead.holds(now) {
            tracing::info!(channel = %self.channel.id(), "leads");
            // What the last leader read since is not known here.
            self.channel.forget_answers();
            self.wish(|wishes| wishes.refresh = true);
            Loop::ALL.iter().for_each(|entry| self.wake(*entry));
        }
    }

    /// Whether the tab is looked at, and which of its conversations is open.
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

    /// Reads everything again now, also after the tab was stopped.
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

    /// The server answers again: what backed off is read now.
    pub(crate) fn came_back(&self) {
        self.wish(|wishes| wishes.came_back = true);
        self.wake(Loop::Poll);
    }

    /// Reads what a screen asks for; here as well where another process leads,
    /// as it is seldom asked for.
    pub fn fetch(&self, fetch: Fetch) {
        self.wish(|wishes| wishes.add(fetch));
        self.wake(Loop::Open);
    }

    /// Reads messages older than the stored ones.
    pub fn fetch_older(&self, conversation: ConversationId) {
        if !self.ask_leader(OwnerRequest::Older(conversation.clone())) {
            self.read(conversation, true);
        }
    }

    /// Reads a history because a person asked, here or at another process.
    pub(crate) fn read(&self, conversation: ConversationId, older: bool) {
        let wanted = (conversation, older);
        self.wish(|wishes| {
            if !wishes.reads.contains(&wanted) && wishes.reads.len() < ASKED {
                wishes.reads.push(wanted);
            }
        });
        self.wake(Loop::Open);
    }

    /// Leaves word for another process's leader, if there is one.
    pub(crate) fn ask_leader(&self, ask: OwnerRequest) -> bool {
        self.channel.state(|SyncState { asks, wishes, .. }| {
            let other = *asks == Lead::Other;
            if other && !wishes.asks.contains(&ask) && wishes.asks.len() < ASKED {
                wishes.asks.push(ask);
            }
            other
        })
    }

    /// What the leader is to be asked.
    pub(crate) fn take_asks(&self) -> Vec<OwnerRequest> {
        self.wish(|wishes| std::mem::take(&mut wishes.asks))
    }

    /// Says that another process changed what this tab shows.
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
