//! Connections of a bot to businesses.
//!
//! The platform gives each connection another id, which is part of the addresses of its chats. A message can be
//! processed before the report of its connection. Such a message would begin a second conversation of its
//! customer, so the platform is asked whose connection it is.

use crate::database::{DatabaseError, conversations};
use crate::errors::ApiError;
use crate::operators::ConnectedChannel;
use crate::state::Service;
use model::time::{MINUTE, SECOND};
use platforms::PlatformEvent;

/// Maximum number of retries of the request for a connection; then the message begins a conversation.
const MAX_LOOKUP_RETRIES: i64 = 3;
/// Bounds of the delay before a retry, in microseconds.
const RETRY_DELAYS: (i64, i64) = (2 * SECOND, MINUTE);

/// Puts the connection of a message that would begin a conversation before it. Returns a delay in microseconds if
/// the update has to be processed later, because the platform cannot be asked now.
pub async fn add_connection(
    service: &Service,
    connected: &ConnectedChannel,
    attempts: i64,
    events: &mut Vec<PlatformEvent>,
) -> Result<Option<i64>, ApiError> {
    let Some(peer) = events.first().and_then(peer_of).map(str::to_owned) else { return Ok(None) };
    let Some(lookup) = connected.platform.find_connection(&peer) else { return Ok(None) };
    let (channel, wanted) = (connected.channel.clone(), peer.clone());
    let known: Result<_, DatabaseError> =
        service.database.read(move |db| conversations::find_by_peer(db, &channel, &wanted)).await;
    if known?.is_some() {
        return Ok(None);
    }
    match lookup.await {
        Ok(connection) => events.splice(0..0, connection).for_each(drop),
        Err(trouble) => {
            tracing::warn!(why = trouble.why, "the business of a message is not known");
            let (shortest, longest) = RETRY_DELAYS;
            return Ok((attempts < MAX_LOOKUP_RETRIES).then(|| trouble.pause.clamp(shortest, longest)));
        }
    }
    Ok(None)
}

/// Returns the address of the conversation that an event belongs to, if it may begin it.
fn peer_of(event: &PlatformEvent) -> Option<&str> {
    match event {
        PlatformEvent::Message(message) => Some(&message.inbound.from),
        PlatformEvent::SentElsewhere(sent) => Some(&sent.to),
        PlatformEvent::Edited { changed, .. } => Some(&changed.peer),
        _ => None,
    }
}
