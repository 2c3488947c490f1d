//! The first rows of the list for a command that asks for no more: the top, as
//! much of the rest as is wanted, and what the list does not tell of the rows
//! that are shown.
//!
//! What was read whole stays so: the marks are those of the passes that read
//! everything.

use crate::ChannelSync;
use crate::conversations::{BULK, ListState, REST, REST_AT, SINCE};
use crate::health::PolledResource;
use crate::report::{Pulled, or_later};
use model::ids::ConversationId;
use model::time::Timestamp;
use store::StoreError;

/// How far down from the top the list was read on this desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Nowhere, or it is not known how far.
    Unknown,
    /// All with newer activity than this.
    Above(Timestamp),
    End,
}

impl ChannelSync {
    /// Reads the top of the list and nothing behind it.
    pub async fn pull_top(&self, state: &mut ListState) -> Pulled {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(Pulled::Skipped);
            };
            Ok(if self.read_top(state, &platform).await? { Pulled::Done } else { Pulled::More })
        })
        .await
    }

    /// Reads some pages of the list behind its top.
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

    /// Reads a history that lags behind the list. A person waits for it.
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

    /// Reads a conversation alone, for whether the AI answers there.
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

    /// How far down the list was read.
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
