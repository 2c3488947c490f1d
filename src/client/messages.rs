//! Reads messages on both chat channels and sends on business chat. Unreadable items become
//! placeholders.

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::{query, read_one, read_page};
use crate::prepare::{PrepareError, json};
use api::content::{Content, LocationContent, MediaContent, TemplateContent, TextContent};
use api::fields::{JsonObject, Text};
use api::messages::{SendMessage, read_message, unreadable_message};
use api::paths;
use api::reactions::React;
use model::account::Platform;
use model::bounds;
use model::ids::{ConversationId, MessageId, ThreadId};
use model::messages::Message;
use model::outbox::content::{ChatContent, FilledTemplate, LinkedMedia, MediaKind, PreviewedText};
use model::outbox::{PreparedRequest, WriteMethod};

/// Default page size of the API.
const PAGE_SIZE: &str = "50";
/// Maximum page size of the API.
const BACKFILL_PAGE_SIZE: &str = "100";

impl Client {
    /// Returns a page of a history, newest first; all mails for an email thread.
    pub async fn history(
        &self,
        platform: &Platform,
        conversation: &ConversationId,
        cursor: Option<&str>,
    ) -> Result<ListPage<Message>, ReadError> {
        if *platform == Platform::Email {
            let whole = self.email_thread(&ThreadId::new(conversation.as_str()), None).await?;
            let items = whole.mails.into_iter().map(|mail| mail.message).collect();
            return Ok(ListPage { items, unreadable: Vec::new(), next_cursor: None });
        }
        let path = match platform {
            Platform::Telegram => paths::telegram_conversation_messages(conversation),
            _ => paths::conversation_messages(conversation),
        };
        let answer = self.get(&path, &query(PAGE_SIZE, cursor)).await?;
        let page = read_page(&answer, |raw| read_message(raw, Some(conversation)).ok())?;
        Ok(page.with_placeholders(|raw, _| unreadable_message(raw, conversation)))
    }

    pub async fn message(&self, id: &MessageId) -> Result<Message, ReadError> {
        let answer = self.get(&paths::message(id), &[]).await?;
        read_one(&answer, |raw| read_message(raw, None).ok())
    }

    /// `GET /messages?direction=inbound`: a page of all inbound messages, newest first.
    pub async fn inbound(&self, cursor: Option<&str>) -> Result<ListPage<Message>, ReadError> {
        self.list_messages("inbound", cursor).await
    }

    /// `GET /messages?direction=outbound`: a page of all outbound messages, newest first.
    pub async fn outbound(&self, cursor: Option<&str>) -> Result<ListPage<Message>, ReadError> {
        self.list_messages("outbound", cursor).await
    }

    async fn list_messages(
        &self,
        direction: &str,
        cursor: Option<&str>,
    ) -> Result<ListPage<Message>, ReadError> {
        let mut query = query(BACKFILL_PAGE_SIZE, cursor);
        query.push(("direction", direction));
        let answer = self.get(paths::MESSAGES, &query).await?;
        read_page(&answer, |raw| read_message(raw, None).ok())
    }
}

/// `POST /messages/send` with a text.
pub(crate) fn prepare_text(
    to: &str,
    text: &str,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    checks::check_required("the text", text, bounds::MAX_TEXT_CHARS)?;
    send(to, Content::Text { text: text.into() }, reply_to)
}

