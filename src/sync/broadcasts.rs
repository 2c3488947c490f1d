//! Watching broadcasts sent from this desk until the server says that they
//! are finished: every few seconds at first, then less and less often.
//!
//! Which they are is read from the audit, so that those of another process,
//! or of an earlier day, are watched too.

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

/// Looked at in one step.
const AT_ONCE: usize = 3;
/// What arrives later than this after all were tried is not waited for.
const SETTLING: i64 = DAY;

/// The balance tells of a broadcast that ended at most so long ago: later,
/// others have drawn on it.
const FRESH: i64 = 10 * MINUTE;

/// What is being watched.
#[derive(Debug, Default)]
pub struct BroadcastState {
    /// How far the audit was read.
    read_until: i64,
    watched: BTreeMap<BroadcastId, BroadcastPolls>,
    /// Those the server does not know.
    unknown: BTreeSet<BroadcastId>,
}

/// How often a broadcast was looked at, and when last.
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
    /// Those that are due, longest first, as if looked at now: one that fails
    /// does not keep the others from their turn.
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
    /// Looks at the broadcasts that are due; nothing is asked while none is
    /// on its way.
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

    /// What a broadcast took in the end: those who were not reached are given
    /// back, which only the balance tells once all were tried.
    pub(crate) async fn read_balance_after(&self, told: &Broadcast) -> Result<(), PullError> {
        let just_ended = told.is_settled() && !told.ended_before(self.clock.now().plus(-FRESH));
        if just_ended && self.store.wants_balance_after(self.id(), &told.id).await? {
            let account = self.client.account().await?;
            self.store.note_balance_after(self.id(), &told.id, account.credits).await?;
            self.account_read(account, false).await?;
        }
        Ok(())
    }

    /// The same for a script, which tells the rest without it.
    pub async fn try_balance_after(&self, told: &Broadcast) {
        if let Err(error) = self.read_balance_after(told).await {
            tracing::info!(channel = %self.id(), %error, "the balance after a broadcast could not be read");
        }
    }

    async fn look_at(&self, state: &mut BroadcastState, id: &BroadcastId) -> Result<(), PullError> {
        let told = match self.client.broadcast(id).await {
            // The server forgot it, or only played at sending it.
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
        // Of a campaign, its end is told, not that of each wave.
        if ends && !is_wave {
            self.tell(News::Alarm(self.id().clone(), summary));
        }
        Ok(())
    }
}
