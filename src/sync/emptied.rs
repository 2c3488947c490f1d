//! Handling of a server whose complete list names none of the stored conversations: it was emptied, or
//! another server answers at its address.
//!
//! 1. The first such list is announced; nothing is removed.
//! 2. A second one, at least [`MIN_INTERVAL`] later, removes the conversations stored at the time of the
//!    first, with their histories.
//! 3. A list that names one of them resets the state.
//!
//! The note is kept in the cache, so that processes on one data folder share it. Mail is excluded: its
//! list omits archived threads.

use crate::ChannelSync;
use crate::report::PullError;
use client::ListPage;
use model::account::Platform;
use model::conversations::Conversation;
use model::news::News;
use model::text::SafeText;
use model::time::{DAY, SECOND, Timestamp};

/// Mark: the first list that named no stored conversation, as JSON.
const EMPTIED_MARK: &str = "list_emptied";
/// Minimum interval between the two lists, in microseconds.
const MIN_INTERVAL: i64 = 30 * SECOND;
/// Age after which a first list is ignored, in microseconds.
const MAX_AGE: i64 = DAY;

/// Time of the first such list in microseconds, and the row number of the newest conversation stored
/// then.
type EmptiedMark = (i64, i64);

impl ChannelSync {
    /// Compares a complete one-page list with the stored conversations. Returns true while the result is
    /// undecided.
    pub(crate) async fn seems_emptied(
        &self,
        platform: &Platform,
        page: &ListPage<Conversation>,
    ) -> Result<bool, PullError> {
        if *platform == Platform::Email || !page.unreadable.is_empty() {
            return Ok(false);
        }
        let (now, id) = (self.clock.now(), self.id());
        let noted = self.store.meta(id, EMPTIED_MARK).await?;
        let noted: Option<EmptiedMark> = noted.and_then(|text| serde_json::from_str(&text).ok());
        let noted = noted.filter(|(at, _)| (0..MAX_AGE).contains(&now.since(Timestamp::from_micros(*at))));
        let listed = page.items.iter().map(|row| row.id.clone()).collect();
        let found = self.store.compare_with_list(id, listed, noted.map(|(_, newest)| newest)).await?;
        if found.stored == 0 || found.names_one {
            if noted.is_some() {
                self.clear_emptied_mark().await?;
            }
            return Ok(false);
        }
        let Some((at, newest)) = noted else {
            let note: EmptiedMark = (now.micros(), found.newest);
            self.store.set_meta(id, vec![(EMPTIED_MARK, serde_json::to_string(&note).ok())]).await?;
            self.publish_emptied_notice(&format!(
                "the server no longer lists any of the {} conversations shown here; if this is still so in \
                 30 seconds, they are removed",
                found.stored
            ));
            return Ok(true);
        };
        if now.since(Timestamp::from_micros(at)) < MIN_INTERVAL {
            return Ok(true);
        }
        let removed = self.store.remove_conversations(id, newest).await?;
        self.clear_emptied_mark().await?;
        self.reset_seen_answers();
        self.publish(News::Conversations(id.clone()));
        for conversation in &removed {
            self.publish(News::History(id.clone(), conversation.clone()));
        }
        self.publish_emptied_notice(&format!(
            "{} conversations were removed here because the server no longer lists them",
            removed.len()
        ));
        Ok(false)
    }

    pub(crate) async fn clear_emptied_mark(&self) -> Result<(), PullError> {
        Ok(self.store.set_meta(self.id(), vec![(EMPTIED_MARK, None)]).await?)
    }

    fn publish_emptied_notice(&self, words: &str) {
        tracing::warn!(channel = %self.id(), words);
        self.publish(News::Notice(self.id().clone(), None, SafeText::line(words)));
    }
}
