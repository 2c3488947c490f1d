//! Takes every tab's steps when they are due: three thin loops a tab.
//!
//! Knows nothing of what a step does.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::model::ids::{ChannelId, ConversationId};
use crate::model::news::{Health, News};
use crate::model::text::SafeText;
use crate::model::time::Clock;
use crate::store::Store;
use crate::sync::plan::Polling;
use crate::sync::tab::{Loop, Tab};
use crate::sync::{Channel, ChannelSpec};

/// The hands of all tabs. Its calls only leave word; nothing of it blocks.
pub struct Engine {
    tabs: Vec<Arc<Tab>>,
    loops: Mutex<Vec<JoinHandle<()>>>,
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
        let mut tabs = Vec::new();
        let mut loops = Vec::new();
        for spec in channels {
            let id = spec.id.clone();
            match Channel::new(spec, store.clone(), clock.clone(), news.clone()) {
                Ok(channel) => {
                    let tab = Arc::new(Tab::new(channel, polling));
                    loops.extend(Loop::ALL.map(|it| handle.spawn(run(tab.clone(), it, clock.clone()))));
                    tabs.push(tab);
                }
                Err(error) => {
                    let why = SafeText::line(&error.to_string());
                    news(News::Health(id, Health::Misconfigured { why }));
                }
            }
        }
        Self { tabs, loops: Mutex::new(loops) }
    }

    /// Which tab is looked at, and which of its conversations; `None` when
    /// nobody looks.
    pub fn focus(&self, focus: Option<(ChannelId, Option<ConversationId>)>) {
        for tab in &self.tabs {
            let here = focus.as_ref().filter(|(channel, _)| tab.channel().spec().id == *channel);
            tab.focus(here.is_some(), here.and_then(|(_, conversation)| conversation.clone()));
        }
    }

    /// Rows were queued, or a person decided about one.
    pub fn wake_outbox(&self) {
        self.tabs.iter().for_each(|it| it.wake(Loop::Push));
    }

    /// Reads everything of a tab again now, also after it was stopped.
    pub fn refresh(&self, channel: ChannelId) {
        if let Some(tab) = self.tab(&channel) {
            tab.refresh();
        }
    }

    /// Reads messages older than the stored ones.
    pub fn fetch_older(&self, channel: ChannelId, conversation: ConversationId) {
        if let Some(tab) = self.tab(&channel) {
            tab.fetch_older(conversation);
        }
    }

    /// Ends the loops: reads are dropped, a write on its way is waited for.
    pub async fn shutdown(&self) {
        self.tabs.iter().for_each(|it| it.stop());
        let loops = std::mem::take(&mut *self.loops.lock().unwrap_or_else(PoisonError::into_inner));
        for ended in loops {
            if let Err(error) = ended.await {
                tracing::error!(%error, "a loop had failed");
            }
        }
    }

    fn tab(&self, channel: &ChannelId) -> Option<&Arc<Tab>> {
        self.tabs.iter().find(|it| it.channel().spec().id == *channel)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.tabs.iter().for_each(|it| it.stop());
    }
}

/// Takes a loop's steps until its tab is stopped.
async fn run(tab: Arc<Tab>, which: Loop, clock: Arc<dyn Clock>) {
    while !tab.is_stopped() {
        let wait = match which {
            // Not cut off by a stop: what has left is to be settled.
            Loop::Push => tab.push_step(clock.now()).await,
            Loop::Poll | Loop::Open => {
                let Some(wait) = until_stopped(&tab, tab.step(which, clock.now())).await else { return };
                wait
            }
        };
        if until_stopped(&tab, nap(wait, &tab, which)).await.is_none() {
            return;
        }
    }
}

/// Does some work to its end, or gives it up when the tab is stopped.
async fn until_stopped<T>(tab: &Tab, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = tab.stopped() => None,
        done = work => Some(done),
    }
}

/// Waits so many microseconds, or until woken.
async fn nap(micros: i64, tab: &Tab, which: Loop) {
    let Some(micros) = u64::try_from(micros).ok().filter(|it| *it > 0) else {
        return;
    };
    tokio::select! {
        () = tokio::time::sleep(Duration::from_micros(micros)) => {}
        () = tab.woken(which) => {}
    }
}
