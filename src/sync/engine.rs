//! Decides when each tab takes which step: three thin loops a tab, one for
//! what is polled, one for the open conversation, one for the outbox.
//!
//! Knows nothing of what a step does.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::client::budget::Retries;
use crate::model::ids::{ChannelId, ConversationId};
use crate::model::news::{Health, News};
use crate::model::text::SafeText;
use crate::model::time::{Clock, MINUTE};
use crate::store::Store;
use crate::sync::plan::{Plan, Polling, Step, Task};
use crate::sync::push::PushStep;
use crate::sync::report::Pulled;
use crate::sync::{Channel, ChannelSpec};

/// No loop sleeps longer, so that a suspended machine or a clock that jumped
/// is noticed.
const NAP: i64 = MINUTE / 2;
/// Conversations whose older messages wait to be read at most.
const OLDER: usize = 16;

/// The hands of all tabs. Its calls only leave word; nothing of it blocks.
pub struct Engine {
    tabs: Vec<Arc<Tab>>,
    stop: watch::Sender<bool>,
    loops: Mutex<Vec<JoinHandle<()>>>,
}

/// One tab and what it was asked to do.
struct Tab {
    channel: Channel,
    polling: Polling,
    wishes: Mutex<Wishes>,
    poll: Notify,
    open: Notify,
    push: Notify,
}

#[derive(Debug, Default)]
struct Wishes {
    visible: bool,
    open: Option<ConversationId>,
    refresh: bool,
    refresh_open: bool,
    older: Vec<ConversationId>,
}

impl Engine {
    /// Starts the loops of every tab on a runtime. A tab that cannot work as
    /// configured says so and does nothing.
    pub fn start(
        handle: tokio::runtime::Handle,
        store: Store,
        channels: Vec<ChannelSpec>,
        clock: Arc<dyn Clock>,
        news: Arc<dyn Fn(News) + Send + Sync>,
        polling: Polling,
    ) -> Self {
        let (stop, stopping) = watch::channel(false);
        let mut tabs = Vec::new();
        let mut loops = Vec::new();
        // What is repeated, all tabs repeat together.
        let retries = Retries::default();
        for spec in channels {
            let id = spec.id.clone();
            match Channel::new(spec, store.clone(), clock.clone(), news.clone()) {
                Ok(channel) => {
                    let channel = channel.within_budget(retries.clone());
                    let tab = Arc::new(Tab::new(channel, polling));
                    loops.push(handle.spawn(tab.clone().poll_loop(stopping.clone())));
                    loops.push(handle.spawn(tab.clone().open_loop(stopping.clone())));
                    loops.push(handle.spawn(tab.clone().push_loop(stopping.clone())));
                    tabs.push(tab);
                }
                Err(error) => {
                    let why = SafeText::line(&error.to_string());
                    news(News::Health(id, Health::Misconfigured { why }));
                }
            }
        }
        Self { tabs, stop, loops: Mutex::new(loops) }
    }

    /// Which tab is looked at, and which of its conversations; `None` when
    /// nobody looks.
    pub fn focus(&self, focus: Option<(ChannelId, Option<ConversationId>)>) {
        for tab in &self.tabs {
            let here = focus.as_ref().filter(|(channel, _)| tab.channel.spec().id == *channel);
            tab.wish(|it| {
                it.visible = here.is_some();
                it.open = here.and_then(|(_, conversation)| conversation.clone());
            });
            tab.poll.notify_one();
            tab.open.notify_one();
        }
    }

    /// Rows were queued, or a person decided about one.
    pub fn wake_outbox(&self) {
        self.tabs.iter().for_each(|it| it.push.notify_one());
    }

    /// Reads everything of a tab again now, also after it was stopped.
    pub fn refresh(&self, channel: ChannelId) {
        if let Some(tab) = self.tab(&channel) {
            tab.wish(|it| {
                it.refresh = true;
                it.refresh_open = true;
            });
            tab.channel.resume();
            tab.poll.notify_one();
            tab.open.notify_one();
        }
    }

    /// Reads messages older than the stored ones.
    pub fn fetch_older(&self, channel: ChannelId, conversation: ConversationId) {
        if let Some(tab) = self.tab(&channel) {
            tab.wish(|it| {
                if !it.older.contains(&conversation) && it.older.len() < OLDER {
                    it.older.push(conversation);
                }
            });
            tab.open.notify_one();
        }
    }

    /// Ends the loops: reads are dropped, a write on its way is waited for.
    pub async fn shutdown(&self) {
        self.stop.send_replace(true);
        let loops = std::mem::take(&mut *self.loops.lock().unwrap_or_else(PoisonError::into_inner));
        for ended in loops {
            if let Err(error) = ended.await {
                tracing::error!(%error, "a loop had failed");
            }
        }
    }

