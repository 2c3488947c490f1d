//! One tab: its hands, what people ask of it, and what wakes its loops.

use std::sync::Arc;

use tokio::sync::{Notify, watch};

use crate::ChannelSync;
use crate::loops::TabLoop;
use crate::plan::Polling;
use crate::wishes::Lead;
use model::time::{MINUTE, Timestamp};

/// The five things a tab does side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    Poll,
    /// The open conversation, and what a person asks to read.
    Open,
    /// The outbox.
    Push,
    /// The files of messages, which take long.
    Upload,
    Waves,
}

impl Loop {
    pub const ALL: [Self; 5] = [Self::Poll, Self::Open, Self::Push, Self::Upload, Self::Waves];
}

/// One tab and what it was asked to do.
pub struct TabSync {
    pub(crate) channel: ChannelSync,
    pub(crate) polling: Polling,
    bells: [Notify; Loop::ALL.len()],
    stop: watch::Sender<bool>,
}

/// No step takes longer: a few requests, each with its time-out.
const LONGEST: i64 = 5 * MINUTE;

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
        channel.state(|channel| (channel.asks, channel.sends) = (lead, lead));
        let bells = std::array::from_fn(|_| Notify::new());
        Self { channel, polling, bells, stop: watch::channel(false).0 }
    }

    /// The tab's hands.
    pub fn channel(&self) -> &ChannelSync {
        &self.channel
    }

    /// Its loops, in the order of [`Loop::ALL`]; each owns what only it needs,
    /// so a tab has one of each.
    pub fn loops(self: &Arc<Self>) -> [TabLoop; Loop::ALL.len()] {
        Loop::ALL.map(|which| TabLoop::new(self.clone(), which))
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
        let _ = self.stop.subscribe().wait_for(|subscribe| *subscribe).await;
    }

    /// Whether polling or sending has been within one step for longer than any
    /// step takes: such a tab must not keep another process from leading.
    pub fn hangs(&self) -> bool {
        let (within, now) = (self.channel.state(|state| state.within), self.channel.clock.moment());
        let since = [Loop::Poll, Loop::Push].into_iter().filter_map(|which| within[which as usize]);
        since.into_iter().any(|since| now.since(since) > LONGEST)
    }

    /// Whether the open conversation and the outbox may be worked on: not
    /// before one read has shown that the key is taken, so that one that is
    /// not is tried once and not three times.
    pub(crate) fn may_go(&self) -> bool {
        !self.is_stopped() && self.channel.is_proven()
    }
}
