//! People who take no messages. In SMS they write STOP and START; the platform answers these and HELP, so the
//! assistant does not. On Telegram they block and unblock the bot, a group removes and adds it, or the owner
//! of a business disconnects it.

use std::collections::HashSet;

use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::session::DbSession;
use crate::database::team::changes;
use crate::database::{DatabaseError, messages, opt_outs};
use crate::errors::ApiError;
use crate::write::WriteContext;
use api::errors::ErrorCode;
use model::conversations::NoMessagesReason;
use model::keywords::Keyword;
use model::phone_forms::all_forms;
use model::time::{MINUTE, SECOND, Timestamp};
use platforms::contract::CALL_KIND;
use platforms::telegram::chat;
use platforms::{
    BLOCKED_MESSAGE, Channel, DISCONNECTED_MESSAGE, InboundMessage, OPTED_OUT_MESSAGE, REMOVED_MESSAGE,
};

const HELP_REASON: &str = "the customer asks for help";
/// Number of a conversation's latest messages that are searched for a START.
const MAX_SEARCHED_MESSAGES: i64 = 20;
/// Time by which a START must be later than a STOP to count, in microseconds: it has the time of its arrival, which
/// may be late.
const MIN_START_DELAY: i64 = MINUTE;
/// Parts of the bot platform's refusals of a text to somebody who has blocked or removed the bot.
const BOT_REFUSALS: [&str; 2] = ["bot was blocked by the user", "bot was kicked from the"];

/// Applies a keyword. Returns true if the text needs no other answer. A text that is only found in the platform's
/// list has the time at which it was sent, in whole seconds: a START from before a STOP ends nothing, and a STOP from
/// before a START begins nothing.
pub fn apply_keyword(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    keyword: Option<Keyword>,
    inbound: &InboundMessage,
) -> Result<bool, DatabaseError> {
    let (channel, peer) = (&channel.id, &conversation.peer);
    match (keyword, inbound.sent_at) {
        (Some(Keyword::Stop), None) => {
            opt_outs::add(work.db, channel, peer, work.now)?;
            Ok(true)
        }
        (Some(Keyword::Stop), Some(sent_at)) => {
            if !has_start_after(work.db, &conversation.id, sent_at.plus(MIN_START_DELAY))? {
                opt_outs::add(work.db, channel, peer, sent_at)?;
            }
            Ok(true)
        }
        // From other customers START answers a question.
        (Some(Keyword::Start), None) => opt_outs::remove(work.db, channel, peer),
        (Some(Keyword::Start), Some(sent_at)) => {
            opt_outs::remove_until(work.db, channel, peer, sent_at.plus(SECOND))
        }
        (Some(Keyword::Help), _) => {
            let asked = (HELP_REASON, inbound.text.as_str());
            conversations::escalate(work.db, &conversation.id, asked, work.now)?;
            Ok(true)
        }
        (None, _) => Ok(false),
    }
}

/// Returns true if the customer has sent START after a time.
fn has_start_after(db: &dyn DbSession, conversation: &str, at: Timestamp) -> Result<bool, DatabaseError> {
    let newest = messages::newest(db, conversation, MAX_SEARCHED_MESSAGES)?;
    let mut later = newest.into_iter().take_while(|row| row.sent_at.unwrap_or(row.created_at) > at);
    Ok(later.any(|row| row.direction == "inbound" && Keyword::parse(&row.content) == Some(Keyword::Start)))
}

/// Records that a chat of a bot takes messages, as whoever writes does, or that it takes none. Returns true if
/// the message needs no other answer.
pub fn apply_membership(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    keyword: Option<Keyword>,
) -> Result<bool, DatabaseError> {
    match keyword {
        Some(Keyword::Stop) => {
            let peer = recipient(channel.kind, &conversation.peer);
            opt_outs::add(work.db, &channel.id, peer, work.now)?;
        }
        _ => allow_messages(work, channel, &conversation.peer)?,
    }
    Ok(keyword.is_some())
}

/// Records that a chat of a bot takes messages.
pub fn allow_messages(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    peer: &str,
) -> Result<(), DatabaseError> {
    opt_outs::remove(work.db, &channel.id, recipient(channel.kind, peer))?;
    Ok(())
}

