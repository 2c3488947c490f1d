//! What goes with a draft, as JSON, and back.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::rows::forms::kept_as;
use crate::rows::untagged;
use model::attachments::{Attachment, FileFacts, Source};
use model::outbox::content::MediaKind;

/// Writes it.
pub(crate) fn write(attachment: &Attachment) -> String {
    json!(attachment).to_string()
}

/// Reads it; `None` for what this version does not know.
pub(crate) fn read(text: &str) -> Option<Attachment> {
    let mut value = serde_json::from_str(text).ok()?;
    untagged::attachment(&mut value);
    serde_json::from_value(value).ok()
}

kept_as!(Attachment: AttachmentForm, FileFacts: FileFactsForm, Source: SourceForm);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Attachment")]
struct AttachmentForm {
    source: Source,
    kind: MediaKind,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Source", tag = "type", content = "value", rename_all = "kebab-case")]
enum SourceForm {
    File(FileFacts),
    Link(String),
    Uploaded(String),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "FileFacts", rename_all = "camelCase")]
struct FileFactsForm {
    path: String,
    name: String,
    mime_type: String,
    size: u64,
}
