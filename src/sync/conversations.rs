//! Pulls the list of conversations (`listConversations`, `listTelegramConversations`,
//! `listVoipConversations`): its top down to the last reading, the rest in portions on a new installation,
//! histories that lag behind, and AI states.

use std::collections::HashMap;

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, PullOutcome, defer_rate_limited};
use crate::trigger::{RING_AFTER_MARK, time_to_mark};
use crate::walk::{CursorStep, ListWalk, ListWalkStep, WalkCursors};
use client::{Client, ListPage, ReadError};
use model::account::Platform;
use model::conversations::Conversation;
use model::ids::ConversationId;
use model::news::News;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp};
use store::Snapshot;
use store::meta::MetaChange;
pub(crate) use store::meta::{LIST_REMAINING_MARK as REST, LIST_SINCE_MARK as SINCE};

/// Mark: newest activity at the last complete sweep.
const SWEPT_UNTIL_MARK: &str = "list_swept";
/// Mark: oldest activity above the unread rest of the list. Absent if unknown.
pub(crate) const REMAINING_FROM_MARK: &str = "list_rest_at";
/// Pages of the top read in one step.
const MAX_TOP_PAGES: u32 = 4;
/// Pages of the rest read in one step.
const REMAINING_PAGES_PER_STEP: u32 = 2;
const HISTORIES_PER_STEP: u32 = 5;
/// Share of the read budget, in percent, above which only the top is read: people and customers wait for
/// it.
pub(crate) const MAX_BULK_BUDGET_PERCENT: u8 = 50;
const MAX_REMAINING_PAGES: u32 = 10_000;
/// Pause after a failed history or a broken cursor, in microseconds.
const RETRY_DELAY: i64 = 5 * MINUTE;
/// Maximum number of failed histories remembered.
const MAX_SKIPPED_HISTORIES: usize = 200;
/// Readings of a history that end before the list's activity time, after which that activity is taken for
/// something other than a message.
const MAX_SHORT_READINGS: u8 = 3;

/// Parts of what is read beside the top of the list, in their order. Each step begins where the last one stopped, so
/// that none of them waits for the end of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum BulkPart {
    #[default]
    Histories,
    /// AI states.
    Details,
    /// The list below its top.
    Remaining,
}

impl BulkPart {
    const COUNT: usize = 3;

    fn next(self) -> Self {
        match self {
            Self::Histories => Self::Details,
            Self::Details => Self::Remaining,
            Self::Remaining => Self::Histories,
        }
    }
}

#[derive(Debug, Default)]
pub struct ListState {
    top: Option<ListWalk>,
    sweep: Option<ListWalk>,
    remaining: Option<WalkCursors>,
    remaining_retry_at: Option<Timestamp>,
    /// Part of the bulk that is read next.
    next_part: BulkPart,
    /// True after one list that named none of the stored conversations.
    may_be_emptied: bool,
    /// Histories that failed, with the time of the failure.
    failed: HashMap<ConversationId, Timestamp>,
    /// Number of readings of histories that ended before the list's activity time.
    lagging: HashMap<ConversationId, u8>,
}

