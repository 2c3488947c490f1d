//! `POST /dev/inbound`: simulates a message or mail from a customer.

use axum::extract::State;
use serde_json::{Value, json};

use crate::chat::receive::{media_kind, receive};
use crate::database::channels;
use crate::errors::ApiError;
use crate::mail::content::{MAX_BODY_CHARS, MAX_REFERENCE_CHARS, check_reference};
use crate::mail::{self, addresses, attachments};
use crate::reply::Reply;
use crate::request::DevRequest;
use crate::state::Service;
use crate::write::WriteContext;
use api::content::MAX_LINK_CHARS;
use api::dev::ChannelWord;
use api::fields::{JsonObject, MailAddress, Phone, Text, TextOrNumber};
use api::request::{FieldError, Fields};
use model::bounds::{MAX_CONTACT_NAME_CHARS, MAX_SUBJECT_CHARS};
use model::time::Clock;
use platforms::mail::InboundMail;
use platforms::mail::answer_target::AnswerTarget;
use platforms::mailbox::read_calendar;
use platforms::{Channel, InboundMessage};

/// Maximum length of an inbound text, in characters; platforms deliver longer texts than they accept.
const MAX_TEXT_CHARS: usize = 65_536;

pub async fn inbound(
    State(service): State<Service>,
    DevRequest(body): DevRequest,
) -> Result<Reply, ApiError> {
    let mut fields = Fields::of_body(body)?;
    let kind = match fields.required("channel")? {
        ChannelWord::Whatsapp => Channel::Whatsapp,
        ChannelWord::Telegram => Channel::Telegram,
        ChannelWord::Email => Channel::Email,
        ChannelWord::Voip => Channel::Voip,
    };
    let (now, state) = (service.clock.now(), service.clone());
    if kind == Channel::Email {
        let mut mail = read_mail(&mut fields)?;
        let calendar: Option<Text<MAX_BODY_CHARS>> = fields.optional("calendar")?;
        return service
            .database
            .write(move |db| {
                let work = WriteContext::of_service(db, &state, now);
                let channel = channels::find_by_kind(db, kind)?.ok_or_else(no_channel)?;
                if let Some(calendar) = &calendar {
                    let own: Vec<String> = channel.address.iter().cloned().collect();
                    let (described, event) = read_calendar(calendar.as_str(), &own);
                    mail.text = mail.text.map(|text| format!("{text}\n\n{described}"));
                    mail.event = event;
                }
                let received = mail::receive::receive(&work, &channel, &mail)?;
                Reply::ok(&json!({
                    "conversationId": received.thread,
                    "messageId": received.message,
                    "threadId": received.thread,
                }))
            })
            .await;
    }
    let inbound = read(&mut fields, kind)?;
    service
        .database
        .write(move |db| {
            let work = WriteContext::of_service(db, &state, now);
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
fn read_mail(fields: &mut Fields) -> Result<InboundMail, FieldError> {
    let from: MailAddress = fields.required("from")?;
    let name: Option<Text<MAX_CONTACT_NAME_CHARS>> = fields.optional("name")?;
    let subject: Option<Text<MAX_SUBJECT_CHARS>> = fields.optional("subject")?;
    let text: Option<Text<MAX_BODY_CHARS>> = fields.optional("text")?;
    let html: Option<Text<MAX_BODY_CHARS>> = fields.optional("html")?;
    let answers_go_to = addresses::check_list("replyTo", fields.optional("replyTo")?.unwrap_or_default())?;
    let in_reply_to: Option<Text<MAX_REFERENCE_CHARS>> = fields.optional("inReplyTo")?;
    let attached = attachments::check(fields.optional("attachments")?.unwrap_or_default())?;
    if text.is_none() && html.is_none() {
        return Err(FieldError::new("text", "or html is required"));
    }
    Ok(InboundMail {
        from: from.into_string(),
        name: name.map(Text::into_string),
        subject: subject.map(Text::into_string).unwrap_or_default(),
        text: text.map(Text::into_string),
        html: html.map(Text::into_string),
        answers_go_to: match answers_go_to {
            to if to.is_empty() => AnswerTarget::Author,
            to => AnswerTarget::Others { to, name: None },
        },
        in_reply_to: check_reference("inReplyTo", in_reply_to)?,
        attachments: attached.into_iter().map(|attachment| attachment.body).collect(),
        ..InboundMail::default()
    })
}

fn read(fields: &mut Fields, kind: Channel) -> Result<InboundMessage, FieldError> {
    let from = match kind {
        Channel::Whatsapp | Channel::Voip => fields.required::<Phone>("from")?.into_string(),
        Channel::Telegram | Channel::Email => fields.required::<TextOrNumber<320>>("from")?.into_string(),
    };
    let media_url: Option<Text<MAX_LINK_CHARS>> = fields.optional("mediaUrl")?;
    let media_url = media_url.and_then(Text::non_empty);
    let text: Option<Text<MAX_TEXT_CHARS>> = fields.optional("text")?;
    let text = text.map(Text::into_string).unwrap_or_default();
    if text.is_empty() && media_url.is_none() {
        return Err(FieldError::new("text", "is required without mediaUrl"));
    }
    let referral: Option<JsonObject> = fields.optional("referral")?;
    let name: Option<Text<MAX_CONTACT_NAME_CHARS>> = fields.optional("name")?;
    let username: Option<Text<64>> = fields.optional("username")?;
    Ok(InboundMessage {
        from,
        name: name.map(Text::into_string),
        username: username.map(Text::into_string),
        kind: media_url.as_deref().map_or("text", |url| media_kind(kind, url)).to_owned(),
        text,
        media_url,
        referral: referral.map(|referral| Value::Object(referral.to_map())),
        ..InboundMessage::default()
    })
}
