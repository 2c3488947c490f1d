//! Pulls the new-message trigger (`pollNewMessages`) and closes the gap when more messages arrived than
//! its page holds.
//!
//! An unknown conversation gets a row for its messages and is read alone.

use std::collections::{BTreeSet, HashSet};

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::overlap::{self, Backfill, BackfillStep};
use crate::report::{PullError, PullOutcome, defer_rate_limited};
use crate::state::SyncState;
use client::{ListPage, ReadError};
use model::account::Platform;
use model::ids::MessageId;
use model::messages::{Direction, Message};
use model::news::News;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp};
use model::unreadable::UnreadableList;
use store::messages::{AppliedMessages, InsertedMessage};
use store::meta::MetaChange;

/// Mark: server time up to which inbound messages are complete.
const COMPLETE_UNTIL_MARK: &str = "inbound_complete";
/// Mark: messages newer than this server time ring.
pub(crate) const RING_AFTER_MARK: &str = "ring_after";
/// Pages of a backfill in one step.
const GAP_PAGES_PER_STEP: u32 = 4;
/// Pause after a failed backfill, in microseconds.
const GAP_RETRY_DELAY: i64 = MINUTE;

#[derive(Debug, Default)]
pub struct TriggerState {
    /// Ids of the last answer.
    earlier: HashSet<MessageId>,
    /// Newest message announced.
    newest: Option<Timestamp>,
    gap: Option<Gap>,
}

/// Unread messages between two answers.
#[derive(Debug)]
struct Gap {
    walk: Backfill,
    /// Newest message when the walk began.
    newest: Option<Timestamp>,
    /// True if another gap appeared during the walk.
    has_new_gap: bool,
    retry_at: Option<Timestamp>,
}

impl ChannelSync {
    /// Reads the newest inbound messages, and part of a gap if they exceed one answer. WhatsApp only.
    pub async fn pull_trigger(&self, state: &mut TriggerState) -> PullOutcome {
        self.reporting(PolledResource::Trigger, async {
            let platform = self.may_ask(PolledResource::Trigger).await?;
            let Some(platform @ Platform::Whatsapp) = platform else {
                return Ok(PullOutcome::Skipped);
            };
            let client = self.client.skipping_unchanged();
            let is_new = match client.new_messages().await {
                Err(ReadError::Same) => false,
                page => {
                    self.apply_trigger_page(state, page?, &platform).await?;
                    client.record_applied();
                    true
                }
            };
            let pulled = defer_rate_limited(self.close_gap(state, &platform).await)?;
            // Details the budget does not cover come with the list.
            let details = if is_new {
                self.read_unknown_details(&self.client).await
            } else {
                self.read_requested_details(&self.client).await
            };
            defer_rate_limited(details.map(|()| PullOutcome::Done))?;
            Ok(pulled)
        })
        .await
    }

    /// Continues a backfill without reading the newest messages again.
    pub async fn pull_gap(&self, state: &mut TriggerState) -> PullOutcome {
        self.reporting(PolledResource::Trigger, async {
            let Some(platform @ Platform::Whatsapp) = self.may_ask(PolledResource::Trigger).await? else {
                return Ok(PullOutcome::Skipped);
            };
            defer_rate_limited(self.close_gap(state, &platform).await)
        })
        .await
    }

    async fn apply_trigger_page(
        &self,
        state: &mut TriggerState,
        page: ListPage<Message>,
        platform: &Platform,
    ) -> Result<(), PullError> {
        self.record_unreadable(UnreadableList::Messages, &page, true);
        let complete = self.time_mark(COMPLETE_UNTIL_MARK).await?;
        let newest = page.items.iter().filter_map(|item| item.created_at).max();
        let ids = page.items.iter().map(|item| item.id.clone()).collect();
        state.newest = state.newest.max(newest).or(complete);
        let mut marks: Vec<MetaChange> = Vec::new();
        match complete {
            // Older messages are read with the histories.
            None => marks.push((COMPLETE_UNTIL_MARK, Some(time_to_mark(newest)))),
            Some(complete)
                if overlap::is_joined(&page.items, page.unreadable.len(), &state.earlier, complete) =>
            {
                if state.gap.is_none() && newest > Some(complete) {
                    marks.push((COMPLETE_UNTIL_MARK, Some(time_to_mark(newest))));
                }
            }
            Some(complete) => state.record_gap(complete),
        }
        // Without a mark nothing rings: this is the first reading.
        let ring_after = self.time_mark(RING_AFTER_MARK).await?;
        if ring_after.is_none() {
            marks.push((RING_AFTER_MARK, Some(time_to_mark(newest))));
        }
        let applied = self.store.apply_messages(self.id(), page.items, platform.clone(), marks).await?;
        // Set only now: an answer that was not stored proves nothing.
        state.earlier = ids;
        self.publish_messages(&applied, ring_after);
        Ok(())
    }

