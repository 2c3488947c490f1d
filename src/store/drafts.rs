//! Drafts, one per conversation, on disk before the call returns. If two windows write the same
//! draft the newer text is kept, and a text its author had not seen is set aside.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior, params};

use crate::rows::attachment;
use crate::{Store, StoreError};
use model::attachments::{self, ReplyAttachment};
use model::ids::{ChannelId, ConversationId, MessageId};
use model::queries::Draft;
use sqlite::{Queries, only_cell, read_row};

/// Maximum number of remembered drafts; above it an overwritten text may be set aside needlessly.
const MAX_REMEMBERED_DRAFTS: usize = 1_000;

/// Text of each draft as this process last wrote or first read it; a different text on disk is from
/// another process. Later reads do not count, because the text being typed may not include them.
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
    /// Stores a draft; `None` or an empty one removes it.
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
                attachment::write(&draft.attachments)
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

/// Returns a text that another window has overwritten; expects the outbox attached as `desk`.
pub(crate) fn text_set_aside(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT text FROM desk.draft_aside WHERE channel = ?1 AND conversation = ?2";
    Ok(connection.first(sql, params![channel, conversation], only_cell)?)
}

/// Removes the text, now in the outbox, and the text set aside; keeps an unsaved note.
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

/// Removes the note, now saved; keeps an unsent text.
pub(crate) fn remove_draft_note(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<(), StoreError> {
    let kept = find(connection, SELECT_DRAFT, channel, conversation)?.unwrap_or_default();
    write(connection, channel, conversation, Some(&Draft { note: String::new(), ..kept }))
}

/// Prepends a withdrawn text and its attachment to the draft. Its quote is restored unless the draft has its
/// own.
pub(crate) fn prepend_text(
    connection: &Connection,
    (channel, conversation): (&ChannelId, &ConversationId),
    text: &str,
    reply_to: Option<&MessageId>,
    attached: Option<ReplyAttachment>,
) -> Result<(), StoreError> {
    let kept = find(connection, SELECT_DRAFT, channel, conversation)?.unwrap_or_default();
    let reply_to = kept.reply_to.clone().or_else(|| reply_to.cloned());
    let attachments = attachments::merge(attached.into_iter().collect(), kept.attachments.clone());
    let draft = Draft { text: join_texts(text, &kept.text), reply_to, attachments, ..kept };
    write(connection, channel, conversation, Some(&draft))
}

/// Prepends a withdrawn note to the unsaved one.
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

/// Selects a draft on the outbox's own connection.
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
        let attachments = row.optional_text("attachment")?.map(attachment::read).unwrap_or_default();
        Ok(read_row!(row, Draft { text, reply_to, note; attachments }))
    })?;
    Ok(draft)
}
