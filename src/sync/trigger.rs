//! Pulls the new-message trigger (`pollNewMessages`) and closes the gap when more messages arrived than
//! its page holds.
//!
//! An unknown conversation gets a row for its messages and is read alone.

use std::collections::{BTreeSet, HashSet};

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::overlap::{self, Backfill, Backfilled};
use crate::report::{PullError, Pulled, or_later};
use crate::state::SyncState;
use client::{Listed, ReadError};
use model::account::Platform;
use model::ids::MessageId;
use model::messages::{Direction, Message};
use model::news::News;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp};
use model::unreadable::List;
use store::messages::AppliedMessages;
use store::meta::MetaChange;

/// Mark: server time up to which inbound messages are complete.
const COMPLETE: &str = "inbound_complete";
/// Mark: messages newer than this server time ring.
pub(crate) const RING_AFTER: &str = "ring_after";
/// Pages of a backfill in one step.
const PAGES: u32 = 4;
/// Pause after a failed backfill, in microseconds.
const REST: i64 = MINUTE;

/// State kept between two polls.
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
    again: bool,
    rest_until: Option<Timestamp>,
}

impl ChannelSync {
    /// Reads the newest inbound messages, and part of a gap if they exceed one answer. WhatsApp only.
    pub async fn pull_trigger(&self, state: &mut TriggerState) -> Pulled {
        self.reporting(PolledResource::Trigger, async {
            let platform = self.may_ask(PolledResource::Trigger).await?;
            let Some(platform @ Platform::Whatsapp) = platform else {
                return Ok(Pulled::Skipped);
            };
            let client = self.client.unless_same();
            let is_new = match client.new_messages().await {
                Err(ReadError::Same) => false,
                page => {
                    self.take_in(state, page?, &platform).await?;
                    client.note_applied();
                    true
                }
            };
            let pulled = or_later(self.close_gap(state, &platform).await)?;
            // Details the budget does not cover come with the list.
            let details = if is_new {
                self.read_unknown_details(&self.client).await
            } else {
                self.read_wanted_details(&self.client).await
            };
            or_later(details.map(|()| Pulled::Done))?;
            Ok(pulled)
        })
        .await
    }

    /// Continues a backfill without reading the newest messages again.
    pub async fn pull_gap(&self, state: &mut TriggerState) -> Pulled {
        self.reporting(PolledResource::Trigger, async {
            let Some(platform @ Platform::Whatsapp) = self.may_ask(PolledResource::Trigger).await? else {
                return Ok(Pulled::Skipped);
            };
            or_later(self.close_gap(state, &platform).await)
        })
        .await
    }

    async fn take_in(
        &self,
        state: &mut TriggerState,
        page: Listed<Message>,
        platform: &Platform,
    ) -> Result<(), PullError> {
        self.note_unreadable(List::Messages, &page, true);
        let complete = self.time_mark(COMPLETE).await?;
        let newest = page.items.iter().filter_map(|item| item.created_at).max();
        let ids = page.items.iter().map(|item| item.id.clone()).collect();
        state.newest = state.newest.max(newest).or(complete);
        let mut marks: Vec<MetaChange> = Vec::new();
        match complete {
            // Older messages are read with the histories.
            None => marks.push((COMPLETE, Some(mark(newest)))),
            Some(complete)
                if overlap::joins(&page.items, page.unreadable.len(), &state.earlier, complete) =>
            {
                if state.gap.is_none() && newest > Some(complete) {
                    marks.push((COMPLETE, Some(mark(newest))));
                }
            }
            Some(complete) => state.note_gap(complete),
        }
        // Without a mark nothing rings: this is the first reading.
        let ring_after = self.time_mark(RING_AFTER).await?;
        if ring_after.is_none() {
            marks.push((RING_AFTER, Some(mark(newest))));
        }
        let applied = self.store.apply_messages(self.id(), page.items, platform.clone(), marks).await?;
        // Set only now: an answer that was not stored proves nothing.
        state.earlier = ids;
        self.tell_messages(&applied, ring_after);
        Ok(())
    }

