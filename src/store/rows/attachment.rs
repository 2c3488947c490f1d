//! What goes with a text, as JSON, and back.
//!
//! Knows nothing of drafts and of the outbox.

use serde_json::{Value, json};

use crate::model::attachments::{Attachment, FileFacts, Source};
use crate::model::ids::MessageId;
use crate::model::outbox::content::{FileToSend, Markup, MediaKind};
use crate::store::rows::operation::Fields;

/// What goes with a draft.
pub(crate) fn write(attachment: &Attachment) -> String {
    let kind = attachment.kind.word();
    let value = match &attachment.source {
        Source::File(it) => json!({
            "kind": kind, "path": it.path, "name": it.name, "mimeType": it.mime_type, "size": it.size,
        }),
        Source::Link(url) => json!({"kind": kind, "link": url}),
        Source::Uploaded(url) => json!({"kind": kind, "uploaded": url}),
    };
    value.to_string()
}

/// Reads it; `None` for what this version does not know.
pub(crate) fn read(text: &str) -> Option<Attachment> {
    let value: Value = serde_json::from_str(text).ok()?;
    let fields = Fields(value.as_object()?);
    let link = fields.text("link").map(Source::Link);
    let source = match link.or_else(|| fields.text("uploaded").map(Source::Uploaded)) {
        Some(source) => source,
        None => Source::File(FileFacts {
            path: fields.text("path")?,
            name: fields.text("name")?,
            mime_type: fields.text("mimeType")?,
            size: fields.0.get("size")?.as_u64()?,
        }),
    };
    Some(Attachment { source, kind: MediaKind::from_word(&fields.text("kind")?)? })
}

/// A file that is to be uploaded and sent.
pub(crate) fn write_file(file: &FileToSend) -> Value {
    json!({
        "to": file.to, "path": file.path, "name": file.name, "mimeType": file.mime_type, "size": file.size,
        "kind": file.kind.word(), "caption": file.caption, "markup": file.markup.map(Markup::word),
        "replyTo": file.reply_to.as_ref().map(MessageId::as_str),
    })
}

/// Reads it.
pub(crate) fn read_file(fields: &Fields<'_>) -> Option<FileToSend> {
    Some(FileToSend {
        to: fields.text("to")?,
        path: fields.text("path")?,
        name: fields.text("name")?,
        mime_type: fields.text("mimeType")?,
        size: fields.0.get("size")?.as_u64()?,
        kind: MediaKind::from_word(&fields.text("kind")?)?,
        caption: fields.text("caption"),
        markup: fields.text("markup").and_then(|it| Markup::from_word(&it)),
        reply_to: fields.text("replyTo").map(MessageId::new),
    })
}
