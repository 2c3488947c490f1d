//! Errors of the two files; the messages say what to do.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder or a file in it cannot be created or opened.
    #[error("cannot use {path}: {source}; check its owner and permissions, or set FRONTDESK_DATA_DIR")]
    Folder { path: PathBuf, source: io::Error },
    /// The outbox cannot be read. It is unchanged.
    #[error(
        "the outbox {path} is damaged ({why}); it may hold unsent messages, so it was not touched: \
         copy it somewhere safe, then move it away to start with an empty one"
    )]
    OutboxDamaged { path: PathBuf, why: String },
    /// The outbox file has zero bytes although it was used before. It is unchanged.
    #[error(
        "the outbox {path} is an empty file (0 bytes), though this desk was used before; it may have held unsent \
         messages: restore a copy, or move it away to start with an empty one"
    )]
    OutboxEmptied { path: PathBuf },
    /// A file was deleted, moved or replaced while open: writes to it are lost.
    #[error(
        "{path} was deleted, moved or replaced while frontdesk was using it, so nothing is kept or sent any \
         more: end frontdesk, restore the file if you have it, and start again"
    )]
    FileReplaced { path: PathBuf },
    /// The outbox was written by a newer version. It is unchanged.
    #[error("the outbox {path} was written by a newer frontdesk (version {version}); update this one")]
    OutboxNewer { path: PathBuf, version: i64 },
    /// The outbox has a format that was never released. It is unchanged.
    #[error(
        "the outbox {path} is in format {version}, from before 0.1.0; open it with the frontdesk that wrote it, \
         or move it away"
    )]
    OutboxOlder { path: PathBuf, version: i64 },
    /// A search was cancelled because its answer is no longer wanted.
    #[error("the search was cancelled")]
    Interrupted,
    #[error("the disk is full; nothing was written. Make room and try again")]
    Full,
    #[error("the data folder is read-only; nothing was written. Check its permissions and try again")]
    ReadOnly,
    /// Another process held the lock for longer than the busy time-out.
    #[error("another process has locked the files; nothing was written. Try again")]
    Locked,
    /// A file is corrupt. A corrupt cache is recreated at the next start.
    #[error(
        "this desk's files are damaged ({0}); end frontdesk and start it again, which rebuilds the cache"
    )]
    Damaged(String),
    #[error("the disk failed ({0}); nothing was written. Check that it is there and not full")]
    Disk(String),
    #[error("the database failed ({0}); check this desk's files with `frontdesk doctor`")]
    Database(rusqlite::Error),
    /// The writer thread has ended or the job panicked.
    #[error("the database is closed; end frontdesk and start it again")]
    Closed,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase,
            OperationInterrupted, ReadOnly, SystemIoFailure,
        };
        match error.sqlite_error_code() {
            Some(DiskFull) => Self::Full,
            Some(ReadOnly) => Self::ReadOnly,
            Some(OperationInterrupted) => Self::Interrupted,
            Some(DatabaseBusy | DatabaseLocked) => Self::Locked,
            Some(DatabaseCorrupt | NotADatabase) => Self::Damaged(error.to_string()),
            Some(SystemIoFailure | CannotOpen) => Self::Disk(error.to_string()),
            _ => Self::Database(error),
        }
    }
}
