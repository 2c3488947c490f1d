//! Polls broadcasts sent from this installation until the server reports them finished: every few seconds
//! at first, then at growing intervals.
//!
//! The list comes from the audit, so broadcasts of other processes and of earlier days are included.

use std::collections::{BTreeMap, BTreeSet};

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::plan::broadcast_poll_interval;
use crate::report::{PullError, PullOutcome};
use client::ReadError;
use model::broadcasts::Broadcast;
use model::ids::BroadcastId;
use model::news::News;
use model::time::{DAY, MINUTE, Timestamp};

const BROADCASTS_PER_STEP: usize = 3;
/// Time after the last attempt to deliver, after which no further results are expected.
const SETTLE_PERIOD: i64 = DAY;

/// Maximum age of a broadcast's end at which the balance still reflects it: later, other sends have
/// changed it.
const MAX_BALANCE_AGE: i64 = 10 * MINUTE;

#[derive(Debug, Default)]
pub struct BroadcastState {
    /// Position in the audit up to which broadcasts were read.
    read_until: i64,
    watched: BTreeMap<BroadcastId, BroadcastPolls>,
    /// Broadcasts unknown to the server.
    unknown: BTreeSet<BroadcastId>,
}

/// Number of polls of a broadcast and time of the latest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct BroadcastPolls {
    last: Option<Timestamp>,
    count: u32,
}

impl BroadcastPolls {
    fn is_due(self, now: Timestamp) -> bool {
        self.last.is_none_or(|time| !(0..broadcast_poll_interval(self.count)).contains(&now.since(time)))
    }
}

impl BroadcastState {
    /// True while a broadcast is expected to change.
    pub(crate) fn is_any_watched(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Returns the broadcasts due now, longest waiting first, and counts them as polled, so that one that
    /// fails does not delay the others.
    fn take_due(&mut self, now: Timestamp) -> Vec<BroadcastId> {
        let mut due: Vec<_> =
            self.watched.iter_mut().filter(|(_, broadcast_polls)| broadcast_polls.is_due(now)).collect();
        due.sort_by_key(|(_, due)| **due);
        due.truncate(BROADCASTS_PER_STEP);
        let looked = due.into_iter().map(|(id, watch)| {
            *watch = BroadcastPolls { count: watch.count.saturating_add(1), last: Some(now) };
            id.clone()
        });
        looked.collect()
    }
}

impl ChannelSync {
    /// Polls the broadcasts that are due; makes no request while none is in progress.
    pub async fn pull_broadcasts(&self, state: &mut BroadcastState) -> PullOutcome {
        self.reporting(PolledResource::Broadcasts, async {
            if !self.may_read(PolledResource::Broadcasts) {
                return Ok(PullOutcome::Skipped);
            }
            let settled = self.clock.now().plus(-SETTLE_PERIOD);
            let (unfinished, until) =
                self.store.unfinished_broadcasts(self.id(), state.read_until, settled).await?;
            state.read_until = until;
            for id in unfinished {
                if !state.unknown.contains(&id) {
                    state.watched.entry(id).or_default();
                }
            }
            let due = state.take_due(self.clock.now());
            if due.is_empty() {
                return Ok(PullOutcome::Skipped);
            }
            for id in due {
                self.read_broadcast(state, &id).await?;
            }
            Ok(PullOutcome::Done)
        })
        .await
    }

    /// Reads the balance after a broadcast has ended: credits for recipients not reached are refunded,
    /// which only the balance shows.
    pub(crate) async fn read_balance_after(&self, broadcast: &Broadcast) -> Result<(), PullError> {
        let just_ended =
            broadcast.is_settled() && !broadcast.finished_before(self.clock.now().plus(-MAX_BALANCE_AGE));
        if just_ended && self.store.needs_balance_after(self.id(), &broadcast.id).await? {
            let account = self.client.account().await?;
            self.store.record_balance_after(self.id(), &broadcast.id, account.credits).await?;
            self.apply_account(account, false).await?;
        }
        Ok(())
    }

    /// Variant of [`Self::read_balance_after`] for scripts: a failure is logged only.
    pub async fn try_balance_after(&self, broadcast: &Broadcast) {
        if let Err(error) = self.read_balance_after(broadcast).await {
            tracing::info!(channel = %self.id(), %error, "the balance after a broadcast could not be read");
        }
    }

    async fn read_broadcast(&self, state: &mut BroadcastState, id: &BroadcastId) -> Result<(), PullError> {
        let broadcast = match self.client.broadcast(id).await {
            // The server has deleted it or it was a test broadcast.
            Err(ReadError::NotFound(_)) => {
                state.watched.remove(id);
                state.unknown.insert(id.clone());
                return Ok(());
            }
            answer => answer?,
        };
        let now = self.clock.now();
        self.read_balance_after(&broadcast).await?;
        let ends = broadcast.is_finished() && !self.store.is_broadcast_finished(self.id(), id).await?;
        if broadcast.is_settled() || broadcast.finished_before(now.plus(-SETTLE_PERIOD)) {
            state.watched.remove(id);
        }
        let is_wave = self.store.record_wave_broadcast(&broadcast, now).await?;
        let summary = broadcast.summary();
        if self.store.apply_broadcast(self.id(), broadcast).await? {
            self.publish(News::Campaigns(self.id().clone()));
        }
        // A campaign announces its own end, not that of each wave.
        if ends && !is_wave {
            self.publish(News::Alarm(self.id().clone(), summary));
        }
        Ok(())
    }
}
