//! The database: one SQLite file, or a database on a PostgreSQL server; one
//! writer that commits waiting jobs together, readers beside it that see what is
//! committed.
//!
//! A job is answered only after the commit that holds it has reached the disk.

pub mod broadcasts;
pub mod calls;
pub mod channels;
mod clauses;
pub mod connected;
pub mod connections;
pub mod contacts;
pub mod conversations;
pub mod correspondents;
pub mod due;
pub mod egress;
pub mod emails;
pub mod events;
pub mod happenings;
pub mod idempotency;
pub mod ingress;
pub mod keys;
pub mod latest;
pub mod load;
mod lock;
pub mod media;
pub mod messages;
pub mod meta;
mod open;
pub mod opt_outs;
pub mod outbound;
pub mod place;
mod pool;
mod postgres;
pub mod proposals;
pub mod rows;
pub mod savepoint;
pub mod session;
mod sqlite;
pub mod templates;
pub mod threads;
mod transfer;
pub mod usage;
pub mod webhooks;
pub mod workspaces;
mod writer;

use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;
use tokio::sync::{Notify, watch};

use load::LoadReading;
pub use open::Durability;
use place::DatabasePlace;
use pool::Pool;
pub use postgres::feed::CommittedElsewhere;
pub use postgres::shared_state::{DecisionClock, NewValue, SharedState};
use session::{DbSession, WritingConnection};
use sqlite::FileWriter;
pub use transfer::{MovedTable, Transfer, back_up, transfer};

/// Why the database did not do something.
#[derive(Debug, Error)]
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
    File(#[from] std::io::Error),
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
    /// The file is not SQLite's at all.
    #[error("the file is no database; it was left as it is: give another path with --db")]
    NoDatabase,
    /// Another service runs on the file.
    #[error("{} serves this file already: end that one first, or give another path with --db", holder(.0))]
    InUse(Option<u32>),
    /// Another process does by now what falls due in the database.
    #[error("another frontdesk does by now what falls due in this database")]
    Superseded,
    /// The server cannot be reached, or lets nobody in.
    #[error("the database server cannot be used: {0}")]
    Unreachable(String),
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
    /// A transaction could not be made durable.
    #[error("the database could not commit: {0}")]
    Commit(String),
}

/// The process that holds a file, in words.
fn holder(process: &Option<u32>) -> String {
    match process {
        Some(id) => format!("another frontdesk (process {id})"),
        None => "another frontdesk".to_owned(),
    }
}

/// The open database. Dropping it ends its threads after their last jobs.
pub struct Database {
    writer: writer::Writer,
    readers: Pool<dyn DbSession + Send>,
    /// The newest time a row was given, by whichever process.
    stamp: Arc<AtomicI64>,
    /// What other processes on the database have in common with this one.
    shared: Option<postgres::Shared>,
    /// The lock of a file, held by a service, so that there is no second one.
    lock: Mutex<Option<File>>,
}

impl DatabaseError {
    /// Whether the file is SQLite's and damaged.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::Corrupt(_))
    }
}

impl Database {
    /// Refuses a file that another service holds, before anything is made for
    /// it; opening looks again.
    ///
    /// # Errors
    /// When another service holds it.
    pub fn check_free(path: &Path) -> Result<(), DatabaseError> {
        lock::check(path)
    }

    /// Reads from a file that a service has made, beside whoever uses it.
    ///
    /// # Errors
    /// When the file is no service's, or what is read fails.
    pub fn look<T>(
        path: &Path,
        read: impl FnOnce(&dyn DbSession) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        read(&open::looked_at(path)?)
    }

    /// Opens or makes the database, and tells whether it was made; `committed` is
    /// told after every commit. Waits for the disk or the server.
    ///
    /// # Errors
    /// When it cannot be used, or another service does.
    pub fn open(
        place: &DatabasePlace,
        durability: Durability,
        committed: Arc<Notify>,
    ) -> Result<(Self, bool), DatabaseError> {
        let stamp = Arc::new(AtomicI64::new(0));
        Ok(match place {
            DatabasePlace::File(path) => {
                let (connection, fresh, lock) = open::writer(path, durability)?;
                let readers = open::readers(path)?;
                let database =
                    Self::around(Box::new(FileWriter::new(connection)), readers, stamp, committed)?;
                (Self { lock: Mutex::new(Some(lock)), ..database }, fresh)
            }
            DatabasePlace::Server(url) => {
                let opened = postgres::serve(url, durability, stamp.clone())?;
                let database = Self::around(Box::new(opened.writer), opened.readers, stamp, committed)?;
                (Self { shared: opened.shared, ..database }, opened.fresh)
            }
        })
    }

