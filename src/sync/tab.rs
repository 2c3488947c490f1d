//! One tab: its channel, requests by people, and wake-ups of its loops.

use std::sync::Arc;

use tokio::sync::{Notify, watch};

use crate::ChannelSync;
use crate::loops::TabLoop;
use crate::pending_commands::LeaseStatus;
use crate::plan::Polling;
use model::time::{MINUTE, Timestamp};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    Poll,
    /// Open conversation and reads on request.
    Open,
    /// Outbox.
    Push,
    /// Uploads of attachments, which take long.
    Upload,
    Waves,
}

impl Loop {
    pub const ALL: [Self; 5] = [Self::Poll, Self::Open, Self::Push, Self::Upload, Self::Waves];
}

pub struct TabSync {
    pub(crate) channel: ChannelSync,
    pub(crate) polling: Polling,
    wakers: [Notify; Loop::ALL.len()],
    stop: watch::Sender<bool>,
}

/// Longest possible step, in microseconds: a few requests, each with its time limit.
const MAX_STEP_DURATION: i64 = 5 * MINUTE;

impl TabSync {
    /// Creates a tab of the only process on the folder, with everything due.
    pub fn new(channel: ChannelSync, polling: Polling) -> Self {
        Self::with_lease(channel, polling, LeaseStatus::Always)
    }

    /// Creates a tab that stays idle until it has a lease.
    pub fn awaiting_lease(channel: ChannelSync, polling: Polling) -> Self {
        Self::with_lease(channel, polling, LeaseStatus::Until(Timestamp::default()))
    }

    fn with_lease(channel: ChannelSync, polling: Polling, lead: LeaseStatus) -> Self {
        channel.with_state(|channel| (channel.read_lease, channel.send_lease) = (lead, lead));
        let wakers = std::array::from_fn(|_| Notify::new());
        Self { channel, polling, wakers, stop: watch::channel(false).0 }
    }

    pub fn channel(&self) -> &ChannelSync {
        &self.channel
    }

    /// Loops in the order of [`Loop::ALL`]. Call once: each loop owns its state.
    pub fn loops(self: &Arc<Self>) -> [TabLoop; Loop::ALL.len()] {
        Loop::ALL.map(|which| TabLoop::new(self.clone(), which))
    }

    /// Makes a loop run its next step now.
    pub fn wake(&self, which: Loop) {
        self.wakers[which as usize].notify_one();
    }

    pub async fn wait_for_wake(&self, which: Loop) {
        self.wakers[which as usize].notified().await;
    }

    /// Stops all steps for good.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    pub fn is_stopped(&self) -> bool {
        *self.stop.borrow()
    }

    pub async fn stopped(&self) {
        // Fails only for a dropped sender, which is borrowed here.
        let _ = self.stop.subscribe().wait_for(|subscribe| *subscribe).await;
    }

    /// True if polling or sending has been in one step for longer than possible: such a tab must not keep
    /// its leases.
    pub fn is_hung(&self) -> bool {
        let (within, now) =
            (self.channel.with_state(|state| state.step_began_at), self.channel.clock.moment());
        let since = [Loop::Poll, Loop::Push].into_iter().filter_map(|which| within[which as usize]);
        since.into_iter().any(|since| now.since(since) > MAX_STEP_DURATION)
    }

    /// True if the open conversation and the outbox may run: only after one read has proved the key, so
    /// that a refused key is tried once and not three times.
    pub(crate) fn is_ready(&self) -> bool {
        !self.is_stopped() && self.channel.is_key_proven()
    }
}
