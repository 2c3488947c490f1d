//! Handlers of the Telegram channel.

use std::collections::HashSet;

use axum::extract::State;
use serde_json::{Value, json};

use crate::auth::Caller;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages as stored;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, channels};
use crate::errors::ApiError;
use crate::handlers::bodies;
use crate::handlers::conversations::{list_messages, list_page};
use crate::handlers::messages::{check_reachable, react_with};
use crate::media;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::sending::accept::{
    BUTTONS_DETAIL, CONTACT_DETAIL, ComposedMessage, PREVIEW_DETAIL, STICKER_DETAIL, VOICE_DETAIL,
    accept_send,
};
use crate::state::Service;
use crate::write::WriteContext;
use api::content::ContactContent;
use api::errors::ErrorCode;
use api::fields::{Text, TextOrNumber, require_filled};
use api::reactions::React;
use api::request::FieldError;
use api::telegram::{MessageButton, ParseMode, SendTelegram, TelegramType};
use model::account::Platform;
use model::contact_cards::ContactToSend;
use model::{bounds, prices, reactions};
use platforms::telegram::{chat, html, markdown};
use platforms::{Channel, FoundChat};

/// Checked [`SendTelegram`].
struct TelegramSendRequest {
    chat: String,
    kind: &'static str,
    /// Visible text or caption.
    text: String,
    /// Parse mode and marked-up text.
    marked: (&'static str, String),
    media: Option<LinkedFile>,
    reply_to: Option<String>,
    /// Rows of buttons as the platform takes them; `None` without buttons.
    buttons: Option<Value>,
    /// True for audio to be sent as a voice note.
    is_voice: bool,
    is_sticker: bool,
    /// Contact card that is sent instead of the text.
    card: Option<ContactToSend>,
    /// Switch of a text's link preview.
    link_preview: Option<bool>,
}

/// Maximum number of buttons below a message, and of a row.
const MAX_BUTTONS: usize = 100;
const MAX_BUTTONS_IN_ROW: usize = 8;
const MAX_BUTTON_DATA_BYTES: usize = 64;

/// Photo, video, document or audio behind a URL.
struct LinkedFile {
    link: String,
    filename: Option<String>,
}

/// Handles `sendTelegramMessage`.
pub async fn send(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let asked = TelegramSendRequest::of(request.read_body()?)?;
    if service.platforms.connected(&request.caller.channel_id).is_some() {
        asked.check_units()?;
    }
    let media = match &asked.media {
        Some(media) => {
            Some(media::inspect_for_request(&service, &mut request, asked.kind, &media.link).await?)
        }
        None => None,
    };
    if asked.is_sticker {
        media::check_sticker(&Platform::Telegram, "url", media.as_ref())?;
    }
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
            let why = "the bot platform does not know this chat, or the bot may not write there: a person \
                       has to start the bot first, and a channel has to make it an administrator";
            Err(ApiError::new(ErrorCode::InvalidRecipient, why))
        }
        Err(trouble) => {
            let why =
                format!("nothing was sent because the bot platform could not look up this chat: {trouble}");
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
    fn of(body: SendTelegram) -> Result<Self, FieldError> {
        let (kind, mode) = (body.kind.word(), body.parse_mode.unwrap_or(ParseMode::Html));
        let chat = check_chat_id(body.chat_id)?;
        let caption = body.caption.and_then(Text::non_empty);
        let (name, marked, media) = match body.kind {
            TelegramType::Text => ("text", require_filled("text", body.text)?, None),
            _ => {
                let link = require_filled("url", body.url)?;
                let filename = body.filename.and_then(Text::non_empty);
                ("caption", caption.unwrap_or_default(), Some(LinkedFile { link, filename }))
            }
        };
        let read = match mode {
            ParseMode::Html => html::to_plain_text(&marked),
            ParseMode::MarkdownV2 => markdown::to_plain_text(&marked),
        };
        let mode = mode.word();
        let text = read.map_err(|why| FieldError::new(name, format!("is not valid {mode}: {why}")))?;
        let reply_to = body.reply_to.and_then(TextOrNumber::non_empty);
        let buttons = body.buttons.map(check_buttons).transpose()?.flatten();
        let is_voice = body.kind == TelegramType::Audio && body.voice == Some(true);
        let is_sticker = body.kind == TelegramType::Photo && body.sticker == Some(true);
        if is_sticker && !marked.is_empty() {
            return Err(FieldError::new("caption", "must be absent for a sticker"));
        }
        let card = body.contact.filter(|_| body.kind == TelegramType::Text).map(ContactContent::into_model);
        let text = card.as_ref().map_or(text, ContactToSend::describe);
        let link_preview = body.link_preview.filter(|_| body.kind == TelegramType::Text && card.is_none());
        Ok(Self {
            chat,
            kind,
            text,
            marked: (mode, marked),
            media,
            reply_to,
            buttons,
            is_voice,
            is_sticker,
            card,
            link_preview,
        })
    }
}

/// Checks the rows of buttons and returns them as the platform takes them; `None` if there are none.
///
/// # Errors
/// `VALIDATION_ERROR` that names the field.
fn check_buttons(rows: Vec<Vec<MessageButton>>) -> Result<Option<Value>, FieldError> {
    let refused = |field: String, problem: &str| Err(FieldError::new(field, problem));
    if rows.iter().map(Vec::len).sum::<usize>() > MAX_BUTTONS {
        return refused("buttons".to_owned(), &format!("must have at most {MAX_BUTTONS} buttons"));
    }
    let mut used = HashSet::new();
    let mut keyboard = Vec::with_capacity(rows.len());
    for (row_number, row) in rows.into_iter().enumerate() {
        if row.is_empty() || row.len() > MAX_BUTTONS_IN_ROW {
            let problem = format!("must have 1 to {MAX_BUTTONS_IN_ROW} buttons");
            return refused(format!("buttons[{row_number}]"), &problem);
        }
        let mut line = Vec::with_capacity(row.len());
        for (place, MessageButton { text, data, url }) in row.into_iter().enumerate() {
            let field = |name: &str| format!("buttons[{row_number}][{place}].{name}");
            line.push(match (data, url) {
                (Some(_), Some(_)) => return refused(field("data"), "must be absent if url is present"),
                (None, Some(url)) if !url.as_str().starts_with("https://") => {
                    return refused(field("url"), "must begin with https://");
                }
                (None, Some(url)) => json!({ "text": text.as_str(), "url": url.as_str() }),
                (data, None) => {
                    let name = if data.is_some() { "data" } else { "text" };
                    let data = data.as_ref().unwrap_or(&text).as_str().to_owned();
                    if data.len() > MAX_BUTTON_DATA_BYTES {
                        let problem = format!("must have at most {MAX_BUTTON_DATA_BYTES} bytes as data");
                        return refused(field(name), &problem);
                    }
                    let button = json!({ "text": text.as_str(), "callback_data": data });
                    // The platform reports a press by its data.
                    if !used.insert(data) {
                        return refused(field(name), "is also the data of another button");
                    }
                    button
                }
            });
        }
        keyboard.push(Value::Array(line));
    }
    Ok((!keyboard.is_empty()).then_some(Value::Array(keyboard)))
}

impl TelegramSendRequest {
    /// Checks the length of the visible text in UTF-16 units, as the platform counts it; the interface counts
    /// characters.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` that names the field.
    fn check_units(&self) -> Result<(), FieldError> {
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
            "has {units} units as the bot platform counts (an emoji counts twice); the maximum is {limit}"
        );
        Err(FieldError::new(name, why))
    }
}

