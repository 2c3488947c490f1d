//! One tab as steps: what is polled, the open conversation, the outbox. A
//! step does at most one thing and says when it wants to be taken again.
//!
//! Time comes in as a value and nothing here waits for a timer: the engine's
//! loops take the steps by the clock, a simulation by hand.

use std::sync::{Mutex, PoisonError};

use tokio::sync::{Notify, watch};

use crate::plan::trust::Trust;
use crate::plan::{PollSchedule, Polling, ScheduleStep, Task};
use crate::push::PushStep;
use crate::report::Pulled;
use crate::wishes::{Lead, Wishes};
use crate::{ChannelSync, NAP};
use model::account::Platform;
use model::ids::ConversationId;
use model::time::{MINUTE, Timestamp};

/// The five things a tab does side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// What is polled by itself.
    Poll,
    /// The open conversation, and what a person asks to read.
    Open,
    /// The outbox.
    Push,
    /// The files of messages, which take long.
    Upload,
    /// Broadcasts in waves.
    Waves,
}

impl Loop {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Poll, Self::Open, Self::Push, Self::Upload, Self::Waves];
}

/// One tab and what it was asked to do.
pub struct TabSync {
    pub(crate) channel: ChannelSync,
    pub(crate) lead: Mutex<Lead>,
    pub(crate) wishes: Mutex<Wishes>,
    pub(crate) trust: Mutex<Trust>,
    polls: tokio::sync::Mutex<Polls>,
    opens: tokio::sync::Mutex<Opens>,
    bells: [Notify; 5],
    /// Since when each loop is within a step.
    within: Mutex<[Option<Timestamp>; 5]>,
    stop: watch::Sender<bool>,
}

/// No step takes longer: a few requests, each with its time-out.
const LONGEST: i64 = 5 * MINUTE;

/// What is polled by itself; of what is due alike, the first goes first. The
/// list tells who spoke last, without which a message that was missed would
/// look as if nobody had answered it.
const POLLED: [Task; 7] =
    [Task::Account, Task::List, Task::Trigger, Task::Mailbox, Task::Sweep, Task::Broadcasts, Task::Audit];

/// What the steps of what is polled remember.
#[derive(Debug)]
struct Polls {
    plan: PollSchedule,
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
    plan: PollSchedule,
    last: Option<ConversationId>,
}

impl TabSync {
    /// Everything is due, and nobody else leads.
    pub fn new(channel: ChannelSync, polling: Polling) -> Self {
        Self::leading(channel, polling, Lead::Always)
    }

    /// One whose steps do nothing until it has a lease.
    pub fn under_lease(channel: ChannelSync, polling: Polling) -> Self {
        Self::leading(channel, polling, Lead::Until(Timestamp::default()))
    }

    fn leading(channel: ChannelSync, polling: Polling, lead: Lead) -> Self {
        channel.set_sending(lead);
        Self {
            channel,
            lead: Mutex::new(lead),
            wishes: Mutex::default(),
            trust: Mutex::default(),
            polls: tokio::sync::Mutex::new(Polls { plan: PollSchedule::new(&POLLED, polling), last: None }),
            opens: tokio::sync::Mutex::new(Opens {
                plan: PollSchedule::new(&[Task::History], polling),
                last: None,
            }),
            bells: std::array::from_fn(|_| Notify::new()),
            within: Mutex::default(),
            stop: watch::channel(false).0,
        }
    }

    /// The tab's hands.
    pub fn channel(&self) -> &ChannelSync {
        &self.channel
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
        self.within(which, Some(now));
        let wait = match which {
            Loop::Poll => self.poll_step(now).await,
            Loop::Open => self.open_step(now).await,
            Loop::Push => self.push_step(now).await,
            Loop::Upload => self.upload_step(now).await,
            Loop::Waves => self.waves_step(now).await,
        };
        self.within(which, None);
        wait
    }

    /// Whether polling or sending has been within one step for longer than any
    /// step takes: such a tab must not keep another process from leading.
    pub fn hangs(&self, now: Timestamp) -> bool {
        let within = self.within.lock().unwrap_or_else(PoisonError::into_inner);
        let since = [Loop::Poll, Loop::Push].into_iter().filter_map(|it| within[it as usize]);
        since.into_iter().any(|it| now.since(it) > LONGEST)
    }

    fn within(&self, which: Loop, since: Option<Timestamp>) {
        self.within.lock().unwrap_or_else(PoisonError::into_inner)[which as usize] = since;
    }

