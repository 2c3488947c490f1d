//! Requests of people to a tab, and the leases that decide if this process or another one serves them.

use std::collections::VecDeque;

use crate::state::SyncState;
use crate::tab::{Loop, TabSync};
use model::fetches::Fetch;
use model::ids::ConversationId;
use model::news::News;
use model::time::{SECOND, Timestamp};
use store::leases::{LEASE_LIFETIME, OwnerRequest};

/// Maximum number of pending reads requested by people.
const MAX_REQUESTED_READS: usize = 16;
/// Safety margin at the end of a lease, in microseconds.
const LEASE_MARGIN: i64 = SECOND;

/// Permission for one kind of work, polling or sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseStatus {
    /// No other process uses the folder.
    Always,
    /// Held until the lease lapses.
    Until(Timestamp),
    /// Held by another process or by none.
    Other,
}

impl LeaseStatus {
    pub(crate) fn is_held(self, now: Timestamp) -> bool {
        match self {
            Self::Always => true,
            // A lease that ends too far ahead predates a clock set back.
            Self::Until(until) => (LEASE_MARGIN..=LEASE_LIFETIME).contains(&until.since(now)),
            Self::Other => false,
        }
    }
}

/// Requests since the last step.
#[derive(Debug, Default)]
pub(crate) struct PendingCommands {
    pub(crate) visible: bool,
    pub(crate) open: Option<ConversationId>,
    pub(crate) refresh: bool,
    pub(crate) refresh_open: bool,
    /// A row of the outbox was sent, here or by another process: it may be a broadcast.
    pub(crate) sent: bool,
    /// The team's sweep requests the list.
    pub(crate) sweep_list: bool,
    /// The server answers again, seen here or by another tab on its address.
    pub(crate) recovered: bool,
    /// A delivery concerns a polled resource.
    pub(crate) delivered: bool,
    /// A delivery concerns the open conversation.
    pub(crate) delivered_open: bool,
    /// Requested histories; true for their older messages.
    pub(crate) reads: Vec<(ConversationId, bool)>,
    /// Requests of screens, in order.
    pub(crate) fetches: VecDeque<Fetch>,
    leader_requests: Vec<OwnerRequest>,
}

impl PendingCommands {
    /// Appends a request. A contact search replaces an earlier one.
    fn add(&mut self, fetch: Fetch) {
        if is_contact_search(&fetch) {
            self.fetches.retain(|fetch| !is_contact_search(fetch));
        }
        if !self.fetches.contains(&fetch) && self.fetches.len() < MAX_REQUESTED_READS {
            self.fetches.push_back(fetch);
        }
    }

    /// Returns a request that could not be made yet, unless a newer contact search replaced it.
    pub(crate) fn put_back(&mut self, fetch: Fetch) {
        if !(is_contact_search(&fetch) && self.fetches.iter().any(is_contact_search)) {
            self.fetches.push_front(fetch);
        }
    }
}

fn is_contact_search(fetch: &Fetch) -> bool {
    matches!(fetch, Fetch::Contacts { .. })
}

impl TabSync {
    /// True if this process may poll the channel now.
    pub fn holds_read_lease(&self, now: Timestamp) -> bool {
        self.channel.with_state(|channel| channel.read_lease.is_held(now))
    }

    /// Sets the sending permission and wakes the sending loops if it is new at `now`.
    pub(crate) fn set_send_lease(&self, lead: LeaseStatus, now: Timestamp) {
        let before = self.channel.with_state(|channel| std::mem::replace(&mut channel.send_lease, lead));
        if !before.is_held(now) && lead.is_held(now) {
            tracing::info!(channel = %self.channel.id(), "this process sends for the channel");
            [Loop::Push, Loop::Upload, Loop::Waves].iter().for_each(|entry| self.wake(*entry));
        }
    }

