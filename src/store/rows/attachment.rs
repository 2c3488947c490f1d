//! What goes with a draft, as JSON, and back.

use serde_json::json;

use crate::rows::untagged;
use model::attachments::Attachment;

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
