//! Changes to messages after they were sent: edits, withdrawals, and replaced or removed reactions.
//!
//! A changed message keeps its place and its former contents. Its conversation gets new activity, so that
//! readers of lists fetch it again.

use serde_json::Value;

use crate::carriers::files;
use crate::database::DatabaseError;
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::media::{self, MediaRow};
use crate::database::messages::{self, MessageRow};
use crate::database::session::DbSession;
use crate::errors::ApiError;
use crate::state::Service;
use crate::write::WriteContext;
use api::conversations::LastChange;
use api::extras::{FormerContent, MessageExtras, ReactionOrigin};
use model::time::{HOUR, Timestamp};
use platforms::contract::with_speaker;
use platforms::{ArrivedMessage, ChangedMessage};

/// Content of a withdrawn message without a file.
const WITHDRAWN_TEXT: &str = "[withdrawn]";
/// Number of a conversation's reactions that are searched for an earlier one of the same person.
const MAX_SEARCHED_REACTIONS: i64 = 200;
/// Time within which changes are merged into one `last_change` of a conversation, in microseconds.
const CHANGE_MERGE_WINDOW: i64 = HOUR;

/// Returns true if the history has a changed message, in either direction.
fn is_in_history(db: &dyn DbSession, channel: &str, changed: &ChangedMessage) -> Result<bool, DatabaseError> {
    Ok(match conversations::find_by_peer(db, channel, &changed.peer)? {
        Some(conversation) => messages::read_within(db, &conversation.id, &changed.platform_id)?.is_some(),
        None => false,
    })
}

fn find_changed(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    changed: &ChangedMessage,
) -> Result<Option<(ConversationRow, MessageRow)>, ApiError> {
    let Some(conversation) = conversations::find_by_peer(work.db, &channel.id, &changed.peer)? else {
        return Ok(None);
    };
    let row = messages::read_within(work.db, &conversation.id, &changed.platform_id)?;
    let direction = if changed.is_own { "outbound" } else { "inbound" };
    let row = row.filter(|row| row.direction == direction && row.platform_id == changed.platform_id);
    Ok(row.map(|row| (conversation, row)))
}

/// Returns true if the history has the message with a file of this size. Only the size shows whether a file
/// was replaced.
pub async fn is_recorded(
    service: &Service,
    channel: &str,
    changed: &ChangedMessage,
    size: Option<i64>,
) -> Result<bool, ApiError> {
    let (channel, changed) = (channel.to_owned(), changed.clone());
    let found: Result<Option<MessageRow>, DatabaseError> = service
        .database
        .read(move |db| match conversations::find_by_peer(db, &channel, &changed.peer)? {
            Some(conversation) => messages::read_within(db, &conversation.id, &changed.platform_id),
            None => Ok(None),
        })
        .await;
    let Some(row) = found? else { return Ok(false) };
    let details: Value =
        row.details.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let before = details["size"].as_i64();
    Ok(size.zip(before).is_none_or(|(size, before)| size == before))
}

/// Applies an edit; `file` is the stored new file of the message. Returns false if the message is unknown.
pub fn edit(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    changed: &ChangedMessage,
    message: &ArrivedMessage,
    file: Option<&MediaRow>,
) -> Result<bool, ApiError> {
    let Some((conversation, row)) = find_changed(work, channel, changed)? else {
        // An edit of the business's own post by an administrator of the channel is no new message.
        return Ok(is_in_history(work.db, &channel.id, changed)?);
    };
    let inbound = &message.inbound;
    let content = with_speaker(inbound.speaker.as_deref(), &inbound.text, &row.kind);
    if files::change_text(work, &row, &content)? {
        return Ok(true);
    }
    let structure = inbound.extras.structure.clone();
    let before = MessageExtras::read(row.extras.as_deref());
    if content == row.content && structure == before.structure && inbound.media_url.is_none() {
        return Ok(true);
    }
    let mut extras = MessageExtras {
        structure,
        edited_at: Some(changed.at.unwrap_or(work.now).to_string()),
        withdrawn_at: None,
        ..before
    };
    let mut now = MessageRow { content, ..row.clone() };
    if let (Some(url), Some(file)) = (&inbound.media_url, file) {
        let workspace = channel.workspace.clone();
        media::insert(work.db, &MediaRow { workspace, ..file.clone() }, work.now)?;
        now.kind.clone_from(&inbound.kind);
        (now.media_url, now.details) = (Some(url.clone()), inbound.details.clone());
        (extras.voice, extras.sticker) = (inbound.extras.voice, inbound.extras.sticker);
    }
    store_change(work, &conversation, &row, now, extras)?;
    Ok(true)
}

