//! Handlers of WhatsApp messages.

use axum::extract::State;

use crate::auth::Caller;
use crate::chat::compose::compose;
use crate::chat::{emoji, people};
use crate::cursors::Cursors;
use crate::database::channels::{self, ChannelRow};
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::{self, Filter, MessageRow};
use crate::database::session::DbSession;
use crate::errors::ApiError;
use crate::handlers::bodies;
use crate::media;
use crate::query::PageRequest;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::sending::accept::{ComposedMessage, accept_reaction, accept_send};
use crate::state::Service;
use crate::write::WriteContext;
use api::content::Content;
use api::errors::ErrorCode;
use api::fields::Text;
use api::messages::SendMessage;
use api::reactions::{React, ReactResult};
use platforms::Channel;
use platforms::telegram::chat;
use platforms::whatsapp;

const DIRECTIONS: [&str; 2] = ["inbound", "outbound"];
const STATUSES: [&str; 5] = ["received", "sent", "delivered", "read", "failed"];

/// Handles `sendMessage`.
pub async fn send(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let asked: SendMessage = request.read_body()?;
    let media = media::inspect_content(&service, &mut request, &asked.content).await?;
    service.write(request, move |work, caller| send_in(work, caller, asked, media)).await
}

fn send_in(
    work: &WriteContext<'_>,
    caller: &Caller,
    asked: SendMessage,
    media: Option<media::MediaInfo>,
) -> Result<Reply, ApiError> {
    let channel = channels::read(work.db, &caller.channel_id)?;
    let conversation = open_conversation(work, &channel, &asked)?;
    // A template quotes nothing.
    let quoted = asked.reply_to.filter(|_| !matches!(asked.content, Content::Template { .. }));
    let reply_to = match quoted.and_then(Text::non_empty) {
        Some(quoted) => Some(find_quoted_message(work, &conversation, &quoted)?),
        None => None,
    };
    let (price, outgoing) = compose(work, &caller.channel_id, asked.content, media.as_ref())?;
    let id = work.id("msg", work.stamp());
    let paid = work.pay(caller, price, "message", &id)?;
    let outgoing = ComposedMessage { cost: paid.used, reply_to, ..outgoing };
    let row = accept_send(work, &channel, &conversation, id, outgoing)?;
    bodies::sent_reply(row, Channel::Whatsapp, &paid)
}

/// Returns the conversation of a send, if its service window permits the content.
fn open_conversation(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    asked: &SendMessage,
) -> Result<ConversationRow, ApiError> {
    work.service.platforms.address(channel)?;
    let conversation = people::find_or_create_conversation(work, channel, asked.to.as_str())?;
    let is_template = matches!(asked.content, Content::Template { .. });
    let open = conversation.is_window_open(work.now);
    if !(is_template || open || work.test) {
        return Err(ApiError::new(
            ErrorCode::SessionExpired,
            "the customer has not written in the last 24 hours; send an approved template instead",
        ));
    }
    Ok(conversation)
}

/// Returns the service's id of a quoted message in the same conversation.
fn find_quoted_message(
    work: &WriteContext<'_>,
    conversation: &ConversationRow,
    id: &str,
) -> Result<String, ApiError> {
    let found = messages::read_within(work.db, &conversation.id, id)?;
    let absent = || ApiError::validation("replyTo is not a message of this conversation");
    let found = found.ok_or_else(absent)?;
    check_reachable(Channel::Whatsapp, &found, "quoted")?;
    Ok(found.id)
}

/// Handles `listMessages`.
pub async fn list(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let ReadRequest { caller, query, .. } = request;
    let filter = Filter {
        // An empty filter equals none, so that their cursors are the same.
        conversation: query.text("conversationId").filter(|text| !text.is_empty()).map(str::to_owned),
        direction: query.word("direction", &DIRECTIONS)?,
        status: query.word("status", &STATUSES)?,
    };
    let name = [
        "messages",
        &caller.channel_id,
        filter.conversation.as_deref().unwrap_or(""),
        filter.direction.unwrap_or(""),
        filter.status.unwrap_or(""),
    ];
    let page = query.page(&service.cursors, &name)?;
    let state = service.clone();
    service.database.read(move |db| write_page(db, &caller, &filter, &page, &state.cursors)).await
}

