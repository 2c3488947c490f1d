//! The database: one SQLite file, or a database on a PostgreSQL server. Writers commit waiting jobs
//! together: a file has one writer, a server several, each in another workspace. Readers see what
//! is committed.
//!
//! A job is answered only after its commit has reached the disk.

pub mod aliases;
pub mod broadcasts;
pub mod calls;
pub mod channels;
mod clauses;
pub mod connected;
pub mod connections;
pub mod contacts;
pub mod conversations;
pub mod correspondents;
pub mod delivery_log;
mod disk_space;
pub mod due;
pub mod egress;
pub mod emails;
pub mod erasing;
mod error;
pub mod events;
pub mod idempotency;
pub mod ingress;
pub mod keys;
mod lanes;
pub mod latest;
pub mod load;
mod lock;
pub mod media;
pub mod messages;
pub mod meta;
mod open;
pub mod opt_outs;
pub mod outbound;
pub mod person_export;
pub mod place;
mod pool;
mod postgres;
pub mod processes;
pub mod proposals;
pub mod redating;
pub mod retention;
pub mod rows;
pub mod savepoint;
pub mod scopes;
pub mod search_parts;
pub mod session;
mod sqlite;
pub mod team;
pub mod templates;
pub mod thread_automation;
pub mod threads;
mod transfer;
pub mod trigger_events;
pub mod usage;
pub mod webhooks;
pub mod workspaces;
mod writer;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

pub use error::DatabaseError;
use load::LoadSnapshot;
pub use open::Durability;
use place::{DatabaseLocation, ServerUrl};
use pool::Pool;
use postgres::REVISION_COLUMN;
pub use postgres::feed::CommitState;
pub use postgres::order::lower_stamps;
pub use postgres::shared_state::{DecisionClock, NewValue, SharedState};
use session::{DbSession, WritingConnection};
pub use session::{Obstacle, WriteScope};
use sqlite::FileWriter;
pub use transfer::{MovedTable, Transfer, back_up, transfer};

/// Read connections: for pages, and for queries that may scan many rows.
type ReadSessions = (Vec<Box<dyn DbSession + Send>>, Vec<Box<dyn DbSession + Send>>);

/// Open database. Dropping it ends its threads after their last jobs.
pub struct Database {
    writer: writer::Writer,
    readers: Pool<dyn DbSession + Send>,
    /// Connections for queries that may scan many rows, so that they delay no others.
    searchers: Pool<dyn DbSession + Send>,
    /// Newest timestamp given to a row by any process.
    stamp: Arc<AtomicI64>,
    /// Cache: workspace by channel.
    workspaces: Mutex<HashMap<String, String>>,
    shared: Option<postgres::SharedParts>,
    /// Lock of the file, held by a service.
    lock: Mutex<Option<lock::DatabaseLock>>,
    /// Reader of a file for the caller's own thread.
    inline_reader: Option<Mutex<Box<dyn DbSession + Send>>>,
    /// Signals the writer of a file that something was erased.
    wiping: Arc<AtomicBool>,
    file: Option<PathBuf>,
    server: Option<ServerUrl>,
    /// Serializes the removal of dead rows.
    vacuuming: Arc<Mutex<()>>,
}

impl Database {
    /// Checks that no other service holds the file, before anything is created beside it; `open`
    /// checks again.
    pub fn check_free(path: &Path) -> Result<(), DatabaseError> {
        lock::check(path)
    }

    pub fn read_while_served<T>(
        path: &Path,
        read: impl FnOnce(&dyn DbSession) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        read(&open::open_for_inspection(path)?)
    }

