//! A call is placed: shown as a message of its conversation, and its course
//! set to happen, or left to the platform. Interface: POST /voip/calls.

use serde_json::Value;

use crate::carriers::Parcel;
use crate::chat::send;
use crate::database::calls::{self, CallRow};
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, due};
use crate::errors::ApiError;
use crate::platforms::simulated_id;
use crate::platforms::voice::Dial;
use crate::voice::CALL;
use crate::world::Kind;
use crate::write::Work;
use wire::carriers::MessageDraft;

/// What a call is called in lists until it has ended.
pub const PREVIEW: &str = "Outgoing call";
/// The status of a call that was placed.
pub const QUEUED: &str = "queued";

/// A call that is to be placed.
#[derive(Debug, Clone)]
pub struct NewCall {
    pub id: String,
    /// A JSON object for the speaker.
    pub metadata: String,
    /// What was paid for its first minute.
    pub cost: i64,
}

/// Places a call to a conversation's customer; whether a platform has to take it
/// first, before which it is not in the history.
pub fn place(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    new: NewCall,
) -> Result<bool, ApiError> {
    let platforms = &work.service.platforms;
    if !platforms.of(channel.kind)?.is_instant() && !work.test {
        enqueue(work, channel, conversation, new)?;
        return Ok(true);
    }
    let course = match platforms.are_simulated() {
        true => Some(platforms.voice()?.dial(work, &Dial { id: &new.id, to: conversation.recipient() })?),
        // Nothing of a test key's leaves.
        false => None,
    };
    let platform_id = simulated_id(channel.kind, &new.id);
    begin(work, (channel, conversation), &new, (QUEUED, platform_id))?;
    for (after, status) in course.iter().flat_map(|it| it.steps()) {
        due::add(work.db, work.now.plus(after), Kind::Call.word(), &new.id, status)?;
    }
    Ok(false)
}

/// Keeps a call for the platform, behind what else goes to that customer.
fn enqueue(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    new: NewCall,
) -> Result<(), ApiError> {
    let metadata: Value = serde_json::from_str(&new.metadata).map_err(|cause| ApiError::internal(&cause))?;
    let parcel = Parcel {
        id: new.id,
        to: conversation.recipient().to_owned(),
        kind: CALL.to_owned(),
        content: Some(metadata),
        ..Parcel::default()
    };
    let draft = MessageDraft {
        sender: "api".to_owned(),
        content: PREVIEW.to_owned(),
        kind: CALL.to_owned(),
        media_url: None,
        details: Some(new.metadata),
        reply_to: None,
        cost: new.cost,
        key: work.key.map(str::to_owned),
        broadcast: None,
    };
    send::keep(work, &channel.id, &conversation.id, &parcel, &draft)
}

/// Puts a call into its history, in a status and under the platform's id.
pub fn begin(
    work: &Work<'_>,
    (channel, conversation): (&ChannelRow, &ConversationRow),
    new: &NewCall,
    (status, platform_id): (&str, String),
) -> Result<(), DatabaseError> {
    let stamp = work.stamp();
    messages::insert(
        work.db,
        &MessageRow {
            platform_id,
            id: new.id.clone(),
            conversation: conversation.id.clone(),
            channel: channel.id.clone(),
            direction: "outbound".to_owned(),
            sender: "api".to_owned(),
            content: PREVIEW.to_owned(),
            kind: CALL.to_owned(),
            media_url: None,
            details: None,
            status: status.to_owned(),
            reply_to: None,
            reaction: None,
            cost: new.cost,
            created_at: stamp,
            sent_at: None,
            delivered_at: None,
            read_at: None,
            broadcast: None,
            extras: None,
        },
    )?;
    let row = CallRow {
        id: new.id.clone(),
        channel: channel.id.clone(),
        conversation: conversation.id.clone(),
        metadata: new.metadata.clone(),
        status: status.to_owned(),
        cost: new.cost,
        created_at: stamp,
        answered_at: None,
        ended_at: None,
    };
    calls::insert(work.db, &row)?;
    conversations::touch(work.db, &conversation.id, PREVIEW, false, stamp)?;
    work.note_outbound(channel.kind, &conversation.peer, PREVIEW, stamp)
}
