//! Calls: placed, put through, paid by the minute. Interface: Voice and SMS.
//!
//! SMS are messages like those of the chat channels (see `chat`).

pub mod place;
pub mod progress;

use crate::channels::Channel;
use crate::database::channels::ChannelRow;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, messages};

/// The kind of message a call, or what is said in one, is shown as.
pub const CALL: &str = "call";

/// In which manner a conversation goes on: spoken where it was spoken last,
/// written everywhere else.
pub fn manner(
    db: &dyn DbSession,
    channel: &ChannelRow,
    conversation: &str,
) -> Result<&'static str, DatabaseError> {
    if channel.kind != Channel::Voip {
        return Ok("text");
    }
    let spoken = messages::newest(db, conversation, 1)?.first().is_some_and(|it| it.kind == CALL);
    Ok(if spoken { CALL } else { "text" })
}
