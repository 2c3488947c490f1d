//! Names of the processes on one data folder and of their leases.

use sha2::{Digest, Sha256};

use crate::ChannelSpec;
use store::Store;
use store::leases::ProcessRank;
use store::processes::Process;

/// Unique name of this process, from which others can tell that it has ended.
pub fn owner_name(store: &Store) -> String {
    let process =
        Process::current().map_or_else(|| std::process::id().to_string(), |entry| entry.to_string());
    format!("{process}-{:016x}", store.chance().draw())
}

/// Name of this process in the request log.
pub fn process_name(kind: &str) -> String {
    format!("{kind}, process {}", std::process::id())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessRole {
    /// Inbox with a person in front of it.
    Inbox,
    /// Process without a screen; yields to an inbox.
    Engine,
}

impl ProcessRole {
    /// Word shown to waiting processes.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Engine => "engine",
        }
    }

    pub(crate) fn rank(self) -> ProcessRank {
        match self {
            Self::Inbox => ProcessRank::Inbox,
            Self::Engine => ProcessRank::Engine,
        }
    }
}

/// Name of a channel's polling lease: one for each channel and key, since a process with another key
/// cannot share its data.
pub fn lease_name(spec: &ChannelSpec) -> String {
    let mut hash = Sha256::new();
    for part in [spec.id.as_str(), &spec.base_url, spec.key.expose()] {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

pub fn sending_name(spec: &ChannelSpec) -> String {
    format!("{}.send", lease_name(spec))
}
