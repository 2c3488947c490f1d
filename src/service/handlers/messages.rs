//! Business chat messages: sent, listed, read, reacted to. Interface:
//! Business chat messages.
//!
//! Knows nothing of other channels' sends.

use axum::extract::State;
use serde_json::{Value, json};

use crate::model::prices;
use crate::service::auth::Caller;
use crate::service::chat::content::{Content, SendRequest};
use crate::service::chat::emoji;
use crate::service::chat::send::{self, Outgoing};
use crate::service::chat::templates::fill;
use crate::service::database::channels::{self, ChannelRow};
use crate::service::database::conversations::{self, ConversationRow};
use crate::service::database::messages::{self, Filter};
use crate::service::database::{outbound, templates};
use crate::service::errors::ApiError;
use crate::service::fields::Fields;
use crate::service::handlers::account::precise;
use crate::service::handlers::bodies;
use crate::service::reply::Reply;
use crate::service::request::{Reading, Writing};
use crate::service::state::Service;
use crate::service::write::Work;
use crate::service::{credits, media};
use crate::wire::errors::ErrorCode;
use crate::wire::messages::SentMessage;
use crate::wire::reactions::ReactResult;

/// The values of the `direction` filter.
const DIRECTIONS: [&str; 2] = ["inbound", "outbound"];
/// The values of the `status` filter.
const STATUSES: [&str; 5] = ["received", "sent", "delivered", "read", "failed"];
/// Bytes of a reaction at most: the longest emoji sequences have about 40.
const REACTION: usize = 64;

/// `POST /messages/send`
pub async fn send(State(service): State<Service>, request: Writing) -> Result<Reply, ApiError> {
    let asked = SendRequest::read(&Fields::of_body(&request.body)?)?;
    let media = match &asked.content {
        Content::Media(media) => Some(media::inspect(&service, &request, media).await?),
        _ => None,
    };
    service.write(request, move |work, caller| send_in(work, caller, asked, media)).await
}

fn send_in(
    work: &Work<'_>,
    caller: &Caller,
    asked: SendRequest,
    media: Option<media::Inspected>,
) -> Result<Reply, ApiError> {
    let channel = channels::read(work.db, &caller.channel_id)?;
    let conversation = open_conversation(work, &channel, &asked)?;
    let (price, outgoing) = outgoing(work, caller, &conversation, asked, media)?;
    let id = work.id("msg", work.stamp());
    let paid = credits::pay(work, caller, price, "message", &id)?;
    let outgoing = Outgoing { cost: paid.used, ..outgoing };
    let row = send::send(work, &channel, &conversation, id, outgoing)?;
    Reply::ok(&SentMessage {
        message_id: row.id,
        whatsapp_message_id: Some(row.platform_id),
        telegram_message_id: None,
        status: row.status,
        credits_used: precise(paid.used),
        credits_remaining: precise(paid.remaining),
        test: None,
    })
}

/// The conversation a send belongs to, if it may be sent there now.
fn open_conversation(
    work: &Work<'_>,
    channel: &ChannelRow,
    asked: &SendRequest,
) -> Result<ConversationRow, ApiError> {
    if channel.address.is_none() {
        let message = "the business chat channel is not connected to a number yet";
        return Err(ApiError::new(ErrorCode::NotConfigured, message));
    }
    let found = conversations::of_peer(work.db, &channel.id, &asked.to)?;
    let is_template = matches!(asked.content, Content::Template { .. });
    let open = found.as_ref().is_some_and(|it| it.window_open(work.now));
    if !(is_template || open || work.test) {
        return Err(ApiError::new(
            ErrorCode::SessionExpired,
            "the customer has not written in the last 24 hours; send an approved template instead",
        ));
    }
    if let Some(found) = found {
        return Ok(found);
    }
    let stamp = work.stamp();
    let made = ConversationRow::new(work.id("conv", stamp), &channel.id, &asked.to, stamp);
    conversations::insert(work.db, &made)?;
    Ok(made)
}

