//! Thread fields from lists and single reads, kept beside their conversations, and changes made
//! here.

use rusqlite::{Connection, params};

use crate::email::rows::{change_values, set_field, thread_from_row};
use crate::{Snapshot, Store, StoreError};
use model::conversations::ConversationStatus;
use model::email::{Thread, is_archive, priority_rank};
use model::ids::{ChannelId, ConversationId};
use model::outbox::content::ThreadChange;
use sqlite::Queries;

impl Store {
    /// Merges thread fields; missing ones are kept, as are those changed here or read later while
    /// the answer was in flight. Call before merging the conversations of the same page. Returns
    /// true if anything changed.
    pub async fn apply_threads(
        &self,
        channel: &ChannelId,
        threads: Vec<(ConversationId, Thread)>,
        snapshot: Snapshot,
    ) -> Result<bool, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let overtaken: Vec<bool> = threads
                    .iter()
                    .map(|(id, _)| {
                        cache.is_outdated(&channel, id, snapshot)
                            || cache.is_superseded(&channel, id, snapshot)
                    })
                    .collect();
                let change = cache.connection.transaction()?;
                let mut changed = false;
                for ((id, thread), overtaken) in threads.into_iter().zip(overtaken) {
                    let known = find(&change, &channel, &id)?;
                    let before = known.clone().unwrap_or_default();
                    let new = if overtaken {
                        before.with_missing_from(thread)
                    } else {
                        thread.with_missing_from(before)
                    };
                    if known.as_ref() != Some(&new) {
                        write(&change, &channel, &id, &new)?;
                        changed = true;
                    }
                }
                change.commit()?;
                Ok(changed)
            })
            .await
    }

    /// Returns the thread as last reported by the server.
    pub async fn reported_thread(
        &self,
        channel: &ChannelId,
        id: &ConversationId,
    ) -> Result<Thread, StoreError> {
        let (channel, id) = (channel.clone(), id.clone());
        self.cache()
            .call_async(move |cache| Ok(find(&cache.connection, &channel, &id)?.unwrap_or_default()))
            .await
    }

    /// Returns those threads that are archived as far as known; lists do not report it.
    pub async fn filter_archived(
        &self,
        channel: &ChannelId,
        ids: Vec<ConversationId>,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let sql = "SELECT coalesce((SELECT l.value FROM desk.thread_local l WHERE l.channel = ?1
                         AND l.thread = ?2 AND l.field = 'place'),
                         (SELECT h.folder FROM thread h WHERE h.channel = ?1 AND h.id = ?2))";
                let mut archived = Vec::new();
                for id in ids {
                    let folder: Option<String> = cache.connection.scalar(sql, params![channel, id])?;
                    if folder.is_some_and(|folder| is_archive(&folder)) {
                        archived.push(id);
                    }
                }
                Ok(archived)
            })
            .await
    }

    /// Stores an accepted change before a read shows it.
    pub async fn apply_thread_change(
        &self,
        channel: &ChannelId,
        id: &ConversationId,
        change_made: &ThreadChange,
    ) -> Result<(), StoreError> {
        let (channel, id, made) = (channel.clone(), id.clone(), change_made.clone());
        self.cache()
            .call_async(move |cache| {
                cache.record_local_write(&channel, &id);
                let change = cache.connection.transaction()?;
                let mut thread = find(&change, &channel, &id)?.unwrap_or_default();
                change_values(&made)
                    .into_iter()
                    .for_each(|(field, value)| set_field(&mut thread, field, &value));
                write(&change, &channel, &id, &thread)?;
                if made.place.is_some() {
                    move_thread(&change, &channel, &id, thread.is_archived())?;
                }
                change.commit()?;
                Ok(())
            })
            .await
    }

    /// Archives a thread or moves it back on this desk only.
    pub async fn move_thread_here(
        &self,
        channel: &ChannelId,
        id: &ConversationId,
        archived: bool,
    ) -> Result<(), StoreError> {
        let (channel, id) = (channel.clone(), id.clone());
        self.cache().call_async(move |cache| move_thread(&cache.connection, &channel, &id, archived)).await
    }
}

fn move_thread(
    connection: &Connection,
    channel: &ChannelId,
    id: &ConversationId,
    archived: bool,
) -> Result<(), StoreError> {
    let status = if archived { ConversationStatus::Closed } else { ConversationStatus::Open };
    connection.execute(
        "UPDATE conversation SET status = ?3, is_closed = ?4 WHERE channel = ?1 AND id = ?2",
        params![channel, id, status.word(), archived],
    )?;
    Ok(())
}

fn find(
    connection: &Connection,
    channel: &ChannelId,
    id: &ConversationId,
) -> Result<Option<Thread>, StoreError> {
    let sql = "SELECT subject, is_read, is_starred, category, priority, folder FROM thread
         WHERE channel = ?1 AND id = ?2";
    Ok(connection.first(sql, params![channel, id], thread_from_row)?)
}

fn write(
    connection: &Connection,
    channel: &ChannelId,
    id: &ConversationId,
    thread: &Thread,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO thread (channel, id, subject, is_read, is_starred, category, priority, urgency, folder)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT DO UPDATE SET subject = excluded.subject, is_read = excluded.is_read,
                 is_starred = excluded.is_starred, category = excluded.category,
                 priority = excluded.priority, urgency = excluded.urgency, folder = excluded.folder",
        )?
        .execute(params![
            channel,
            id,
            thread.subject,
            thread.is_read,
            thread.is_starred,
            thread.category,
            thread.priority,
            thread.priority.as_ref().map_or(4, |priority| priority_rank(priority.as_str())),
            thread.folder
        ])?;
    Ok(())
}
