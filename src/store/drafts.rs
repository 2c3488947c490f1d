//! Drafts: one per conversation, on disk before the call returns. Two windows
//! may write the same one: the newer text stays, and a text that the writer of
//! the newer one had not seen is put aside.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior, params};

use crate::rows::attachment;
use crate::{Store, StoreError};
use model::attachments::ReplyAttachment;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::queries::Draft;
use sqlite::{Queries, only_cell, read_row};

/// Drafts whose text is remembered; of more, a text written over is put aside
/// once too often.
const MAX_REMEMBERED_DRAFTS: usize = 1_000;

/// The text of each draft as this process wrote it last, or read it first:
/// what differs from it on disk was written by another. A later reading does
/// not count, since what was being typed may not have given way to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct DraftTexts(Arc<Mutex<HashMap<(ChannelId, ConversationId), String>>>);

impl DraftTexts {
    fn record_written(&self, channel: &ChannelId, conversation: &ConversationId, text: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_REMEMBERED_DRAFTS {
            known.clear();
        }
        known.insert((channel.clone(), conversation.clone()), text.to_owned());
    }

    pub(crate) fn record_read(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        draft: Option<&Draft>,
    ) {
        let text = draft.map_or("", |draft| draft.text.as_str());
        let is_new = {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            !known.contains_key(&(channel.clone(), conversation.clone()))
        };
        if is_new {
            self.record_written(channel, conversation, text);
        }
    }

    fn is_same(&self, channel: &ChannelId, conversation: &ConversationId, text: &str) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(channel.clone(), conversation.clone())).is_some_and(|entry| entry == text)
    }
}

impl Store {
    /// Keeps a draft, or removes it with `None` or an empty text.
    ///
    /// # Errors
    /// When the database fails; the draft on disk is then the one before.
    pub fn save_draft(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        draft: Option<Draft>,
    ) -> Result<(), StoreError> {
        let (channel, conversation) = (channel.clone(), conversation.clone());
        let known = self.draft_texts().clone();
        self.outbox().call(move |connection| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let before = find(&change, SELECT_DRAFT, &channel, &conversation)?
                .map(|draft| draft.text)
                .unwrap_or_default();
            let text = draft.as_ref().map_or("", |draft| draft.text.as_str());
            if !before.is_empty()
                && !known.is_same(&channel, &conversation, &before)
                && !text.contains(&before)
            {
                set_text_aside(&change, &channel, &conversation, &before)?;
            }
            write(&change, &channel, &conversation, draft.as_ref())?;
            change.commit()?;
            known.record_written(&channel, &conversation, text);
            Ok(())
        })
    }

    /// How many drafts and outbox rows of a channel there are.
    pub fn count_drafts_and_rows(&self, channel: &ChannelId) -> Result<(u64, u64), StoreError> {
        let channel = channel.clone();
        self.outbox().call(move |connection| {
            let count = |sql: &str| connection.scalar::<i64>(sql, [channel.as_str()]);
            let drafts = count("SELECT count(*) FROM draft WHERE channel = ?1")?;
            let rows = count("SELECT count(*) FROM outbox WHERE channel = ?1")?;
            Ok((drafts.unsigned_abs(), rows.unsigned_abs()))
        })
    }
}

/// Writes or removes a draft inside a change.
pub(crate) fn write(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    draft: Option<&Draft>,
) -> Result<(), StoreError> {
    match draft.filter(|draft| !draft.is_empty()) {
        Some(draft) => connection.execute(
            "INSERT INTO draft (channel, conversation, text, reply_to, note, attachment)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET text = excluded.text, reply_to = excluded.reply_to,
                 note = excluded.note, attachment = excluded.attachment",
            params![
                channel,
                conversation,
                draft.text,
                draft.reply_to,
                draft.note,
                draft.attachment.as_ref().map(attachment::write)
            ],
        )?,
        None => connection.execute(
            "DELETE FROM draft WHERE channel = ?1 AND conversation = ?2",
            params![channel, conversation],
        )?,
    };
    Ok(())
}