    /// Walks down a few pages of inbound messages towards known ones.
    async fn close_gap(&self, state: &mut TriggerState, platform: &Platform) -> Result<Pulled, PullError> {
        let now = self.clock.now();
        let Some(gap) = state.gap.as_mut() else {
            return Ok(Pulled::Done);
        };
        if gap.rest_until.is_some_and(|rest_until| now < rest_until && rest_until.since(now) <= REST) {
            return Ok(Pulled::Done);
        }
        gap.rest_until = None;
        for _ in 0..PAGES {
            let page = match self.client.inbound(gap.walk.cursor()).await {
                // The cursor has expired: the walk starts again.
                Err(ReadError::Rejected(_)) if gap.walk.cursor().is_some() => {
                    self.give_up(state).await?;
                    return Ok(Pulled::Done);
                }
                page => page?,
            };
            let times: Vec<_> = page.items.iter().map(|item| item.created_at).collect();
            let ring_after = self.time_mark(RING_AFTER).await?;
            let applied =
                self.store.apply_messages(self.id(), page.items, platform.clone(), Vec::new()).await?;
            self.tell_messages(&applied, ring_after);
            let facts: Vec<_> = applied.known.iter().copied().zip(times).collect();
            match gap.walk.take(&facts, page.next_cursor.as_deref()) {
                Backfilled::Next(_) => {}
                Backfilled::Complete => {
                    self.gap_closed(state).await?;
                    return Ok(if state.gap.is_some() { Pulled::Later(0) } else { Pulled::Done });
                }
                Backfilled::Incomplete => {
                    tracing::warn!(channel = %self.id(), "the server's cursors lead nowhere");
                    self.give_up(state).await?;
                    let words = "not all new messages could be read; they are asked for again in a minute";
                    self.tell(News::Notice(self.id().clone(), None, SafeText::line(words)));
                    return Ok(Pulled::Done);
                }
            }
        }
        Ok(Pulled::Later(0))
    }

    async fn gap_closed(&self, state: &mut TriggerState) -> Result<(), PullError> {
        let Some(gap) = state.gap.take() else {
            return Ok(());
        };
        let until = if gap.again { gap.newest } else { state.newest };
        self.store.set_meta(self.id(), vec![(COMPLETE, Some(mark(until)))]).await?;
        if gap.again {
            state.note_gap(until.unwrap_or_default());
        }
        Ok(())
    }

    /// Pauses and restarts the walk; the mark is unchanged.
    async fn give_up(&self, state: &mut TriggerState) -> Result<(), PullError> {
        let complete = self.time_mark(COMPLETE).await?.unwrap_or_default();
        state.gap = None;
        state.note_gap(complete);
        if let Some(gap) = state.gap.as_mut() {
            gap.rest_until = Some(self.clock.now().plus(REST));
        }
        Ok(())
    }

    /// Announces changed messages; new ones from customers ring unless they predate the first reading or
    /// were announced before.
    pub(crate) fn tell_messages(&self, applied: &AppliedMessages, ring_after: Option<Timestamp>) {
        self.tell_messages_beside(applied, ring_after, &HashSet::new());
    }

    /// As [`tell_messages`](Self::tell_messages); messages in `quiet` never ring.
    pub(crate) fn tell_messages_beside(
        &self,
        applied: &AppliedMessages,
        ring_after: Option<Timestamp>,
        quiet: &HashSet<MessageId>,
    ) {
        for conversation in &applied.touched {
            self.tell(News::History(self.id().clone(), conversation.clone()));
        }
        if !applied.touched.is_empty() {
            self.tell(News::Conversations(self.id().clone()));
        }
        let now = self.clock.now();
        self.state(|SyncState { details, .. }| {
            applied.inserted.iter().for_each(|inserted| details.want(&inserted.conversation, now));
        });
        let Some(ring_after) = ring_after else {
            return;
        };
        let new = applied.inserted.iter().filter(|inserted| {
            let is_new = !inserted.is_back && inserted.created_at.is_some_and(|at| at > ring_after);
            inserted.direction == Direction::Inbound && is_new && !quiet.contains(&inserted.id)
        });
        let ringing: BTreeSet<_> = new.map(|inserted| inserted.conversation.clone()).collect();
        for conversation in ringing {
            self.tell(News::Inbound(self.id().clone(), conversation));
        }
    }
}

impl TriggerState {
    fn note_gap(&mut self, complete_until: Timestamp) {
        match self.gap.as_mut() {
            Some(gap) => gap.again = true,
            None => {
                let walk = Backfill::new(complete_until);
                self.gap = Some(Gap { walk, newest: self.newest, again: false, rest_until: None });
            }
        }
    }
}

/// A timestamp as a mark; zero if `None`.
pub(crate) fn mark(time: Option<Timestamp>) -> String {
    time.unwrap_or_default().micros().to_string()
}
