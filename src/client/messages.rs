//! Reading messages on both chat channels, and sending on business chat.
//! Interface: Endpoints, Business chat messages.
//!
//! An item that cannot be read becomes a stand-in.

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::{query, read_one, read_page};
use crate::prepare::{PrepareError, json};
use model::account::Platform;
use model::bounds;
use model::ids::{ConversationId, MessageId, ThreadId};
use model::messages::Message;
use model::outbox::content::{ChatContent, FilledTemplate, LinkedMedia, MediaKind};
use model::outbox::{PreparedRequest, WriteMethod};
use wire::content::{MediaContent, TextContent, TypedContent, object};
use wire::messages::{SendBody, read_message, unreadable_message};
use wire::paths;

/// Rows of a page of a history: the default of the interface.
const PAGE_SIZE: &str = "50";
/// Rows of a page of the backfill: the most the interface gives.
const BACKFILL_PAGE_SIZE: &str = "100";

impl Client {
    /// A page of one history, newest first.
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

    /// `GET /messages/{id}`: one message.
    pub async fn message(&self, id: &MessageId) -> Result<Message, ReadError> {
        let answer = self.get(&paths::message(id), &[]).await?;
        read_one(&answer, |raw| read_message(raw, None).ok())
    }

    /// `GET /messages?direction=inbound`: a page of all that customers wrote,
    /// newest first.
    pub async fn inbound(&self, cursor: Option<&str>) -> Result<ListPage<Message>, ReadError> {
        self.list_messages("inbound", cursor).await
    }

    /// `GET /messages?direction=outbound`: a page of all that was sent, newest
    /// first.
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

/// `POST /messages/send` with a text
pub(crate) fn prepare_text(
    to: &str,
    text: &str,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    checks::check_required("the text", text, bounds::MAX_TEXT_CHARS)?;
    let content =
        TypedContent { kind: "text", text: Some(TextContent { body: text }), ..TypedContent::default() };
    send(to, content, reply_to)
}

/// `POST /messages/send` with anything else
pub(crate) fn prepare_content(
    to: &str,
    content: &ChatContent,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    let not_json = |what, shape| PrepareError::NotJson { what, shape };
    match content {
        ChatContent::Marked { .. } => Err(not_on_channel("send markup")),
        ChatContent::Media(media) => send(to, media_content(media)?, reply_to),
        // A template quotes nothing.
        ChatContent::Template(template) => send(to, template_content(template)?, None),
        ChatContent::Interactive(given) => {
            let given = object(given).ok_or_else(|| not_json("the interactive content", "a JSON object"))?;
            let content =
                TypedContent { kind: "interactive", interactive: Some(given), ..TypedContent::default() };
            send(to, content, reply_to)
        }
        ChatContent::Location(place) => send(to, TypedContent::location(place), reply_to),
    }
}

fn media_content(media: &LinkedMedia) -> Result<TypedContent<'_>, PrepareError> {
    checks::link(&media.link)?;
    checks::check_length("the caption", media.caption.as_deref().unwrap_or(""), bounds::MAX_CAPTION_CHARS)?;
    checks::check_length(
        "the file name",
        media.filename.as_deref().unwrap_or(""),
        bounds::MAX_FILENAME_CHARS,
    )?;
    let content = MediaContent {
        link: &media.link,
        caption: media.caption.as_deref(),
        filename: media.filename.as_deref(),
    };
    if media.markup.is_some() {
        return Err(not_on_channel("send markup"));
    }
    if media.filename.is_some() && media.kind != MediaKind::Document {
        return Err(not_on_channel("name a file that is no document"));
    }
    let (kind, content) = (media.kind.word(), Some(content));
    Ok(match media.kind {
        MediaKind::Image => TypedContent { kind, image: content, ..TypedContent::default() },
        MediaKind::Audio if media.caption.is_some() => {
            return Err(not_on_channel("send a caption with sound"));
        }
        MediaKind::Audio => TypedContent { kind, audio: content, ..TypedContent::default() },
        MediaKind::Video => TypedContent { kind, video: content, ..TypedContent::default() },
        MediaKind::Document => TypedContent { kind, document: content, ..TypedContent::default() },
    })
}

/// A template as sends and broadcasts carry it.
pub(crate) fn template_content(template: &FilledTemplate) -> Result<TypedContent<'_>, PrepareError> {
    checks::check_required("the template's name", &template.name, usize::MAX)?;
    checks::check_required("the template's language", &template.language, usize::MAX)?;
    let shape = PrepareError::NotJson { what: "the template's components", shape: "a JSON array" };
    TypedContent::template(template).ok_or(shape)
}

fn send(
    to: &str,
    content: TypedContent<'_>,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    checks::chat_address(to)?;
    let body = SendBody { to, content, reply_to: reply_to.map(MessageId::as_str) };
    json(WriteMethod::Post, paths::MESSAGES_SEND, &body)
}

fn not_on_channel(what: &'static str) -> PrepareError {
    PrepareError::NotOnThisChannel { channel: Platform::Whatsapp.label().to_owned(), what }
}