    fn tab(&self, channel: &ChannelId) -> Option<&Arc<Tab>> {
        self.tabs.iter().find(|it| it.channel.spec().id == *channel)
    }
}

impl Tab {
    fn new(channel: Channel, polling: Polling) -> Self {
        let (poll, open, push) = (Notify::new(), Notify::new(), Notify::new());
        Self { channel, polling, wishes: Mutex::default(), poll, open, push }
    }

    fn wish<R>(&self, change: impl FnOnce(&mut Wishes) -> R) -> R {
        change(&mut self.wishes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn poll_loop(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut plan = Plan::new(&[Task::Account, Task::List, Task::Trigger], self.polling);
        if let Err(error) = self.channel.platform().await {
            tracing::error!(%error, "the account last read could not be looked up");
        }
        loop {
            let (visible, refresh) = self.wish(|it| (it.visible, std::mem::take(&mut it.refresh)));
            if refresh {
                plan.hurry();
            }
            let wait = match self.next(&plan, visible) {
                Step::Sleep(wait) => wait,
                Step::Run(task) => {
                    let run = async {
                        match task {
                            Task::Account => self.channel.pull_account().await,
                            Task::Trigger => self.channel.pull_trigger().await,
                            Task::List | Task::History => self.channel.pull_conversations().await,
                        }
                    };
                    let Some(pulled) = until_stopped(run, &mut stop).await else { return };
                    self.finished(&mut plan, task, pulled, visible);
                    if task == Task::Account {
                        // Lanes may wait for the platform, or for a key.
                        self.push.notify_one();
                    }
                    0
                }
            };
            if until_stopped(nap(wait, &self.poll), &mut stop).await.is_none() {
                return;
            }
        }
    }

    async fn open_loop(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut plan = Plan::new(&[Task::History], self.polling);
        let mut last = None;
        loop {
            let (visible, open, refresh, older) = self.wish(|it| {
                let older = if it.older.is_empty() { None } else { Some(it.older.remove(0)) };
                (it.visible, it.open.clone(), std::mem::take(&mut it.refresh_open), older)
            });
            if refresh || open != last {
                plan.hurry();
                last.clone_from(&open);
            }
            let wait = match (older, open, self.next(&plan, visible)) {
                (Some(conversation), _, _) => {
                    let run = self.channel.pull_older(&conversation);
                    let Some(pulled) = until_stopped(run, &mut stop).await else { return };
                    if let Pulled::Paced(wait) = pulled {
                        self.wish(|it| it.older.insert(0, conversation));
                        wait
                    } else {
                        0
                    }
                }
                (None, Some(conversation), Step::Run(task)) => {
                    let run = self.channel.pull_history(&conversation);
                    let Some(pulled) = until_stopped(run, &mut stop).await else { return };
                    self.finished(&mut plan, task, pulled, visible);
                    0
                }
                (None, Some(_), Step::Sleep(wait)) => wait,
                (None, None, _) => NAP,
            };
            if until_stopped(nap(wait, &self.open), &mut stop).await.is_none() {
                return;
            }
        }
    }

    async fn push_loop(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        loop {
            if *stop.borrow() {
                return;
            }
            // Not cut off by a stop: what has left is to be settled.
            let step = self.channel.push_once(self.channel.clock.now()).await;
            let wait = match step {
                PushStep::Moved => 0,
                PushStep::Due(until) => until.since(self.channel.clock.now()),
                PushStep::Idle | PushStep::Halted => NAP,
            };
            if until_stopped(nap(wait, &self.push), &mut stop).await.is_none() {
                return;
            }
        }
    }

    fn next(&self, plan: &Plan, visible: bool) -> Step {
        plan.next(self.channel.clock.now(), self.channel.known_platform().as_ref(), visible)
    }

    fn finished(&self, plan: &mut Plan, task: Task, pulled: Pulled, visible: bool) {
        plan.finished(
            task,
            pulled,
            self.channel.clock.now(),
            visible,
            self.channel.store.chance().fraction(),
        );
    }
}

/// Waits so many microseconds, or until woken.
async fn nap(micros: i64, wake: &Notify) {
    if micros <= 0 {
        return;
    }
    let micros = u64::try_from(micros.min(NAP)).unwrap_or(0);
    tokio::select! {
        () = tokio::time::sleep(Duration::from_micros(micros)) => {}
        () = wake.notified() => {}
    }
}

/// Runs to its end, or gives up when the engine stops.
async fn until_stopped<T>(work: impl Future<Output = T>, stop: &mut watch::Receiver<bool>) -> Option<T> {
    tokio::select! {
        biased;
        // An engine that is gone stops too.
        _ = stop.wait_for(|it| *it) => None,
        done = work => Some(done),
    }
}