/// What goes out and what it costs.
fn outgoing(
    work: &Work<'_>,
    caller: &Caller,
    conversation: &ConversationRow,
    asked: SendRequest,
    media: Option<media::Inspected>,
) -> Result<(i64, Outgoing), ApiError> {
    let reply_to = match &asked.reply_to {
        Some(quoted) => Some(quoted_message(work, conversation, quoted)?),
        None => None,
    };
    let kind = asked.content.kind();
    let base = Outgoing { sender: "api", kind, reply_to, ..Outgoing::default() };
    Ok(match asked.content {
        Content::Text(text) => (prices::TEXT, Outgoing { content: text, ..base }),
        Content::Media(wanted) => {
            let details = json!({
                "mimeType": media.as_ref().map(|it| it.mime_type.clone()),
                "size": media.as_ref().map(|it| it.size),
                "filename": wanted.filename,
            });
            let hosted = media.as_ref().is_some_and(|it| it.hosted);
            let outgoing = Outgoing {
                content: wanted.caption.or(wanted.filename).unwrap_or_default(),
                media_url: Some(wanted.link),
                details: Some(details.to_string()),
                ..base
            };
            (media::price(kind, hosted), outgoing)
        }
        Content::Template { name, language, components } => {
            let content = template_text(work, caller, &name, &language, &components)?;
            let details = json!({"template": name, "language": language});
            (prices::TEMPLATE, Outgoing { content, details: Some(details.to_string()), ..base })
        }
        Content::Interactive(value) => {
            let content = value["body"]["text"].as_str().unwrap_or("[interactive]").to_owned();
            (prices::TEXT, Outgoing { content, details: Some(value.to_string()), ..base })
        }
        Content::Location(value) => {
            let named = ["name", "address"].iter().find_map(|it| value[*it].as_str());
            let place = || format!("{}, {}", value["latitude"], value["longitude"]);
            let content = named.map_or_else(place, str::to_owned);
            (prices::TEXT, Outgoing { content, details: Some(value.to_string()), ..base })
        }
    })
}

/// The service's id of a quoted message of the same conversation.
fn quoted_message(work: &Work<'_>, conversation: &ConversationRow, id: &str) -> Result<String, ApiError> {
    let found = messages::read_within(work.db, &conversation.id, id)?;
    let absent = || ApiError::validation("replyTo names no message of this conversation");
    found.map(|it| it.id).ok_or_else(absent)
}

fn template_text(
    work: &Work<'_>,
    caller: &Caller,
    name: &str,
    language: &str,
    components: &[Value],
) -> Result<String, ApiError> {
    let found = templates::find(work.db, &caller.workspace, name, language)?;
    let refuse = |message: String| ApiError::new(ErrorCode::TemplateError, message);
    let template = found.ok_or_else(|| refuse(format!("there is no template {name} in {language}")))?;
    if template.status != "APPROVED" {
        return Err(refuse(format!("the template {name} is {}, not APPROVED", template.status)));
    }
    let parts: Vec<Value> =
        serde_json::from_str(&template.components).map_err(|cause| ApiError::internal(&cause))?;
    fill(&parts, components)
}

/// `GET /messages`
pub async fn list(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let Reading { caller, query, .. } = request;
    let filter = Filter {
        // An empty one is none, so that cursors of the two are the same.
        conversation: query.text("conversationId").filter(|it| !it.is_empty()).map(str::to_owned),
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
    service
        .database
        .read(move |db| {
            let mut lines = page.lines();
            messages::each(db, &caller.channel_id, &filter, &page.after, page.reach(), |row| {
                lines.take(&bodies::message_line(row, caller.channel), || row.place())
            })?;
            lines.reply(&state.cursors)
        })
        .await
}

/// `GET /messages/{messageId}`
pub async fn read(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let id = request.segment("messageId")?;
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let row = messages::read(db, &caller.channel_id, &id)?.ok_or_else(absent)?;
            Reply::ok(&bodies::whole_message(row, caller.channel))
        })
        .await
}

/// `POST /messages/{messageId}/react`
pub async fn react(State(service): State<Service>, request: Writing) -> Result<Reply, ApiError> {
    let emoji = read_emoji(&request)?;
    if !emoji.is_empty() && !emoji::is_one(&emoji) {
        return Err(ApiError::validation("emoji must be one emoji, or empty to remove the reaction"));
    }
    react_with(service, request, emoji).await
}

/// The emoji of a reaction; empty removes it.
///
/// # Errors
/// `VALIDATION_ERROR` when it is absent, not a string or far too long.
pub fn read_emoji(request: &Writing) -> Result<String, ApiError> {
    let fields = Fields::of_body(&request.body)?;
    let emoji = fields.text("emoji", REACTION)?;
    emoji.map(str::to_owned).ok_or_else(|| fields.refuse("emoji", "is required; empty removes the reaction"))
}

/// Sets or removes a reaction on a message of the caller's channel.
///
/// # Errors
/// 404 when there is no such message.
pub async fn react_with(service: Service, request: Writing, emoji: String) -> Result<Reply, ApiError> {
    let id = request.segment("messageId")?;
    service
        .write(request, move |work, caller| {
            let row = messages::read(work.db, &caller.channel_id, &id)?.ok_or_else(absent)?;
            let kept = Some(emoji.as_str()).filter(|it| !it.is_empty());
            messages::react(work.db, &row.id, kept)?;
            if let Some((_, conversation)) = conversations::with_channel(work.db, &row.conversation)? {
                outbound::note(work.db, caller.channel, &conversation.peer, &emoji, work.key, work.now)?;
            }
            Reply::ok(&ReactResult { success: true, message_id: row.id, emoji, test: None })
        })
        .await
}

fn absent() -> ApiError {
    ApiError::not_found("this message")
}
