//! `POST /dev/inbound`: simulates a message or mail from a customer.

use axum::extract::State;
use serde_json::json;

use crate::channels::Channel;
use crate::chat::content::MAX_LINK_CHARS;
use crate::chat::receive::{InboundMessage, media_kind, receive};
use crate::database::channels;
use crate::errors::ApiError;
use crate::fields::Fields;
use crate::mail::answer_target::AnswerTarget;
use crate::mail::content::{MAX_BODY_CHARS, read_reference};
use crate::mail::receive::InboundMail;
use crate::mail::{self, addresses, attachments};
use crate::reply::Reply;
use crate::request::DevRequest;
use crate::state::Service;
use crate::write::WriteContext;
use model::bounds;
use model::time::Clock;

/// Maximum length of an inbound text, in characters; platforms deliver longer texts than they accept.
const MAX_TEXT_CHARS: usize = 65_536;

pub async fn inbound(
    State(service): State<Service>,
    DevRequest(body): DevRequest,
) -> Result<Reply, ApiError> {
    let fields = Fields::of_body(&body)?;
    let words = Channel::ALL.map(Channel::word);
    let word = fields.required_word("channel", &words)?;
    let kind = Channel::from_word(word).unwrap_or(Channel::Whatsapp);
    let (now, state) = (service.clock.now(), service.clone());
    if kind == Channel::Email {
        let mail = read_mail(&fields)?;
        return service
            .database
            .write(move |db| {
                let work = WriteContext { db, service: &state, now, test: false, key: None };
                let channel = channels::find_by_kind(db, kind)?.ok_or_else(no_channel)?;
                let received = mail::receive::receive(&work, &channel, &mail)?;
                Reply::ok(&json!({
                    "conversationId": received.thread,
                    "messageId": received.message,
                    "threadId": received.thread,
                }))
            })
            .await;
    }
    let inbound = read(&fields, kind)?;
    service
        .database
        .write(move |db| {
            let work = WriteContext { db, service: &state, now, test: false, key: None };
            let channel = channels::find_by_kind(db, kind)?.ok_or_else(no_channel)?;
            let received = receive(&work, &channel, &inbound)?;
            Reply::ok(&json!({"conversationId": received.conversation, "messageId": received.message}))
        })
        .await
}

fn no_channel() -> ApiError {
    ApiError::not_found("this channel")
}

/// Reads a mail, by looser rules than `sendEmail`.
fn read_mail(fields: &Fields<'_>) -> Result<InboundMail, ApiError> {
    let text = |name: &str| Ok::<_, ApiError>(fields.text(name, MAX_BODY_CHARS)?.map(str::to_owned));
    let mail = InboundMail {
        from: addresses::required_address(fields, "from")?,
        name: fields.text("name", bounds::MAX_CONTACT_NAME_CHARS)?.map(str::to_owned),
        subject: fields.text("subject", bounds::MAX_SUBJECT_CHARS)?.unwrap_or("").to_owned(),
        text: text("text")?,
        html: text("html")?,
        answers_go_to: match addresses::read_addresses(fields, "replyTo")? {
            to if to.is_empty() => AnswerTarget::Author,
            to => AnswerTarget::Others { to, name: None },
        },
        in_reply_to: read_reference(fields, "inReplyTo")?,
        attachments: attachments::read(fields)?.into_iter().map(|attachment| attachment.body).collect(),
        ..InboundMail::default()
    };
    if mail.text.is_none() && mail.html.is_none() {
        return Err(fields.refuse("text", "or html is required"));
    }
    Ok(mail)
}

fn read(fields: &Fields<'_>, kind: Channel) -> Result<InboundMessage, ApiError> {
    let from = match kind {
        Channel::Whatsapp | Channel::Voip => fields.required_phone("from")?.to_owned(),
        Channel::Telegram | Channel::Email => match fields.value("from").and_then(|value| value.as_i64()) {
            Some(number) => number.to_string(),
            None => fields.required_text("from", 320)?.to_owned(),
        },
    };
    let media_url =
        fields.text("mediaUrl", MAX_LINK_CHARS)?.filter(|entry| !entry.is_empty()).map(str::to_owned);
    let text = fields.text("text", MAX_TEXT_CHARS)?.unwrap_or("").to_owned();
    if text.is_empty() && media_url.is_none() {
        return Err(fields.refuse("text", "is required where there is no mediaUrl"));
    }
    let referral = match fields.value("referral") {
        None => None,
        Some(value) if value.is_object() => Some(value.clone()),
        Some(_) => return Err(fields.refuse("referral", "must be an object")),
    };
    Ok(InboundMessage {
        from,
        name: fields.text("name", bounds::MAX_CONTACT_NAME_CHARS)?.map(str::to_owned),
        username: fields.text("username", 64)?.map(str::to_owned),
        kind: media_url.as_deref().map_or("text", |url| media_kind(kind, url)).to_owned(),
        text,
        media_url,
        referral,
        ..InboundMessage::default()
    })
}
