//! One tab as steps: what is polled, the open conversation, the outbox. A
//! step does at most one thing and says when it wants to be taken again.
//!
//! Time comes in as a value and nothing here waits for a timer: the engine's
//! loops take the steps by the clock, a simulation by hand.
//!
//! Knows nothing of other tabs.

use std::sync::{Mutex, PoisonError};

use tokio::sync::{Notify, watch};

use crate::model::ids::ConversationId;
use crate::model::news::News;
use crate::model::time::{SECOND, Timestamp};
use crate::store::leases::{Ask, LEASE};
use crate::sync::plan::{Plan, Polling, Step, Task};
use crate::sync::push::PushStep;
use crate::sync::report::Pulled;
use crate::sync::{Channel, NAP};

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

/// The three things a tab does side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// What is polled by itself.
    Poll,
    /// The open conversation, and what a person asks to read.
    Open,
    /// The outbox.
    Push,
}

impl Loop {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Poll, Self::Open, Self::Push];
}

/// One tab and what it was asked to do.
pub struct Tab {
    channel: Channel,
    lead: Mutex<Lead>,
    wishes: Mutex<Wishes>,
    polls: tokio::sync::Mutex<Polls>,
    opens: tokio::sync::Mutex<Opens>,
    bells: [Notify; 3],
    stop: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Wishes {
    visible: bool,
    open: Option<ConversationId>,
    refresh: bool,
    refresh_open: bool,
    /// Histories a person asked for, and whether for their older messages.
    reads: Vec<(ConversationId, bool)>,
    /// What the leader is to be asked.
    asks: Vec<Ask>,
}

/// What is polled by itself; of what is due alike, the first goes first.
const POLLED: [Task; 5] = [Task::Account, Task::Trigger, Task::List, Task::Sweep, Task::Audit];

/// What the steps of what is polled remember.
#[derive(Debug)]
struct Polls {
    plan: Plan,
    /// When the last step ended.
    last: Option<Timestamp>,
}

impl Polls {
    /// Whether there was a longer rest than any step asks for: the machine
    /// slept, or its clock was set.
    fn has_slept(&self, now: Timestamp) -> bool {
        self.last.is_some_and(|it| !(0..=2 * NAP).contains(&now.since(it)))
    }
}

/// What the open conversation's steps remember.
#[derive(Debug)]
struct Opens {
    plan: Plan,
    last: Option<ConversationId>,
}

impl Tab {
    /// Everything is due, and nobody else leads.
    pub fn new(channel: Channel, polling: Polling) -> Self {
        Self::leading(channel, polling, Lead::Always)
    }

    /// One whose steps do nothing until it has a lease.
    pub fn under_lease(channel: Channel, polling: Polling) -> Self {
        Self::leading(channel, polling, Lead::Until(Timestamp::default()))
    }

    fn leading(channel: Channel, polling: Polling, lead: Lead) -> Self {
        Self {
            channel,
            lead: Mutex::new(lead),
            wishes: Mutex::default(),
            polls: tokio::sync::Mutex::new(Polls { plan: Plan::new(&POLLED, polling), last: None }),
            opens: tokio::sync::Mutex::new(Opens { plan: Plan::new(&[Task::History], polling), last: None }),
            bells: [Notify::new(), Notify::new(), Notify::new()],
            stop: watch::channel(false).0,
        }
    }

    /// The tab's hands.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

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
        self.wake(Loop::Poll);
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

    /// A loop is to take its next step now.
    pub fn wake(&self, which: Loop) {
        self.bells[which as usize].notify_one();
    }

    /// Ends when a loop is to take its next step before its wait is over.
    pub async fn woken(&self, which: Loop) {
        self.bells[which as usize].notified().await;
    }

    /// No step does anything any more.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Whether the tab was stopped for good.
    pub fn is_stopped(&self) -> bool {
        *self.stop.borrow()
    }

    /// Ends when the tab was stopped.
    pub async fn stopped(&self) {
        // Fails only when the tab is gone, and it is borrowed here.
        let _ = self.stop.subscribe().wait_for(|it| *it).await;
    }

    /// Takes the next step of a loop; tells how many microseconds to wait
    /// before another, unless woken.
    pub async fn step(&self, which: Loop, now: Timestamp) -> i64 {
        match which {
            Loop::Poll => self.poll_step(now).await,
            Loop::Open => self.open_step(now).await,
            Loop::Push => self.push_step(now).await,
        }
    }

