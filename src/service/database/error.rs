//! Errors of the database.

use std::io;
use std::sync::Arc;

use thiserror::Error;

#[derive(Debug, Clone, Error)]
pub enum DatabaseError {
    #[error("the database: {0}")]
    Sql(String),
    /// A row that has to exist is missing.
    #[error("the database: a row is missing")]
    NoRow,
    /// SQLite found the file damaged while it was open.
    #[error("the database: {0}")]
    Corrupt(String),
    #[error("the database file: {0}")]
    File(#[source] Arc<io::Error>),
    #[error("the database was made by a newer version of this program (format {0}); use that version")]
    Newer(i64),
    #[error(
        "the database was made by an older version of this program (format {0}); start `frontdesk serve` on it once"
    )]
    Older(i64),
    #[error("the database file belongs to another program; give another path with --db")]
    Foreign,
    /// Another program's object has the name of one of the service's tables.
    #[error(
        "the database belongs to another program, which keeps {0} in the same schema; name another database with --db, \
         or another schema with the search_path of its user"
    )]
    Taken(String),
    /// The file is not an SQLite file.
    #[error("the file is not a database and was not changed; give another path with --db")]
    NoDatabase,
    #[error(
        "{} already serves this file; stop it first, or give another path with --db",
        describe_lock_owner(.0)
    )]
    InUse(Option<u32>),
    #[error("another frontdesk process now runs the scheduled work of this database")]
    Superseded,
    #[error("the database server cannot be used: {0}")]
    Unreachable(String),
    #[error(
        "{0} leads to a pooler that loses prepared statements after each transaction (PgBouncer before 1.21, or with \
         max_prepared_statements = 0): give it version 1.21 or newer and max_prepared_statements = 200, set \
         pool_mode = session for this database, or name the server itself with --db"
    )]
    Pooled(String),
    #[error("the connection to the database server was lost")]
    Lost,
    /// Unknown outcome: the connection was lost during a commit.
    #[error(
        "the connection to the database server was lost during a commit: it is not known whether the \
         change was stored"
    )]
    Unknown,
    #[error(
        "the database file is empty (0 bytes), though a service has used it: restore a backup, or move the \
         file away to start with a new one"
    )]
    Emptied,
    /// The file failed the integrity check when it was opened.
    #[error(
        "the database file is damaged ({0}); it was not changed: restore a backup, or move the file away \
         to start with a new one"
    )]
    Damaged(String),
    /// A job panicked, or the service is stopping.
    #[error("the database did not finish a job; try again")]
    Closed,
    #[error("this database was moved to {0}; serve that database")]
    Moved(String),
    /// A move into it was interrupted.
    #[error(
        "a move from {0} into this database is incomplete; run the same `frontdesk admin move` again, or \
         serve the old database"
    )]
    Arriving(String),
    #[error(
        "another frontdesk (process {0}) serves this database, or was killed a few seconds ago; stop it \
         first"
    )]
    Served(u32),
    /// The target of a move holds data already.
    #[error(
        "{0} already contains the data of a service; name an empty database, or a file that does not exist"
    )]
    Occupied(String),
    #[error("{0}: the copied rows differ from the original rows; nothing was moved")]
    Differs(String),
    #[error("the ledger does not add up to the balance of {0}; nothing was moved")]
    Unexplained(String),
    #[error("the disk of the database is full: {0}")]
    Full(String),
    #[error("the database is overloaded")]
    Busy,
    #[error("another session of the database server holds a needed lock; end that session if this persists")]
    Locked,
    #[error("the database server does not answer: {0}")]
    Absent(String),
    #[error("a query took too long and was cancelled")]
    Slow,
    #[error("the database could not commit: {0}")]
    Commit(String),
}

fn describe_lock_owner(process: &Option<u32>) -> String {
    match process {
        Some(id) => format!("another frontdesk (process {id})"),
        None => "another frontdesk".to_owned(),
    }
}

impl From<io::Error> for DatabaseError {
    fn from(cause: io::Error) -> Self {
        Self::File(Arc::new(cause))
    }
}

impl DatabaseError {
    /// Returns true if a later attempt may succeed.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Sql(_)
                | Self::Unreachable(_)
                | Self::Absent(_)
                | Self::Locked
                | Self::Lost
                | Self::Unknown
                | Self::Full(_)
                | Self::Busy
                | Self::Slow
                | Self::Commit(_)
        )
    }

    /// Returns true if the state of the database or its service forbids the operation, so that a
    /// retry does not help.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Newer(_)
                | Self::Older(_)
                | Self::Foreign
                | Self::Taken(_)
                | Self::NoDatabase
                | Self::InUse(_)
                | Self::Moved(_)
                | Self::Arriving(_)
                | Self::Served(_)
                | Self::Occupied(_)
                | Self::Differs(_)
                | Self::Unexplained(_)
        )
    }

    /// Returns true if the file is an SQLite file and damaged.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::Corrupt(_))
    }
}
