//! Sending of broadcasts, a few recipients at a time, and tracking of their messages.
//!
//! All recipients are charged at the start; each failed one is refunded.

use crate::chat::people;
use crate::database::broadcasts::{self, BroadcastRow, Recipient};
use crate::database::channels::{self, ChannelRow};
use crate::database::messages::MessageRow;
use crate::database::{DatabaseError, contacts, due, savepoint, workspaces};
use crate::errors::ApiError;
use crate::sending::accept::{ComposedMessage, accept_send};
use crate::world::JobKind;
use crate::write::WriteContext;
use api::errors::ErrorCode;
use model::time::SECOND;

/// Message types a broadcast can have.
const CONTENT_TYPES: [&str; 3] = ["text", "image", "template"];
const RECIPIENTS_PER_STEP: i64 = 5;
/// Maximum number of a broadcast's messages queued for the platform, so that other messages do not wait
/// behind all of it.
const MAX_QUEUED_MESSAGES: i64 = 50;
/// Pause between two steps, in microseconds.
const STEP_INTERVAL: i64 = SECOND;

pub fn schedule_step(work: &WriteContext<'_>, id: &str) -> Result<(), DatabaseError> {
    due::add(work.db, work.now.plus(STEP_INTERVAL), JobKind::Broadcast.word(), id, "")
}

/// Sends to the next few recipients. Completes the broadcast after the last one.
pub fn run_step(work: &WriteContext<'_>, id: &str) -> Result<(), ApiError> {
    let Some(row) = broadcasts::find_by_id(work.db, id)? else { return Ok(()) };
    let channel = channels::read(work.db, &row.channel)?;
    let work = WriteContext { key: row.key.as_deref(), test: false, ..*work };
    let room = (MAX_QUEUED_MESSAGES - broadcasts::count_queued(work.db, id)?).clamp(0, RECIPIENTS_PER_STEP);
    for recipient in broadcasts::list_waiting(work.db, id, room)? {
        let outcome = try_recipient(&work, &channel, &row, &recipient)?;
        let noted = outcome
            .as_ref()
            .map(|outcome| (outcome.id.as_str(), outcome.status.as_str()))
            .map_err(|code| code.word());
        broadcasts::record_outcome(work.db, id, &recipient, noted)?;
        if outcome.is_err() {
            refund(&work, &channel, &row, recipient.position)?;
        }
    }
    if broadcasts::list_waiting(work.db, id, 1)?.is_empty() && broadcasts::count_queued(work.db, id)? == 0 {
        Ok(broadcasts::complete(work.db, id, work.now)?)
    } else {
        Ok(schedule_step(&work, id)?)
    }
}

/// Sends to one recipient and returns the message, or the reason of a refusal, whose changes are rolled back.
fn try_recipient(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    row: &BroadcastRow,
    recipient: &Recipient,
) -> Result<Result<MessageRow, ErrorCode>, ApiError> {
    match savepoint::in_savepoint(work.db, || send_to(work, channel, row, recipient)) {
        Ok(message) => Ok(Ok(message)),
        Err(error) if error.code == ErrorCode::InternalError => Err(error),
        Err(error) => Ok(Err(error.code)),
    }
}

fn send_to(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    row: &BroadcastRow,
    recipient: &Recipient,
) -> Result<MessageRow, ApiError> {
    if contacts::read(work.db, &channel.workspace, &recipient.contact)?.is_none() {
        return Err(ApiError::not_found("this contact"));
    }
    let conversation = people::find_or_create_conversation(work, channel, &recipient.phone)?;
    if row.kind != "template" && !conversation.is_window_open(work.now) {
        return Err(ApiError::new(ErrorCode::SessionExpired, "the service window is closed"));
    }
    let outgoing = ComposedMessage {
        sender: "api",
        kind: CONTENT_TYPES.into_iter().find(|kind| *kind == row.kind).unwrap_or("text"),
        content: row.content.clone(),
        media_url: row.media_url.clone(),
        details: row.details.clone(),
        reply_to: None,
        cost: row.price,
        broadcast: Some(row.id.clone()),
        ..ComposedMessage::default()
    };
    let id = work.id("msg", work.stamp());
    accept_send(work, channel, &conversation, id, outgoing)
}

/// Records the new status of a broadcast's message; refunds a failed one.
pub fn record_progress(work: &WriteContext<'_>, message: &MessageRow) -> Result<(), DatabaseError> {
    let Some(id) = &message.broadcast else { return Ok(()) };
    let Some(position) = broadcasts::record_progress(work.db, id, &message.id, &message.status)? else {
        return Ok(());
    };
    let Some(row) = broadcasts::find_by_id(work.db, id)? else { return Ok(()) };
    if message.status == "failed" {
        refund(work, &channels::read(work.db, &row.channel)?, &row, position)?;
    }
    Ok(())
}

/// Records the outcome of a message that waited for its platform; refunds a refused one.
pub fn record_outcome(
    work: &WriteContext<'_>,
    id: &str,
    message: &str,
    outcome: Result<&str, ErrorCode>,
) -> Result<(), DatabaseError> {
    let code = match outcome {
        Ok(status) => return broadcasts::record_progress(work.db, id, message, status).map(drop),
        Err(code) => code.word(),
    };
    let Some(position) = broadcasts::record_refusal(work.db, id, message, code)? else { return Ok(()) };
    let Some(row) = broadcasts::find_by_id(work.db, id)? else { return Ok(()) };
    refund(work, &channels::read(work.db, &row.channel)?, &row, position)
}

fn refund(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    row: &BroadcastRow,
    position: i64,
) -> Result<(), DatabaseError> {
    let reference = format!("{}/{position}", row.id);
    workspaces::refund(work.db, &channel.workspace, row.price, &reference, work.now)
}
