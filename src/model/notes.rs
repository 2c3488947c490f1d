//! Private notes on a conversation, visible on this desk or in its team only. A note is not an operation, so it
//! cannot be sent.

use crate::ids::NoteId;
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateNote {
    pub id: NoteId,
    pub text: SafeText,
    pub at: Timestamp,
    /// Author in the team; `None` for a note that is kept on this desk only.
    pub author: Option<SafeText>,
}
