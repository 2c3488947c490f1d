//! Why the database did not do something.

use std::io;
use std::sync::Arc;

use thiserror::Error;

/// Why the database did not do something.
#[derive(Debug, Clone, Error)]
pub enum DatabaseError {
    /// The engine refused.
    #[error("the database: {0}")]
    Sql(String),
    /// What was asked for has to be there, and is not.
    #[error("the database: what was asked for is not there")]
    NoRow,
    /// SQLite found that the file is damaged.
    #[error("the database: {0}")]
    Corrupt(String),
    /// The file cannot be used.
    #[error("the database file: {0}")]
    File(#[source] Arc<io::Error>),
    /// A newer version made the file.
    #[error("the database was made by a newer version of this program (format {0}); use that one")]
    Newer(i64),
    /// An older version made the database, and no service has migrated it.
    #[error(
        "the database was made by an older version of this program (format {0}); start `frontdesk serve` on it once"
    )]
    Older(i64),
    /// The file belongs to another program.
    #[error("the database file belongs to another program; give another path with --db")]
    Foreign,
    /// Something of another program has the name of one of the service's tables.
    #[error(
        "the database belongs to another program, which keeps {0} in the same schema; name another database with --db, \
         or another schema with the search_path of its user"
    )]
    Taken(String),
    /// The file is not SQLite's at all.
    #[error("the file is no database; it was left as it is: give another path with --db")]
    NoDatabase,
    /// Another service runs on the file.
    #[error("{} serves this file already: end that one first, or give another path with --db", describe_lock_owner(.0))]
    InUse(Option<u32>),
    /// Another process does by now what falls due in the database.
    #[error("another frontdesk does by now what falls due in this database")]
    Superseded,
    /// The server cannot be reached, or lets nobody in.
    #[error("the database server cannot be used: {0}")]
    Unreachable(String),
    /// A pooler in between loses prepared statements.
    #[error(
        "{0} leads to a pooler that loses prepared statements after each transaction (PgBouncer before 1.21, or with \
         max_prepared_statements = 0): give it version 1.21 or newer and max_prepared_statements = 200, set \
         pool_mode = session for this database, or name the server itself with --db"
    )]
    Pooled(String),
    /// The connection to the server was lost.
    #[error("the connection to the database server was lost")]
    Lost,
    /// The connection was lost while a transaction was being committed.
    #[error(
        "the connection to the database server was lost during a commit: it is not known whether it is kept"
    )]
    Unknown,
    /// The file holds nothing, though a service has used it.
    #[error(
        "the database file is empty (0 bytes), though a service has used it: bring a copy back, or move it away \
         to start with a new one"
    )]
    Emptied,
    /// The file is SQLite's, and its pages do not hang together.
    #[error(
        "the database file is damaged ({0}); it was left as it is: bring a copy back, or move it away to start \
         with a new one"
    )]
    Damaged(String),
    /// A job failed badly, or the service is stopping.
    #[error("the database did not finish a job")]
    Closed,
    /// Everything in it was moved elsewhere.
    #[error("this database was moved to {0}: serve that one")]
    Moved(String),
    /// A move into it was ended before its time.
    #[error(
        "a move from {0} into this database has not ended: run the same `frontdesk admin move` again, or serve what it \
         moves from"
    )]
    Arriving(String),
    /// A process serves it, and has to end first.
    #[error(
        "another frontdesk (process {0}) serves this database, or was killed a few seconds ago: end it first"
    )]
    Served(u32),
    /// What it holds would be lost.
    #[error("{0} holds the data of a service already: name an empty database, or a file that is not there")]
    Occupied(String),
    /// What arrived is not what left.
    #[error("{0}: what arrived is not what was there; nothing was moved")]
    Differs(String),
    /// The ledger does not come to the balance.
    #[error("the ledger does not explain the balance of {0}; nothing was moved")]
    Unexplained(String),
    /// There is no room on the disk of the database.
    #[error("the disk of the database is full: {0}")]
    Full(String),
    /// No connection was free for too long.
    #[error("the database has more to do than it can")]
    Busy,
    /// Another session of the server holds a lock.
    #[error("another session of the database server holds a lock that is needed")]
    Locked,
    /// The server does not answer.
    #[error("the database server does not answer: {0}")]
    Absent(String),
    /// A question took too long and was ended.
    #[error("the database took too long for a question, which was ended")]
    Slow,
    /// A transaction could not be made durable.
    #[error("the database could not commit: {0}")]
    Commit(String),
}

/// The process that holds a file, in words.
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
    /// Whether the same may be kept a moment later.
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

    /// True if the state of the database or of its service forbids what was asked for, so
    /// that trying again does not help.
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

    /// Whether the file is SQLite's and damaged.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::Corrupt(_))
    }
}