    /// Opens or creates the database; the flag is true if it was created. Notifies `committed`
    /// after every commit. Blocks on the disk or the server.
    pub fn open(
        place: &DatabaseLocation,
        durability: Durability,
        committed: Arc<Notify>,
    ) -> Result<(Self, bool), DatabaseError> {
        let stamp = Arc::new(AtomicI64::new(0));
        Ok(match place {
            DatabaseLocation::File(path) => {
                let (connection, fresh, lock) = open::open_writer(path, durability)?;
                let readers = open::open_readers(path)?;
                let searchers = open::open_searchers(path)?;
                let inline_reader =
                    Some(Mutex::new(Box::new(open::open_reader(path)?) as Box<dyn DbSession + Send>));
                let wiping = Arc::<AtomicBool>::default();
                let writer = FileWriter::new(connection).with_wiping(wiping.clone());
                let writers: Vec<Box<dyn WritingConnection>> = vec![Box::new(writer)];
                let database = Self::from_connections(writers, (readers, searchers), stamp, committed)?;
                let (lock, file) = (Mutex::new(Some(lock)), Some(path.clone()));
                (Self { lock, inline_reader, wiping, file, ..database }, fresh)
            }
            DatabaseLocation::Server(url) => {
                let opened = postgres::open_for_service(url, durability, stamp.clone())?;
                let reading = (opened.readers, opened.searchers);
                let database = Self::from_connections(opened.writers, reading, stamp, committed)?;
                (Self { shared: opened.shared, server: Some(url.clone()), ..database }, opened.fresh)
            }
        })
    }

    /// Opens an existing database; never creates one.
    pub fn open_existing(place: &DatabaseLocation) -> Result<Self, DatabaseError> {
        let stamp = Arc::new(AtomicI64::new(0));
        let wiping = Arc::<AtomicBool>::default();
        let (writers, reading): (Vec<Box<dyn WritingConnection>>, ReadSessions) = match place {
            DatabaseLocation::File(path) => {
                let writer = FileWriter::without_lock(open::open_existing(path)?).with_wiping(wiping.clone());
                (vec![Box::new(writer)], (open::open_readers(path)?, open::open_searchers(path)?))
            }
            DatabaseLocation::Server(url) => {
                let opened = postgres::open_existing(url, stamp.clone())?;
                (opened.writers, (opened.readers, opened.searchers))
            }
        };
        let database = Self::from_connections(writers, reading, stamp, Arc::new(Notify::new()))?;
        let server = match place {
            DatabaseLocation::File(_) => None,
            DatabaseLocation::Server(url) => Some(url.clone()),
        };
        Ok(Self { wiping, file: place.file().map(Path::to_owned), server, ..database })
    }

    fn from_connections(
        writers: Vec<Box<dyn WritingConnection>>,
        (readers, searchers): ReadSessions,
        stamp: Arc<AtomicI64>,
        committed: Arc<Notify>,
    ) -> Result<Self, DatabaseError> {
        let readers = Pool::start("service-reader", readers)?;
        let searchers = Pool::start("service-searcher", searchers)?;
        let writer = writer::Writer::start(writers, committed)?;
        Ok(Self {
            writer,
            readers,
            searchers,
            stamp,
            workspaces: Mutex::default(),
            shared: None,
            lock: Mutex::default(),
            inline_reader: None,
            wiping: Arc::default(),
            file: None,
            server: None,
            vacuuming: Arc::default(),
        })
    }

