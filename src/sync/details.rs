//! Single reads of conversations (`getConversation`), a few per step: they return the AI state, which
//! lists omit.

use std::collections::{HashMap, HashSet};

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::missing::MissingDecision;
use crate::report::PullError;
use crate::state::SyncState;
use client::{Client, ReadError};
use model::account::Platform;
use model::conversations::Automation;
use model::ids::ConversationId;
use model::news::News;
use model::time::{MINUTE, SECOND, Timestamp};

const READS_PER_STEP: usize = 5;
/// Candidates examined for a missing AI state.
const MAX_CONVERSATIONS: u32 = 50;
/// Minimum interval before a conversation that returned no AI state is read again, in microseconds.
const REREAD_DELAY: i64 = 10 * MINUTE;
/// Interval between reads of the open conversation, in microseconds.
const OPEN_REREAD_INTERVAL: i64 = 15 * SECOND;
const MAX_REMEMBERED_CONVERSATIONS: usize = 5000;

/// Time given to the AI to answer before its failure is checked, in microseconds.
const AI_ANSWER_TIMEOUT: i64 = 4 * SECOND;

/// Times of past single reads and those requested or in progress.
#[derive(Debug, Default)]
pub(crate) struct DetailReads {
    read_at: HashMap<ConversationId, Timestamp>,
    /// Conversations with new messages since their last read, in which the AI may have failed.
    requested: HashMap<ConversationId, Timestamp>,
    reading: HashSet<ConversationId>,
}

impl DetailReads {
    pub(crate) fn request_read(&mut self, conversation: &ConversationId, now: Timestamp) {
        if self.requested.len() < MAX_REMEMBERED_CONVERSATIONS {
            self.requested.insert(conversation.clone(), now);
        }
    }

    /// Returns the conversations to read next with the time of their last read: requested ones first,
    /// longest quiet first, then those of `unknown` not read recently.
    fn due(&self, unknown: Vec<ConversationId>, now: Timestamp) -> Vec<(ConversationId, Option<Timestamp>)> {
        let mut due: Vec<_> = self
            .requested
            .iter()
            .filter(|(_, at)| !(0..AI_ANSWER_TIMEOUT).contains(&now.since(**at)))
            .collect();
        due.sort_by_key(|(id, at)| (**at, (*id).clone()));
        let mut due: Vec<_> = due.into_iter().map(|(id, _)| id.clone()).collect();
        due.extend(
            unknown.into_iter().filter(|conversation_id| self.is_due(conversation_id, REREAD_DELAY, now)),
        );
        due.truncate(READS_PER_STEP);
        due.into_iter()
            .map(|conversation_id| {
                let before = self.read_at.get(&conversation_id).copied();
                (conversation_id, before)
            })
            .collect()
    }

    fn is_due(&self, conversation: &ConversationId, span: i64, now: Timestamp) -> bool {
        self.read_at.get(conversation).is_none_or(|at| !(0..span).contains(&now.since(*at)))
    }

    fn record_read(&mut self, conversation: &ConversationId, now: Timestamp) {
        if self.read_at.len() >= MAX_REMEMBERED_CONVERSATIONS {
            self.read_at.clear();
        }
        self.read_at.insert(conversation.clone(), now);
        self.requested.remove(conversation);
    }
}

/// Exclusive read of one conversation, released on drop.
struct DetailRead<'a> {
    channel: &'a ChannelSync,
    conversation: &'a ConversationId,
}

impl Drop for DetailRead<'_> {
    fn drop(&mut self) {
        self.channel.with_state(|channel| channel.details.reading.remove(self.conversation));
    }
}

impl ChannelSync {
    /// Reads conversations with new messages.
    pub(crate) async fn read_requested_details(&self, client: &Client) -> Result<(), PullError> {
        self.read_details(client, Vec::new()).await
    }

    /// Reads conversations with new messages and the newest ones without a known AI state.
    pub(crate) async fn read_unknown_details(&self, client: &Client) -> Result<(), PullError> {
        let unknown = self.store.without_details(self.id(), MAX_CONVERSATIONS).await?;
        self.read_details(client, unknown).await
    }

    /// Reads one conversation unless a recent read returned no AI state.
    pub(crate) async fn read_detail_once(
        &self,
        client: &Client,
        conversation: &ConversationId,
    ) -> Result<(), PullError> {
        if !self.may_read(PolledResource::Detail) {
            return Ok(());
        }
        let now = self.clock.now();
        if let Some(one) = self.start_detail_read(conversation, |detail_reads| {
            detail_reads.is_due(conversation, REREAD_DELAY, now)
        }) {
            self.read_detail(client, one).await?;
        }
        Ok(())
    }

    async fn read_details(&self, client: &Client, unknown: Vec<ConversationId>) -> Result<(), PullError> {
        if !self.may_read(PolledResource::Detail) {
            return Ok(());
        }
        let now = self.clock.now();
        let due = self.with_state(|sync_state| sync_state.details.due(unknown, now));
        for (index, (conversation, before)) in due.into_iter().enumerate() {
            if index > 0 && self.are_messages_due() {
                return Ok(());
            }
            // Skips one that another loop has read since it was chosen.
            let unread =
                |detail_reads: &DetailReads| detail_reads.read_at.get(&conversation).copied() == before;
            if let Some(one) = self.start_detail_read(&conversation, unread) {
                self.read_detail(client, one).await?;
            }
        }
        Ok(())
    }

