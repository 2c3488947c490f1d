//! Progress of a sent message: delivered, read or failed.

use serde_json::json;

use crate::chat::broadcast;
use crate::database::{DatabaseError, messages};
use crate::events::{self, Event};
use crate::world::JobKind;
use crate::write::WriteContext;

/// Advances a message to `step` and emits the event, unless it is past that already.
pub fn advance(work: &WriteContext<'_>, message: &str, step: JobKind) -> Result<(), DatabaseError> {
    let (status, event) = match step {
        JobKind::Delivered => ("delivered", Event::MessageDelivered),
        JobKind::Read => ("read", Event::MessageRead),
        _ => ("failed", Event::MessageFailed),
    };
    let Some(row) = messages::advance(work.db, message, status, work.now)? else { return Ok(()) };
    broadcast::record_progress(work, &row)?;
    let told = json!({
        "conversationId": row.conversation, "messageId": row.id, "status": row.status,
        "deliveredAt": row.delivered_at.map(|time| time.to_string()), "readAt": row.read_at.map(|entry| entry.to_string()),
    });
    events::emit(work, &row.channel, event, told)
}
