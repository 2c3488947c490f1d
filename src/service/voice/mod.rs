//! Phone calls. SMS are messages of the chat channels (see `chat`).

pub mod place;
pub mod progress;

use crate::database::channels::ChannelRow;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, messages};
use platforms::{CALL_KIND, Channel};

/// Returns the manner in which a conversation continues: spoken after a spoken message, else written.
pub fn conversation_mode(
    db: &dyn DbSession,
    channel: &ChannelRow,
    conversation: &str,
) -> Result<&'static str, DatabaseError> {
    if channel.kind != Channel::Voip {
        return Ok("text");
    }
    let spoken = messages::newest(db, conversation, 1)?.first().is_some_and(|entry| entry.kind == CALL_KIND);
    Ok(if spoken { CALL_KIND } else { "text" })
}
