//! What an operation carries, as JSON, and back.
//!
//! Knows nothing of operations' words.

use serde_json::{Value, json};

use crate::model::ids::{ContactId, ThreadId};
use crate::model::outbox::content::{
    Attachment, Audience, BroadcastContent, Content, Degrees, Json, Mail, Markup, Media, MediaKind, Place,
    Source, Template,
};
use crate::store::rows::operation::{Fields, raw};

pub(crate) fn write(content: &Content) -> Value {
    match content {
        Content::Marked { text, markup } => json!({"kind": "marked", "text": text, "markup": markup.word()}),
        Content::Media(media) => json!({
            "kind": media.kind.word(), "link": media.link, "caption": media.caption,
            "filename": media.filename, "markup": media.markup.map(Markup::word), "uploaded": media.uploaded,
        }),
        Content::Template(template) => write_template(template),
        Content::Interactive(object) => json!({"kind": "interactive", "object": object.0}),
        Content::Location(place) => json!({
            "kind": "location", "latitude": place.latitude.0, "longitude": place.longitude.0,
            "name": place.name, "address": place.address,
        }),
    }
}

pub(crate) fn read(fields: &Fields<'_>) -> Option<Content> {
    let kind = fields.text("kind")?;
    let markup = || Markup::from_word(&fields.text("markup")?);
    Some(match kind.as_str() {
        "marked" => Content::Marked { text: fields.text("text")?, markup: markup()? },
        "template" => Content::Template(read_template(fields)?),
        "interactive" => Content::Interactive(Json(fields.text("object")?)),
        "location" => {
            let degrees = |name| Some(Degrees(i32::try_from(fields.0.get(name)?.as_i64()?).ok()?));
            Content::Location(Place {
                latitude: degrees("latitude")?,
                longitude: degrees("longitude")?,
                name: fields.text("name"),
                address: fields.text("address"),
            })
        }
        word => Content::Media(Media {
            kind: MediaKind::from_word(word)?,
            link: fields.text("link")?,
            caption: fields.text("caption"),
            filename: fields.text("filename"),
            markup: markup(),
            uploaded: fields.0.get("uploaded").and_then(Value::as_bool).unwrap_or(false),
        }),
    })
}

fn write_template(template: &Template) -> Value {
    json!({
        "kind": "template", "name": template.name, "language": template.language,
        "components": raw(&template.components),
    })
}

fn read_template(fields: &Fields<'_>) -> Option<Template> {
    Some(Template {
        name: fields.text("name")?,
        language: fields.text("language")?,
        components: fields.text("components").map(Json),
    })
}

pub(crate) fn write_audience(to: &Audience) -> Value {
    match to {
        Audience::Everyone => Value::Null,
        Audience::Contacts(ids) => ids.iter().map(|it| Value::from(it.as_str())).collect(),
    }
}

pub(crate) fn read_audience(value: &Value) -> Option<Audience> {
    match value {
        Value::Null => Some(Audience::Everyone),
        Value::Array(ids) => {
            let ids = ids.iter().map(|it| it.as_str().map(ContactId::from)).collect::<Option<_>>()?;
            Some(Audience::Contacts(ids))
        }
        _ => None,
    }
}

pub(crate) fn write_broadcast(content: &BroadcastContent) -> Value {
    match content {
        BroadcastContent::Text(text) => json!({"kind": "text", "text": text}),
        BroadcastContent::Image(link) => json!({"kind": "image", "link": link}),
        BroadcastContent::Template(template) => write_template(template),
    }
}

pub(crate) fn read_broadcast(fields: &Fields<'_>) -> Option<BroadcastContent> {
    match fields.text("kind")?.as_str() {
        "text" => fields.text("text").map(BroadcastContent::Text),
        "image" => fields.text("link").map(BroadcastContent::Image),
        "template" => read_template(fields).map(BroadcastContent::Template),
        _ => None,
    }
}

pub(crate) fn write_mail(mail: &Mail) -> Value {
    let attachments: Vec<Value> = mail.attachments.iter().map(write_attachment).collect();
    json!({
        "to": mail.to, "cc": mail.cc, "bcc": mail.bcc, "subject": mail.subject, "text": mail.text,
        "html": mail.html, "from": mail.from, "replyTo": mail.reply_to, "headers": raw(&mail.headers),
        "inReplyTo": mail.in_reply_to, "thread": mail.thread.as_ref().map(ThreadId::as_str),
        "attachments": attachments,
    })
}

fn write_attachment(attachment: &Attachment) -> Value {
    let (link, size) = match &attachment.source {
        Source::Link(link) => (Some(link), None),
        Source::Enclosed(size) => (None, Some(*size)),
        // Read before it is queued.
        Source::File(_) => (None, Some(0)),
    };
    json!({
        "filename": attachment.filename, "contentType": attachment.content_type, "link": link, "size": size,
    })
}

pub(crate) fn read_mail(fields: &Fields<'_>) -> Option<Mail> {
    let attachments = fields.0.get("attachments")?.as_array()?;
    Some(Mail {
        to: fields.texts("to")?,
        cc: fields.texts("cc")?,
        bcc: fields.texts("bcc")?,
        subject: fields.text("subject")?,
        text: fields.text("text"),
        html: fields.text("html"),
        from: fields.text("from"),
        reply_to: fields.text("replyTo"),
        headers: fields.text("headers").map(Json),
        in_reply_to: fields.text("inReplyTo"),
        thread: fields.text("thread").map(ThreadId::new),
        attachments: attachments.iter().map(read_attachment).collect::<Option<_>>()?,
    })
}

fn read_attachment(value: &Value) -> Option<Attachment> {
    let fields = Fields(value.as_object()?);
    let source = match fields.text("link") {
        Some(link) => Source::Link(link),
        None => Source::Enclosed(fields.0.get("size")?.as_u64()?),
    };
    Some(Attachment { filename: fields.text("filename")?, content_type: fields.text("contentType")?, source })
}