/// Records whether a bot may answer in the chats of a business.
pub fn apply_connection(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    connection: &str,
    may_answer: bool,
) -> Result<(), DatabaseError> {
    match may_answer {
        true => drop(opt_outs::remove(work.db, &channel.id, connection)?),
        false => opt_outs::add(work.db, &channel.id, connection, work.now)?,
    }
    Ok(())
}

/// Returns the part of an address that opts out: a bot is blocked in all topics of a chat at once, and
/// disconnected from all chats of a business.
fn recipient(kind: Channel, peer: &str) -> &str {
    match kind {
        Channel::Telegram => chat::connection(peer).unwrap_or(chat::split_address(peer).0),
        _ => peer,
    }
}

/// Records an opt-out that the platform reports by refusing a text: the customer may have opted out before this
/// database existed.
pub fn record_opt_out(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    why: &str,
) -> Result<(), DatabaseError> {
    let has_opted_out = match channel.kind {
        Channel::Voip => why == OPTED_OUT_MESSAGE,
        // In the chats of a business the opt-out of one customer would be that of all.
        Channel::Telegram if chat::is_business(&conversation.peer) => false,
        Channel::Telegram => BOT_REFUSALS.iter().any(|part| why.contains(part)),
        Channel::Whatsapp | Channel::Email => false,
    };
    if !has_opted_out {
        return Ok(());
    }
    opt_outs::add(work.db, &channel.id, recipient(channel.kind, &conversation.peer), work.now)?;
    changes::log_conversation(work.db, &conversation.id, work.now)
}

/// Returns why an address would have opted out, and the refusal of a message to it; `None` where nobody can opt
/// out.
fn possible_opt_out(kind: Channel, peer: &str) -> Option<(NoMessagesReason, &'static str)> {
    match kind {
        Channel::Voip => Some((NoMessagesReason::Stopped, OPTED_OUT_MESSAGE)),
        Channel::Telegram if chat::is_business(peer) => {
            Some((NoMessagesReason::Disconnected, DISCONNECTED_MESSAGE))
        }
        Channel::Telegram if peer.starts_with('-') => Some((NoMessagesReason::Left, REMOVED_MESSAGE)),
        Channel::Telegram => Some((NoMessagesReason::Blocked, BLOCKED_MESSAGE)),
        Channel::Whatsapp | Channel::Email => None,
    }
}

/// Returns the refusal for a recipient who opted out; `None` where nobody can opt out.
pub fn opt_out_message(kind: Channel, peer: &str, content_kind: &str) -> Option<&'static str> {
    let (reason, message) = possible_opt_out(kind, peer)?;
    let is_exempt = reason == NoMessagesReason::Stopped && content_kind == CALL_KIND;
    (!is_exempt).then_some(message)
}

/// Addresses among a list's conversations that opted out.
pub struct ListedOptOuts {
    kind: Channel,
    peers: HashSet<String>,
}

impl ListedOptOuts {
    /// Reads them with one query.
    pub fn load(
        db: &dyn DbSession,
        (kind, channel): (Channel, &str),
        rows: &[ConversationRow],
    ) -> Result<Self, DatabaseError> {
        let possible = rows.iter().filter(|row| possible_opt_out(kind, &row.peer).is_some());
        let forms: Vec<String> = possible.flat_map(|row| all_forms(recipient(kind, &row.peer))).collect();
        Ok(Self { kind, peers: opt_outs::list_among(db, channel, &forms)? })
    }

    /// Returns why texts to an address are refused; `None` if they are not.
    pub fn find_reason(&self, peer: &str) -> Option<NoMessagesReason> {
        let (reason, _) = possible_opt_out(self.kind, peer)?;
        let forms = all_forms(recipient(self.kind, peer));
        forms.iter().any(|form| self.peers.contains(form)).then_some(reason)
    }
}

/// Checks that a recipient takes messages of a kind.
///
/// # Errors
/// `INVALID_RECIPIENT` for a text after STOP, and for any message to a chat that blocked or removed the bot.
pub fn check_opt_out(
    db: &dyn DbSession,
    (kind, channel): (Channel, &str),
    peer: &str,
    content_kind: &str,
) -> Result<(), ApiError> {
    let Some(message) = opt_out_message(kind, peer, content_kind) else { return Ok(()) };
    match opt_outs::exists(db, channel, recipient(kind, peer))? {
        true => Err(ApiError::new(ErrorCode::InvalidRecipient, message)),
        false => Ok(()),
    }
}
