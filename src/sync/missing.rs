//! Handling of a conversation answered with 404 while the list may still name it: a lagging replica, or a
//! deletion.
//!
//! 1. A 404 leads to a read of the list, from its top down to the conversation's place.
//! 2. If the list names it or cannot be read that far, the conversation is kept and the reading fails.
//! 3. If the list does not name it, this is noted and the conversation is kept.
//! 4. A later 404, at least [`BETWEEN`] after the first, that finds it missing from the list again
//!    removes the conversation with its history.
//!
//! The note is kept in the cache, so that processes on one data folder share it and a restart keeps it.

use std::collections::BTreeMap;

use crate::ChannelSync;
use crate::report::PullError;
use crate::walk::{Followed, WalkCursors};
use client::ReadError;
use model::account::Platform;
use model::ids::ConversationId;
use model::text::SafeText;
use model::time::{DAY, MINUTE, SECOND, Timestamp};

/// Mark: conversations missing from the list with the time noted, as JSON.
const MISSING: &str = "list_missing";
/// Minimum interval between the two list reads, in microseconds.
const BETWEEN: i64 = 5 * SECOND;
/// Age after which a first note is ignored, in microseconds.
const STALE: i64 = DAY;
/// Maximum number of conversations noted, latest first.
const MAX_NOTED: usize = 100;
/// Maximum pages of the list read in one check.
const MAX_PAGES: u32 = 20;
/// Distance searched below the conversation's place, in microseconds.
const BELOW: i64 = 10 * MINUTE;

/// Decision about a conversation not found by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Listed, or unknown: kept.
    Listed,
    /// Missing from the list for the first time: kept, and checked again after this many microseconds.
    Doubtful(i64),
    /// Missing from the list twice: removed.
    Gone,
}

impl Missing {
    /// Result of the reading that met the 404.
    pub(crate) fn into_result(self) -> Result<(), ReadError> {
        match self {
            Self::Listed => Err(ReadError::Trouble(SafeText::line(
                "the server lists this conversation but does not find it by its id; what is here stays",
            ))),
            Self::Doubtful(wait) => Err(ReadError::Paced(wait)),
            Self::Gone => Ok(()),
        }
    }
}

impl ChannelSync {
    /// Decides about a conversation answered with 404 and removes it if it is gone.
    pub(crate) async fn not_found(
        &self,
        platform: &Platform,
        conversation: &ConversationId,
    ) -> Result<Missing, PullError> {
        let Some(active_at) = self.store.active_at(self.id(), conversation).await? else {
            // Nothing of it is stored.
            self.forget(conversation).await?;
            return Ok(Missing::Gone);
        };
        let now = self.clock.now();
        let mut noted = self.noted_missing().await?;
        let since = noted.get(conversation.as_str()).copied().map(|at| now.since(at));
        if let Some(waited) = since.filter(|waited| (0..BETWEEN).contains(waited)) {
            return Ok(Missing::Doubtful(BETWEEN - waited));
        }
        let missing = if self.is_listed(platform, conversation, active_at).await? != Some(false) {
            noted.remove(conversation.as_str());
            Missing::Listed
        } else if since.is_some_and(|waited| (BETWEEN..STALE).contains(&waited)) {
            noted.remove(conversation.as_str());
            self.forget(conversation).await?;
            Missing::Gone
        } else {
            noted.insert(conversation.as_str().to_owned(), now);
            Missing::Doubtful(BETWEEN)
        };
        tracing::info!(channel = %self.id(), %conversation, ?missing, "not found by its id");
        self.note_missing(noted, now).await?;
        Ok(missing)
    }

    /// Returns true if the list names the conversation; `None` if it could not be read down to its place.
    async fn is_listed(
        &self,
        platform: &Platform,
        conversation: &ConversationId,
        active_at: Option<Timestamp>,
    ) -> Result<Option<bool>, PullError> {
        let client = self.client.also_same();
        let mut cursors = WalkCursors::new(MAX_PAGES);
        loop {
            let page = match client.conversations(platform, cursors.current()).await {
                Err(ReadError::Rejected(_) | ReadError::Trouble(_)) => return Ok(None),
                page => page?,
            };
            if page.items.iter().any(|row| row.id == *conversation) {
                return Ok(Some(true));
            }
            let below = active_at.map(|at| at.plus(-BELOW));
            let is_past = |row: &Option<Timestamp>| row.zip(below).is_some_and(|(row, below)| row < below);
            if page.items.iter().any(|row| is_past(&row.last_message_at)) {
                return Ok(Some(false));
            }
            match cursors.follow(page.items.len(), page.next_cursor.as_deref()) {
                Followed::Next(_) => {}
                Followed::End => return Ok(Some(false)),
                Followed::Broken(_) => return Ok(None),
            }
        }
    }

    async fn noted_missing(&self) -> Result<BTreeMap<String, Timestamp>, PullError> {
        let noted = self.store.meta(self.id(), MISSING).await?;
        Ok(noted.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    async fn note_missing(
        &self,
        mut noted: BTreeMap<String, Timestamp>,
        now: Timestamp,
    ) -> Result<(), PullError> {
        noted.retain(|_, at| (0..STALE).contains(&now.since(*at)));
        while noted.len() > MAX_NOTED {
            let oldest = noted.iter().min_by_key(|(_, at)| **at).map(|(id, _)| id.clone());
            oldest.and_then(|id| noted.remove(&id));
        }
        let text = if noted.is_empty() { None } else { serde_json::to_string(&noted).ok() };
        Ok(self.store.set_meta(self.id(), vec![(MISSING, text)]).await?)
    }
}
