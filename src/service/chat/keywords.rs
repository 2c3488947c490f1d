//! The keywords STOP, START and HELP in SMS. The platform answers them, so the assistant does not. After STOP
//! a customer gets no texts until START.

use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, opt_outs};
use crate::errors::ApiError;
use crate::write::WriteContext;
use api::errors::ErrorCode;
use model::keywords::Keyword;
use platforms::{Channel, OPTED_OUT_MESSAGE};

/// Escalation reason after HELP.
const HELP_REASON: &str = "the customer asks for help";

/// Applies a keyword. Returns true if the text needs no other answer.
pub fn apply_keyword(
    work: &WriteContext<'_>,
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
        // From other customers START answers a question.
        Some(Keyword::Start) => opt_outs::remove(work.db, &channel.id, &conversation.peer),
        Some(Keyword::Help) => {
            conversations::escalate(work.db, &conversation.id, (HELP_REASON, text), work.now)?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Records an opt-out that the platform reports by refusing a text: STOP may have been sent before this
/// database existed.
pub fn record_opt_out(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    why: &str,
) -> Result<(), DatabaseError> {
    if channel.kind == Channel::Voip && why == OPTED_OUT_MESSAGE {
        opt_outs::add(work.db, &channel.id, &conversation.peer, work.now)?;
    }
    Ok(())
}

/// Checks that a number accepts texts.
///
/// # Errors
/// `INVALID_RECIPIENT` after STOP.
pub fn check_opt_out(db: &dyn DbSession, channel: &str, peer: &str) -> Result<(), ApiError> {
    match opt_outs::exists(db, channel, peer)? {
        true => Err(ApiError::new(ErrorCode::InvalidRecipient, OPTED_OUT_MESSAGE)),
        false => Ok(()),
    }
}