/// Replaces the content of a message by a text that says so.
pub fn withdraw(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    changed: &ChangedMessage,
) -> Result<(), ApiError> {
    match find_changed(work, channel, changed)? {
        Some((conversation, row)) => withdraw_message(work, &conversation, row, changed.at),
        None => Ok(()),
    }
}

fn withdraw_message(
    work: &WriteContext<'_>,
    conversation: &ConversationRow,
    row: MessageRow,
    at: Option<Timestamp>,
) -> Result<(), ApiError> {
    let before = MessageExtras::read(row.extras.as_deref());
    if before.withdrawn_at.is_some() {
        return Ok(());
    }
    let is_missing = files::cancel_fetch(work, &row)?;
    let is_file = is_missing || row.media_url.is_some() || row.kind_label() != row.kind;
    let content =
        if is_file { format!("[withdrawn {}]", row.kind_label()) } else { WITHDRAWN_TEXT.to_owned() };
    let now = MessageRow { content, media_url: None, ..row.clone() };
    let withdrawn_at = Some(at.unwrap_or(work.now).to_string());
    let extras = MessageExtras { withdrawn_at, ..before.with_content_of(MessageExtras::default()) };
    store_change(work, conversation, &row, now, extras)
}

/// Applies a reaction to an earlier one of the same person, which is changed, or removed if the new one is
/// empty. Returns false if the reaction has to be stored as a new message.
pub fn apply_reaction(
    work: &WriteContext<'_>,
    conversation: &ConversationRow,
    message: &ArrivedMessage,
) -> Result<bool, ApiError> {
    let inbound = &message.inbound;
    let Some(origin) = &inbound.extras.reaction else { return Ok(inbound.text.is_empty()) };
    let earlier = find_earlier_reaction(work, conversation, origin)?;
    let Some((row, before)) = earlier else { return Ok(inbound.text.is_empty()) };
    if inbound.text.is_empty() {
        withdraw_message(work, conversation, row, inbound.sent_at)?;
        return Ok(true);
    }
    let content = with_speaker(inbound.speaker.as_deref(), &inbound.text, &row.kind);
    if content != row.content {
        let edited_at = Some(inbound.sent_at.unwrap_or(work.now).to_string());
        let extras = MessageExtras { edited_at, withdrawn_at: None, ..before };
        let now = MessageRow { content, ..row.clone() };
        store_change(work, conversation, &row, now, extras)?;
    }
    Ok(true)
}

fn find_earlier_reaction(
    work: &WriteContext<'_>,
    conversation: &ConversationRow,
    origin: &ReactionOrigin,
) -> Result<Option<(MessageRow, MessageExtras)>, ApiError> {
    let rows = messages::list_reactions(work.db, &conversation.id, MAX_SEARCHED_REACTIONS)?;
    let mut rows = rows.into_iter().map(|row| {
        let extras = MessageExtras::read(row.extras.as_deref());
        (row, extras)
    });
    Ok(rows.find(|(_, extras)| extras.reaction.as_ref() == Some(origin)))
}

/// Stores the message `now` with `before` as a former content.
fn store_change(
    work: &WriteContext<'_>,
    conversation: &ConversationRow,
    before: &MessageRow,
    mut now: MessageRow,
    mut extras: MessageExtras,
) -> Result<(), ApiError> {
    let stamp = work.stamp();
    let media_url = before.media_url.clone().filter(|url| now.media_url.as_ref() != Some(url));
    let until = stamp.to_string();
    extras.push_former(FormerContent { content: before.content.clone(), media_url, until });
    now.extras = extras.to_stored_text();
    messages::update(work.db, &now, stamp)?;
    conversations::update_preview(work.db, &conversation.id, &now.preview(), now.created_at)?;
    // A reader of lists may miss several changes at once.
    let lately = conversation.last_change.as_deref().and_then(|text| last_change(text, stamp));
    let sent_at = now.sent_at.unwrap_or(now.created_at);
    let oldest = lately.map_or(sent_at, |before| before.min(sent_at));
    let change = LastChange { at: Some(stamp), message_at: Some(oldest) };
    let change = serde_json::to_string(&change).map_err(|cause| ApiError::internal(&cause))?;
    Ok(conversations::record_change(work.db, &conversation.id, &change, stamp)?)
}

/// Returns the time of the oldest message changed within [`CHANGE_MERGE_WINDOW`].
fn last_change(text: &str, now: Timestamp) -> Option<Timestamp> {
    let change: LastChange = serde_json::from_str(text).ok()?;
    change.message_at.filter(|_| change.at.is_some_and(|at| now.since(at) < CHANGE_MERGE_WINDOW))
}
