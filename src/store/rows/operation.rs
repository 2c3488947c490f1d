//! An operation as a JSON payload, and back.
//!
//! A payload that cannot be read is an error: guessing at what a person wanted
//! would send something else.

use serde_json::json;

use crate::rows::untagged;
use model::outbox::Operation;

pub(crate) fn write(operation: &Operation) -> String {
    json!(operation).to_string()
}

/// Reads an operation; `None` for what this version does not know. The word
/// beside it tells what it is in files from before payloads had tags.
pub(crate) fn read(word: &str, payload: &str) -> Option<Operation> {
    let mut value = serde_json::from_str(payload).ok()?;
    untagged::tag_operation(word, &mut value);
    serde_json::from_value(value).ok()
}
