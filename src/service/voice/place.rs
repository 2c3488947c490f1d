//! A call is placed: shown as a message of its conversation, and its course
//! set to happen. Interface: POST /voip/calls.

use crate::database::calls::{self, CallRow};
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::{self, MessageRow};
use crate::database::{due, outbound};
use crate::errors::ApiError;
use crate::platforms::simulated_id;
use crate::platforms::voice::Dial;
use crate::voice::CALL;
use crate::world::Kind;
use crate::write::Work;

/// What a call is called in lists until it has ended.
const PREVIEW: &str = "Outgoing call";

/// Places a call to a conversation's customer. `id` is the call's, `cost` what
/// was paid for its first minute.
///
/// # Errors
/// What the platform refuses, or when the database fails.
pub fn place(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: String,
    metadata: String,
    cost: i64,
) -> Result<CallRow, ApiError> {
    let stamp = work.stamp();
    let course = work.service.platforms.voice()?.dial(work, &Dial { id: &id, to: &conversation.peer })?;
    messages::insert(
        work.db,
        &MessageRow {
            platform_id: simulated_id(channel.kind, &id),
            id: id.clone(),
            conversation: conversation.id.clone(),
            channel: channel.id.clone(),
            direction: "outbound".to_owned(),
            sender: "api".to_owned(),
            content: PREVIEW.to_owned(),
            kind: CALL.to_owned(),
            media_url: None,
            details: None,
            status: "queued".to_owned(),
            reply_to: None,
            reaction: None,
            cost,
            created_at: stamp,
            delivered_at: None,
            read_at: None,
            broadcast: None,
        },
    )?;
    let row = CallRow {
        id,
        channel: channel.id.clone(),
        conversation: conversation.id.clone(),
        metadata,
        status: "queued".to_owned(),
        cost,
        created_at: stamp,
        answered_at: None,
        ended_at: None,
    };
    calls::insert(work.db, &row)?;
    conversations::touch(work.db, &conversation.id, PREVIEW, false, stamp)?;
    outbound::note(work.db, channel.kind, &conversation.peer, PREVIEW, work.key, stamp)?;
    for (after, status) in course.steps() {
        due::add(work.db, work.now.plus(after), Kind::Call.word(), &row.id, status)?;
    }
    Ok(row)
}
