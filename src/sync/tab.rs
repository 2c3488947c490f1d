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
use crate::model::time::{MINUTE, Timestamp};
use crate::sync::Channel;
use crate::sync::plan::{Plan, Polling, Step, Task};
use crate::sync::push::PushStep;
use crate::sync::report::Pulled;

/// No step asks for a longer wait, so that a suspended machine or a clock
/// that jumped is noticed.
pub(crate) const NAP: i64 = MINUTE / 2;
/// Conversations whose older messages wait to be read at most.
const OLDER: usize = 16;

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
    wishes: Mutex<Wishes>,
    polls: tokio::sync::Mutex<Plan>,
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
    older: Vec<ConversationId>,
}

/// What the open conversation's steps remember.
#[derive(Debug)]
struct Opens {
    plan: Plan,
    last: Option<ConversationId>,
}

impl Tab {
    /// Everything is due.
    pub fn new(channel: Channel, polling: Polling) -> Self {
        Self {
            channel,
            wishes: Mutex::default(),
            polls: tokio::sync::Mutex::new(Plan::new(&[Task::Account, Task::List, Task::Trigger], polling)),
            opens: tokio::sync::Mutex::new(Opens { plan: Plan::new(&[Task::History], polling), last: None }),
            bells: [Notify::new(), Notify::new(), Notify::new()],
            stop: watch::channel(false).0,
        }
    }

    /// The tab's hands.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Whether the tab is looked at, and which of its conversations is open.
    pub fn focus(&self, visible: bool, open: Option<ConversationId>) {
        self.wish(|it| {
            it.visible = visible;
            it.open = open;
        });
        self.wake(Loop::Poll);
        self.wake(Loop::Open);
    }

    /// Reads everything again now, also after the tab was stopped.
    pub fn refresh(&self) {
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
        self.wish(|it| {
            if !it.older.contains(&conversation) && it.older.len() < OLDER {
                it.older.push(conversation);
            }
        });
        self.wake(Loop::Open);
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
        if self.is_stopped() {
            return NAP;
        }
        let mut plan = self.polls.lock().await;
        let (visible, refresh) = self.wish(|it| (it.visible, std::mem::take(&mut it.refresh)));
        if refresh {
            plan.hurry();
        }
        if let Err(error) = self.channel.platform().await {
            tracing::error!(%error, "the account last read could not be looked up");
        }
        let task = match self.next(&plan, now, visible) {
            Step::Sleep(wait) => return wait.min(NAP),
            Step::Run(task) => task,
        };
        let pulled = match task {
            Task::Account => self.channel.pull_account().await,
            Task::Trigger => self.channel.pull_trigger().await,
            Task::List | Task::History => self.channel.pull_conversations().await,
        };
        self.finished(&mut plan, task, pulled, visible);
        if task == Task::Account {
            // Lanes may wait for the platform, or for a key.
            self.wake(Loop::Push);
        }
        0
    }

    /// Reads the open conversation, or older messages a person asked for.
    pub async fn open_step(&self, now: Timestamp) -> i64 {
        if self.is_stopped() {
            return NAP;
        }
        let mut opens = self.opens.lock().await;
        let (visible, open, refresh, older) = self.wish(|it| {
            let older = if it.older.is_empty() { None } else { Some(it.older.remove(0)) };
            (it.visible, it.open.clone(), std::mem::take(&mut it.refresh_open), older)
        });
        if refresh || open != opens.last {
            opens.plan.hurry();
            opens.last.clone_from(&open);
        }
        if let Some(conversation) = older {
            return match self.channel.pull_older(&conversation).await {
                Pulled::Paced(wait) => {
                    self.wish(|it| it.older.insert(0, conversation));
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
        if self.is_stopped() {
            return NAP;
        }
        match self.channel.push_once(now).await {
            PushStep::Moved => 0,
            PushStep::Due(until) => until.since(self.channel.clock.now()).clamp(0, NAP),
            PushStep::Idle | PushStep::Halted => NAP,
        }
    }

    fn wish<R>(&self, change: impl FnOnce(&mut Wishes) -> R) -> R {
        change(&mut self.wishes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn next(&self, plan: &Plan, now: Timestamp, visible: bool) -> Step {
        plan.next(now, self.channel.known_platform().as_ref(), visible)
    }

    fn finished(&self, plan: &mut Plan, task: Task, pulled: Pulled, visible: bool) {
        plan.finished(task, pulled, self.channel.clock.now(), visible, self.channel.store.chance().fraction());
    }
}
