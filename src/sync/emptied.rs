//! Handling of a server whose complete list names none of the stored conversations: it was emptied, or
//! another server answers at its address.
//!
//! 1. The first such list is announced; nothing is removed.
//! 2. A second one, at least [`BETWEEN`] later, removes the conversations stored at the time of the
//!    first, with their histories.
//! 3. A list that names one of them resets the state.
//!
//! The note is kept in the cache, so that processes on one data folder share it. Mail is excluded: its
//! list omits archived threads.

use crate::ChannelSync;
use crate::report::PullError;
use client::Listed;
use model::account::Platform;
use model::conversations::Conversation;
use model::news::News;
use model::text::SafeText;
use model::time::{DAY, SECOND, Timestamp};

/// Mark: the first list that named no stored conversation, as JSON.
const EMPTIED: &str = "list_emptied";
/// Minimum interval between the two lists, in microseconds.
const BETWEEN: i64 = 30 * SECOND;
/// Age after which a first list is ignored, in microseconds.
const STALE: i64 = DAY;

/// Time of the first such list in microseconds, and the row number of the newest conversation stored
/// then.
type EmptiedNote = (i64, i64);

impl ChannelSync {
    /// Compares a complete one-page list with the stored conversations. Returns true while the result is
    /// undecided.
    pub(crate) async fn seems_emptied(
        &self,
        platform: &Platform,
        page: &Listed<Conversation>,
    ) -> Result<bool, PullError> {
        if *platform == Platform::Email || !page.unreadable.is_empty() {
            return Ok(false);
        }
        let (now, id) = (self.clock.now(), self.id());
        let noted = self.store.meta(id, EMPTIED).await?;
        let noted: Option<EmptiedNote> = noted.and_then(|text| serde_json::from_str(&text).ok());
        let noted = noted.filter(|(at, _)| (0..STALE).contains(&now.since(Timestamp::from_micros(*at))));
        let listed = page.items.iter().map(|row| row.id.clone()).collect();
        let found = self.store.compare_with_list(id, listed, noted.map(|(_, newest)| newest)).await?;
        if found.stored == 0 || found.names_one {
            if noted.is_some() {
                self.forget_emptied().await?;
            }
            return Ok(false);
        }
        let Some((at, newest)) = noted else {
            let note: EmptiedNote = (now.micros(), found.newest);
            self.store.set_meta(id, vec![(EMPTIED, serde_json::to_string(&note).ok())]).await?;
            self.tell_emptied(&format!(
                "the server lists none of the {} conversations that are shown here; if it still does not in half a \
                 minute, they are removed",
                found.stored
            ));
            return Ok(true);
        };
        if now.since(Timestamp::from_micros(at)) < BETWEEN {
            return Ok(true);
        }
        let removed = self.store.mark_all_gone(id, newest).await?;
        self.forget_emptied().await?;
        self.forget_answers();
        self.tell(News::Conversations(id.clone()));
        for conversation in &removed {
            self.tell(News::History(id.clone(), conversation.clone()));
        }
        self.tell_emptied(&format!(
            "{} conversations were removed here: the server does not list them any more",
            removed.len()
        ));
        Ok(false)
    }

    pub(crate) async fn forget_emptied(&self) -> Result<(), PullError> {
        Ok(self.store.set_meta(self.id(), vec![(EMPTIED, None)]).await?)
    }

    fn tell_emptied(&self, words: &str) {
        tracing::warn!(channel = %self.id(), words);
        self.tell(News::Notice(self.id().clone(), None, SafeText::line(words)));
    }
}
