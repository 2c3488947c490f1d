//! What can go wrong with the two files, in words that say what to do.
//!
//! Knows nothing of screens.

use std::io;
use std::path::PathBuf;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder or a file in it cannot be made or opened.
    #[error("cannot use {path}: {source}; check its owner and permissions, or set FRONTDESK_DATA_DIR")]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The outbox cannot be read. It was not touched.
    #[error(
        "the outbox {path} is damaged ({why}); it may hold unsent messages, so it was not touched: \
         copy it somewhere safe, then move it away to start with an empty one"
    )]
    OutboxDamaged {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        why: String,
    },
    /// The outbox belongs to a newer frontdesk. It was not touched.
    #[error("the outbox {path} was written by a newer frontdesk (version {version}); update this one")]
    OutboxNewer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
    },
    /// A search was ended because its answer is no longer wanted.
    #[error("the search was ended")]
    Interrupted,
    /// A statement failed: disk full, locked for too long, read-only, damaged.
    #[error("the local database failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// The store's thread has ended or the job panicked.
    #[error("the local database is closed")]
    Closed,
}

impl StoreError {
    /// Tells a search that was ended from one that failed.
    pub(crate) fn ended(self) -> Self {
        match self {
            Self::Database(error)
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted) =>
            {
                Self::Interrupted
            }
            other => other,
        }
    }
}
