//! Pulls the list of conversations (`listConversations`, `listTelegramConversations`,
//! `listVoipConversations`): its top down to the last reading, the rest in portions on a new installation,
//! histories that lag behind, and AI states.

use std::collections::HashMap;

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::{PullError, Pulled, or_later};
use crate::trigger::{RING_AFTER, mark};
use crate::walk::{Followed, ListWalk, Listing, WalkCursors};
use client::{Client, Listed, ReadError};
use model::account::Platform;
use model::conversations::Conversation;
use model::ids::ConversationId;
use model::news::News;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp};
use store::Snapshot;
use store::meta::MetaChange;
pub(crate) use store::meta::{LIST_REST as REST, LIST_SINCE as SINCE};

/// Mark: newest activity at the last complete sweep.
const SWEPT: &str = "list_swept";
/// Mark: oldest activity above the unread rest of the list. Absent if unknown.
pub(crate) const REST_AT: &str = "list_rest_at";
/// Pages of the top read in one step.
const TOP_PAGES: u32 = 4;
/// Pages of the rest read in one step.
const REST_PAGES: u32 = 2;
/// Histories read in one step.
const HISTORIES: u32 = 5;
/// Share of the read budget, in percent, above which only the top is read: people and customers wait for
/// it.
pub(crate) const BULK: u8 = 50;
/// Maximum pages of the rest.
const ALL_PAGES: u32 = 10_000;
/// Pause after a failed history or a broken cursor, in microseconds.
const LEFT_ALONE: i64 = 5 * MINUTE;
/// Maximum number of failed histories remembered.
const REMEMBERED: usize = 200;
/// Readings of a history that end before the list's activity time, after which that activity is taken for
/// something other than a message.
const READINGS: u8 = 3;

/// State kept between two steps.
#[derive(Debug, Default)]
pub struct ListState {
    top: Option<ListWalk>,
    sweep: Option<ListWalk>,
    rest: Option<WalkCursors>,
    rest_left_alone: Option<Timestamp>,
    /// True after one list that named none of the stored conversations.
    is_doubtful: bool,
    /// Histories that failed, with the time of the failure.
    failed: HashMap<ConversationId, Timestamp>,
    /// Number of readings of histories that ended before the list's activity time.
    lagging: HashMap<ConversationId, u8>,
}

