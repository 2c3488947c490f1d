//! Pulls one conversation's history (`listConversationMessages`, `listTelegramMessages`): the newest
//! messages down to the last reading, older ones on request, and one message for its page (`getMessage`).

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::histories::HistoryTicket;
use crate::report::{PullError, PullOutcome};
use crate::trigger::RING_AFTER_MARK;
use crate::walk::{CursorStep, WalkCursors};
use client::{Client, ReadError};
use model::account::Platform;
use model::fetches::FetchResult;
use model::ids::{ConversationId, MessageId};
use model::messages::{HistoryPosition, Message};
use model::news::News;
use model::text::SafeText;
use store::StoreError;
use store::history::{HistoryProgress, HistoryState};

/// Pages read before a history is treated as new; messages behind them are read on request.
const MAX_PAGES: u32 = 10;

impl ChannelSync {
    /// Reads the newest messages of the open conversation and, at intervals, the conversation itself.
    pub async fn pull_history(&self, conversation: &ConversationId) -> PullOutcome {
        self.reporting(PolledResource::History, async {
            let Some(platform) = self.may_ask(PolledResource::History).await? else {
                return Ok(PullOutcome::Skipped);
            };
            let turn = self.wait_for_history().await;
            let client = self.client.for_person().skipping_unchanged();
            self.read_history(&turn, &client, &platform, conversation).await?;
            drop(turn);
            self.read_open_detail(conversation).await?;
            self.read_open_contact(conversation).await?;
            Ok(PullOutcome::Done)
        })
        .await
    }

    /// Reads one page of messages older than the stored ones.
    pub async fn pull_older(&self, conversation: &ConversationId) -> PullOutcome {
        self.reporting(PolledResource::History, async {
            let Some(platform) = self.may_ask(PolledResource::History).await? else {
                return Ok(PullOutcome::Skipped);
            };
            let turn = self.wait_for_history().await;
            let client = self.client.for_person();
            let state = self.store.history_state(self.id(), conversation).await?.unwrap_or_default();
            let Some(cursor) = state.older_cursor else {
                if !state.reached_start {
                    self.read_history(&turn, &client, &platform, conversation).await?;
                }
                return Ok(PullOutcome::Done);
            };
            let page = match client.history(&platform, conversation, Some(&cursor)).await {
                Err(ReadError::Rejected(why)) => {
                    tracing::info!(channel = %self.id(), %why, "the server no longer accepts a cursor");
                    self.restart_history(&client, &platform, conversation).await?;
                    return Ok(PullOutcome::Done);
                }
                page => page?,
            };
            let step = if page.next_cursor.as_ref() == Some(&cursor) {
                let words = "the server repeats a page, so older messages cannot be read";
                let conversation = Some(conversation.clone());
                self.publish(News::Notice(self.id().clone(), conversation, SafeText::line(words)));
                HistoryProgress::Walking
            } else {
                HistoryProgress::Older { older_cursor: page.next_cursor }
            };
            let store = &self.store;
            let applied =
                store.apply_history(self.id(), conversation, page.items, platform, step, false).await?;
            self.publish_messages(&applied, None);
            // Announced even if empty: the start was reached.
            self.publish(News::History(self.id().clone(), conversation.clone()));
            Ok(PullOutcome::Done)
        })
        .await
    }

    /// Reads a history's newest messages. Returns true if it ends before the list's activity time. A
    /// conversation the server does not find is handled by [`crate::missing`].
    pub(crate) async fn read_history(
        &self,
        turn: &HistoryTicket<'_>,
        client: &Client,
        platform: &Platform,
        conversation: &ConversationId,
    ) -> Result<bool, PullError> {
        if conversation.is_stand_in() {
            self.store.mark_history_caught_up(self.id(), conversation).await?;
            return Ok(false);
        }
        let read = match platform {
            // A thread is read whole.
            Platform::Email => self.read_thread(turn, client, conversation).await.map(|()| false),
            _ => self.walk_history(client, platform, conversation).await,
        };
        match read {
            Err(PullError::Read(ReadError::NotFound(_))) => {
                self.decide_missing(platform, conversation).await?.into_result()?;
                Ok(false)
            }
            Err(error @ PullError::Read(ReadError::Rejected(_) | ReadError::Forbidden(_))) => {
                self.store.mark_history_caught_up(self.id(), conversation).await?;
                Err(error)
            }
            result => result,
        }
    }