impl ChannelSync {
    /// Reads the top of the list and a portion of the rest.
    pub async fn pull_conversations(&self, state: &mut ListState) -> PullOutcome {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(PullOutcome::Skipped);
            };
            if !self.read_top(state, &platform).await? {
                return Ok(PullOutcome::More);
            }
            defer_rate_limited(self.read_bulk(state, &platform).await)
        })
        .await
    }

    /// Reads a portion of the rest without reading the top again.
    pub async fn pull_backlog(&self, state: &mut ListState) -> PullOutcome {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(PullOutcome::Skipped);
            };
            defer_rate_limited(self.read_bulk(state, &platform).await)
        })
        .await
    }

    /// Reads the list from its top to well below the last sweep, to find late changes and those made
    /// while no process ran.
    pub async fn sweep_conversations(&self, state: &mut ListState) -> PullOutcome {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(PullOutcome::Skipped);
            };
            let since = self.time_mark(SINCE).await?;
            let Some(swept) = self.time_mark(SWEPT_UNTIL_MARK).await?.or(since) else {
                // The first reading of a new installation serves as its sweep.
                return Ok(PullOutcome::Done);
            };
            for _ in 0..MAX_TOP_PAGES {
                let walk = state.sweep.get_or_insert_with(|| ListWalk::sweep(swept));
                let snapshot = self.store.snapshot();
                let page = match self.client.conversations(&platform, walk.cursor()).await {
                    Err(ReadError::Rejected(_)) if walk.cursor().is_some() => {
                        state.sweep = None;
                        return Ok(PullOutcome::More);
                    }
                    page => page?,
                };
                let times: Vec<_> = page.items.iter().map(|item| item.last_message_at).collect();
                let step = walk.add_page(&times, page.next_cursor.as_deref());
                let mut marks: Vec<MetaChange> = Vec::new();
                if let ListWalkStep::Complete(newest) = step {
                    marks.push((SWEPT_UNTIL_MARK, Some(time_to_mark(Some(newest.max(swept))))));
                    marks.push((SINCE, Some(time_to_mark(since.max(Some(newest))))));
                }
                self.apply_page(page, snapshot, false, marks).await?;
                if step != ListWalkStep::Next {
                    state.sweep = None;
                    return Ok(if step == ListWalkStep::Incomplete {
                        PullOutcome::More
                    } else {
                        PullOutcome::Done
                    });
                }
            }
            Ok(PullOutcome::More)
        })
        .await
    }

    /// Reads a portion of the rest while the read budget is mostly free. Stops after the request in progress when new
    /// messages are due.
    async fn read_bulk(&self, state: &mut ListState, platform: &Platform) -> Result<PullOutcome, PullError> {
        if self.client.budget_used_percent() >= MAX_BULK_BUDGET_PERCENT {
            return Ok(PullOutcome::Later(0));
        }
        let mut is_more_left = false;
        for _ in 0..BulkPart::COUNT {
            let part = state.next_part;
            state.next_part = part.next();
            is_more_left |= match part {
                BulkPart::Histories => self.read_lagging_histories(state, platform).await?,
                BulkPart::Details => {
                    if platform.can_take_over() {
                        self.read_unknown_details(&self.client).await?;
                    }
                    false
                }
                BulkPart::Remaining => self.read_remaining(state, platform).await?,
            };
            if self.are_messages_due() {
                return Ok(PullOutcome::Later(0));
            }
        }
        Ok(if is_more_left { PullOutcome::Later(0) } else { PullOutcome::Done })
    }

    /// Reads the top of the list. Returns true once it is complete.
    pub(crate) async fn read_top(
        &self,
        state: &mut ListState,
        platform: &Platform,
    ) -> Result<bool, PullError> {
        let since = self.time_mark(SINCE).await?;
        for _ in 0..MAX_TOP_PAGES {
            let client =
                if state.top.is_none() { self.client.skipping_unchanged() } else { self.client.clone() };
            let walk = state.top.get_or_insert_with(|| ListWalk::since_last(since));
            let snapshot = self.store.snapshot();
            let page = match client.conversations(platform, walk.cursor()).await {
                // Unchanged since the walk that ended on this page.
                Err(ReadError::Same) => {
                    state.top = None;
                    // The list applied last names stored conversations.
                    if std::mem::take(&mut state.may_be_emptied) {
                        self.clear_emptied_mark().await?;
                    }
                    return Ok(true);
                }
                // The cursor has expired: start again.
                Err(ReadError::Rejected(_)) if walk.cursor().is_some() => {
                    state.top = None;
                    return Ok(false);
                }
                page => page?,
            };
            let times: Vec<_> = page.items.iter().map(|item| item.last_message_at).collect();
            let is_whole = walk.cursor().is_none() && page.next_cursor.is_none();
            let step = walk.add_page(&times, page.next_cursor.as_deref());
            state.may_be_emptied = is_whole && self.seems_emptied(platform, &page).await?;
            let mut marks: Vec<MetaChange> = Vec::new();
            if let ListWalkStep::Complete(newest) = step {
                // Activity seen once counts even after its row is gone.
                let newest = since.map_or(newest, |time| time.max(newest));
                marks.push((SINCE, Some(time_to_mark(Some(newest)))));
                if since.is_none() {
                    marks.push((REST, page.next_cursor.clone()));
                    marks.push((REMAINING_FROM_MARK, oldest_activity_mark(&page.items)));
                    if self.time_mark(RING_AFTER_MARK).await?.is_none() {
                        marks.push((RING_AFTER_MARK, Some(time_to_mark(Some(newest)))));
                    }
                }
            }
            let held_back = self.apply_page(page, snapshot, since.is_none(), marks).await?;
            if step != ListWalkStep::Next {
                // Complete or given up, the next pass starts at the top.
                state.top = None;
                // A doubtful answer must be delivered again even if unchanged.
                if held_back == 0 && !state.may_be_emptied && matches!(step, ListWalkStep::Complete(_)) {
                    client.record_applied();
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Continues the first walk of a new installation. Returns true if more is left.
    pub(crate) async fn read_remaining(
        &self,
        state: &mut ListState,
        platform: &Platform,
    ) -> Result<bool, PullError> {
        let now = self.clock.now();
        if state
            .remaining_retry_at
            .is_some_and(|rest_left_alone| (0..RETRY_DELAY).contains(&now.since(rest_left_alone)))
        {
            return Ok(false);
        }
        for index in 0..REMAINING_PAGES_PER_STEP {
            if index > 0 && self.are_messages_due() {
                return Ok(true);
            }
            let Some(cursor) = self.store.meta(self.id(), REST).await? else {
                state.remaining = None;
                return Ok(false);
            };
            let cursor = Some(cursor).filter(|text| !text.is_empty());
            let snapshot = self.store.snapshot();
            let page = match self.client.conversations(platform, cursor.as_deref()).await {
                Err(ReadError::Rejected(_)) if cursor.is_some() => {
                    return self.restart_remaining(state).await;
                }
                page => page?,
            };
            let cursors = state.remaining.get_or_insert_with(|| WalkCursors::new(MAX_REMAINING_PAGES));
            let next = match cursors.follow(page.items.len(), page.next_cursor.as_deref()) {
                CursorStep::Next(next) if Some(&next) != cursor.as_ref() => Some(next),
                CursorStep::Next(_) if page.items.is_empty() => None,
                CursorStep::End => None,
                CursorStep::Next(_) | CursorStep::Broken(_) => {
                    self.apply_page(page, snapshot, true, Vec::new()).await?;
                    return self.restart_remaining(state).await;
                }
            };
            let mut marks = vec![(REST, next)];
            // A page without a time leaves it where it was: less far.
            marks.extend(oldest_activity_mark(&page.items).map(|lowest| (REMAINING_FROM_MARK, Some(lowest))));
            self.apply_page(page, snapshot, true, marks).await?;
        }
        Ok(self.store.meta(self.id(), REST).await?.is_some())
    }

    /// Restarts the walk from the top after a pause because its cursor is unusable.
    async fn restart_remaining(&self, state: &mut ListState) -> Result<bool, PullError> {
        tracing::warn!(channel = %self.id(), "the server's cursors repeat; the list is read again");
        let words = "the list of conversations is incomplete because the server repeats a page; next try \
                     in five minutes";
        self.publish(News::Notice(self.id().clone(), None, SafeText::line(words)));
        state.remaining = None;
        state.remaining_retry_at = Some(self.clock.now());
        self.store
            .set_meta(self.id(), vec![(REST, Some(String::new())), (REMAINING_FROM_MARK, None)])
            .await?;
        Ok(false)
    }

    /// Stores a page. Returns the number of rows held back because they crossed a local change.
    async fn apply_page(
        &self,
        page: ListPage<Conversation>,
        snapshot: Snapshot,
        baseline: bool,
        marks: Vec<MetaChange>,
    ) -> Result<usize, PullError> {
        let switches = self.with_state(|sync_state| {
            sync_state.lists_applied += 1;
            sync_state.switches
        });
        let store = &self.store;
        let mut page = page;
        // A stand-in for an unreadable row goes once every row has been listed.
        let is_last = page.next_cursor.is_none();
        let covered = store.remove_stand_ins(self.id(), &page.items, is_last).await?;
        let beside = covered | self.store_threads(&mut page.items, None, snapshot).await?;
        let is_phone = self.platform().await? == Some(Platform::Voip);
        let listed = if is_phone { page.items.clone() } else { Vec::new() };
        let applied = store.apply_conversations(self.id(), page.items, snapshot, baseline, marks).await?;
        self.apply_switches(&applied.switched, switches).await?;
        if is_phone {
            self.read_phone_entries(listed, applied.has_changes()).await?;
        }
        // A first list is news even if it is empty.
        if applied.has_changes() || beside || baseline {
            self.publish(News::Conversations(self.id().clone()));
        }
        Ok(applied.superseded)
    }

    /// Keeps the newest call or text of each number and, if the list changed, reads what customers wrote
    /// or said.
    async fn read_phone_entries(&self, listed: Vec<Conversation>, changed: bool) -> Result<(), PullError> {
        self.store.record_phone_list(self.id(), listed).await?;
        let is_due = self.with_state(|state| {
            state.phone_messages_due |= changed;
            state.phone_messages_due
        });
        if !is_due {
            return Ok(());
        }
        // Not every key may read the trigger; the list alone contains less.
        let Ok(page) = self.client.new_messages().await else { return Ok(()) };
        self.with_state(|state| state.phone_messages_due = false);
        for conversation in self.store.record_phone_messages(self.id(), page.items).await? {
            self.publish(News::History(self.id().clone(), conversation));
        }
        Ok(())
    }

    /// Reads the first page of some histories that lag behind the list. Returns true if more are left. A
    /// failing history does not delay the others.
    async fn read_lagging_histories(
        &self,
        state: &mut ListState,
        platform: &Platform,
    ) -> Result<bool, PullError> {
        if !self.may_read(PolledResource::History) || !platform.has_histories() {
            return Ok(false);
        }
        let now = self.clock.now();
        state.failed.retain(|_, at| (0..RETRY_DELAY).contains(&now.since(*at)));
        let skipped = u32::try_from(state.failed.len()).unwrap_or(u32::MAX);
        let behind = self
            .store
            .lagging_conversations(self.id(), HISTORIES_PER_STEP.saturating_add(skipped).saturating_add(1))
            .await?;
        let mut behind = behind
            .into_iter()
            .filter(|conversation_id| !state.failed.contains_key(conversation_id))
            .collect::<Vec<_>>();
        let at_once = usize::try_from(HISTORIES_PER_STEP).unwrap_or(1);
        let left = behind.len() > at_once;
        behind.truncate(at_once);
        self.read_histories(&self.client, state, platform, (behind, left)).await
    }

    /// Reads the first page of the given histories. Returns true if more are left, of these or others.
    pub(crate) async fn read_histories(
        &self,
        client: &Client,
        state: &mut ListState,
        platform: &Platform,
        (behind, left): (Vec<ConversationId>, bool),
    ) -> Result<bool, PullError> {
        let now = self.clock.now();
        for (index, conversation) in behind.into_iter().enumerate() {
            if index > 0 && self.are_messages_due() {
                return Ok(true);
            }
            // Readers that hold or wait for a turn act for a person and go first.
            let Some(turn) = self.try_begin_history() else {
                return Ok(true);
            };
            let read = self.read_history(&turn, client, platform, &conversation).await;
            drop(turn);
            match read {
                Err(PullError::Read(
                    error @ (ReadError::Trouble(_) | ReadError::NoSuchPath(_) | ReadError::Rejected(_)),
                )) => {
                    state.skip_history(conversation, now);
                    self.read_failed(PolledResource::History, error);
                }
                Err(PullError::Read(error @ ReadError::Forbidden(_))) => {
                    self.read_failed(PolledResource::History, error);
                    return Ok(false);
                }
                read => {
                    if read? {
                        self.record_lagging(state, conversation, now).await?;
                    } else {
                        state.lagging.remove(&conversation);
                    }
                    self.read_succeeded(PolledResource::History);
                }
            }
        }
        Ok(left)
    }

    /// Counts a reading that ended before the list's activity time; after [`MAX_SHORT_READINGS`] the history is
    /// accepted as it is.
    async fn record_lagging(
        &self,
        state: &mut ListState,
        conversation: ConversationId,
        now: Timestamp,
    ) -> Result<(), PullError> {
        let readings = state.lagging.get(&conversation).map_or(1, |byte| byte + 1);
        if readings < MAX_SHORT_READINGS && state.lagging.len() < MAX_SKIPPED_HISTORIES {
            state.lagging.insert(conversation.clone(), readings);
            state.skip_history(conversation, now);
        } else {
            state.lagging.remove(&conversation);
            self.store.mark_history_caught_up(self.id(), &conversation).await?;
        }
        Ok(())
    }
}

/// Oldest activity on a page, as a mark.
fn oldest_activity_mark(rows: &[Conversation]) -> Option<String> {
    rows.iter().filter_map(|row| row.last_message_at).min().map(|entry| time_to_mark(Some(entry)))
}

impl ListState {
    fn skip_history(&mut self, conversation: ConversationId, now: Timestamp) {
        if self.failed.len() >= MAX_SKIPPED_HISTORIES {
            self.failed.clear();
        }
        self.failed.insert(conversation, now);
    }
}