impl ChannelSync {
    /// Reads the top of the list and a portion of the rest.
    pub async fn pull_conversations(&self, state: &mut ListState) -> Pulled {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(Pulled::Skipped);
            };
            if !self.read_top(state, &platform).await? {
                return Ok(Pulled::More);
            }
            or_later(self.read_bulk(state, &platform).await)
        })
        .await
    }

    /// Reads a portion of the rest without reading the top again.
    pub async fn pull_behind(&self, state: &mut ListState) -> Pulled {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(Pulled::Skipped);
            };
            or_later(self.read_bulk(state, &platform).await)
        })
        .await
    }

    /// Reads the list from its top to well below the last sweep, to find late changes and those made
    /// while no process ran.
    pub async fn sweep_conversations(&self, state: &mut ListState) -> Pulled {
        self.reporting(PolledResource::List, async {
            let Some(platform) = self.may_ask(PolledResource::List).await? else {
                return Ok(Pulled::Skipped);
            };
            let since = self.time_mark(SINCE).await?;
            let Some(swept) = self.time_mark(SWEPT).await?.or(since) else {
                // The first reading of a new installation serves as its sweep.
                return Ok(Pulled::Done);
            };
            for _ in 0..TOP_PAGES {
                let walk = state.sweep.get_or_insert_with(|| ListWalk::sweep(swept));
                let snapshot = self.store.snapshot();
                let page = match self.client.conversations(&platform, walk.cursor()).await {
                    Err(ReadError::Rejected(_)) if walk.cursor().is_some() => {
                        state.sweep = None;
                        return Ok(Pulled::More);
                    }
                    page => page?,
                };
                let times: Vec<_> = page.items.iter().map(|item| item.last_message_at).collect();
                let step = walk.take(&times, page.next_cursor.as_deref());
                let mut marks: Vec<MetaChange> = Vec::new();
                if let Listing::Complete(newest) = step {
                    marks.push((SWEPT, Some(mark(Some(newest.max(swept))))));
                    marks.push((SINCE, Some(mark(since.max(Some(newest))))));
                }
                self.keep_page(page, snapshot, false, marks).await?;
                if step != Listing::Next {
                    state.sweep = None;
                    return Ok(if step == Listing::Incomplete { Pulled::More } else { Pulled::Done });
                }
            }
            Ok(Pulled::More)
        })
        .await
    }

    /// Reads a portion of the rest while the read budget is mostly free.
    async fn read_bulk(&self, state: &mut ListState, platform: &Platform) -> Result<Pulled, PullError> {
        if self.client.budget_used() >= BULK {
            return Ok(Pulled::Later(0));
        }
        let histories_left = self.read_behind(state, platform).await?;
        if platform.can_take_over() {
            self.read_unknown_details(&self.client).await?;
        }
        let rest_left = self.read_rest(state, platform).await?;
        Ok(if histories_left || rest_left { Pulled::Later(0) } else { Pulled::Done })
    }

    /// Reads the top of the list. Returns true once it is complete.
    pub(crate) async fn read_top(
        &self,
        state: &mut ListState,
        platform: &Platform,
    ) -> Result<bool, PullError> {
        let since = self.time_mark(SINCE).await?;
        for _ in 0..TOP_PAGES {
            let client = if state.top.is_none() { self.client.unless_same() } else { self.client.clone() };
            let walk = state.top.get_or_insert_with(|| ListWalk::look(since));
            let snapshot = self.store.snapshot();
            let page = match client.conversations(platform, walk.cursor()).await {
                // Unchanged since the walk that ended on this page.
                Err(ReadError::Same) => {
                    state.top = None;
                    // The list applied last names stored conversations.
                    if std::mem::take(&mut state.is_doubtful) {
                        self.forget_emptied().await?;
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
            let step = walk.take(&times, page.next_cursor.as_deref());
            state.is_doubtful = is_whole && self.seems_emptied(platform, &page).await?;
            let mut marks: Vec<MetaChange> = Vec::new();
            if let Listing::Complete(newest) = step {
                // Activity seen once counts even after its row is gone.
                let newest = since.map_or(newest, |time| time.max(newest));
                marks.push((SINCE, Some(mark(Some(newest)))));
                if since.is_none() {
                    marks.push((REST, page.next_cursor.clone()));
                    marks.push((REST_AT, lowest(&page.items)));
                    if self.time_mark(RING_AFTER).await?.is_none() {
                        marks.push((RING_AFTER, Some(mark(Some(newest)))));
                    }
                }
            }
            let held_back = self.keep_page(page, snapshot, since.is_none(), marks).await?;
            if step != Listing::Next {
                // Complete or given up, the next pass starts at the top.
                state.top = None;
                // A doubtful answer must be delivered again even if unchanged.
                if held_back == 0 && !state.is_doubtful && matches!(step, Listing::Complete(_)) {
                    client.note_applied();
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Continues the first walk of a new installation. Returns true if more is left.
    pub(crate) async fn read_rest(
        &self,
        state: &mut ListState,
        platform: &Platform,
    ) -> Result<bool, PullError> {
        let now = self.clock.now();
        if state
            .rest_left_alone
            .is_some_and(|rest_left_alone| (0..LEFT_ALONE).contains(&now.since(rest_left_alone)))
        {
            return Ok(false);
        }
        for _ in 0..REST_PAGES {
            let Some(cursor) = self.store.meta(self.id(), REST).await? else {
                state.rest = None;
                return Ok(false);
            };
            let cursor = Some(cursor).filter(|text| !text.is_empty());
            let snapshot = self.store.snapshot();
            let page = match self.client.conversations(platform, cursor.as_deref()).await {
                Err(ReadError::Rejected(_)) if cursor.is_some() => {
                    return self.leave_rest_alone(state).await;
                }
                page => page?,
            };
            let cursors = state.rest.get_or_insert_with(|| WalkCursors::new(ALL_PAGES));
            let next = match cursors.follow(page.items.len(), page.next_cursor.as_deref()) {
                Followed::Next(next) if Some(&next) != cursor.as_ref() => Some(next),
                Followed::Next(_) if page.items.is_empty() => None,
                Followed::End => None,
                Followed::Next(_) | Followed::Broken(_) => {
                    self.keep_page(page, snapshot, true, Vec::new()).await?;
                    return self.leave_rest_alone(state).await;
                }
            };
            let mut marks = vec![(REST, next)];
            // A page without a time leaves it where it was: less far.
            marks.extend(lowest(&page.items).map(|lowest| (REST_AT, Some(lowest))));
            self.keep_page(page, snapshot, true, marks).await?;
        }
        Ok(self.store.meta(self.id(), REST).await?.is_some())
    }

    /// Restarts the walk from the top after a pause because its cursor is unusable.
    async fn leave_rest_alone(&self, state: &mut ListState) -> Result<bool, PullError> {
        tracing::warn!(channel = %self.id(), "the list's cursors lead nowhere");
        let words = "the list of conversations breaks off: the server's cursors lead nowhere; it is read again in five minutes";
        self.tell(News::Notice(self.id().clone(), None, SafeText::line(words)));
        state.rest = None;
        state.rest_left_alone = Some(self.clock.now());
        self.store.set_meta(self.id(), vec![(REST, Some(String::new())), (REST_AT, None)]).await?;
        Ok(false)
    }

    /// Stores a page. Returns the number of rows held back because they crossed a local change.
    async fn keep_page(
        &self,
        page: Listed<Conversation>,
        snapshot: Snapshot,
        baseline: bool,
        marks: Vec<MetaChange>,
    ) -> Result<usize, PullError> {
        let switches = self.state(|sync_state| {
            sync_state.lists_applied += 1;
            sync_state.switches
        });
        let store = &self.store;
        let mut page = page;
        // A stand-in for an unreadable row goes once every row has been listed.
        let is_last = page.next_cursor.is_none();
        let covered = store.forget_stand_ins(self.id(), &page.items, is_last).await?;
        let beside = covered | self.keep_threads(&mut page.items, None, snapshot).await?;
        let applied = store.apply_conversations(self.id(), page.items, snapshot, baseline, marks).await?;
        self.heard_switches(&applied.switched, switches).await?;
        if applied.is_news() || beside {
            self.tell(News::Conversations(self.id().clone()));
        }
        Ok(applied.held_back)
    }

    /// Reads the first page of some histories that lag behind the list. Returns true if more are left. A
    /// failing history does not delay the others.
    async fn read_behind(&self, state: &mut ListState, platform: &Platform) -> Result<bool, PullError> {
        if !self.may_read(PolledResource::History) || !platform.has_histories() {
            return Ok(false);
        }
        let now = self.clock.now();
        state.failed.retain(|_, at| (0..LEFT_ALONE).contains(&now.since(*at)));
        let skipped = u32::try_from(state.failed.len()).unwrap_or(u32::MAX);
        let behind =
            self.store.behind(self.id(), HISTORIES.saturating_add(skipped).saturating_add(1)).await?;
        let mut behind = behind
            .into_iter()
            .filter(|conversation_id| !state.failed.contains_key(conversation_id))
            .collect::<Vec<_>>();
        let at_once = usize::try_from(HISTORIES).unwrap_or(1);
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
        for conversation in behind {
            // Readers that hold or wait for a turn act for a person and go first.
            let Some(turn) = self.history_turn_now() else {
                return Ok(true);
            };
            let read = self.read_history(&turn, client, platform, &conversation).await;
            drop(turn);
            match read {
                Err(PullError::Read(
                    error @ (ReadError::Trouble(_) | ReadError::NoSuchPath(_) | ReadError::Rejected(_)),
                )) => {
                    state.leave_alone(conversation, now);
                    self.read_failed(PolledResource::History, error);
                }
                Err(PullError::Read(error @ ReadError::Forbidden(_))) => {
                    self.read_failed(PolledResource::History, error);
                    return Ok(false);
                }
                read => {
                    if read? {
                        self.note_lagging(state, conversation, now).await?;
                    } else {
                        state.lagging.remove(&conversation);
                    }
                    self.read_succeeded(PolledResource::History);
                }
            }
        }
        Ok(left)
    }

    /// Counts a reading that ended before the list's activity time; after [`READINGS`] the history is
    /// accepted as it is.
    async fn note_lagging(
        &self,
        state: &mut ListState,
        conversation: ConversationId,
        now: Timestamp,
    ) -> Result<(), PullError> {
        let readings = state.lagging.get(&conversation).map_or(1, |byte| byte + 1);
        if readings < READINGS && state.lagging.len() < REMEMBERED {
            state.lagging.insert(conversation.clone(), readings);
            state.leave_alone(conversation, now);
        } else {
            state.lagging.remove(&conversation);
            self.store.mark_caught_up(self.id(), &conversation).await?;
        }
        Ok(())
    }
}

/// Oldest activity on a page, as a mark.
fn lowest(rows: &[Conversation]) -> Option<String> {
    rows.iter().filter_map(|row| row.last_message_at).min().map(|entry| mark(Some(entry)))
}

impl ListState {
    fn leave_alone(&mut self, conversation: ConversationId, now: Timestamp) {
        if self.failed.len() >= REMEMBERED {
            self.failed.clear();
        }
        self.failed.insert(conversation, now);
    }
}