    /// Starts a read, `None` if one is in progress.
    fn start_detail_read<'a>(
        &'a self,
        conversation: &'a ConversationId,
        is_due: impl FnOnce(&DetailReads) -> bool,
    ) -> Option<DetailRead<'a>> {
        let begins = self.with_state(|SyncState { details, .. }| {
            is_due(details) && details.reading.insert(conversation.clone())
        });
        begins.then(|| DetailRead { channel: self, conversation })
    }

    /// Reads the open conversation if the interval has passed.
    pub(crate) async fn read_open_detail(&self, conversation: &ConversationId) -> Result<(), PullError> {
        let platform = self.may_ask(PolledResource::Detail).await?;
        if !platform.as_ref().is_some_and(Platform::can_take_over) || conversation.is_stand_in() {
            return Ok(());
        }
        let now = self.clock.now();
        if let Some(one) = self.start_detail_read(conversation, |detail_reads| {
            detail_reads.is_due(conversation, OPEN_REREAD_INTERVAL, now)
        }) {
            self.read_detail(&self.client.for_person().skipping_unchanged(), one).await?;
        }
        Ok(())
    }

    /// Reads one conversation. Errors about this conversation alone are handled here, others are
    /// returned.
    async fn read_detail(&self, client: &Client, one: DetailRead<'_>) -> Result<(), PullError> {
        let conversation = one.conversation;
        let snapshot = self.store.snapshot();
        let switches = self.with_state(|sync_state| sync_state.switches);
        let answer = client.conversation(conversation).await;
        if !matches!(answer, Err(ReadError::Paced(_) | ReadError::Limited(_))) {
            let now = self.clock.now();
            self.with_state(|sync_state| sync_state.details.record_read(conversation, now));
        }
        let detail = match answer {
            Ok(detail) => detail,
            Err(ReadError::Same) => {
                self.read_succeeded(PolledResource::Detail);
                return Ok(());
            }
            Err(ReadError::NotFound(_)) => {
                // Only WhatsApp has single reads.
                let missing = self.decide_missing(&Platform::Whatsapp, conversation).await?;
                if matches!(missing, MissingDecision::RetryAfter(_)) {
                    let now = self.clock.now();
                    self.with_state(|state| state.details.request_read(conversation, now));
                } else if let Err(error) = missing.into_result() {
                    self.read_failed(PolledResource::Detail, error);
                }
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
        let automation = detail.automation;
        let applied = self.store.apply_conversation(self.id(), detail, snapshot).await?;
        if applied.superseded == 0 {
            client.record_applied();
        }
        self.apply_switches(&applied.switched, switches).await?;
        if applied.has_changes() {
            self.publish(News::Conversations(self.id().clone()));
            self.publish(News::History(self.id().clone(), conversation.clone()));
        }
        self.read_succeeded(PolledResource::Detail);
        if automation == Automation::On {
            self.record_ai_answer(conversation, switches).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tests::{Still, channel};
    use model::time::Clock;

    #[test]
    fn a_conversation_is_read_alone_by_one_loop_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let (channel, _) = channel(folder.path(), Arc::new(Still));
        let (c1, c2) = (ConversationId::from("c1"), ConversationId::from("c2"));
        let first = channel.start_detail_read(&c1, |_| true).expect("nobody reads it");
        assert!(channel.start_detail_read(&c1, |_| true).is_none());
        assert!(channel.start_detail_read(&c1, |_| true).is_none(), "asking ends nobody's reading");
        let second = channel.start_detail_read(&c2, |_| true).expect("another is not kept waiting");
        drop(first);
        assert!(channel.start_detail_read(&c1, |_| false).is_none());
        assert!(channel.start_detail_read(&c1, |_| true).is_some(), "given up or done");
        assert!(channel.start_detail_read(&c2, |_| true).is_none());
        drop(second);
    }

    #[test]
    fn what_was_said_is_read_first_and_nothing_twice() {
        let now = Still.now();
        let mut details = DetailReads::default();
        let id = |number: i64| ConversationId::new(format!("c{number}"));
        details.request_read(&id(1), now.plus(-AI_ANSWER_TIMEOUT));
        details.request_read(&id(2), now.plus(-2 * AI_ANSWER_TIMEOUT));
        details.request_read(&id(3), now.plus(1 - AI_ANSWER_TIMEOUT));
        details.record_read(&id(4), now.plus(1 - REREAD_DELAY));
        details.record_read(&id(5), now.plus(-REREAD_DELAY));
        let due = details.due((4..=9).map(id).collect(), now);
        let read_at = Some(now.plus(-REREAD_DELAY));
        let wanted = [(id(2), None), (id(1), None), (id(5), read_at), (id(6), None), (id(7), None)];
        assert_eq!(due, wanted);
        details.record_read(&id(2), now);
        assert_eq!(details.due(Vec::new(), now), [(id(1), None)]);
    }
}
