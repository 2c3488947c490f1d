//! What processes on one folder are called, and their leases.

use sha2::{Digest, Sha256};

use crate::ChannelSpec;
use store::Store;
use store::leases::Rank;
use store::processes::Process;

/// Who this process is among those on its folder: no two are called the same,
/// and the others can tell when it has ended.
pub fn owner(store: &Store) -> String {
    let process = Process::this().map_or_else(|| std::process::id().to_string(), |entry| entry.to_string());
    format!("{process}-{:016x}", store.chance().draw())
}

/// What this process is called in what it keeps of its requests.
pub fn this_process(kind: &str) -> String {
    format!("{kind}, process {}", std::process::id())
}

/// What a process that leads is to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessRole {
    /// An inbox, with a person before it.
    Inbox,
    /// It has no screen, and gives way to an inbox.
    Engine,
}

impl ProcessRole {
    /// What it is called by the processes that wait for it.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Engine => "engine",
        }
    }

    pub(crate) fn rank(self) -> Rank {
        match self {
            Self::Inbox => Rank::Inbox,
            Self::Engine => Rank::Engine,
        }
    }
}

/// What a channel's lease for asking is called: one for each channel and key, so that a
/// process with another key for the same channel is no follower.
pub fn lease_name(spec: &ChannelSpec) -> String {
    let mut hash = Sha256::new();
    for part in [spec.id.as_str(), &spec.base_url, spec.key.expose()] {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// What a channel's lease for sending is called.
pub fn sending_name(spec: &ChannelSpec) -> String {
    format!("{}.send", lease_name(spec))
}
