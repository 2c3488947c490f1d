//! Converts a draft's attachment from and to JSON.

use serde_json::json;

use crate::rows::untagged;
use model::attachments::ReplyAttachment;

pub(crate) fn write(attachment: &ReplyAttachment) -> String {
    json!(attachment).to_string()
}

/// Returns `None` for an attachment this version does not know.
pub(crate) fn read(text: &str) -> Option<ReplyAttachment> {
    let mut value = serde_json::from_str(text).ok()?;
    untagged::tag_attachment(&mut value);
    serde_json::from_value(value).ok()
}
