//! What a tab is asked to do by people, and whether it is this process that
//! does it or another that leads.
//!
//! Knows nothing of steps.

use std::collections::VecDeque;
use std::sync::PoisonError;

use crate::model::email::MailWish;
use crate::model::fetches::Fetch;
use crate::model::ids::ConversationId;
use crate::model::news::News;
use crate::model::time::{SECOND, Timestamp};
use crate::store::leases::{Ask, LEASE};
use crate::sync::tab::{Loop, Tab};

/// Conversations that wait to be read because a person asked at most.
const ASKED: usize = 16;
/// A lease is not relied on for its last part.
const MARGIN: i64 = SECOND;

/// Whether a tab's steps may do anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// Nobody else is on the folder.
    Always,
    /// Until the lease lapses.
    Until(Timestamp),
    /// Another process leads, or nobody does yet.
    Other,
}

/// What people asked for since the last step.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) visible: bool,
    pub(crate) open: Option<ConversationId>,
    pub(crate) refresh: bool,
    pub(crate) refresh_open: bool,
    /// Histories a person asked for, and whether for their older messages.
    pub(crate) reads: Vec<(ConversationId, bool)>,
    /// Whether a person wants to see the templates.
    pub(crate) templates: bool,
    /// What pages asked for.
    pub(crate) fetches: VecDeque<Fetch>,
    /// What a person looks for among the server's contacts.
    pub(crate) contacts: Option<String>,
    /// What a person wants to know of mail.
    pub(crate) mail: Vec<MailWish>,
    /// What the leader is to be asked.
    asks: Vec<Ask>,
}

impl Tab {
    /// Whether this process may ask and send for the channel now.
    pub fn leads(&self, now: Timestamp) -> bool {
        match *self.lead.lock().unwrap_or_else(PoisonError::into_inner) {
            Lead::Always => true,
            // One that reaches too far is from before the clock was set back.
            Lead::Until(until) => (MARGIN..=LEASE).contains(&until.since(now)),
            Lead::Other => false,
        }
    }

    /// Notes who leads; `now` tells whether that is new.
    pub(crate) fn set_lead(&self, lead: Lead, now: Timestamp) {
        let led = self.leads(now);
        *self.lead.lock().unwrap_or_else(PoisonError::into_inner) = lead;
        if !led && self.leads(now) {
            tracing::info!(channel = %self.channel.id(), "leads");
            // What the last leader read since is not known here.
            self.channel.forget_answers();
            self.wish(|it| it.refresh = true);
            Loop::ALL.iter().for_each(|it| self.wake(*it));
        }
    }

    /// Whether the tab is looked at, and which of its conversations is open.
    pub fn focus(&self, visible: bool, open: Option<ConversationId>) {
        let opened = self.wish(|it| {
            it.visible = visible;
            let opened = open.clone().filter(|new| it.open.as_ref() != Some(new));
            it.open = open;
            opened
        });
        if let Some(conversation) = opened {
            self.ask_leader(Ask::Open(conversation));
        }
        self.wake(Loop::Poll);
        self.wake(Loop::Open);
    }

    /// Reads everything again now, also after the tab was stopped.
    pub fn refresh(&self) {
        if self.ask_leader(Ask::Refresh) {
            return;
        }
        self.wish(|it| {
            it.refresh = true;
            it.refresh_open = true;
        });
        self.channel.resume();
        self.channel.ask_all_again();
        self.wake(Loop::Poll);
        self.wake(Loop::Open);
    }

    /// Reads the list of templates; where another process leads, too, as it is
    /// seldom asked for.
    pub fn fetch_templates(&self) {
        self.wish(|it| it.templates = true);
        self.wake(Loop::Open);
    }

    /// Reads what a page asks for; here as well where another process leads,
    /// as it is seldom asked for.
    pub fn fetch(&self, fetch: Fetch) {
        self.wish(|it| {
            if !it.fetches.contains(&fetch) && it.fetches.len() < ASKED {
                it.fetches.push_back(fetch);
            }
        });
        self.wake(Loop::Open);
    }

    /// Asks for contacts by these words; newer words take their place.
    pub fn find_contacts(&self, words: String) {
        self.wish(|it| it.contacts = Some(words));
        self.wake(Loop::Open);
    }

    /// Reads threads or correspondents a person asked for; where another
    /// process leads, too, as it is seldom asked for.
    pub fn fetch_mail(&self, wish: MailWish) {
        self.wish(|it| {
            if !it.mail.contains(&wish) && it.mail.len() < ASKED {
                it.mail.push(wish);
            }
        });
        self.wake(Loop::Open);
    }

    /// Reads messages older than the stored ones.
    pub fn fetch_older(&self, conversation: ConversationId) {
        if !self.ask_leader(Ask::Older(conversation.clone())) {
            self.read(conversation, true);
        }
    }

    /// Reads a history because a person asked, here or at another process.
    pub(crate) fn read(&self, conversation: ConversationId, older: bool) {
        let wanted = (conversation, older);
        self.wish(|it| {
            if !it.reads.contains(&wanted) && it.reads.len() < ASKED {
                it.reads.push(wanted);
            }
        });
        self.wake(Loop::Open);
    }

    /// Leaves word for another process's leader, if there is one.
    fn ask_leader(&self, ask: Ask) -> bool {
        let other = *self.lead.lock().unwrap_or_else(PoisonError::into_inner) == Lead::Other;
        if other {
            self.wish(|it| {
                if !it.asks.contains(&ask) && it.asks.len() < ASKED {
                    it.asks.push(ask);
                }
            });
        }
        other
    }

    /// What the leader is to be asked.
    pub(crate) fn take_asks(&self) -> Vec<Ask> {
        self.wish(|it| std::mem::take(&mut it.asks))
    }

    /// Says that another process changed what this tab shows.
    pub(crate) fn tell_changed(&self) {
        let id = &self.channel.spec().id;
        self.channel.tell(News::Conversations(id.clone()));
        if let Some(open) = self.wish(|it| it.open.clone()) {
            self.channel.tell(News::History(id.clone(), open));
        }
    }

    pub(crate) fn wish<R>(&self, change: impl FnOnce(&mut Wishes) -> R) -> R {
        change(&mut self.wishes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
