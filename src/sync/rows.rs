//! Reads the first rows of the list for commands that need no more: the top, part of the rest, and
//! missing details of the rows shown.
//!
//! Marks of complete passes are left unchanged.

use crate::ChannelSync;
use crate::conversations::{BULK, ListState, REST, REST_AT, SINCE};
use crate::health::PolledResource;
use crate::report::{Pulled, or_later};
use model::ids::ConversationId;
use model::time::Timestamp;
use store::StoreError;

/// Depth to which the list was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Not read, or the depth is unknown.
    Unknown,
    /// All rows with newer activity than this.
    Above(Timestamp),
    End,
}

impl ChannelSync {
    /// Reads only the top of the list.
    pub async fn pull_top(&self, state: &mut ListState) -> Pulled {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(Pulled::Skipped);
            };
            Ok(if self.read_top(state, &platform).await? { Pulled::Done } else { Pulled::More })
        })
        .await
    }

    /// Reads some pages behind the top.
    pub async fn pull_rest(&self, state: &mut ListState) -> Pulled {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(Pulled::Skipped);
            };
            if self.client.budget_used() >= BULK {
                return Ok(Pulled::Later(0));
            }
            let left = self.read_rest(state, &platform).await;
            or_later(left.map(|flag| if flag { Pulled::Later(0) } else { Pulled::Done }))
        })
        .await
    }

    /// Reads one history that lags behind the list, at the priority of a person's request.
    pub async fn pull_behind_of(&self, state: &mut ListState, conversation: &ConversationId) -> Pulled {
        self.reporting(PolledResource::List, async {
            let platform = self.may_ask(PolledResource::List).await?;
            let Some(platform) = platform
                .filter(|platform| self.may_read(PolledResource::History) && platform.has_histories())
            else {
                return Ok(Pulled::Skipped);
            };
            let client = self.client.for_person();
            self.read_histories(&client, state, &platform, (vec![conversation.clone()], false)).await?;
            Ok(Pulled::Done)
        })
        .await
    }

    /// Reads one conversation for its AI state.
    pub async fn pull_detail(&self, conversation: &ConversationId) -> Pulled {
        self.reporting(PolledResource::List, async {
            let platform = self.may_ask(PolledResource::List).await?;
            if !platform.is_some_and(|platform| platform.can_take_over()) {
                return Ok(Pulled::Skipped);
            }
            self.read_detail_once(&self.client.for_person(), conversation).await?;
            Ok(Pulled::Done)
        })
        .await
    }

    pub async fn reached(&self) -> Result<Reached, StoreError> {
        if self.time_mark(SINCE).await?.is_none() {
            return Ok(Reached::Unknown);
        }
        if self.store.meta(self.id(), REST).await?.is_none() {
            return Ok(Reached::End);
        }
        Ok(self.time_mark(REST_AT).await?.map_or(Reached::Unknown, Reached::Above))
    }
}
