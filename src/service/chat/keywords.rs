//! STOP, START and HELP in texts to a phone number. The platform answers them
//! itself, so that the assistant does not; who has written STOP gets no texts
//! until they write START.

use crate::channels::Channel;
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, opt_outs};
use crate::errors::ApiError;
use crate::write::Work;
use model::keywords::Keyword;
use wire::errors::ErrorCode;

/// Why somebody is not written to who has asked for that.
pub const OPTED_OUT: &str =
    "this number has written STOP and takes no more texts; it can take them again by writing START";
/// Why a person is asked for.
const ASKS_FOR_HELP: &str = "the customer asks for help";

/// Heeds what a text to a phone number asks; whether nobody need answer it
/// besides.
pub fn heed(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    keyword: Option<Keyword>,
    text: &str,
) -> Result<bool, DatabaseError> {
    match keyword {
        Some(Keyword::Stop) => {
            opt_outs::add(work.db, &channel.id, &conversation.peer, work.now)?;
            Ok(true)
        }
        // From anybody else it answers a question.
        Some(Keyword::Start) => opt_outs::remove(work.db, &channel.id, &conversation.peer),
        Some(Keyword::Help) => {
            conversations::escalate(work.db, &conversation.id, (ASKS_FOR_HELP, text), work.now)?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Remembers that somebody takes no more texts, because the platform refuses them for
/// that reason: they told it, or wrote it before this database.
pub fn remember(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    why: &str,
) -> Result<(), DatabaseError> {
    if channel.kind == Channel::Voip && why == OPTED_OUT {
        opt_outs::add(work.db, &channel.id, &conversation.peer, work.now)?;
    }
    Ok(())
}

/// Lets a text pass to a number that takes them.
///
/// # Errors
/// `INVALID_RECIPIENT` when it has written STOP.
pub fn check(db: &dyn DbSession, channel: &str, peer: &str) -> Result<(), ApiError> {
    match opt_outs::is_there(db, channel, peer)? {
        true => Err(ApiError::new(ErrorCode::InvalidRecipient, OPTED_OUT)),
        false => Ok(()),
    }
}
