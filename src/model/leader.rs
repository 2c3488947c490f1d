//! Which of the processes on one data folder sends what waits in the outbox.

use crate::text::SafeText;

/// Who sends for a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Leader {
    /// Nothing is known yet.
    #[default]
    Unknown,
    /// This process.
    Here,
    /// No process that may change anything runs.
    Nobody,
    /// Another process.
    Elsewhere {
        /// What it is, such as `inbox` or `contacts import`.
        kind: SafeText,
        /// Its number, where the system tells.
        process: Option<u32>,
    },
}

impl Leader {
    /// `contacts import, process 4312`; `None` for no other process.
    pub fn describe(&self) -> Option<String> {
        match self {
            Self::Elsewhere { kind, process: Some(number) } => Some(format!("{kind}, process {number}")),
            Self::Elsewhere { kind, process: None } => Some(format!("{kind}, another process")),
            Self::Unknown | Self::Here | Self::Nobody => None,
        }
    }
}
