//! Placeholder rows for list items that could not be parsed. They are removed once the list shows
//! the real conversation.

use rusqlite::params;

use crate::{Store, StoreError, tombstones};
use model::conversations::Conversation;
use model::ids::{ChannelId, ConversationId};
use model::time::Timestamp;
use sqlite::{Queries, only_cell};

/// GLOB pattern of their ids.
pub(crate) const STAND_IN_PATTERN: &str = "unreadable-*";

impl Store {
    /// Removes placeholders within the range of this page that it does not contain any more: the
    /// item is readable now, or deleted. Returns true if there were any.
    pub async fn remove_stand_ins(
        &self,
        channel: &ChannelId,
        page: &[Conversation],
        is_last: bool,
    ) -> Result<bool, StoreError> {
        let times =
            || page.iter().filter_map(|conversation| conversation.last_message_at).map(Timestamp::micros);
        let (Some(lowest), Some(highest)) = (times().min(), times().max()) else { return Ok(false) };
        let lowest = if is_last { i64::MIN } else { lowest };
        let kept: Vec<String> = page.iter().map(|conversation| conversation.id.to_string()).collect();
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let sql = "SELECT id FROM conversation
                     WHERE channel = ?1 AND id GLOB ?2 AND sort_at BETWEEN ?3 AND ?4";
                let of = params![channel, STAND_IN_PATTERN, lowest, highest];
                let ids: Vec<String> = cache.connection.all(sql, of, only_cell)?;
                let mut any = false;
                for id in ids.into_iter().filter(|entry| !kept.contains(entry)) {
                    tombstones::remove(&cache.connection, &channel, &ConversationId::new(id))?;
                    any = true;
                }
                Ok(any)
            })
            .await
    }
}
