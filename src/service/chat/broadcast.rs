//! A broadcast goes out, a few recipients at a time, and follows what becomes
//! of its messages. Interface: Broadcast; Limits, Credit costs.
//!
//! All recipients were paid for; each that fails is given back.

use crate::chat::people;
use crate::chat::send::{self, Outgoing};
use crate::database::broadcasts::{self, BroadcastRow, Recipient};
use crate::database::channels::{self, ChannelRow};
use crate::database::messages::MessageRow;
use crate::database::{DatabaseError, contacts, due, savepoint, workspaces};
use crate::errors::ApiError;
use crate::world::Kind;
use crate::write::Work;
use model::time::SECOND;
use wire::errors::ErrorCode;

/// The types a broadcast can have.
pub const TYPES: [&str; 3] = ["text", "image", "template"];
/// Recipients of one step.
const STEP: i64 = 5;
/// Messages of a broadcast that wait for the platform at most: what people
/// answer meanwhile does not wait behind all of them.
const QUEUED: i64 = 50;
/// Between two steps.
const PAUSE: i64 = SECOND;

/// Sets the next step of a broadcast to happen.
pub fn expect_step(work: &Work<'_>, id: &str) -> Result<(), DatabaseError> {
    due::add(work.db, work.now.plus(PAUSE), Kind::Broadcast.word(), id, "")
}

/// Sends to the next few recipients; with the last the broadcast is complete.
pub fn step(work: &Work<'_>, id: &str) -> Result<(), ApiError> {
    let Some(row) = broadcasts::by_id(work.db, id)? else { return Ok(()) };
    let channel = channels::read(work.db, &row.channel)?;
    let work = Work { key: row.key.as_deref(), test: false, ..*work };
    let room = (QUEUED - broadcasts::queued(work.db, id)?).clamp(0, STEP);
    for recipient in broadcasts::waiting(work.db, id, room)? {
        let outcome = attempt(&work, &channel, &row, &recipient)?;
        let noted =
            outcome.as_ref().map(|it| (it.id.as_str(), it.status.as_str())).map_err(|code| code.word());
        broadcasts::settle(work.db, id, &recipient, noted)?;
        if outcome.is_err() {
            refund(&work, &channel, &row, recipient.position)?;
        }
    }
    if broadcasts::waiting(work.db, id, 1)?.is_empty() && broadcasts::queued(work.db, id)? == 0 {
        Ok(broadcasts::complete(work.db, id, work.now)?)
    } else {
        Ok(expect_step(&work, id)?)
    }
}

/// Sends to one recipient: the message, or why it was not sent. Nothing of an
/// attempt that fails stays.
fn attempt(
    work: &Work<'_>,
    channel: &ChannelRow,
    row: &BroadcastRow,
    recipient: &Recipient,
) -> Result<Result<MessageRow, ErrorCode>, ApiError> {
    match savepoint::part(work.db, || send_to(work, channel, row, recipient)) {
        Ok(message) => Ok(Ok(message)),
        Err(error) if error.code == ErrorCode::InternalError => Err(error),
        Err(error) => Ok(Err(error.code)),
    }
}

fn send_to(
    work: &Work<'_>,
    channel: &ChannelRow,
    row: &BroadcastRow,
    recipient: &Recipient,
) -> Result<MessageRow, ApiError> {
    if contacts::read(work.db, &channel.workspace, &recipient.contact)?.is_none() {
        return Err(ApiError::not_found("this contact"));
    }
    let conversation = people::conversation_with(work, channel, &recipient.phone)?;
    if row.kind != "template" && !conversation.window_open(work.now) {
        return Err(ApiError::new(ErrorCode::SessionExpired, "the service window is closed"));
    }
    let outgoing = Outgoing {
        sender: "api",
        kind: TYPES.into_iter().find(|it| *it == row.kind).unwrap_or("text"),
        content: row.content.clone(),
        media_url: row.media_url.clone(),
        details: row.details.clone(),
        reply_to: None,
        cost: row.price,
        broadcast: Some(row.id.clone()),
        ..Outgoing::default()
    };
    let id = work.id("msg", work.stamp());
    send::send(work, channel, &conversation, id, outgoing)
}

/// Follows a message that moved on; one that does not arrive is given back.
pub fn follow(work: &Work<'_>, message: &MessageRow) -> Result<(), DatabaseError> {
    let Some(id) = &message.broadcast else { return Ok(()) };
    let Some(position) = broadcasts::advance(work.db, id, &message.id, &message.status)? else {
        return Ok(());
    };
    let Some(row) = broadcasts::by_id(work.db, id)? else { return Ok(()) };
    if message.status == "failed" {
        refund(work, &channels::read(work.db, &row.channel)?, &row, position)?;
    }
    Ok(())
}

/// Notes what became of a message that waited for its platform: the status it
/// has now, or why it was refused, which is given back.
pub fn settle(
    work: &Work<'_>,
    id: &str,
    message: &str,
    outcome: Result<&str, ErrorCode>,
) -> Result<(), DatabaseError> {
    let code = match outcome {
        Ok(status) => return broadcasts::advance(work.db, id, message, status).map(drop),
        Err(code) => code.word(),
    };
    let Some(position) = broadcasts::refuse(work.db, id, message, code)? else { return Ok(()) };
    let Some(row) = broadcasts::by_id(work.db, id)? else { return Ok(()) };
    refund(work, &channels::read(work.db, &row.channel)?, &row, position)
}

fn refund(
    work: &Work<'_>,
    channel: &ChannelRow,
    row: &BroadcastRow,
    position: i64,
) -> Result<(), DatabaseError> {
    let reference = format!("{}/{position}", row.id);
    workspaces::refund(work.db, &channel.workspace, row.price, &reference, work.now)
}