    /// Removes a conversation the server no longer has.
    pub(crate) async fn remove_conversation(&self, conversation: &ConversationId) -> Result<(), StoreError> {
        self.store.remove_conversation(self.id(), conversation).await?;
        self.reset_seen_answers();
        self.publish(News::Conversations(self.id().clone()));
        self.publish(News::History(self.id().clone(), conversation.clone()));
        Ok(())
    }

    async fn walk_history(
        &self,
        client: &Client,
        platform: &Platform,
        conversation: &ConversationId,
    ) -> Result<bool, PullError> {
        let lists = self.with_state(|sync_state| sync_state.lists_applied);
        let state = self.store.history_state(self.id(), conversation).await?.unwrap_or_default();
        let ring_after = self.time_mark(RING_AFTER_MARK).await?;
        let mut cursors = WalkCursors::new(MAX_PAGES);
        let (mut newest, mut has_met) = (None, false);
        loop {
            // A later page may be unchanged without being the last.
            let asking = if cursors.pages() == 0 { client.clone() } else { client.accepting_unchanged() };
            let page = match asking.history(platform, conversation, cursors.current()).await {
                Err(ReadError::Same) => return Ok(false),
                page => page?,
            };
            newest = newest.or_else(|| position_of(page.items.first()));
            has_met |= is_joined(&page.items, &state);
            let holds_changes = reaches_changes(&page.items, &state);
            let followed = cursors.follow(page.items.len(), page.next_cursor.as_deref());
            let step = match followed {
                _ if has_met && holds_changes => HistoryProgress::Joined { newest: newest.clone() },
                CursorStep::End | CursorStep::Broken(_) if has_met => {
                    HistoryProgress::Joined { newest: newest.clone() }
                }
                CursorStep::Next(_) if state.read_until.is_some() || page.items.is_empty() => {
                    HistoryProgress::Walking
                }
                // The first reading ends at the first page with messages; so does one that came too far or
                // reached the end.
                CursorStep::Next(_) | CursorStep::End | CursorStep::Broken(_) => {
                    HistoryProgress::Anew { newest: newest.clone(), older_cursor: page.next_cursor }
                }
            };
            let more = step == HistoryProgress::Walking;
            let caught_up = self.with_state(|sync_state| sync_state.lists_applied) == lists;
            let applied = self
                .store
                .apply_history(self.id(), conversation, page.items, platform.clone(), step, caught_up)
                .await?;
            self.publish_messages(&applied, ring_after);
            if !more {
                client.record_applied();
                return Ok(applied.lags);
            }
        }
    }

    /// Drops messages older than the newest page, so that they can be read again with valid cursors.
    async fn restart_history(
        &self,
        client: &Client,
        platform: &Platform,
        conversation: &ConversationId,
    ) -> Result<(), PullError> {
        let page = client.history(platform, conversation, None).await?;
        let step =
            HistoryProgress::Anew { newest: position_of(page.items.first()), older_cursor: page.next_cursor };
        let ring_after = self.time_mark(RING_AFTER_MARK).await?;
        let store = &self.store;
        let applied =
            store.apply_history(self.id(), conversation, page.items, platform.clone(), step, false).await?;
        self.publish_messages(&applied, ring_after);
        self.publish(News::History(self.id().clone(), conversation.clone()));
        Ok(())
    }

    /// Reads one message and stores its changes.
    pub(crate) async fn read_message(&self, id: &MessageId) -> Result<FetchResult, PullError> {
        let platform = self.platform().await?.unwrap_or(Platform::Whatsapp);
        let message = self.client.for_person().message(id).await?;
        let applied =
            self.store.apply_messages(self.id(), vec![message.clone()], platform, Vec::new()).await?;
        self.publish_messages(&applied, None);
        Ok(FetchResult::Message(Box::new(message)))
    }
}

fn position_of(message: Option<&Message>) -> Option<HistoryPosition> {
    let message = message?;
    Some((message.created_at?, message.id.clone()))
}

/// True if a page holds the newest message of the last reading or an older one.
fn is_joined(page: &[Message], state: &HistoryState) -> bool {
    let Some((at, id)) = &state.read_until else {
        return false;
    };
    page.iter().any(|entry| entry.id == *id || entry.created_at.is_some_and(|created| created < *at))
}

/// True if a page reaches back to the oldest message changed since it was read.
fn reaches_changes(page: &[Message], state: &HistoryState) -> bool {
    let place = |message: &Message| message.sent_at.or(message.created_at);
    state.changed_from.is_none_or(|from| page.iter().filter_map(place).any(|at| at <= from))
}
