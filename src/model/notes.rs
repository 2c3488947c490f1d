//! Private notes: what people of this desk write for themselves beside a
//! conversation.
//!
//! A note is no operation of the outbox, so nothing can send it. Knows
//! nothing of where it is kept.

use crate::ids::NoteId;
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateNote {
    pub id: NoteId,
    pub text: SafeText,
    pub at: Timestamp,
}
