//! The bot-chat channel: conversations and sending.

use serde_json::Value;

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_page;
use crate::prepare::{PrepareError, json};
use api::fields::Text;
use api::paths;
use api::telegram::{MessageButton, ParseMode, SendTelegram, TelegramType, escape_html, read_conversation};
use model::account::Platform;
use model::bounds;
use model::conversations::Conversation;
use model::ids::MessageId;
use model::outbox::content::{ChatContent, LinkedMedia, Markup, MediaKind, PreviewedText};
use model::outbox::{PreparedRequest, WriteMethod};

pub(crate) async fn conversations(
    client: &Client,
    query: &[(&str, &str)],
) -> Result<ListPage<Conversation>, ReadError> {
    let answer = client.get(paths::TELEGRAM_CONVERSATIONS, query).await?;
    read_page(&answer, |raw| read_conversation(raw).ok())
}

/// `POST /telegram/send` with a plain text.
pub(crate) fn prepare_text(
    chat: &str,
    text: &str,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    send(text_message(chat, text)?, reply_to)
}

fn text_message(chat: &str, text: &str) -> Result<SendTelegram, PrepareError> {
    let escaped = escape_html(text);
    checks::check_required("the text", &escaped, bounds::MAX_TEXT_CHARS)?;
    checks::check_utf16_length("the text", text, bounds::MAX_TEXT_CHARS)?;
    Ok(SendTelegram { text: Some(escaped.into()), ..SendTelegram::empty(chat, TelegramType::Text) })
}

fn marked_message(chat: &str, text: &str, markup: Markup) -> Result<SendTelegram, PrepareError> {
    checks::check_required("the text", text, bounds::MAX_TEXT_CHARS)?;
    let (text, parse_mode) = (Some(text.into()), Some(parse_mode(markup)));
    Ok(SendTelegram { text, parse_mode, ..SendTelegram::empty(chat, TelegramType::Text) })
}

/// `POST /telegram/send` with other content than plain text.
pub(crate) fn prepare_content(
    chat: &str,
    content: &ChatContent,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    let not_here =
        |what| PrepareError::NotOnThisChannel { channel: Platform::Telegram.label().to_owned(), what };
    match content {
        ChatContent::Marked { text, markup } => send(marked_message(chat, text, *markup)?, reply_to),
        ChatContent::Text(PreviewedText { text, markup, preview }) => {
            let body = match markup {
                Some(markup) => marked_message(chat, text, *markup)?,
                None => text_message(chat, text)?,
            };
            send(SendTelegram { link_preview: Some(*preview), ..body }, reply_to)
        }
        ChatContent::Media(media) => send_media(chat, media, reply_to),
        ChatContent::Template(_) => Err(not_here("send templates")),
        ChatContent::Interactive(object) => match read_choices(&object.0) {
            Some((text, buttons)) => {
                let body = SendTelegram { buttons: Some(buttons), ..text_message(chat, &text)? };
                send(body, reply_to)
            }
            None => Err(not_here("send interactive content other than buttons and lists")),
        },
        ChatContent::Location(_) => Err(not_here("send locations")),
        ChatContent::Contact(card) => {
            let contact = Some(checks::contact(card)?);
            send(SendTelegram { contact, ..text_message(chat, &card.describe())? }, reply_to)
        }
    }
}

/// Reads business chat's buttons or list as a text and a row for each choice; `None` for other content. The
/// descriptions of a list are lines of the text.
fn read_choices(object: &str) -> Option<(String, Vec<Vec<MessageButton>>)> {
    let object: Value = serde_json::from_str(object).ok()?;
    let action = &object["action"];
    let choices: Vec<&Value> = match object["type"].as_str()? {
        "button" => action["buttons"].as_array()?.iter().map(|button| &button["reply"]).collect(),
        "list" => {
            let sections = action["sections"].as_array()?.iter();
            sections.filter_map(|section| section["rows"].as_array()).flatten().collect()
        }
        _ => return None,
    };
    let row = |choice: &&Value| {
        let (text, data) = (choice["title"].as_str()?, choice["id"].as_str()?);
        Some(vec![MessageButton { text: text.into(), data: Some(data.into()), url: None }])
    };
    let buttons = choices.iter().map(row).collect::<Option<_>>()?;
    let described = choices.iter().filter_map(|choice| {
        Some(format!("{}: {}", choice["title"].as_str()?, choice["description"].as_str()?))
    });
    let described = described.collect::<Vec<_>>().join("\n");
    let part = |name: &str| object[name]["text"].as_str().unwrap_or("").to_owned();
    let parts = [part("header"), part("body"), described, part("footer")];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    Some((parts.join("\n\n"), buttons))
}

fn send_media(
    chat: &str,
    media: &LinkedMedia,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    checks::link(&media.link)?;
    let caption = media.caption.as_deref().map(|caption| match media.markup {
        Some(_) => caption.to_owned(),
        None => escape_html(caption),
    });
    checks::check_length("the caption", caption.as_deref().unwrap_or(""), bounds::MAX_CAPTION_CHARS)?;
    let seen = media.caption.as_deref().filter(|_| media.markup.is_none());
    checks::check_utf16_length("the caption", seen.unwrap_or(""), bounds::MAX_CAPTION_CHARS)?;
    checks::check_length(
        "the file name",
        media.filename.as_deref().unwrap_or(""),
        bounds::MAX_FILENAME_CHARS,
    )?;
    let kind = match media.kind {
        MediaKind::Sticker if media.caption.is_some() => {
            let (channel, what) = (Platform::Telegram.label().to_owned(), "send a caption with a sticker");
            return Err(PrepareError::NotOnThisChannel { channel, what });
        }
        MediaKind::Image | MediaKind::Sticker => TelegramType::Photo,
        MediaKind::Audio | MediaKind::Voice => TelegramType::Audio,
        MediaKind::Video => TelegramType::Video,
        MediaKind::Document => TelegramType::Document,
    };
    let body = SendTelegram {
        url: Some(media.link.as_str().into()),
        caption: caption.map(Text::from),
        filename: media.filename.as_deref().map(Text::from),
        parse_mode: media.markup.map(parse_mode),
        voice: (media.kind == MediaKind::Voice).then_some(true),
        sticker: (media.kind == MediaKind::Sticker).then_some(true),
        ..SendTelegram::empty(chat, kind)
    };
    send(body, reply_to)
}

fn parse_mode(markup: Markup) -> ParseMode {
    match markup {
        Markup::Html => ParseMode::Html,
        Markup::MarkdownV2 => ParseMode::MarkdownV2,
    }
}

fn send(body: SendTelegram, reply_to: Option<&MessageId>) -> Result<PreparedRequest, PrepareError> {
    if body.chat_id.as_str().is_empty() {
        return Err(PrepareError::NoAddress);
    }
    let body = SendTelegram { reply_to: reply_to.map(|id| id.as_str().into()), ..body };
    json(WriteMethod::Post, paths::TELEGRAM_SEND, &body)
}
