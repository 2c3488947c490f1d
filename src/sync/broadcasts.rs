//! Watching broadcasts sent from this desk until the server says that they
//! are finished: every few seconds at first, then less and less often.
//!
//! Knows nothing of how they were sent.

use std::collections::BTreeMap;

use crate::client::ReadError;
use crate::model::ids::BroadcastId;
use crate::model::news::News;
use crate::model::time::Timestamp;
use crate::sync::Channel;
use crate::sync::health::Resource;
use crate::sync::plan::watching;
use crate::sync::report::{Pulled, Trouble};

/// Broadcasts watched at once at most.
const WATCHED: usize = 50;
/// Looked at in one step.
const AT_ONCE: usize = 3;

/// What is being watched.
#[derive(Debug, Default)]
pub(crate) struct BroadcastState {
    /// Whether those of earlier days were looked up.
    recalled: bool,
    watched: BTreeMap<BroadcastId, Watch>,
}

/// How often a broadcast was looked at, and when it is due again.
#[derive(Debug, Clone, Copy, Default)]
struct Watch {
    looks: u32,
    last: Option<Timestamp>,
}

impl Watch {
    fn is_due(self, now: Timestamp) -> bool {
        self.last.is_none_or(|it| !(0..watching(self.looks)).contains(&now.since(it)))
    }
}

impl Channel {
    /// Looks at the broadcasts that are due; nothing is asked while none is
    /// on its way.
    pub async fn pull_broadcasts(&self) -> Pulled {
        let result = self.read_broadcasts().await;
        self.report(Resource::Broadcasts, result)
    }

    /// A broadcast was accepted.
    pub(crate) async fn watch_broadcast(&self, id: &str) {
        let mut state = self.broadcasts.lock().await;
        if state.watched.len() < WATCHED {
            state.watched.insert(BroadcastId::new(id), Watch::default());
        }
    }

    async fn read_broadcasts(&self) -> Result<Pulled, Trouble> {
        let mut state = self.broadcasts.lock().await;
        if !self.may_read(Resource::Broadcasts) {
            return Ok(Pulled::Skipped);
        }
        if !state.recalled {
            let unfinished = self.store.unfinished_broadcasts(self.id()).await?;
            state.watched.extend(unfinished.into_iter().map(|it| (it, Watch::default())));
            state.recalled = true;
        }
        let now = self.clock.now();
        let due = state.watched.iter().filter(|(_, it)| it.is_due(now)).map(|(id, _)| id.clone());
        let due: Vec<_> = due.take(AT_ONCE).collect();
        if due.is_empty() {
            return Ok(Pulled::Skipped);
        }
        for id in due {
            let told = match self.client.broadcast(&id).await {
                // The server forgot it, or only played at sending it.
                Err(ReadError::NotFound(_)) => {
                    state.watched.remove(&id);
                    continue;
                }
                told => told?,
            };
            let (finished, summary) = (told.is_finished(), told.summary());
            self.store.apply_broadcast(self.id(), told).await?;
            if finished {
                state.watched.remove(&id);
                self.tell(News::Notice(self.id().clone(), None, summary));
            } else if let Some(watch) = state.watched.get_mut(&id) {
                *watch = Watch { looks: watch.looks.saturating_add(1), last: Some(now) };
            }
        }
        Ok(Pulled::Done)
    }
}