    /// Sets the polling permission and wakes all loops if it is new at `now`.
    pub(crate) fn set_read_lease(&self, lead: LeaseStatus, now: Timestamp) {
        let before = self.channel.with_state(|channel| std::mem::replace(&mut channel.read_lease, lead));
        if !before.is_held(now) && lead.is_held(now) {
            tracing::info!(channel = %self.channel.id(), "this process polls the channel");
            // The previous leader's last answers are unknown here.
            self.channel.reset_seen_answers();
            self.change_commands(|commands| commands.refresh = true);
            Loop::ALL.iter().for_each(|entry| self.wake(*entry));
        }
    }

    pub fn focus(&self, visible: bool, open: Option<ConversationId>) {
        let opened = self.change_commands(|commands| {
            commands.visible = visible;
            let opened = open.clone().filter(|new| commands.open.as_ref() != Some(new));
            commands.open = open;
            opened
        });
        if let Some(conversation) = opened {
            self.request_of_leader(OwnerRequest::Open(conversation));
        }
        self.wake(Loop::Poll);
        self.wake(Loop::Open);
    }

    /// Reads everything again, also after the tab was stopped.
    pub fn refresh(&self) {
        if self.request_of_leader(OwnerRequest::Refresh) {
            return;
        }
        self.change_commands(|commands| {
            commands.refresh = true;
            commands.refresh_open = true;
        });
        self.channel.resume();
        self.channel.clear_denied();
        self.wake(Loop::Poll);
        self.wake(Loop::Open);
    }

    /// Looks for new broadcasts after a row of the outbox was sent.
    pub(crate) fn record_sent(&self) {
        self.change_commands(|commands| commands.sent = true);
        self.wake(Loop::Poll);
    }

    /// Makes tasks in back-off due after the server answers again.
    pub(crate) fn record_recovered(&self) {
        self.change_commands(|commands| commands.recovered = true);
        self.wake(Loop::Poll);
    }

    /// Queues a screen's request. Served here even if another process leads, because such requests are
    /// rare.
    pub fn fetch(&self, fetch: Fetch) {
        self.change_commands(|commands| commands.add(fetch));
        self.wake(Loop::Open);
    }

    pub fn fetch_older(&self, conversation: ConversationId) {
        if !self.request_of_leader(OwnerRequest::Older(conversation.clone())) {
            self.read(conversation, true);
        }
    }

    /// Requests a history for a person, here or from the leading process.
    pub(crate) fn read(&self, conversation: ConversationId, older: bool) {
        let wanted = (conversation, older);
        self.change_commands(|commands| {
            if !commands.reads.contains(&wanted) && commands.reads.len() < MAX_REQUESTED_READS {
                commands.reads.push(wanted);
            }
        });
        self.wake(Loop::Open);
    }

    /// Posts a request to the process that polls the channel. Returns false if that is this
    /// process.
    pub(crate) fn request_of_leader(&self, ask: OwnerRequest) -> bool {
        self.channel.with_state(|SyncState { read_lease, commands, .. }| {
            let other = *read_lease == LeaseStatus::Other;
            if other
                && !commands.leader_requests.contains(&ask)
                && commands.leader_requests.len() < MAX_REQUESTED_READS
            {
                commands.leader_requests.push(ask);
            }
            other
        })
    }

    pub(crate) fn take_leader_requests(&self) -> Vec<OwnerRequest> {
        self.change_commands(|commands| std::mem::take(&mut commands.leader_requests))
    }

    /// Announces changes by another process.
    pub(crate) fn publish_changed(&self) {
        let id = &self.channel.spec().id;
        self.channel.publish(News::Conversations(id.clone()));
        if let Some(open) = self.change_commands(|commands| commands.open.clone()) {
            self.channel.publish(News::History(id.clone(), open));
        }
    }

    pub(crate) fn change_commands<R>(&self, change: impl FnOnce(&mut PendingCommands) -> R) -> R {
        self.channel.with_state(|channel| change(&mut channel.commands))
    }
}
