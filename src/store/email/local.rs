//! Thread fields the server ignores: their values are kept on this desk, in the outbox. Also
//! records which fields a server accepts at all.

use rusqlite::params;

use crate::email::rows::change_values;
use crate::{Store, StoreError};
use model::email::ThreadField;
use model::ids::{ChannelId, ConversationId};
use model::outbox::content::ThreadChange;
use model::time::Timestamp;
use sqlite::{Queries, only_cell};

/// Outcome of a change the server accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadChangeOutcome {
    /// Fields that a later read does not show as set.
    pub ignored: Vec<ThreadField>,
    /// Fields that a later read shows as set and that differed before.
    pub accepted: Vec<ThreadField>,
    /// Time of the newest mail then.
    pub seen: Option<Timestamp>,
}

impl Store {
    /// Records the outcome of a change: ignored fields are kept locally from now on, the others no
    /// longer. Returns the fields found to be ignored for the first time.
    pub async fn record_thread_change(
        &self,
        channel: &ChannelId,
        thread: &ConversationId,
        change_made: &ThreadChange,
        filed: &ThreadChangeOutcome,
        at: Timestamp,
    ) -> Result<Vec<ThreadField>, StoreError> {
        let (channel, thread, wanted) = (channel.clone(), thread.clone(), change_values(change_made));
        let filed = filed.clone();
        let seen = filed.seen.map(Timestamp::micros);
        self.outbox()
            .change_async(move |change| {
                let mut first = Vec::new();
                for (field, value) in wanted {
                    let works = !filed.ignored.contains(&field);
                    let of = params![channel, thread, field.word(), value, seen];
                    if works {
                        change.execute(
                            "DELETE FROM thread_local WHERE channel = ?1 AND thread = ?2 AND field = ?3",
                            &of[..3],
                        )?;
                    } else {
                        change.execute(
                            "INSERT OR REPLACE INTO thread_local (channel, thread, field, value, seen)
                             VALUES (?1, ?2, ?3, ?4, ?5)",
                            of,
                        )?;
                    }
                    if works && !filed.accepted.contains(&field) {
                        continue;
                    }
                    let sql = "SELECT works FROM patch_field WHERE channel = ?1 AND field = ?2";
                    let known: Option<bool> = change.first(sql, params![channel, field.word()], only_cell)?;
                    if known != Some(works) {
                        change.execute(
                            "INSERT OR REPLACE INTO patch_field (channel, field, works, at) VALUES (?1, ?2, ?3, ?4)",
                            params![channel, field.word(), works, at],
                        )?;
                        first.extend((!works).then_some(field));
                    }
                }
                Ok(first)
            })
            .await
    }

    /// Ends local `read` and `place` values older than a new mail, so that the mail is not
    /// overlooked.
    pub async fn end_local_fields(
        &self,
        channel: &ChannelId,
        thread: &ConversationId,
        came: Timestamp,
    ) -> Result<(), StoreError> {
        let (channel, thread) = (channel.clone(), thread.clone());
        self.outbox()
            .call_async(move |connection| {
                let of = params![channel, thread, came];
                let over = "FROM thread_local WHERE channel = ?1 AND thread = ?2
                    AND field IN ('read', 'place') AND seen < ?3";
                // Checked first to avoid a write in the usual case.
                if connection.prepare_cached(&format!("SELECT 1 {over}"))?.exists(of)? {
                    connection.execute(&format!("DELETE {over}"), of)?;
                }
                Ok(())
            })
            .await
    }

    /// Returns the fields the server is known to accept.
    pub async fn working_fields(&self, channel: &ChannelId) -> Result<Vec<ThreadField>, StoreError> {
        let channel = channel.clone();
        self.outbox()
            .call_async(move |connection| {
                let words: Vec<_> = connection.all(
                    "SELECT field FROM patch_field WHERE channel = ?1 AND works = 1",
                    [channel.as_str()],
                    only_cell::<String>,
                )?;
                Ok(words.iter().filter_map(|word| ThreadField::from_word(word)).collect())
            })
            .await
    }
}