/// `POST /messages/send` with other content than text.
pub(crate) fn prepare_content(
    to: &str,
    content: &ChatContent,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    let not_json = |what, shape| PrepareError::NotJson { what, shape };
    match content {
        ChatContent::Marked { .. } => Err(not_on_channel("send markup")),
        ChatContent::Media(media) => send(to, media_content(media)?, reply_to),
        // A template cannot quote.
        ChatContent::Template(template) => {
            send(to, Content::Template { template: template_content(template)? }, None)
        }
        ChatContent::Interactive(given) => {
            let interactive = JsonObject::from_text(&given.0);
            let interactive =
                interactive.ok_or_else(|| not_json("the interactive content", "a JSON object"))?;
            send(to, Content::Interactive { interactive }, reply_to)
        }
        ChatContent::Location(place) => {
            send(to, Content::Location { location: LocationContent::from(place) }, reply_to)
        }
        ChatContent::Text(PreviewedText { markup: Some(_), .. }) => Err(not_on_channel("send markup")),
        ChatContent::Text(PreviewedText { text, preview, .. }) => {
            checks::check_required("the text", text, bounds::MAX_TEXT_CHARS)?;
            let text = TextContent { link_preview: Some(*preview), ..TextContent::from(text.as_str()) };
            send(to, Content::Text { text }, reply_to)
        }
        ChatContent::Contact(card) => {
            let contact = Some(checks::contact(card)?);
            let text = TextContent { contact, ..TextContent::from(card.describe().as_str()) };
            send(to, Content::Text { text }, reply_to)
        }
    }
}

fn media_content(media: &LinkedMedia) -> Result<Content, PrepareError> {
    checks::link(&media.link)?;
    checks::check_length("the caption", media.caption.as_deref().unwrap_or(""), bounds::MAX_CAPTION_CHARS)?;
    checks::check_length(
        "the file name",
        media.filename.as_deref().unwrap_or(""),
        bounds::MAX_FILENAME_CHARS,
    )?;
    let content = MediaContent {
        link: media.link.as_str().into(),
        caption: media.caption.as_deref().map(Text::from),
        filename: media.filename.as_deref().map(Text::from),
        voice: (media.kind == MediaKind::Voice).then_some(true),
        sticker: (media.kind == MediaKind::Sticker).then_some(true),
    };
    if media.markup.is_some() {
        return Err(not_on_channel("send markup"));
    }
    if media.filename.is_some() && media.kind != MediaKind::Document {
        return Err(not_on_channel("name a file that is not a document"));
    }
    Ok(match media.kind {
        MediaKind::Sticker if media.caption.is_some() => {
            return Err(not_on_channel("send a caption with a sticker"));
        }
        MediaKind::Image | MediaKind::Sticker => Content::Image { image: content },
        MediaKind::Audio | MediaKind::Voice if media.caption.is_some() => {
            return Err(not_on_channel("send a caption with audio"));
        }
        MediaKind::Audio | MediaKind::Voice => Content::Audio { audio: content },
        MediaKind::Video => Content::Video { video: content },
        MediaKind::Document => Content::Document { document: content },
    })
}

/// Content of a template for sends and broadcasts.
pub(crate) fn template_content(template: &FilledTemplate) -> Result<TemplateContent, PrepareError> {
    checks::check_required("the template's name", &template.name, usize::MAX)?;
    checks::check_required("the template's language", &template.language, usize::MAX)?;
    let shape = PrepareError::NotJson { what: "the template's components", shape: "a JSON array" };
    TemplateContent::from_model(template).ok_or(shape)
}

fn send(to: &str, content: Content, reply_to: Option<&MessageId>) -> Result<PreparedRequest, PrepareError> {
    checks::chat_address(to)?;
    let reply_to = reply_to.map(|id| Text::from(id.as_str()));
    let body = SendMessage { to: to.into(), content, reply_to };
    json(WriteMethod::Post, paths::MESSAGES_SEND, &body)
}

fn not_on_channel(what: &'static str) -> PrepareError {
    PrepareError::NotOnThisChannel { channel: Platform::Whatsapp.label().to_owned(), what }
}

/// A reaction on business chat or bot-chat.
pub(crate) fn prepare_reaction(
    platform: &Platform,
    message: &MessageId,
    emoji: &str,
) -> Result<PreparedRequest, PrepareError> {
    let path = match platform {
        Platform::Telegram => paths::telegram_message_react(message),
        _ => paths::message_react(message),
    };
    json(WriteMethod::Post, path, &React { emoji: emoji.into() })
}
