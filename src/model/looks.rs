//! What is known from looking for a text in its history that may have been
//! sent.

use crate::ids::MessageId;
use crate::time::Timestamp;

/// What the looks for a row told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LookResult {
    /// Nothing certain yet.
    #[default]
    Nothing,
    /// Looked for twice and not there: probably not sent.
    Absent,
    /// More than one message could be it.
    Several(Vec<MessageId>),
}

/// The looks for one row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Looks {
    pub count: u32,
    /// When the first one ended that found nothing, late enough to count.
    pub absent_at: Option<Timestamp>,
    /// When the last one ended, however it ended.
    pub last_at: Option<Timestamp>,
    pub finding: LookResult,
}