    /// Asks for what has been due longest.
    pub async fn poll_step(&self, now: Timestamp) -> i64 {
        if self.is_stopped() || !self.leads(now) {
            return NAP;
        }
        let mut polls = self.polls.lock().await;
        let (visible, refresh, told) =
            self.wish(|it| (it.visible, std::mem::take(&mut it.refresh), std::mem::take(&mut it.told)));
        if refresh || polls.has_slept(now) {
            polls.plan.hurry();
        }
        if let Err(error) = self.channel.platform().await {
            tracing::error!(%error, "the account last read could not be looked up");
        }
        if told {
            polls.plan.told(message_task(self.channel.known_platform().as_ref()));
        }
        let wait = match self.next(&polls.plan, now, visible) {
            ScheduleStep::Sleep(wait) => wait.min(NAP),
            ScheduleStep::Run(task) => {
                let (told, before) = (polls.plan.is_told(task), self.channel.inbound_told());
                let pulled = self.poll(task).await;
                if !told && self.channel.inbound_told() != before {
                    self.trust(|it| it.found(self.channel.clock.now()));
                }
                self.finished(&mut polls.plan, task, pulled, visible);
                0
            }
            ScheduleStep::Continue(task) => {
                let pulled = self.poll_on(task).await;
                polls.plan.continued(task, pulled, self.channel.clock.now());
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
            Task::Mailbox => self.channel.pull_mailbox().await,
            Task::Broadcasts => self.channel.pull_broadcasts().await,
            Task::Audit => self.channel.audit_histories().await,
        };
        if task == Task::Account || (!proven && self.channel.is_proven()) {
            // They wait for the platform, or for the key to be taken.
            self.wake(Loop::Push);
            self.wake(Loop::Upload);
            self.wake(Loop::Open);
        }
        pulled
    }

    /// Goes on with what a task left for later.
    async fn poll_on(&self, task: Task) -> Pulled {
        match task {
            Task::Trigger => self.channel.pull_gap().await,
            Task::List => self.channel.pull_behind().await,
            _ => Pulled::Done,
        }
    }

    /// Reads the open conversation, or older messages a person asked for.
    pub async fn open_step(&self, now: Timestamp) -> i64 {
        let fetch = if self.is_stopped() { None } else { self.wish(|it| it.fetches.pop_front()) };
        if let Some(fetch) = fetch {
            return match self.channel.fetch(&fetch).await {
                Pulled::Paced(wait) => {
                    self.wish(|it| it.put_back(fetch));
                    wait.min(NAP)
                }
                _ => 0,
            };
        }
        if !self.leads(now) || !self.may_go() {
            return NAP;
        }
        let mut opens = self.opens.lock().await;
        let (visible, open, refresh, told, asked) = self.wish(|it| {
            let asked = if it.reads.is_empty() { None } else { Some(it.reads.remove(0)) };
            let refresh = std::mem::take(&mut it.refresh_open);
            (it.visible, it.open.clone(), refresh, std::mem::take(&mut it.told_open), asked)
        });
        if told {
            opens.plan.told(Task::History);
        }
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
            ScheduleStep::Sleep(wait) => wait.min(NAP),
            ScheduleStep::Run(task) | ScheduleStep::Continue(task) => {
                let pulled = self.channel.pull_history(&conversation).await;
                self.finished(&mut opens.plan, task, pulled, visible);
                0
            }
        }
    }

    /// Sends the outbox row that may leave next. Not to be cut off: what has
    /// left is to be settled.
    pub async fn push_step(&self, now: Timestamp) -> i64 {
        if !self.channel.sends(now) || !self.may_go() {
            return NAP;
        }
        match self.channel.push_once(now).await {
            PushStep::Moved => {
                // It may have been a wave.
                self.wake(Loop::Waves);
                0
            }
            PushStep::Due(until) => until.since(self.channel.clock.now()).clamp(0, NAP),
            PushStep::Idle | PushStep::Halted => NAP,
        }
    }

    /// Takes broadcasts in waves a step on.
    pub async fn waves_step(&self, now: Timestamp) -> i64 {
        if !self.channel.sends(now) || !self.may_go() {
            return NAP;
        }
        let carried = self.channel.carry_campaigns(now).await;
        if carried.queued {
            self.wake(Loop::Push);
        }
        carried.wait.min(NAP)
    }

    /// Uploads the file that may leave next.
    pub async fn upload_step(&self, now: Timestamp) -> i64 {
        if !self.channel.sends(now) || !self.may_go() {
            return NAP;
        }
        match self.channel.upload_once(now).await {
            PushStep::Moved => {
                // What was uploaded may be sent now.
                self.wake(Loop::Push);
                0
            }
            PushStep::Due(until) => until.since(self.channel.clock.now()).clamp(0, NAP),
            PushStep::Idle | PushStep::Halted => NAP,
        }
    }

    /// Whether the open conversation and the outbox may be worked on: not
    /// before one read has shown that the key is taken, so that one that is
    /// not is tried once and not three times.
    fn may_go(&self) -> bool {
        !self.is_stopped() && self.channel.is_proven()
    }

    fn next(&self, plan: &PollSchedule, now: Timestamp, visible: bool) -> ScheduleStep {
        let instant = self.trust(|it| it.holds(now));
        plan.next(now, self.channel.known_platform().as_ref(), visible, instant)
    }

    fn finished(&self, plan: &mut PollSchedule, task: Task, pulled: Pulled, visible: bool) {
        let chance = self.channel.store.chance().fraction();
        plan.finished(task, pulled, self.channel.clock.now(), visible, chance);
    }
}

/// Where a new message is read: by its trigger, or with the list.
fn message_task(platform: Option<&Platform>) -> Task {
    match platform {
        Some(Platform::Whatsapp) | None => Task::Trigger,
        Some(_) => Task::List,
    }
}
