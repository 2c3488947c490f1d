//! One line of the log of calls: what was asked and how it went. Never what
//! was answered.

use crate::text::SafeText;
use crate::time::Timestamp;

/// Lines a log keeps.
pub const MAX_LOG_LINES: usize = 1_000;

/// How a call went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallResult {
    /// It was answered with a status.
    Status(u16),
    /// It was not answered, or not asked: why.
    Failed(SafeText),
}

impl CallResult {
    /// Whether it brought an answer.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Status(200..=299))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLine {
    pub at: Timestamp,
    pub connection: String,
    pub endpoint: String,
    /// The contact it was about, if any: a conversation's or contact's id.
    pub contact: String,
    pub result: CallResult,
    /// Milliseconds it took.
    pub millis: u32,
    /// Bytes of the answer.
    pub bytes: u32,
}