/// Returns the chat's address for its General topic, which has the number 1.
fn chat_of_general_topic(address: &str) -> &str {
    address.strip_suffix("/1").unwrap_or(address)
}

/// Checks `chatId` and returns the chat's address.
fn check_chat_id(told: TextOrNumber<64>) -> Result<String, FieldError> {
    let text = chat_of_general_topic(told.as_str());
    if text.is_empty() {
        return Err(FieldError::new("chatId", "must not be empty"));
    }
    if chat::is_address(text) {
        return Ok(text.to_owned());
    }
    let form =
        "must be a numeric chat id, optionally with / and the number of a topic, or the @name of a channel";
    Err(FieldError::new("chatId", form))
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
            let absent = || ApiError::validation("replyTo is not a message of this chat");
            let found = found.ok_or_else(absent)?;
            check_reachable(Channel::Telegram, &found, "quoted")?;
            Some(found.id)
        }
        None => None,
    };
    let hosted = media.as_ref().is_some_and(|media| media.hosted);
    let price = if asked.media.is_some() { media::price(asked.kind, hosted) } else { prices::TEXT_CREDITS };
    let id = work.id("msg", work.stamp());
    let paid = work.pay(caller, price, "message", &id)?;
    let mut details = asked.media.as_ref().map(|entry| {
        json!({
            "mimeType": media.as_ref().map(|media| media.mime_type.clone()),
            "size": media.as_ref().map(|media| media.size),
            "filename": entry.filename,
        })
    });
    if let Some(details) = details.as_mut().filter(|_| asked.is_voice) {
        details[VOICE_DETAIL] = true.into();
    }
    if let Some(details) = details.as_mut().filter(|_| asked.is_sticker) {
        details[STICKER_DETAIL] = true.into();
    }
    if let Some(buttons) = asked.buttons {
        details.get_or_insert_with(|| json!({}))[BUTTONS_DETAIL] = buttons;
    }
    if let Some(is_shown) = asked.link_preview {
        details.get_or_insert_with(|| json!({}))[PREVIEW_DETAIL] = is_shown.into();
    }
    if let Some(card) = asked.card {
        details.get_or_insert_with(|| json!({}))[CONTACT_DETAIL] = json!(card);
    }
    let outgoing = ComposedMessage {
        sender: "api",
        content: asked.text,
        marked: Some(asked.marked),
        kind: asked.kind,
        media_url: asked.media.map(|media| media.link),
        details: details.map(|details| details.to_string()),
        reply_to,
        cost: paid.used,
        broadcast: None,
    };
    let row = accept_send(work, &channel, &conversation, id, outgoing)?;
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
pub async fn react(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let emoji = request.read_body::<React>()?.emoji.into_string();
    if emoji.is_empty() {
        return react_with(service, request, emoji).await;
    }
    let refused = || {
        let all = reactions::BOT_CHAT_REACTIONS.join(" ");
        ApiError::validation(format!("the bot platform does not support this emoji; it supports {all}"))
    };
    let listed = reactions::bot_chat_form(&emoji).ok_or_else(refused)?;
    react_with(service, request, listed.to_owned()).await
}
