//! Handlers of the Telegram channel.

use axum::extract::State;
use serde_json::{Value, json};

use crate::auth::Caller;
use crate::carriers::FoundChat;
use crate::channels::Channel;
use crate::chat::content::Media;
use crate::chat::html;
use crate::chat::markdown;
use crate::chat::send::{self, ComposedMessage};
use crate::database::DatabaseError;
use crate::database::channels;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages as stored;
use crate::database::session::DbSession;
use crate::errors::ApiError;
use crate::fields::Fields;
use crate::handlers::bodies;
use crate::handlers::conversations::{list_messages, list_page};
use crate::handlers::messages::{check_reachable, react_with, read_emoji};
use crate::platforms::telegram::chat;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::write::WriteContext;
use crate::{credits, media};
use model::{bounds, prices, reactions};
use wire::errors::ErrorCode;

/// Message types in the order of the interface.
const CONTENT_TYPES: [&str; 5] = ["text", "photo", "video", "document", "audio"];
const PARSE_MODES: [&str; 2] = ["HTML", "MarkdownV2"];

/// Parsed `SendTelegramMessage`.
struct TelegramSendRequest {
    chat: String,
    kind: &'static str,
    /// Visible text or caption.
    text: String,
    /// Parse mode and marked-up text.
    marked: (&'static str, String),
    media: Option<Media>,
    reply_to: Option<String>,
}

/// Handles `sendTelegramMessage`.
pub async fn send(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let fields = Fields::of_body(&request.body)?;
    let asked = TelegramSendRequest::read(&fields)?;
    if service.platforms.connected(&request.caller.channel_id).is_some() {
        asked.check_units(&fields)?;
    }
    let media = match &asked.media {
        Some(media) => Some(media::inspect_for_request(&service, &mut request, media).await?),
        None => None,
    };
    let found = find_unknown_chat(&service, &request.caller, &asked.chat).await?;
    service.write(request, move |work, caller| send_in(work, caller, asked, found, media)).await
}

/// Asks the platform for an unknown chat. Returns `None` for a known one, or if the platform cannot be asked.
///
/// # Errors
/// `INVALID_RECIPIENT` if the platform knows no such chat, `WHATSAPP_ERROR` if it does not answer.
async fn find_unknown_chat(
    service: &Service,
    caller: &Caller,
    address: &str,
) -> Result<Option<FoundChat>, ApiError> {
    let connected = service.platforms.connected(&caller.channel_id).filter(|_| !caller.is_test());
    let Some(connected) = connected else { return Ok(None) };
    let (channel, wanted) = (caller.channel_id.clone(), address.to_owned());
    let known = service.database.read(move |db| has_conversation(db, &channel, &wanted)).await?;
    let Some(asking) = connected.platform.find_chat(address).filter(|_| !known) else { return Ok(None) };
    match asking.await {
        Ok(Some(found)) => Ok(Some(found)),
        Ok(None) => {
            let why = "the bot platform knows no such chat, or the bot may not write there: a person has to start \
                       the bot first, a channel has to have it as an administrator";
            Err(ApiError::new(ErrorCode::InvalidRecipient, why))
        }
        Err(trouble) => {
            let why =
                format!("nothing was sent: the bot platform could not be asked for this chat: {trouble}");
            Err(ApiError::new(ErrorCode::WhatsappError, why))
        }
    }
}

/// Returns true for a chat with a conversation, and for a topic of such a chat.
fn has_conversation(db: &dyn DbSession, channel: &str, address: &str) -> Result<bool, DatabaseError> {
    if conversations::find_by_peer(db, channel, address)?.is_some() {
        return Ok(true);
    }
    let (whole, topic) = chat::split_address(address);
    Ok(topic.is_some() && conversations::has_chat(db, channel, whole)?)
}

impl TelegramSendRequest {
    fn read(fields: &Fields<'_>) -> Result<Self, ApiError> {
        let kind = if fields.value("type").is_some() {
            fields.required_word("type", &CONTENT_TYPES)?
        } else {
            "text"
        };
        let mode = if fields.value("parseMode").is_some() {
            fields.required_word("parseMode", &PARSE_MODES)?
        } else {
            "HTML"
        };
        let media = match kind {
            "text" => None,
            kind => Some(Media::read(kind, fields, "url")?),
        };
        let (name, marked) = match &media {
            None => ("text", fields.required_text("text", bounds::MAX_TEXT_CHARS)?),
            Some(media) => ("caption", media.caption.as_deref().unwrap_or("")),
        };
        let read = if mode == "HTML" { html::to_plain_text(marked) } else { markdown::to_plain_text(marked) };
        let text = read.map_err(|why| fields.refuse(name, &format!("is not valid {mode}: {why}")))?;
        let reply_to = match fields.value("replyTo") {
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => fields.text("replyTo", 256)?.filter(|text| !text.is_empty()).map(str::to_owned),
        };
        let marked = (mode, marked.to_owned());
        Ok(Self { chat: read_chat_id(fields)?, kind, text, marked, media, reply_to })
    }
}

impl TelegramSendRequest {
    /// Checks the length of the visible text in UTF-16 units, as the platform counts it; the interface counts
    /// characters.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` that names the field.
    fn check_units(&self, fields: &Fields<'_>) -> Result<(), ApiError> {
        let (name, limit) = if self.media.is_none() {
            ("text", bounds::MAX_TEXT_CHARS)
        } else {
            ("caption", bounds::MAX_CAPTION_CHARS)
        };
        let units = bounds::utf16_length(&self.text);
        if units <= limit {
            return Ok(());
        }
        let why = format!(
            "has {units} units as the bot platform counts, which takes at most {limit}: an emoji counts twice"
        );
        Err(fields.refuse(name, &why))
    }
}

/// Returns the chat's address for its General topic, which has the number 1.
fn chat_of_general_topic(address: &str) -> &str {
    address.strip_suffix("/1").unwrap_or(address)
}

/// Reads `chatId` as text; a JSON number is accepted as well.
fn read_chat_id(fields: &Fields<'_>) -> Result<String, ApiError> {
    let text = match fields.value("chatId") {
        // A number beyond 64 bits would lose digits.
        Some(Value::Number(number)) => number.as_i64().map_or_else(String::new, |i64| i64.to_string()),
        _ => chat_of_general_topic(fields.required_text("chatId", 64)?).to_owned(),
    };
    if chat::is_address(&text) {
        Ok(text)
    } else {
        let form =
            "must be a numeric chat id, perhaps with / and the number of a topic, or the @name of a channel";
        Err(fields.refuse("chatId", form))
    }
}

fn send_in(
    work: &WriteContext<'_>,
    caller: &Caller,
    asked: TelegramSendRequest,
    found: Option<FoundChat>,
    media: Option<media::MediaInfo>,
) -> Result<Reply, ApiError> {
    let channel = channels::read(work.db, &caller.channel_id)?;
    work.service.platforms.address(&channel)?;
    let conversation = open_conversation(work, &channel.id, &asked.chat, found)?;
    let reply_to = match &asked.reply_to {
        Some(quoted) => {
            let found = stored::read_within(work.db, &conversation.id, quoted)?;
            let absent = || ApiError::validation("replyTo names no message of this chat");
            let found = found.ok_or_else(absent)?;
            check_reachable(Channel::Telegram, &found, "quoted")?;
            Some(found.id)
        }
        None => None,
    };
    let hosted = media.as_ref().is_some_and(|media| media.hosted);
    let price = if asked.media.is_some() { media::price(asked.kind, hosted) } else { prices::TEXT_CREDITS };
    let id = work.id("msg", work.stamp());
    let paid = credits::pay(work, caller, price, "message", &id)?;
    let details = asked.media.as_ref().map(|entry| {
        json!({
            "mimeType": media.as_ref().map(|media| media.mime_type.clone()),
            "size": media.as_ref().map(|media| media.size),
            "filename": entry.filename,
        })
        .to_string()
    });
    let outgoing = ComposedMessage {
        sender: "api",
        content: asked.text,
        marked: Some(asked.marked),
        kind: asked.kind,
        media_url: asked.media.map(|media| media.link),
        details,
        reply_to,
        cost: paid.used,
        broadcast: None,
    };
    let row = send::send(work, &channel, &conversation, id, outgoing)?;
    bodies::sent_reply(row, Channel::Telegram, &paid)
}

/// Returns the conversation of a chat that is known or that the platform has found, or creates it. A test key
/// may use any chat.
fn open_conversation(
    work: &WriteContext<'_>,
    channel: &str,
    address: &str,
    found: Option<FoundChat>,
) -> Result<ConversationRow, ApiError> {
    let reached = found.as_ref().map_or(address, |found| &found.address);
    if let Some(known) = conversations::find_by_peer(work.db, channel, reached)? {
        return Ok(known);
    }
    if !(work.test || found.is_some() || has_conversation(work.db, channel, address)?) {
        let message = "this user has not started the bot, so it cannot write to them";
        return Err(ApiError::new(ErrorCode::InvalidRecipient, message));
    }
    let stamp = work.stamp();
    let mut made = ConversationRow::new(work.id("conv", stamp), channel, reached, stamp);
    if let Some(found) = found {
        (made.name, made.username) = (found.name, found.username);
    }
    conversations::insert(work.db, &made)?;
    Ok(made)
}

/// Handles `listTelegramConversations`.
pub async fn conversations(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    list_page(service, request, bodies::telegram_conversation_body).await
}

/// Handles `listTelegramMessages`.
pub async fn messages(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    list_messages(service, request).await
}

/// Handles `reactToTelegramMessage`; the platform accepts a fixed set of emoji.
pub async fn react(State(service): State<Service>, request: WriteRequest) -> Result<Reply, ApiError> {
    let emoji = read_emoji(&request)?;
    if emoji.is_empty() {
        return react_with(service, request, emoji).await;
    }
    let refused = || {
        let all = reactions::BOT_CHAT_REACTIONS.join(" ");
        ApiError::validation(format!("the bot platform does not take this emoji; it takes {all}"))
    };
    let listed = reactions::bot_chat_form(&emoji).ok_or_else(refused)?;
    react_with(service, request, listed.to_owned()).await
}