/// Writes a page of messages while reading it.
fn write_page(
    db: &dyn DbSession,
    caller: &Caller,
    filter: &Filter,
    page: &PageRequest,
    cursors: &Cursors,
) -> Result<Reply, ApiError> {
    let mut lines = page.lines();
    messages::visit_page(db, &caller.channel_id, filter, &page.after, page.rows_to_read(), |row| {
        lines.push(&bodies::message_body(row, caller.channel), || row.page_position())
    })?;
    lines.reply(cursors)
}

/// Handles `getMessage`.
pub async fn read(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let id = request.segment("messageId")?;
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let row = messages::read(db, &caller.channel_id, &id)?.ok_or_else(not_found)?;
            Reply::ok(&bodies::whole_message_body(&row, caller.channel))
        })
        .await
}

/// Handles `reactToMessage`.
pub async fn react(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let emoji = request.read_body::<React>()?.emoji.into_string();
    if !emoji.is_empty() && !emoji::is_single_emoji(&emoji) {
        return Err(ApiError::validation("emoji must be one emoji, or empty to remove the reaction"));
    }
    react_with(service, request, emoji).await
}

/// Sets or removes a reaction on a message of the caller's channel.
///
/// # Errors
/// 404 for an unknown message, `NOT_CONFIGURED` without a platform.
pub async fn react_with(service: Service, request: WriteRequest, emoji: String) -> Result<Reply, ApiError> {
    let id = request.segment("messageId")?;
    service
        .write(request, move |work, caller| {
            work.service.platforms.address(&channels::read(work.db, &caller.channel_id)?)?;
            let row = messages::read(work.db, &caller.channel_id, &id)?.ok_or_else(not_found)?;
            let carried = react_to(work, caller, &row, &emoji)?;
            let reply = Reply::ok(&ReactResult { success: true, message_id: row.id, emoji, test: None })?;
            Ok(reply.awaiting(carried))
        })
        .await
}

/// Stores a reaction, or queues it for the platform and returns its id.
fn react_to(
    work: &WriteContext<'_>,
    caller: &Caller,
    row: &MessageRow,
    emoji: &str,
) -> Result<Option<String>, ApiError> {
    let Some((_, conversation)) = conversations::with_channel(work.db, &row.conversation)? else {
        return Ok(None);
    };
    check_reachable(caller.channel, row, "reacted to")?;
    if chat::is_business(conversation.recipient()) {
        let words = "the bot platform does not support reactions in business chats";
        return Err(ApiError::new(ErrorCode::UnsupportedType, words));
    }
    if !work.test && !work.service.platforms.carrier(&caller.channel_id, caller.channel)?.is_instant() {
        return Ok(Some(accept_reaction(work, row, conversation.recipient(), emoji)?));
    }
    messages::set_reaction(work.db, &row.id, Some(emoji).filter(|entry| !entry.is_empty()), work.now)?;
    work.record_outbound(caller.channel, &conversation.peer, emoji, work.now)?;
    Ok(None)
}

/// Refuses a message without a platform id: a reaction, or a message that may not have been sent.
pub fn check_reachable(channel: Channel, row: &MessageRow, done: &str) -> Result<(), ApiError> {
    let is_known = match channel {
        Channel::Telegram => row.platform_id.parse::<i64>().is_ok_and(|id| id > 0),
        _ => whatsapp::is_message_id(&row.platform_id),
    };
    let refused =
        || ApiError::validation(format!("this message cannot be {done}: it has no id of the platform"));
    if is_known { Ok(()) } else { Err(refused()) }
}

fn not_found() -> ApiError {
    ApiError::not_found("this message")
}