fn set_text_aside(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    text: &str,
) -> Result<(), StoreError> {
    connection.execute(
        "INSERT OR REPLACE INTO draft_aside (channel, conversation, text) VALUES (?1, ?2, ?3)",
        params![channel, conversation, text],
    )?;
    Ok(())
}

/// A text that another window wrote over, on a connection with the outbox
/// attached as `desk`.
pub(crate) fn text_set_aside(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT text FROM desk.draft_aside WHERE channel = ?1 AND conversation = ?2";
    Ok(connection.first(sql, params![channel, conversation], only_cell)?)
}

/// Forgets the text, which went into the outbox, and what was put aside of it;
/// a note that is not saved yet stays.
pub(crate) fn remove_draft_text(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<(), StoreError> {
    let kept = find(connection, SELECT_DRAFT, channel, conversation)?.unwrap_or_default();
    connection.execute(
        "DELETE FROM draft_aside WHERE channel = ?1 AND conversation = ?2",
        params![channel, conversation],
    )?;
    write(connection, channel, conversation, Some(&Draft { note: kept.note, ..Draft::default() }))
}

/// Forgets the note, which was saved; a text that is not sent yet stays.
pub(crate) fn remove_draft_note(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<(), StoreError> {
    let kept = find(connection, SELECT_DRAFT, channel, conversation)?.unwrap_or_default();
    write(connection, channel, conversation, Some(&Draft { note: String::new(), ..kept }))
}

/// Puts a text that was taken back before what the draft holds, with what
/// went along; what the draft holds of that stays.
pub(crate) fn prepend_text(
    connection: &Connection,
    (channel, conversation): (&ChannelId, &ConversationId),
    text: &str,
    reply_to: Option<&MessageId>,
    attached: Option<ReplyAttachment>,
) -> Result<(), StoreError> {
    let kept = find(connection, SELECT_DRAFT, channel, conversation)?.unwrap_or_default();
    let reply_to = kept.reply_to.clone().or_else(|| reply_to.cloned());
    let attachment = kept.attachment.clone().or(attached);
    let draft = Draft { text: join_texts(text, &kept.text), reply_to, attachment, ..kept };
    write(connection, channel, conversation, Some(&draft))
}

/// Puts a note that was taken back before the one that is not saved yet.
pub(crate) fn prepend_note(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    text: &str,
) -> Result<(), StoreError> {
    let kept = find(connection, SELECT_DRAFT, channel, conversation)?.unwrap_or_default();
    let draft = Draft { note: join_texts(text, &kept.note), ..kept };
    write(connection, channel, conversation, Some(&draft))
}

fn join_texts(text: &str, kept: &str) -> String {
    match (text.is_empty(), kept.is_empty()) {
        (true, _) => kept.to_owned(),
        (_, true) => text.to_owned(),
        _ => format!("{text}\n{kept}"),
    }
}

/// A draft, on the outbox's own connection.
const SELECT_DRAFT: &str =
    "SELECT text, reply_to, note, attachment FROM draft WHERE channel = ?1 AND conversation = ?2";

/// Reads a draft on a connection with the outbox attached as `desk`.
pub(crate) fn read(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<Draft>, StoreError> {
    let sql =
        "SELECT text, reply_to, note, attachment FROM desk.draft WHERE channel = ?1 AND conversation = ?2";
    find(connection, sql, channel, conversation)
}

fn find(
    connection: &Connection,
    sql: &str,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<Draft>, StoreError> {
    let draft = connection.first(sql, params![channel, conversation], |row| {
        let attachment = row.optional_text("attachment")?.and_then(attachment::read);
        Ok(read_row!(row, Draft { text, reply_to, note; attachment }))
    })?;
    Ok(draft)
}
