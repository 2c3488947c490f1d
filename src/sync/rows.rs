//! Reads the first rows of the list for commands that need no more: the top, part of the rest, and
//! missing details of the rows shown.
//!
//! Marks of complete passes are left unchanged.

use crate::ChannelSync;
use crate::conversations::{ListState, MAX_BULK_BUDGET_PERCENT, REMAINING_FROM_MARK, REST, SINCE};
use crate::health::PolledResource;
use crate::report::{PullOutcome, defer_rate_limited};
use model::ids::ConversationId;
use model::time::Timestamp;
use store::StoreError;

/// Depth to which the list was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListDepth {
    /// Not read, or the depth is unknown.
    Unknown,
    /// All rows with newer activity than this.
    Above(Timestamp),
    End,
}

impl ChannelSync {
    /// Reads only the top of the list.
    pub async fn pull_top(&self, state: &mut ListState) -> PullOutcome {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(PullOutcome::Skipped);
            };
            Ok(if self.read_top(state, &platform).await? { PullOutcome::Done } else { PullOutcome::More })
        })
        .await
    }

    /// Reads some pages behind the top.
    pub async fn pull_remaining(&self, state: &mut ListState) -> PullOutcome {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(PullOutcome::Skipped);
            };
            if self.client.budget_used_percent() >= MAX_BULK_BUDGET_PERCENT {
                return Ok(PullOutcome::Later(0));
            }
            let left = self.read_remaining(state, &platform).await;
            defer_rate_limited(left.map(|flag| if flag { PullOutcome::Later(0) } else { PullOutcome::Done }))
        })
        .await
    }

    /// Reads one history that lags behind the list, at the priority of a person's request.
    pub async fn pull_lagging_history(
        &self,
        state: &mut ListState,
        conversation: &ConversationId,
    ) -> PullOutcome {
        self.reporting(PolledResource::List, async {
            let platform = self.may_ask(PolledResource::List).await?;
            let Some(platform) = platform
                .filter(|platform| self.may_read(PolledResource::History) && platform.has_histories())
            else {
                return Ok(PullOutcome::Skipped);
            };
            let client = self.client.for_person();
            self.read_histories(&client, state, &platform, (vec![conversation.clone()], false)).await?;
            Ok(PullOutcome::Done)
        })
        .await
    }

    /// Reads one conversation for its AI state.
    pub async fn pull_detail(&self, conversation: &ConversationId) -> PullOutcome {
        self.reporting(PolledResource::List, async {
            let platform = self.may_ask(PolledResource::List).await?;
            if !platform.is_some_and(|platform| platform.can_take_over()) {
                return Ok(PullOutcome::Skipped);
            }
            self.read_detail_once(&self.client.for_person(), conversation).await?;
            Ok(PullOutcome::Done)
        })
        .await
    }

    pub async fn list_depth(&self) -> Result<ListDepth, StoreError> {
        if self.time_mark(SINCE).await?.is_none() {
            return Ok(ListDepth::Unknown);
        }
        if self.store.meta(self.id(), REST).await?.is_none() {
            return Ok(ListDepth::End);
        }
        Ok(self.time_mark(REMAINING_FROM_MARK).await?.map_or(ListDepth::Unknown, ListDepth::Above))
    }
}
