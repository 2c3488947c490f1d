//! Drafts: one per conversation, on disk before the call returns.
//!
//! Knows nothing of composers.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::attachments::Attachment;
use crate::model::ids::{ChannelId, ConversationId, MessageId};
use crate::model::queries::Draft;
use crate::store::rows::attachment;
use crate::store::{Store, StoreError};

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
        self.outbox().call(move |connection| write(connection, &channel, &conversation, draft.as_ref()))
    }

    /// How many drafts and outbox rows of a channel there are.
    ///
    /// # Errors
    /// When the database fails.
    pub fn left_open(&self, channel: &ChannelId) -> Result<(u64, u64), StoreError> {
        let channel = channel.clone();
        self.outbox().call(move |connection| {
            let count = |sql: &str| connection.query_row(sql, [channel.as_str()], |row| row.get::<_, i64>(0));
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
                channel.as_str(),
                conversation.as_str(),
                draft.text,
                draft.reply_to.as_ref().map(MessageId::as_str),
                draft.note,
                draft.attachment.as_ref().map(attachment::write),
            ],
        )?,
        None => connection.execute(
            "DELETE FROM draft WHERE channel = ?1 AND conversation = ?2",
            params![channel.as_str(), conversation.as_str()],
        )?,
    };
    Ok(())
}

/// Forgets the text, which went into the outbox; a note that is not saved yet
/// stays.
pub(crate) fn forget_text(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<(), StoreError> {
    let kept = find(connection, HERE, channel, conversation)?.unwrap_or_default();
    write(connection, channel, conversation, Some(&Draft { note: kept.note, ..Draft::default() }))
}

/// Forgets the note, which was saved; a text that is not sent yet stays.
pub(crate) fn forget_note(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
) -> Result<(), StoreError> {
    let kept = find(connection, HERE, channel, conversation)?.unwrap_or_default();
    write(connection, channel, conversation, Some(&Draft { note: String::new(), ..kept }))
}

/// Puts a text that was taken back before what the draft holds, with what
/// went along; what the draft holds of that stays.
pub(crate) fn put_before(
    connection: &Connection,
    (channel, conversation): (&ChannelId, &ConversationId),
    text: &str,
    reply_to: Option<&MessageId>,
    attached: Option<Attachment>,
) -> Result<(), StoreError> {
    let kept = find(connection, HERE, channel, conversation)?.unwrap_or_default();
    let reply_to = kept.reply_to.clone().or_else(|| reply_to.cloned());
    let attachment = kept.attachment.clone().or(attached);
    let draft = Draft { text: before(text, &kept.text), reply_to, attachment, ..kept };
    write(connection, channel, conversation, Some(&draft))
}

/// Puts a note that was taken back before the one that is not saved yet.
pub(crate) fn put_note_before(
    connection: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    text: &str,
) -> Result<(), StoreError> {
    let kept = find(connection, HERE, channel, conversation)?.unwrap_or_default();
    let draft = Draft { note: before(text, &kept.note), ..kept };
    write(connection, channel, conversation, Some(&draft))
}

fn before(text: &str, kept: &str) -> String {
    match (text.is_empty(), kept.is_empty()) {
        (true, _) => kept.to_owned(),
        (_, true) => text.to_owned(),
        _ => format!("{text}\n{kept}"),
    }
}

/// A draft, on the outbox's own connection.
const HERE: &str =
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
    let mut statement = connection.prepare_cached(sql)?;
    let draft = statement
        .query_row(params![channel.as_str(), conversation.as_str()], |row| {
            let reply_to: Option<String> = row.get(1)?;
            let attached: Option<String> = row.get(3)?;
            let attachment = attached.as_deref().and_then(attachment::read);
            let reply_to = reply_to.map(MessageId::new);
            Ok(Draft { text: row.get(0)?, reply_to, note: row.get(2)?, attachment })
        })
        .optional()?;
    Ok(draft)
}
