//! Converts operations from and to JSON. An unreadable payload is an error, because a guess could
//! send something else.

use serde_json::json;

use crate::rows::untagged;
use model::outbox::Operation;

pub(crate) fn write(operation: &Operation) -> String {
    json!(operation).to_string()
}

/// Parses an operation; `None` if this version does not know it. `word` identifies the operation in
/// payloads that have no tag.
pub(crate) fn read(word: &str, payload: &str) -> Option<Operation> {
    let mut value = serde_json::from_str(payload).ok()?;
    untagged::tag_operation(word, &mut value);
    serde_json::from_value(value).ok()
}
