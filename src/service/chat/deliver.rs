//! A message moves on: delivered, read or failed. Interface: States and
//! transitions, Message status.

use serde_json::json;

use crate::chat::broadcast;
use crate::database::{DatabaseError, messages};
use crate::events::{self, Event};
use crate::world::Kind;
use crate::write::Work;

/// Moves a message on, unless it is past that already, and tells of it.
pub fn advance(work: &Work<'_>, message: &str, step: Kind) -> Result<(), DatabaseError> {
    let (status, event) = match step {
        Kind::Delivered => ("delivered", Event::MessageDelivered),
        Kind::Read => ("read", Event::MessageRead),
        _ => ("failed", Event::MessageFailed),
    };
    let Some(row) = messages::advance(work.db, message, status, work.now)? else { return Ok(()) };
    broadcast::follow(work, &row)?;
    let told = json!({
        "conversationId": row.conversation, "messageId": row.id, "status": row.status,
        "deliveredAt": row.delivered_at.map(|it| it.to_string()), "readAt": row.read_at.map(|it| it.to_string()),
    });
    events::emit(work, &row.channel, event, told)
}
