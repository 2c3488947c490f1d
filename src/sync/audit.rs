//! Once a day: whether the newest conversations hold as many messages as the
//! server counts. What is short is read again from end to end, a few at a
//! time and only while the budget has room.

use std::collections::VecDeque;

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, Pulled};
use crate::trigger::{RING_AFTER, mark};
use crate::walk::{Followed, WalkCursors};
use client::ReadError;
use model::account::Platform;
use model::ids::ConversationId;
use model::time::{DAY, Timestamp};
use store::history::HistoryMove;

/// Mark: when the last audit ended, by this desk's clock.
const AUDITED: &str = "audited";
/// Conversations that are compared.
const AMONG: u32 = 500;
/// Histories read in one step.
const AT_ONCE: usize = 3;
/// Pages of one history at most.
const PAGES: u32 = 100;
/// Share of the read budget, in percent, beyond which the audit rests.
const ROOM: u8 = 40;

/// What is left of an audit that was begun.
#[derive(Debug, Default)]
pub(crate) struct AuditState {
    left: Option<VecDeque<ConversationId>>,
}

impl ChannelSync {
    /// Compares and reads again, if a day has passed since.
    pub(crate) async fn audit_histories(&self, state: &mut AuditState) -> Pulled {
        self.reporting(PolledResource::History, async {
            let Some(platform) = self.may_ask(PolledResource::History).await? else {
                return Ok(Pulled::Skipped);
            };
            let now = self.clock.now();
            if state.left.is_none() {
                match self.time_mark(AUDITED).await? {
                    // A new desk has just read all there is.
                    None => return self.audited(state, now).await,
                    Some(last) if (0..DAY).contains(&now.since(last)) => return Ok(Pulled::Skipped),
                    Some(_) => {
                        let short = self.store.short_of_messages(self.id(), AMONG).await?;
                        tracing::info!(channel = %self.id(), short = short.len(), "audit");
                        state.left = Some(short.into());
                    }
                }
            }
            for _ in 0..AT_ONCE {
                let Some(conversation) = state.left.as_ref().and_then(|entry| entry.front().cloned()) else {
                    return self.audited(state, now).await;
                };
                if self.client.budget_used() >= ROOM {
                    return Ok(Pulled::More);
                }
                let read = self.read_whole(&platform, &conversation).await;
                // What may be about this one alone waits for another day.
                let alone = matches!(
                    read,
                    Ok(())
                        | Err(PullError::Read(
                            ReadError::NotFound(_)
                                | ReadError::NoSuchPath(_)
                                | ReadError::Rejected(_)
                                | ReadError::Trouble(_)
                        ))
                );
                if alone && let Some(left) = state.left.as_mut() {
                    left.pop_front();
                }
                if !matches!(read, Err(PullError::Read(ReadError::NotFound(_) | ReadError::Rejected(_)))) {
                    read?;
                }
            }
            Ok(Pulled::More)
        })
        .await
    }

    async fn audited(&self, state: &mut AuditState, now: Timestamp) -> Result<Pulled, PullError> {
        self.store.set_meta(self.id(), vec![(AUDITED, Some(mark(Some(now))))]).await?;
        state.left = None;
        Ok(Pulled::Skipped)
    }

    /// Reads a history from its newest message to its start.
    async fn read_whole(&self, platform: &Platform, conversation: &ConversationId) -> Result<(), PullError> {
        let _turn = self.history_turn().await;
        let ring_after = self.time_mark(RING_AFTER).await?;
        let mut cursors = WalkCursors::new(PAGES);
        loop {
            let page = self.client.history(platform, conversation, cursors.current()).await?;
            let followed = cursors.follow(page.items.len(), page.next_cursor.as_deref());
            let applied = self
                .store
                .apply_history(
                    self.id(),
                    conversation,
                    page.items,
                    platform.clone(),
                    HistoryMove::Walking,
                    false,
                )
                .await?;
            self.tell_messages(&applied, ring_after);
            if !matches!(followed, Followed::Next(_)) {
                return Ok(());
            }
        }
    }
}
