//! Placement of a call (`placeCall`): stored as a message of its conversation with a simulated course, or
//! queued for the platform.

use serde_json::Value;

use crate::database::calls::{self, CallRow};
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, due};
use crate::errors::ApiError;
use crate::sending::{accept, check_json};
use crate::world::JobKind;
use crate::write::WriteContext;
use api::carriers::MessageDraft;
use api::extras::MessageExtras;
use platforms::simulated::unique_id;
use platforms::simulated::voice::OutgoingCall;
use platforms::{CALL_KIND, OutboundMessage};

/// Content of a call until it has ended.
pub const CALL_PREVIEW: &str = "Outgoing call";
/// Status of a placed call.
pub const QUEUED_STATUS: &str = "queued";

#[derive(Debug, Clone)]
pub struct NewCall {
    pub id: String,
    /// JSON object for the speaking assistant.
    pub metadata: String,
    /// Price of the first minute, in credits.
    pub cost: i64,
}

/// Places a call to a conversation's customer. Returns true if it is queued for a platform and not in the
/// history yet.
pub fn place_call(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    new: NewCall,
) -> Result<bool, ApiError> {
    let platforms = &work.service.platforms;
    if !platforms.carrier(&channel.id, channel.kind)?.is_instant() && !work.test {
        enqueue(work, channel, conversation, new)?;
        return Ok(true);
    }
    let course = match platforms.are_simulated() {
        true => Some(platforms.voice()?.dial(&OutgoingCall { id: &new.id, to: conversation.recipient() })),
        // Calls of test keys are not placed.
        false => None,
    };
    let platform_id = unique_id(channel.kind, &new.id);
    record_call(work, (channel, conversation), &new, (QUEUED_STATUS, platform_id))?;
    for (after, status) in course.iter().flat_map(|entry| entry.steps()) {
        due::add(work.db, work.now.plus(after), JobKind::Call.word(), &new.id, status)?;
    }
    Ok(false)
}

/// Queues a call after the other messages to its customer.
fn enqueue(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    new: NewCall,
) -> Result<(), ApiError> {
    let metadata: Value = check_json(serde_json::from_str(&new.metadata))?;
    let parcel = OutboundMessage {
        id: new.id,
        to: conversation.recipient().to_owned(),
        kind: CALL_KIND.to_owned(),
        content: Some(metadata),
        ..OutboundMessage::default()
    };
    let draft = MessageDraft {
        sender: "api".to_owned(),
        content: CALL_PREVIEW.to_owned(),
        kind: CALL_KIND.to_owned(),
        media_url: None,
        details: Some(new.metadata),
        reply_to: None,
        cost: new.cost,
        key: work.key.map(str::to_owned),
        broadcast: None,
        agent: work.agent.cloned(),
    };
    accept::enqueue(work, &channel.id, &conversation.id, &parcel, check_json(serde_json::to_string(&draft))?)
}

pub fn record_call(
    work: &WriteContext<'_>,
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
            content: CALL_PREVIEW.to_owned(),
            kind: CALL_KIND.to_owned(),
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
            extras: MessageExtras::from_agent(work.agent.cloned()).to_stored_text(),
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
    conversations::touch(work.db, &conversation.id, CALL_PREVIEW, false, stamp)?;
    work.record_outbound(channel.kind, &conversation.peer, CALL_PREVIEW, stamp)
}