    /// Walks down a few pages of inbound messages towards known ones.
    async fn close_gap(
        &self,
        state: &mut TriggerState,
        platform: &Platform,
    ) -> Result<PullOutcome, PullError> {
        let now = self.clock.now();
        let Some(gap) = state.gap.as_mut() else {
            return Ok(PullOutcome::Done);
        };
        if gap.retry_at.is_some_and(|rest_until| now < rest_until && rest_until.since(now) <= GAP_RETRY_DELAY)
        {
            return Ok(PullOutcome::Done);
        }
        gap.retry_at = None;
        for _ in 0..GAP_PAGES_PER_STEP {
            let page = match self.client.inbound(gap.walk.cursor()).await {
                // The cursor has expired: the walk starts again.
                Err(ReadError::Rejected(_)) if gap.walk.cursor().is_some() => {
                    self.restart_gap(state).await?;
                    return Ok(PullOutcome::Done);
                }
                page => page?,
            };
            let times: Vec<_> = page.items.iter().map(|item| item.created_at).collect();
            let ring_after = self.time_mark(RING_AFTER_MARK).await?;
            let applied =
                self.store.apply_messages(self.id(), page.items, platform.clone(), Vec::new()).await?;
            self.publish_messages(&applied, ring_after);
            let facts: Vec<_> = applied.was_stored.iter().copied().zip(times).collect();
            match gap.walk.add_page(&facts, page.next_cursor.as_deref()) {
                BackfillStep::Next(_) => {}
                BackfillStep::Complete => {
                    self.finish_gap(state).await?;
                    return Ok(if state.gap.is_some() { PullOutcome::Later(0) } else { PullOutcome::Done });
                }
                BackfillStep::Incomplete => {
                    tracing::warn!(channel = %self.id(), "the server's cursors repeat");
                    self.restart_gap(state).await?;
                    let words = "not all new messages could be read; next try in a minute";
                    self.publish(News::Notice(self.id().clone(), None, SafeText::line(words)));
                    return Ok(PullOutcome::Done);
                }
            }
        }
        Ok(PullOutcome::Later(0))
    }

    async fn finish_gap(&self, state: &mut TriggerState) -> Result<(), PullError> {
        let Some(gap) = state.gap.take() else {
            return Ok(());
        };
        let until = if gap.has_new_gap { gap.newest } else { state.newest };
        self.store.set_meta(self.id(), vec![(COMPLETE_UNTIL_MARK, Some(time_to_mark(until)))]).await?;
        if gap.has_new_gap {
            state.record_gap(until.unwrap_or_default());
        }
        Ok(())
    }

    /// Pauses and restarts the walk; the mark is unchanged.
    async fn restart_gap(&self, state: &mut TriggerState) -> Result<(), PullError> {
        let complete = self.time_mark(COMPLETE_UNTIL_MARK).await?.unwrap_or_default();
        state.gap = None;
        state.record_gap(complete);
        if let Some(gap) = state.gap.as_mut() {
            gap.retry_at = Some(self.clock.now().plus(GAP_RETRY_DELAY));
        }
        Ok(())
    }

    /// Announces changed messages; new ones from customers ring unless they predate the first reading, were
    /// announced before, or are later parts of an album.
    pub(crate) fn publish_messages(&self, applied: &AppliedMessages, ring_after: Option<Timestamp>) {
        self.publish_messages_except(applied, ring_after, &HashSet::new());
    }

    /// As [`publish_messages`](Self::publish_messages); messages in `quiet` never ring.
    pub(crate) fn publish_messages_except(
        &self,
        applied: &AppliedMessages,
        ring_after: Option<Timestamp>,
        quiet: &HashSet<MessageId>,
    ) {
        for conversation in &applied.touched {
            self.publish(News::History(self.id().clone(), conversation.clone()));
        }
        if !applied.touched.is_empty() {
            self.publish(News::Conversations(self.id().clone()));
        }
        let now = self.clock.now();
        self.with_state(|SyncState { details, .. }| {
            applied.inserted.iter().for_each(|inserted| details.request_read(&inserted.conversation, now));
        });
        let Some(ring_after) = ring_after else {
            return;
        };
        let new = applied.inserted.iter().filter(|inserted| {
            let is_known = inserted.is_back || inserted.is_imported;
            let is_new = !is_known && inserted.created_at.is_some_and(|at| at > ring_after);
            inserted.direction == Direction::Inbound && is_new && !quiet.contains(&inserted.id)
        });
        // An album comes as several messages, perhaps in several answers.
        let ringing: BTreeSet<_> = self.with_state(|state| {
            let is_first = |inserted: &&InsertedMessage| {
                state.record_announcement(&inserted.conversation, inserted.album.as_deref())
            };
            new.filter(is_first).map(|inserted| inserted.conversation.clone()).collect()
        });
        for conversation in ringing {
            self.publish(News::Inbound(self.id().clone(), conversation));
        }
    }
}

impl TriggerState {
    fn record_gap(&mut self, complete_until: Timestamp) {
        match self.gap.as_mut() {
            Some(gap) => gap.has_new_gap = true,
            None => {
                let walk = Backfill::new(complete_until);
                self.gap = Some(Gap { walk, newest: self.newest, has_new_gap: false, retry_at: None });
            }
        }
    }
}

/// A timestamp as a mark; zero if `None`.
pub(crate) fn time_to_mark(time: Option<Timestamp>) -> String {
    time.unwrap_or_default().micros().to_string()
}
