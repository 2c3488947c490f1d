//! Private notes: what people of this desk write for themselves beside a
//! conversation.
//!
//! A note is no operation of the outbox, so nothing can send it. Knows
//! nothing of where it is kept.

use crate::ids::NoteId;
use crate::text::SafeText;
use crate::time::Timestamp;

/// One note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateNote {
    /// Made on this desk.
    pub id: NoteId,
    /// What it says.
    pub text: SafeText,
    /// When it was written.
    pub at: Timestamp,
}
