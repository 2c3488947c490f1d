//! Polls broadcasts sent from this installation until the server reports them finished: every few seconds
//! at first, then at growing intervals.
//!
//! The list comes from the audit, so broadcasts of other processes and of earlier days are included.

use std::collections::{BTreeMap, BTreeSet};

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::plan::watching;
use crate::report::{PullError, Pulled};
use client::ReadError;
use model::broadcasts::Broadcast;
use model::ids::BroadcastId;
use model::news::News;
use model::time::{DAY, MINUTE, Timestamp};

/// Broadcasts polled in one step.
const AT_ONCE: usize = 3;
/// Time after the last attempt to deliver, after which no further results are expected.
const SETTLING: i64 = DAY;

/// Maximum age of a broadcast's end at which the balance still reflects it: later, other sends have
/// changed it.
const FRESH: i64 = 10 * MINUTE;

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
    looks: u32,
}

impl BroadcastPolls {
    fn is_due(self, now: Timestamp) -> bool {
        self.last.is_none_or(|time| !(0..watching(self.looks)).contains(&now.since(time)))
    }
}

impl BroadcastState {
    /// Returns the broadcasts due now, longest waiting first, and counts them as polled, so that one that
    /// fails does not delay the others.
    fn take_due(&mut self, now: Timestamp) -> Vec<BroadcastId> {
        let mut due: Vec<_> =
            self.watched.iter_mut().filter(|(_, broadcast_polls)| broadcast_polls.is_due(now)).collect();
        due.sort_by_key(|(_, due)| **due);
        due.truncate(AT_ONCE);
        let looked = due.into_iter().map(|(id, watch)| {
            *watch = BroadcastPolls { looks: watch.looks.saturating_add(1), last: Some(now) };
            id.clone()
        });
        looked.collect()
    }
}

impl ChannelSync {
    /// Polls the broadcasts that are due; makes no request while none is in progress.
    pub async fn pull_broadcasts(&self, state: &mut BroadcastState) -> Pulled {
        self.reporting(PolledResource::Broadcasts, async {
            if !self.may_read(PolledResource::Broadcasts) {
                return Ok(Pulled::Skipped);
            }
            let settled = self.clock.now().plus(-SETTLING);
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
                return Ok(Pulled::Skipped);
            }
            for id in due {
                self.look_at(state, &id).await?;
            }
            Ok(Pulled::Done)
        })
        .await
    }

    /// Reads the balance after a broadcast has ended: credits for recipients not reached are refunded,
    /// which only the balance shows.
    pub(crate) async fn read_balance_after(&self, told: &Broadcast) -> Result<(), PullError> {
        let just_ended = told.is_settled() && !told.ended_before(self.clock.now().plus(-FRESH));
        if just_ended && self.store.wants_balance_after(self.id(), &told.id).await? {
            let account = self.client.account().await?;
            self.store.note_balance_after(self.id(), &told.id, account.credits).await?;
            self.account_read(account, false).await?;
        }
        Ok(())
    }

    /// Variant of [`Self::read_balance_after`] for scripts: a failure is logged only.
    pub async fn try_balance_after(&self, told: &Broadcast) {
        if let Err(error) = self.read_balance_after(told).await {
            tracing::info!(channel = %self.id(), %error, "the balance after a broadcast could not be read");
        }
    }

    async fn look_at(&self, state: &mut BroadcastState, id: &BroadcastId) -> Result<(), PullError> {
        let told = match self.client.broadcast(id).await {
            // The server has deleted it or it was a test broadcast.
            Err(ReadError::NotFound(_)) => {
                state.watched.remove(id);
                state.unknown.insert(id.clone());
                return Ok(());
            }
            told => told?,
        };
        let now = self.clock.now();
        self.read_balance_after(&told).await?;
        let ends = told.is_finished() && !self.store.is_finished_broadcast(self.id(), id).await?;
        if told.is_settled() || told.ended_before(now.plus(-SETTLING)) {
            state.watched.remove(id);
        }
        let is_wave = self.store.note_broadcast_read(&told, now).await?;
        let summary = told.summary();
        if self.store.apply_broadcast(self.id(), told).await? {
            self.tell(News::Campaigns(self.id().clone()));
        }
        // A campaign announces its own end, not that of each wave.
        if ends && !is_wave {
            self.tell(News::Alarm(self.id().clone(), summary));
        }
        Ok(())
    }
}
