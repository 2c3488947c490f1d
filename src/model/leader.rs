//! Leader: the process on a data folder that sends for a channel.

use crate::text::SafeText;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Leader {
    #[default]
    Unknown,
    Here,
    /// No process that may send runs.
    Nobody,
    Elsewhere {
        /// Kind of process, such as `inbox` or `contacts import`.
        kind: SafeText,
        process: Option<u32>,
    },
}

impl Leader {
    /// `contacts import, process 4312`; `None` if it is not another process.
    pub fn describe(&self) -> Option<String> {
        match self {
            Self::Elsewhere { kind, process: Some(number) } => Some(format!("{kind}, process {number}")),
            Self::Elsewhere { kind, process: None } => Some(format!("{kind}, another process")),
            Self::Unknown | Self::Here | Self::Nobody => None,
        }
    }
}
