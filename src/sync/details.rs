//! Single reads of conversations: they tell what lists do not, the state of
//! the AI. A few per step. Interface: Endpoints, Conversations.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::PullError;
use client::{Client, ReadError};
use model::account::Platform;
use model::conversations::Automation;
use model::ids::ConversationId;
use model::news::News;
use model::outbox::Operation;
use model::time::{MINUTE, SECOND, Timestamp};

/// Single reads in one step.
const AT_ONCE: usize = 5;
/// Conversations looked at for one that needs reading.
const AMONG: u32 = 50;
/// A conversation whose reading told nothing is not read again before.
const REST: i64 = 10 * MINUTE;
/// The open conversation is read again after.
const OPEN: i64 = 15 * SECOND;
/// Conversations remembered at most.
const REMEMBERED: usize = 5000;

/// How long the AI is given to answer before it is looked at whether it
/// failed.
const PATIENCE: i64 = 4 * SECOND;

/// When which conversation was read alone.
#[derive(Debug, Default)]
pub(crate) struct DetailState {
    read_at: HashMap<ConversationId, Timestamp>,
}

/// Conversations in which something was said since they were read alone: the
/// AI may have failed there. A lock of its own, held for no longer than a
/// look.
#[derive(Debug, Default)]
pub(crate) struct DetailRequests(Mutex<HashMap<ConversationId, Timestamp>>);

impl DetailRequests {
    /// Something was said.
    pub(crate) fn note(&self, conversation: &ConversationId, now: Timestamp) {
        let mut wanted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted.len() < REMEMBERED {
            wanted.insert(conversation.clone(), now);
        }
    }

    /// It was read alone.
    fn settle(&self, conversation: &ConversationId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(conversation);
    }

    /// Those that have been quiet for long enough, longest first.
    fn due(&self, now: Timestamp) -> Vec<ConversationId> {
        let wanted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due: Vec<_> =
            wanted.iter().filter(|(_, at)| !(0..PATIENCE).contains(&now.since(**at))).collect();
        due.sort_by_key(|(id, at)| (**at, (*id).clone()));
        due.into_iter().map(|(id, _)| id.clone()).collect()
    }
}

impl DetailState {
    fn is_due(&self, conversation: &ConversationId, span: i64, now: Timestamp) -> bool {
        self.read_at.get(conversation).is_none_or(|at| !(0..span).contains(&now.since(*at)))
    }

    fn note(&mut self, conversation: &ConversationId, now: Timestamp) {
        if self.read_at.len() >= REMEMBERED {
            self.read_at.clear();
        }
        self.read_at.insert(conversation.clone(), now);
    }
}

impl ChannelSync {
    /// Reads conversations in which something was said.
    pub(crate) async fn read_wanted_details(&self, client: &Client) -> Result<(), PullError> {
        self.read_details(client, Vec::new()).await
    }

    /// Reads conversations in which something was said, and the newest whose
    /// AI state nothing has told yet.
    pub(crate) async fn read_unknown_details(&self, client: &Client) -> Result<(), PullError> {
        let unknown = self.store.undetailed(self.id(), AMONG).await?;
        self.read_details(client, unknown).await
    }

    /// Reads a conversation alone, unless that told nothing a while ago.
    pub(crate) async fn read_detail_once(
        &self,
        client: &Client,
        conversation: &ConversationId,
    ) -> Result<(), PullError> {
        if !self.may_read(PolledResource::Detail) {
            return Ok(());
        }
        let mut state = self.details.lock().await;
        if state.is_due(conversation, REST, self.clock.now()) {
            self.read_detail(client, &mut state, conversation).await?;
        }
        Ok(())
    }

    async fn read_details(&self, client: &Client, unknown: Vec<ConversationId>) -> Result<(), PullError> {
        if !self.may_read(PolledResource::Detail) {
            return Ok(());
        }
        let mut state = self.details.lock().await;
        let now = self.clock.now();
        let mut due = self.wanted.due(now);
        due.extend(unknown.into_iter().filter(|it| state.is_due(it, REST, now)));
        due.truncate(AT_ONCE);
        for conversation in due {
            self.read_detail(client, &mut state, &conversation).await?;
        }
        Ok(())
    }

    /// Reads the open conversation alone, if that was long enough ago.
    pub(crate) async fn read_open_detail(&self, conversation: &ConversationId) -> Result<(), PullError> {
        let platform = self.may_ask(PolledResource::Detail).await?;
        if !platform.as_ref().is_some_and(Platform::can_take_over) || conversation.is_stand_in() {
            return Ok(());
        }
        let mut state = self.details.lock().await;
        if state.is_due(conversation, OPEN, self.clock.now()) {
            let client = self.client.for_person().unless_same();
            self.read_detail(&client, &mut state, conversation).await?;
        }
        Ok(())
    }

    /// Failures that are about this conversation alone end here; others go
    /// up.
    async fn read_detail(
        &self,
        client: &Client,
        state: &mut DetailState,
        conversation: &ConversationId,
    ) -> Result<(), PullError> {
        let snapshot = self.store.snapshot();
        let switches = self.switches.load(Ordering::SeqCst);
        let told = client.conversation(conversation).await;
        if !matches!(told, Err(ReadError::Paced(_) | ReadError::Limited(_))) {
            state.note(conversation, self.clock.now());
            self.wanted.settle(conversation);
        }
        let told = match told {
            Ok(told) => told,
            Err(ReadError::Same) => {
                self.read_succeeded(PolledResource::Detail);
                return Ok(());
            }
            Err(ReadError::NotFound(_)) => {
                self.forget(conversation).await?;
                return Ok(());
            }
            Err(
                error @ (ReadError::Forbidden(_)
                | ReadError::Trouble(_)
                | ReadError::NoSuchPath(_)
                | ReadError::Rejected(_)),
            ) => {
                self.read_failed(PolledResource::Detail, error);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let automation = told.automation;
        let applied = self.store.apply_conversation(self.id(), told, snapshot).await?;
        if applied.held_back == 0 {
            client.note_applied();
        }
        if applied.is_news() {
            self.tell(News::Conversations(self.id().clone()));
            self.tell(News::History(self.id().clone(), conversation.clone()));
        }
        self.read_succeeded(PolledResource::Detail);
        if automation == Automation::On {
            self.answered_by_the_ai(conversation, switches).await?;
        }
        Ok(())
    }

    /// Someone else has handed the conversation back to the AI: this desk's
    /// pause is over, unless a change of this desk's crossed the reading.
    async fn answered_by_the_ai(&self, conversation: &ConversationId, before: u64) -> Result<(), PullError> {
        let rows = self.store.lane_rows(self.id()).await?;
        let pending = rows.iter().any(|it| {
            it.row.lane.conversation() == Some(conversation)
                && matches!(it.row.operation, Operation::SetAutomation { .. })
        });
        if !pending && self.switches.load(Ordering::SeqCst) == before {
            self.store.forget_pause(self.id(), conversation).await?;
        }
        Ok(())
    }
}
