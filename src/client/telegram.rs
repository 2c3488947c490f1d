//! The bot-chat channel: its list and its sends. Interface: Endpoints,
//! Bot-chat channel.

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_page;
use crate::prepare::{PrepareError, json};
use model::account::Platform;
use model::bounds;
use model::conversations::Conversation;
use model::ids::MessageId;
use model::outbox::content::{ChatContent, LinkedMedia, Markup, MediaKind};
use model::outbox::{PreparedRequest, WriteMethod};
use wire::paths;
use wire::telegram::{SendBody, escape_html, read_conversation};

/// A page of bot-chat conversations.
pub(crate) async fn conversations(
    client: &Client,
    query: &[(&str, &str)],
) -> Result<ListPage<Conversation>, ReadError> {
    let answer = client.get(paths::TELEGRAM_CONVERSATIONS, query).await?;
    read_page(&answer, |raw| read_conversation(raw).ok())
}

/// `POST /telegram/send` with a plain text
pub(crate) fn prepare_text(
    chat: &str,
    text: &str,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    let escaped = escape_html(text);
    checks::check_required("the text", &escaped, bounds::MAX_TEXT_CHARS)?;
    checks::check_utf16_length("the text", text, bounds::MAX_TEXT_CHARS)?;
    send(SendBody { chat_id: chat, kind: "text", text: Some(&escaped), ..SendBody::default() }, reply_to)
}

/// `POST /telegram/send` with anything else
pub(crate) fn prepare_content(
    chat: &str,
    content: &ChatContent,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    let not_here =
        |what| PrepareError::NotOnThisChannel { channel: Platform::Telegram.label().to_owned(), what };
    match content {
        ChatContent::Marked { text, markup } => {
            checks::check_required("the text", text, bounds::MAX_TEXT_CHARS)?;
            let parse_mode = Some(markup.word());
            let body =
                SendBody { chat_id: chat, kind: "text", text: Some(text), parse_mode, ..SendBody::default() };
            send(body, reply_to)
        }
        ChatContent::Media(media) => send_media(chat, media, reply_to),
        ChatContent::Template(_) => Err(not_here("send templates")),
        ChatContent::Interactive(_) => Err(not_here("send buttons")),
        ChatContent::Location(_) => Err(not_here("send places")),
    }
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
        MediaKind::Image => "photo",
        kind => kind.word(),
    };
    let body = SendBody {
        chat_id: chat,
        kind,
        url: Some(&media.link),
        caption: caption.as_deref(),
        filename: media.filename.as_deref(),
        parse_mode: media.markup.map(Markup::word),
        ..SendBody::default()
    };
    send(body, reply_to)
}

fn send(body: SendBody<'_>, reply_to: Option<&MessageId>) -> Result<PreparedRequest, PrepareError> {
    if body.chat_id.is_empty() {
        return Err(PrepareError::NoAddress);
    }
    let body = SendBody { reply_to: reply_to.map(MessageId::as_str), ..body };
    json(WriteMethod::Post, paths::TELEGRAM_SEND, &body)
}
