//! Entry of the call log: request and result, never the content of an answer.

use crate::text::SafeText;
use crate::time::Timestamp;

pub const MAX_LOG_LINES: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallResult {
    /// Answered with this HTTP status.
    Status(u16),
    /// Not answered, or refused before sending; holds the reason.
    Failed(SafeText),
}

impl CallResult {
    /// True for a status of 200 to 299.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Status(200..=299))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLine {
    pub at: Timestamp,
    pub connection: String,
    pub endpoint: String,
    /// Id of the conversation or contact, if any.
    pub contact: String,
    pub result: CallResult,
    pub millis: u32,
    pub bytes: u32,
}
