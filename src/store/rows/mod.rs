//! Between rows of the database and the model's words.
//!
//! Knows nothing of which rows are wanted. Stored text was made safe before
//! it was stored and is made safe again when it is read: the file may have
//! been changed by someone else.

use crate::model::text::SafeText;
use crate::model::time::Timestamp;

pub(crate) mod attachment;
pub(crate) mod campaign;
pub(crate) mod contact_change;
pub(crate) mod content;
pub(crate) mod conversation;
pub(crate) mod lane;
pub(crate) mod local;
pub(crate) mod media;
pub(crate) mod message;
pub(crate) mod operation;
pub(crate) mod outbox;

/// A text as a parameter.
pub(crate) fn text_of(text: &Option<SafeText>) -> Option<&str> {
    text.as_ref().map(SafeText::as_str)
}

/// A time as a parameter.
pub(crate) fn micros_of(time: Option<Timestamp>) -> Option<i64> {
    time.map(Timestamp::micros)
}