    /// Asks for what has been due longest.
    pub async fn poll_step(&self, now: Timestamp) -> i64 {
        if self.is_stopped() || !self.leads(now) {
            return NAP;
        }
        let mut polls = self.polls.lock().await;
        let (visible, refresh) = self.wish(|it| (it.visible, std::mem::take(&mut it.refresh)));
        if refresh || polls.has_slept(now) {
            polls.plan.hurry();
        }
        if let Err(error) = self.channel.platform().await {
            tracing::error!(%error, "the account last read could not be looked up");
        }
        let wait = match self.next(&polls.plan, now, visible) {
            Step::Sleep(wait) => wait.min(NAP),
            Step::Run(task) => {
                let pulled = self.poll(task).await;
                self.finished(&mut polls.plan, task, pulled, visible);
                0
            }
        };
        polls.last = Some(self.channel.clock.now());
        wait
    }

    async fn poll(&self, task: Task) -> Pulled {
        let proven = self.channel.is_proven();
        let pulled = match task {
            Task::Account => self.channel.pull_account().await,
            Task::Trigger => self.channel.pull_trigger().await,
            Task::List | Task::History => self.channel.pull_conversations().await,
            Task::Sweep => self.channel.sweep_conversations().await,
            Task::Audit => self.channel.audit_histories().await,
        };
        if task == Task::Account || (!proven && self.channel.is_proven()) {
            // They wait for the platform, or for the key to be taken.
            self.wake(Loop::Push);
            self.wake(Loop::Open);
        }
        pulled
    }

    /// Reads the open conversation, or older messages a person asked for.
    pub async fn open_step(&self, now: Timestamp) -> i64 {
        if !self.may_go(now) {
            return NAP;
        }
        let mut opens = self.opens.lock().await;
        let (visible, open, refresh, asked) = self.wish(|it| {
            let asked = if it.reads.is_empty() { None } else { Some(it.reads.remove(0)) };
            (it.visible, it.open.clone(), std::mem::take(&mut it.refresh_open), asked)
        });
        if refresh || open != opens.last {
            opens.plan.hurry();
            opens.last.clone_from(&open);
        }
        if let Some((conversation, older)) = asked {
            let pulled = if older {
                self.channel.pull_older(&conversation).await
            } else {
                self.channel.pull_history(&conversation).await
            };
            return match pulled {
                Pulled::Paced(wait) => {
                    self.wish(|it| it.reads.insert(0, (conversation, older)));
                    wait.min(NAP)
                }
                _ => 0,
            };
        }
        let Some(conversation) = open else {
            return NAP;
        };
        match self.next(&opens.plan, now, visible) {
            Step::Sleep(wait) => wait.min(NAP),
            Step::Run(task) => {
                let pulled = self.channel.pull_history(&conversation).await;
                self.finished(&mut opens.plan, task, pulled, visible);
                0
            }
        }
    }

    /// Sends the outbox row that may leave next. Not to be cut off: what has
    /// left is to be settled.
    pub async fn push_step(&self, now: Timestamp) -> i64 {
        if !self.may_go(now) {
            return NAP;
        }
        match self.channel.push_once(now).await {
            PushStep::Moved => 0,
            PushStep::Due(until) => until.since(self.channel.clock.now()).clamp(0, NAP),
            PushStep::Idle | PushStep::Halted => NAP,
        }
    }

    /// Whether the open conversation and the outbox may be worked on: not
    /// before one read has shown that the key is taken, so that one that is
    /// not is tried once and not three times.
    fn may_go(&self, now: Timestamp) -> bool {
        !self.is_stopped() && self.leads(now) && self.channel.is_proven()
    }

    fn wish<R>(&self, change: impl FnOnce(&mut Wishes) -> R) -> R {
        change(&mut self.wishes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn next(&self, plan: &Plan, now: Timestamp, visible: bool) -> Step {
        plan.next(now, self.channel.known_platform().as_ref(), visible)
    }

    fn finished(&self, plan: &mut Plan, task: Task, pulled: Pulled, visible: bool) {
        let chance = self.channel.store.chance().fraction();
        plan.finished(task, pulled, self.channel.clock.now(), visible, chance);
    }
}
