//! Converts a draft's attachments from and to JSON: one as an object, several as an array.

use serde_json::{Value, json};

use crate::rows::untagged;
use model::attachments::ReplyAttachment;

/// Returns `None` without attachments.
pub(crate) fn write(attachments: &[ReplyAttachment]) -> Option<String> {
    match attachments {
        [] => None,
        [one] => Some(json!(one).to_string()),
        several => Some(json!(several).to_string()),
    }
}

/// Leaves out attachments that this version does not know.
pub(crate) fn read(text: &str) -> Vec<ReplyAttachment> {
    let stored = match serde_json::from_str(text) {
        Ok(Value::Array(several)) => several,
        Ok(one) => vec![one],
        Err(_) => Vec::new(),
    };
    let read_one = |mut value: Value| {
        untagged::tag_attachment(&mut value);
        serde_json::from_value(value).ok()
    };
    stored.into_iter().filter_map(read_one).collect()
}
