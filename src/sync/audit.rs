//! Daily comparison of the newest conversations with the server's message counts. Histories with missing
//! messages are read again in full, a few per step and only while the read budget allows it.

use std::collections::VecDeque;

use crate::ChannelSync;
use crate::conversations::REST;
use crate::health::PolledResource;
use crate::report::{PullError, PullOutcome};
use crate::trigger::{RING_AFTER_MARK, time_to_mark};
use crate::walk::{CursorStep, WalkCursors};
use client::ReadError;
use model::account::Platform;
use model::ids::ConversationId;
use model::time::{DAY, Timestamp};
use store::history::HistoryProgress;

/// Mark: time of the last completed audit, by the local clock.
pub(crate) const AUDITED_AT_MARK: &str = "audited";
const MAX_CONVERSATIONS: u32 = 500;
const HISTORIES_PER_STEP: usize = 3;
const MAX_HISTORY_PAGES: u32 = 100;
/// Share of the read budget, in percent, above which the audit pauses.
const MAX_BUDGET_PERCENT: u8 = 40;

/// Rest of an audit in progress.
#[derive(Debug, Default)]
pub(crate) struct AuditState {
    remaining: Option<VecDeque<ConversationId>>,
}

impl ChannelSync {
    /// Runs the audit if a day has passed since the last one.
    pub(crate) async fn audit_histories(&self, state: &mut AuditState) -> PullOutcome {
        self.reporting(PolledResource::History, async {
            let Some(platform) = self.may_ask(PolledResource::History).await? else {
                return Ok(PullOutcome::Skipped);
            };
            let now = self.clock.now();
            if state.remaining.is_none() {
                match self.time_mark(AUDITED_AT_MARK).await? {
                    // A new installation has just read everything.
                    None => return self.run_audit(state, now).await,
                    Some(last) if (0..DAY).contains(&now.since(last)) => return Ok(PullOutcome::Skipped),
                    // The list, which is being read, holds the counts.
                    Some(_) if self.store.meta(self.id(), REST).await?.is_some() => {
                        return Ok(PullOutcome::Skipped);
                    }
                    Some(_) => {
                        let short =
                            self.store.histories_missing_messages(self.id(), MAX_CONVERSATIONS).await?;
                        tracing::info!(channel = %self.id(), short = short.len(), "audit");
                        state.remaining = Some(short.into());
                    }
                }
            }
            for index in 0..HISTORIES_PER_STEP {
                if index > 0 && self.are_messages_due() {
                    return Ok(PullOutcome::More);
                }
                let Some(conversation) = state.remaining.as_ref().and_then(|entry| entry.front().cloned())
                else {
                    return self.run_audit(state, now).await;
                };
                if self.client.budget_used_percent() >= MAX_BUDGET_PERCENT {
                    return Ok(PullOutcome::More);
                }
                let read = self.read_full_history(&platform, &conversation).await;
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
                if alone && let Some(left) = state.remaining.as_mut() {
                    left.pop_front();
                }
                if !matches!(read, Err(PullError::Read(ReadError::NotFound(_) | ReadError::Rejected(_)))) {
                    read?;
                }
            }
            Ok(PullOutcome::More)
        })
        .await
    }

    async fn run_audit(&self, state: &mut AuditState, now: Timestamp) -> Result<PullOutcome, PullError> {
        self.store.set_meta(self.id(), vec![(AUDITED_AT_MARK, Some(time_to_mark(Some(now))))]).await?;
        state.remaining = None;
        Ok(PullOutcome::Skipped)
    }

    /// Reads a history from its newest message to its first.
    async fn read_full_history(
        &self,
        platform: &Platform,
        conversation: &ConversationId,
    ) -> Result<(), PullError> {
        let _turn = self.wait_for_history().await;
        let ring_after = self.time_mark(RING_AFTER_MARK).await?;
        let mut cursors = WalkCursors::new(MAX_HISTORY_PAGES);
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
                    HistoryProgress::Walking,
                    false,
                )
                .await?;
            self.publish_messages(&applied, ring_after);
            if !matches!(followed, CursorStep::Next(_)) {
                return Ok(());
            }
        }
    }
}
