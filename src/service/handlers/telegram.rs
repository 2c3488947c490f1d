//! The bot-chat channel. Interface: Bot-chat channel.

use axum::extract::State;
use serde_json::{Value, json};

use crate::auth::Caller;
use crate::channels::Channel;
use crate::chat::content::Media;
use crate::chat::html;
use crate::chat::markdown;
use crate::chat::send::{self, Outgoing};
use crate::database::channels;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages as stored;
use crate::errors::ApiError;
use crate::fields::Fields;
use crate::handlers::bodies;
use crate::handlers::conversations::{page, page_of_messages};
use crate::handlers::messages::{react_with, read_emoji};
use crate::platforms::telegram::chat;
use crate::reply::Reply;
use crate::request::{Reading, Writing};
use crate::state::Service;
use crate::write::Work;
use crate::{credits, media};
use model::{bounds, prices, reactions};
use wire::errors::ErrorCode;

/// The types, as the interface lists them.
const TYPES: [&str; 5] = ["text", "photo", "video", "document", "audio"];
/// The parse modes.
const MODES: [&str; 2] = ["HTML", "MarkdownV2"];

/// The body of a send.
struct TelegramSendRequest {
    chat: String,
    kind: &'static str,
    /// The text or caption as people see it.
    text: String,
    /// How it is marked up, and the text with its marks.
    marked: (&'static str, String),
    media: Option<Media>,
    reply_to: Option<String>,
}

/// `POST /telegram/send`
pub async fn send(State(service): State<Service>, mut request: Writing) -> Result<Reply, ApiError> {
    let asked = TelegramSendRequest::read(&Fields::of_body(&request.body)?)?;
    let media = match &asked.media {
        Some(media) => Some(media::inspect(&service, &mut request, media).await?),
        None => None,
    };
    service.write(request, move |work, caller| send_in(work, caller, asked, media)).await
}

impl TelegramSendRequest {
    fn read(fields: &Fields<'_>) -> Result<Self, ApiError> {
        let kind =
            if fields.value("type").is_some() { fields.required_word("type", &TYPES)? } else { "text" };
        let mode = if fields.value("parseMode").is_some() {
            fields.required_word("parseMode", &MODES)?
        } else {
            "HTML"
        };
        let media = match kind {
            "text" => None,
            kind => Some(Media::read(kind, fields, "url")?),
        };
        let (name, marked) = match &media {
            None => ("text", fields.required_text("text", bounds::TEXT)?),
            Some(media) => ("caption", media.caption.as_deref().unwrap_or("")),
        };
        let read = if mode == "HTML" { html::plain(marked) } else { markdown::plain(marked) };
        let text = read.map_err(|why| fields.refuse(name, &format!("is not valid {mode}: {why}")))?;
        let reply_to = match fields.value("replyTo") {
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => fields.text("replyTo", 256)?.filter(|it| !it.is_empty()).map(str::to_owned),
        };
        let marked = (mode, marked.to_owned());
        Ok(Self { chat: chat_id(fields)?, kind, text, marked, media, reply_to })
    }
}

/// The General topic has the address of its chat.
fn general(address: &str) -> &str {
    address.strip_suffix("/1").unwrap_or(address)
}

/// A chat id as text; a number is taken too. Interface: `chatId`.
fn chat_id(fields: &Fields<'_>) -> Result<String, ApiError> {
    let text = match fields.value("chatId") {
        // Beyond 64 bits, a number would not be the one that was written.
        Some(Value::Number(number)) => number.as_i64().map_or_else(String::new, |it| it.to_string()),
        _ => general(fields.required_text("chatId", 64)?).to_owned(),
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
    work: &Work<'_>,
    caller: &Caller,
    asked: TelegramSendRequest,
    media: Option<media::Inspected>,
) -> Result<Reply, ApiError> {
    let channel = channels::read(work.db, &caller.channel_id)?;
    work.service.platforms.address(&channel)?;
    let conversation = started_chat(work, &channel.id, &asked.chat)?;
    let reply_to = match &asked.reply_to {
        Some(quoted) => {
            let found = stored::read_within(work.db, &conversation.id, quoted)?;
            let absent = || ApiError::validation("replyTo names no message of this chat");
            Some(found.ok_or_else(absent)?.id)
        }
        None => None,
    };
    let hosted = media.as_ref().is_some_and(|it| it.hosted);
    let price = if asked.media.is_some() { media::price(asked.kind, hosted) } else { prices::TEXT };
    let id = work.id("msg", work.stamp());
    let paid = credits::pay(work, caller, price, "message", &id)?;
    let details = asked.media.as_ref().map(|it| {
        json!({
            "mimeType": media.as_ref().map(|it| it.mime_type.clone()),
            "size": media.as_ref().map(|it| it.size),
            "filename": it.filename,
        })
        .to_string()
    });
    let outgoing = Outgoing {
        sender: "api",
        content: asked.text,
        marked: Some(asked.marked),
        kind: asked.kind,
        media_url: asked.media.map(|it| it.link),
        details,
        reply_to,
        cost: paid.used,
        broadcast: None,
    };
    let row = send::send(work, &channel, &conversation, id, outgoing)?;
    bodies::sent(row, Channel::Telegram, &paid)
}

/// The chat, if its user has started the bot. A test key talks to any.
fn started_chat(work: &Work<'_>, channel: &str, address: &str) -> Result<ConversationRow, ApiError> {
    if let Some(found) = conversations::of_peer(work.db, channel, address)? {
        return Ok(found);
    }
    // A topic of a group that the bot is in.
    let (whole, topic) = chat::split(address);
    let is_topic = topic.is_some() && conversations::has_chat(work.db, channel, whole)?;
    if !(work.test || is_topic) {
        let message = "this user has not started the bot, so it cannot write to them";
        return Err(ApiError::new(ErrorCode::InvalidRecipient, message));
    }
    let stamp = work.stamp();
    let made = ConversationRow::new(work.id("conv", stamp), channel, address, stamp);
    conversations::insert(work.db, &made)?;
    Ok(made)
}

/// `GET /telegram/conversations`
pub async fn conversations(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    page(service, request, bodies::telegram_conversation).await
}

/// `GET /telegram/conversations/{conversationId}/messages`
pub async fn messages(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    page_of_messages(service, request).await
}

/// `POST /telegram/messages/{messageId}/react`: a fixed set only.
pub async fn react(State(service): State<Service>, request: Writing) -> Result<Reply, ApiError> {
    let emoji = read_emoji(&request)?;
    if !emoji.is_empty() && !reactions::bot_chat_accepts(&emoji) {
        return Err(ApiError::validation(format!(
            "the bot platform does not take this emoji; it takes {}",
            reactions::BOT_CHAT.join(" ")
        )));
    }
    react_with(service, request, emoji).await
}