    /// Opens a database that a service has made; it makes none.
    ///
    /// # Errors
    /// When it is no service's, or cannot be used.
    pub fn existing(place: &DatabasePlace) -> Result<Self, DatabaseError> {
        let stamp = Arc::new(AtomicI64::new(0));
        let (writer, readers): (Box<dyn WritingConnection>, _) = match place {
            DatabasePlace::File(path) => {
                let writer = FileWriter::beside_others(open::existing(path)?);
                (Box::new(writer), open::readers(path)?)
            }
            DatabasePlace::Server(url) => {
                let opened = postgres::existing(url, stamp.clone())?;
                (Box::new(opened.writer), opened.readers)
            }
        };
        Self::around(writer, readers, stamp, Arc::new(Notify::new()))
    }

    fn around(
        writer: Box<dyn WritingConnection>,
        readers: Vec<Box<dyn DbSession + Send>>,
        stamp: Arc<AtomicI64>,
        committed: Arc<Notify>,
    ) -> Result<Self, DatabaseError> {
        let readers = Pool::start("service-reader", readers)?;
        let writer = writer::Writer::start(writer, committed)?;
        Ok(Self { writer, readers, stamp, shared: None, lock: Mutex::default() })
    }

    /// Runs a job that changes something. Undone when it fails.
    ///
    /// # Errors
    /// What the job fails with, or why it could not be kept.
    pub async fn write<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        self.writer.run(job).await
    }

    /// Runs a job that only reads what is committed.
    ///
    /// # Errors
    /// What the job fails with, or why it could not be run.
    pub async fn read<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        self.readers.run(move |db| job(db)).await
    }

    /// How often something was committed, by whichever process. What was read
    /// between two equal numbers is what would be read now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revision(&self) -> Result<u64, DatabaseError> {
        if self.shared.is_none() {
            return Ok(self.writer.commits());
        }
        let revision: i64 = self.read(|db| db.scalar("SELECT revision FROM commit_order", &[])).await?;
        Ok(revision.unsigned_abs())
    }

    /// How much is asked of those that write, read, and change what processes
    /// have in common.
    pub fn loads(&self) -> Vec<(&'static str, LoadReading)> {
        let mut loads = vec![("write", self.writer.load()), ("read", self.readers.load())];
        loads.extend(self.shared.as_ref().map(|it| ("shared", it.state.load())));
        loads
    }

    /// Transactions of this process so far.
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// The newest time a row was given.
    pub fn stamp(&self) -> Arc<AtomicI64> {
        self.stamp.clone()
    }

    /// Whether other processes may serve the same database.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// What processes change in turn, where there are several.
    pub fn shared_state(&self) -> Option<&SharedState> {
        self.shared.as_ref().map(|it| &it.state)
    }

    /// Tells what others commit, where there are others.
    pub fn elsewhere(&self) -> Option<watch::Receiver<CommittedElsewhere>> {
        self.shared.as_ref().map(|it| it.feed.watch())
    }

    /// Whether this process does what falls due. On a file, it is the only one.
    pub fn leads(&self) -> bool {
        self.shared.as_ref().is_none_or(|it| it.lease.is_held())
    }

    /// Runs a job of what falls due, as [`write`](Self::write) does; refused where
    /// another process does that by now.
    ///
    /// # Errors
    /// What the job fails with, or why it could not be kept.
    pub async fn write_leading<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        let fence = self.shared.as_ref().map(|it| it.lease.fence());
        let fenced = move |db: &dyn DbSession| {
            fence.map_or(Ok(()), |fence| postgres::lease::check(db, fence))?;
            job(db)
        };
        self.writer.run(fenced).await
    }

    /// Ends the writer after its last job, and folds the log into the file or
    /// leaves what falls due to another process.
    pub fn close(&self) {
        self.writer.close();
        self.shared.iter().for_each(postgres::Shared::end);
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
