//! Daily comparison of the newest conversations with the server's message counts. Histories with missing
//! messages are read again in full, a few per step and only while the read budget allows it.

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

/// Mark: time of the last completed audit, by the local clock.
const AUDITED: &str = "audited";
/// Number of conversations compared.
const AMONG: u32 = 500;
/// Histories read in one step.
const AT_ONCE: usize = 3;
/// Maximum pages read of one history.
const PAGES: u32 = 100;
/// Share of the read budget, in percent, above which the audit pauses.
const ROOM: u8 = 40;

/// Rest of an audit in progress.
#[derive(Debug, Default)]
pub(crate) struct AuditState {
    left: Option<VecDeque<ConversationId>>,
}

impl ChannelSync {
    /// Runs the audit if a day has passed since the last one.
    pub(crate) async fn audit_histories(&self, state: &mut AuditState) -> Pulled {
        self.reporting(PolledResource::History, async {
            let Some(platform) = self.may_ask(PolledResource::History).await? else {
                return Ok(Pulled::Skipped);
            };
            let now = self.clock.now();
            if state.left.is_none() {
                match self.time_mark(AUDITED).await? {
                    // A new installation has just read everything.
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
                // A failure of one conversation is left to the next audit.
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

    /// Reads a history from its newest message to its first.
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
