//! Private notes on a conversation, visible on this desk only. A note is not an operation, so it
//! cannot be sent.

use crate::ids::NoteId;
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateNote {
    pub id: NoteId,
    pub text: SafeText,
    pub at: Timestamp,
}