    /// Runs a job that may change anything; rolls it back if it fails.
    pub async fn write<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        self.write_in(WriteScope::Everything, job).await
    }

    /// Runs a job that changes only what its scope allows; rolls it back if it fails.
    pub async fn write_in<T, E, F>(&self, scope: WriteScope, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        self.writer.run(scope, job).await
    }

    pub async fn read<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        self.readers.run(move |db| job(db)).await
    }

    /// Runs a job that may scan many rows, on a connection that no page read waits for.
    /// # Errors
    /// [`DatabaseError::Slow`] on a server that takes too long.
    pub async fn search<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        self.searchers.run(move |db| job(db)).await
    }

    /// Reads committed data by an index. On a file this runs on the caller's thread, which takes a
    /// few microseconds and no queue; on a server it is [`read`](Self::read).
    pub async fn read_indexed<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        match &self.inline_reader {
            Some(reader) => job(&**reader.lock().unwrap_or_else(PoisonError::into_inner)),
            None => self.read(job).await,
        }
    }

    /// [`read`](Self::read) for several queries: all see the same snapshot.
    pub async fn read_consistent<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        self.read(move |db| savepoint::in_savepoint(db, || job(db))).await
    }

    /// Removes erased data from the bytes of the files, too: from the log and from the planner's
    /// statistics. On a server the dead rows are removed in the background; the returned handle
    /// ends with that.
    pub async fn wipe(&self) -> Option<JoinHandle<()>> {
        if let Some(url) = self.server.clone() {
            let vacuuming = self.vacuuming.clone();
            return Some(tokio::task::spawn_blocking(move || {
                let _alone = vacuuming.lock().unwrap_or_else(PoisonError::into_inner);
                let removed = postgres::vacuum(&url, erasing::tables_of_persons());
                drop(removed.inspect_err(|cause| {
                    tracing::warn!(%cause, "the deleted rows of an erased person could not be vacuumed; \
                                            the server's autovacuum will do it");
                }));
            }));
        }
        self.wiping.store(true, Ordering::SeqCst);
        // The end of the job wakes the writer, which then runs its maintenance.
        let woken: Result<(), DatabaseError> = self.write(|_| Err(DatabaseError::NoRow)).await;
        let awaited: Result<(), DatabaseError> = self.write(|_| Err(DatabaseError::NoRow)).await;
        drop((woken, awaited));
        None
    }

    pub fn was_met(&self, obstacle: Obstacle, span: Duration) -> bool {
        self.writer.was_met(obstacle, span)
    }

    /// Writes as much as a busy moment takes, and removes it again.
    /// # Errors
    /// [`DatabaseError::Full`] if there is no room for it.
    pub async fn check_disk_space(&self) -> Result<(), DatabaseError> {
        match self.file.clone() {
            Some(path) => {
                let trying = tokio::task::spawn_blocking(move || disk_space::probe_folder(&path));
                trying.await.map_err(|_| DatabaseError::Closed)?
            }
            None => self.write_in(WriteScope::Unordered, disk_space::probe_server).await,
        }
    }

    /// Number of commits, `None` if other processes commit, too. Between two equal numbers every
    /// read gives the same result.
    pub fn own_revision(&self) -> Option<u64> {
        self.shared.is_none().then(|| self.writer.commits())
    }

    /// Load of the writers, the readers and the shared state.
    pub fn loads(&self) -> Vec<(&'static str, LoadSnapshot)> {
        let mut loads = vec![
            ("write", self.writer.load()),
            ("read", self.readers.load()),
            ("search", self.searchers.load()),
        ];
        loads.extend(self.shared.as_ref().map(|shared| ("shared", shared.state.load())));
        loads
    }

    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    pub fn stamp(&self) -> Arc<AtomicI64> {
        self.stamp.clone()
    }

    /// Returns true if other processes may serve the same database.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    pub fn shared_state(&self) -> Option<&SharedState> {
        self.shared.as_ref().map(|shared| &shared.state)
    }

    /// Subscribes to the commits of other processes, `None` on a file.
    pub fn subscribe_commits(&self) -> Option<watch::Receiver<CommitState>> {
        self.shared.as_ref().map(|shared| shared.feed.watch())
    }

    /// Returns true if this process does the scheduled work; always true on a file.
    pub fn is_leader(&self) -> bool {
        self.shared.as_ref().is_none_or(|shared| shared.lease.is_held())
    }

    /// Runs a job of the scheduled work like [`write_in`](Self::write_in); refused if another
    /// process has become the leader.
    pub async fn write_as_leader<T, E, F>(&self, scope: WriteScope, job: F) -> Result<T, E>
    where
        F: FnOnce(&dyn DbSession) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        let fence = self.shared.as_ref().map(|shared| shared.lease.fence());
        let fenced = move |db: &dyn DbSession| {
            fence.map_or(Ok(()), |fence| postgres::lease::check(db, fence))?;
            job(db)
        };
        self.writer.run(scope, fenced).await
    }

    /// Ends the writer after its last job; folds the log into the file, or releases the leadership.
    pub fn close(&self) {
        self.writer.close();
        self.shared.iter().for_each(postgres::SharedParts::release);
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
