//! A server whose whole list names none of the conversations that are here: it
//! was emptied, or another one answers at its address.
//!
//! 1. The first such list is told, and everything stays.
//! 2. A second one, at least [`BETWEEN`] later, removes what was here at the
//!    first, with its histories.
//! 3. A list that names one of them ends it.
//!
//! The note is kept in the cache, so that processes on one data folder share it.
//! Mail is left out: a list of threads leaves out those that were filed.

use crate::ChannelSync;
use crate::report::PullError;
use client::Listed;
use model::account::Platform;
use model::conversations::Conversation;
use model::news::News;
use model::text::SafeText;
use model::time::{DAY, SECOND, Timestamp};

/// Mark: the first list that named nothing of what is here, as JSON.
const EMPTIED: &str = "list_emptied";
/// Microseconds between two lists that both count.
const BETWEEN: i64 = 30 * SECOND;
/// Microseconds after which a first list counts no more.
const STALE: i64 = DAY;

/// When a list named nothing of what is here, in microseconds, and the number of
/// the newest conversation that was here then.
type EmptiedNote = (i64, i64);

impl ChannelSync {
    /// Compares a list that is whole in one page with what is here. True while
    /// it is not known whether the server was emptied.
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

    /// Forgets a list that named nothing of what is here.
    pub(crate) async fn forget_emptied(&self) -> Result<(), PullError> {
        Ok(self.store.set_meta(self.id(), vec![(EMPTIED, None)]).await?)
    }

    fn tell_emptied(&self, words: &str) {
        tracing::warn!(channel = %self.id(), words);
        self.tell(News::Notice(self.id().clone(), None, SafeText::line(words)));
    }
}
