//! Handling of a conversation answered with 404 while the list may still name it: a lagging replica, or a
//! deletion.
//!
//! 1. A 404 leads to a read of the list, from its top down to the conversation's place.
//! 2. If the list names it or cannot be read that far, the conversation is kept and the reading fails.
//! 3. If the list does not name it, this is noted and the conversation is kept.
//! 4. A later 404, at least [`MIN_INTERVAL`] after the first, that finds it missing from the list again
//!    removes the conversation with its history.
//!
//! The note is kept in the cache, so that processes on one data folder share it and a restart keeps it.

use std::collections::BTreeMap;

use crate::ChannelSync;
use crate::report::PullError;
use crate::walk::{CursorStep, WalkCursors};
use client::ReadError;
use model::account::Platform;
use model::ids::ConversationId;
use model::text::SafeText;
use model::time::{DAY, MINUTE, SECOND, Timestamp};

/// Mark: conversations missing from the list with the time noted, as JSON.
const MISSING_MARK: &str = "list_missing";
/// Minimum interval between the two list reads, in microseconds.
const MIN_INTERVAL: i64 = 5 * SECOND;
/// Age after which a first note is ignored, in microseconds.
const MAX_AGE: i64 = DAY;
/// Maximum number of conversations noted, latest first.
const MAX_MISSING: usize = 100;
/// Maximum pages of the list read in one check.
const MAX_PAGES: u32 = 20;
/// Distance searched below the conversation's place, in microseconds.
const SEARCH_MARGIN: i64 = 10 * MINUTE;

/// Decision about a conversation not found by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingDecision {
    /// Listed, or unknown: kept.
    Listed,
    /// Missing from the list for the first time: kept, and checked again after this many microseconds.
    RetryAfter(i64),
    /// Missing from the list twice: removed.
    Removed,
}

impl MissingDecision {
    /// Result of the reading that met the 404.
    pub(crate) fn into_result(self) -> Result<(), ReadError> {
        match self {
            Self::Listed => Err(ReadError::Trouble(SafeText::line(
                "the server lists this conversation but does not find it by its id; the stored copy is kept",
            ))),
            Self::RetryAfter(wait) => Err(ReadError::Paced(wait)),
            Self::Removed => Ok(()),
        }
    }
}

impl ChannelSync {
    /// Decides about a conversation answered with 404 and removes it if it is gone.
    pub(crate) async fn decide_missing(
        &self,
        platform: &Platform,
        conversation: &ConversationId,
    ) -> Result<MissingDecision, PullError> {
        let Some(active_at) = self.store.last_activity(self.id(), conversation).await? else {
            // Nothing of it is stored.
            self.remove_conversation(conversation).await?;
            return Ok(MissingDecision::Removed);
        };
        let now = self.clock.now();
        let mut noted = self.load_missing().await?;
        let since = noted.get(conversation.as_str()).copied().map(|at| now.since(at));
        if let Some(waited) = since.filter(|waited| (0..MIN_INTERVAL).contains(waited)) {
            return Ok(MissingDecision::RetryAfter(MIN_INTERVAL - waited));
        }
        let missing = if self.is_listed(platform, conversation, active_at).await? != Some(false) {
            noted.remove(conversation.as_str());
            MissingDecision::Listed
        } else if since.is_some_and(|waited| (MIN_INTERVAL..MAX_AGE).contains(&waited)) {
            noted.remove(conversation.as_str());
            self.remove_conversation(conversation).await?;
            MissingDecision::Removed
        } else {
            noted.insert(conversation.as_str().to_owned(), now);
            MissingDecision::RetryAfter(MIN_INTERVAL)
        };
        tracing::info!(channel = %self.id(), %conversation, ?missing, "not found by its id");
        self.store_missing(noted, now).await?;
        Ok(missing)
    }

    /// Returns true if the list names the conversation; `None` if it could not be read down to its place.
    async fn is_listed(
        &self,
        platform: &Platform,
        conversation: &ConversationId,
        active_at: Option<Timestamp>,
    ) -> Result<Option<bool>, PullError> {
        let client = self.client.accepting_unchanged();
        let mut cursors = WalkCursors::new(MAX_PAGES);
        loop {
            let page = match client.conversations(platform, cursors.current()).await {
                Err(ReadError::Rejected(_) | ReadError::Trouble(_)) => return Ok(None),
                page => page?,
            };
            if page.items.iter().any(|row| row.id == *conversation) {
                return Ok(Some(true));
            }
            let below = active_at.map(|at| at.plus(-SEARCH_MARGIN));
            let is_past = |row: &Option<Timestamp>| row.zip(below).is_some_and(|(row, below)| row < below);
            if page.items.iter().any(|row| is_past(&row.last_message_at)) {
                return Ok(Some(false));
            }
            match cursors.follow(page.items.len(), page.next_cursor.as_deref()) {
                CursorStep::Next(_) => {}
                CursorStep::End => return Ok(Some(false)),
                CursorStep::Broken(_) => return Ok(None),
            }
        }
    }

    async fn load_missing(&self) -> Result<BTreeMap<String, Timestamp>, PullError> {
        let noted = self.store.meta(self.id(), MISSING_MARK).await?;
        Ok(noted.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    async fn store_missing(
        &self,
        mut noted: BTreeMap<String, Timestamp>,
        now: Timestamp,
    ) -> Result<(), PullError> {
        noted.retain(|_, at| (0..MAX_AGE).contains(&now.since(*at)));
        while noted.len() > MAX_MISSING {
            let oldest = noted.iter().min_by_key(|(_, at)| **at).map(|(id, _)| id.clone());
            oldest.and_then(|id| noted.remove(&id));
        }
        let text = if noted.is_empty() { None } else { serde_json::to_string(&noted).ok() };
        Ok(self.store.set_meta(self.id(), vec![(MISSING_MARK, text)]).await?)
    }
}
