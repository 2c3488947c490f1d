//! PostgreSQL: one database on a server, shared by any number of processes.
//!
//! | file | content |
//! |---|---|
//! | `mod.rs` | write connections and removal of dead rows |
//! | `address.rs`, `password.rs` | address and credentials of the server |
//! | `feed.rs` | commits of other processes |
//! | `lease.rs` | which process does the scheduled work |
//! | `link.rs` | one connection, made again when lost |
//! | `order.rs` | order of all commits |
//! | `pooler.rs` | detects a pooler in transaction mode, and one that loses prepared statements |
//! | `schema.rs` | creates and migrates the tables |
//! | `session.rs` | statements of a transaction, sent together |
//! | `shared_state.rs` | limits and claims shared by processes |
//! | `tls.rs`, `values.rs` | encryption; values on the wire |
//!
//! Every transaction updates the row of its workspace first: writes of all processes to one
//! workspace are serialized, as on a file; writes to other workspaces run in parallel.

mod address;
pub mod feed;
pub mod lease;
mod link;
pub mod order;
mod password;
mod pooler;
pub mod schema;
mod session;
pub mod shared_state;
mod tls;
mod values;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use crate::database::place::ServerUrl;
pub use crate::database::postgres::address::ServerAddress;
use crate::database::postgres::feed::ChangeFeed;
use crate::database::postgres::lease::BackgroundLease;
pub use crate::database::postgres::link::Link;
pub use crate::database::postgres::order::REVISION_COLUMN;
use crate::database::postgres::order::{CommitOrder, OpenTransaction};
use crate::database::postgres::session::ReadingSession;
pub use crate::database::postgres::session::WritingSession;
use crate::database::postgres::shared_state::SharedState;
use crate::database::rows::DbRow;
use crate::database::session::{DbSession, Obstacle, WriteScope, WritingConnection};
use crate::database::{DatabaseError, Durability};

/// Maximum number of jobs in one transaction: the server is slow with many savepoints.
const MAX_JOBS_PER_TRANSACTION: usize = 16;
/// Writer threads, each in another workspace.
const WRITER_THREADS: usize = 6;
const READER_THREADS: usize = 4;
const SEARCHER_THREADS: usize = 2;

pub struct ServerWriter {
    session: WritingSession,
    open: OpenTransaction,
}

pub struct SharedParts {
    pub state: SharedState,
    /// Decides which process does the scheduled work.
    pub lease: BackgroundLease,
    pub feed: ChangeFeed,
}

pub struct OpenedDatabase {
    pub writers: Vec<Box<dyn WritingConnection>>,
    pub readers: Vec<Box<dyn DbSession + Send>>,
    pub searchers: Vec<Box<dyn DbSession + Send>>,
    pub shared: Option<SharedParts>,
    pub fresh: bool,
}

/// Opens a database for a service; creates and migrates the tables.
pub fn open_for_service(
    url: &ServerUrl,
    durability: Durability,
    stamp: Arc<AtomicI64>,
) -> Result<OpenedDatabase, DatabaseError> {
    let address = ServerAddress::parse(url)?;
    let link = Link::for_long_jobs(&address)?;
    link.connect()?;
    let is_pooled = pooler::is_in_transaction_mode(&link, url, &address)?;
    let listens = url.uses_notifications() && !is_pooled;
    if is_pooled && url.uses_notifications() {
        tracing::warn!(
            "the database is behind a pooler in transaction mode, which passes no notifications on: \
             commits of other processes are polled several times a second. Add listen=off to the address \
             to confirm this"
        );
    }
    schema::migrate(&link)?;
    // Also true if a process was killed before it had inserted anything.
    let fresh = schema::is_empty(&link)?;
    drop(link);
    let order = Arc::new(CommitOrder::new(stamp, durability));
    let shared = SharedParts {
        state: SharedState::new(&address)?,
        lease: BackgroundLease::acquire(Link::new(&address)?)?,
        feed: ChangeFeed::start(address.clone(), listens, order.clone())?,
    };
    Ok(OpenedDatabase { shared: Some(shared), fresh, ..open_connections(&address, WRITER_THREADS, &order)? })
}

/// Opens an existing database, while it may be served.
pub fn open_existing(url: &ServerUrl, stamp: Arc<AtomicI64>) -> Result<OpenedDatabase, DatabaseError> {
    let address = ServerAddress::parse(url)?;
    let link = Link::new(&address)?;
    link.connect()?;
    schema::check_served(&link)?;
    open_connections(&address, 1, &Arc::new(CommitOrder::new(stamp, Durability::Full)))
}

/// Vacuums tables and refreshes their statistics, one by one and outside of transactions. Neither
/// reads nor writes wait for it.
pub fn vacuum<'a>(url: &ServerUrl, tables: impl Iterator<Item = &'a str>) -> Result<(), DatabaseError> {
    let link = Link::for_long_jobs(&ServerAddress::parse(url)?)?;
    link.connect()?;
    for table in tables {
        link.batch_execute(&format!("VACUUM (ANALYZE) {table}"))?;
    }
    Ok(())
}

fn open_connections(
    address: &ServerAddress,
    writers: usize,
    order: &Arc<CommitOrder>,
) -> Result<OpenedDatabase, DatabaseError> {
    let reader =
        |_| Ok(Box::new(ReadingSession::new(Link::for_reading(address)?)) as Box<dyn DbSession + Send>);
    let readers = (0..READER_THREADS).map(reader).collect::<Result<_, DatabaseError>>()?;
    let searchers = (0..SEARCHER_THREADS).map(reader).collect::<Result<_, DatabaseError>>()?;
    let writer = |_| {
        let (session, open) = (WritingSession::new(Link::new(address)?), OpenTransaction::new(order.clone()));
        Ok(Box::new(ServerWriter { session, open }) as Box<dyn WritingConnection>)
    };
    let writers = (0..writers).map(writer).collect::<Result<_, DatabaseError>>()?;
    Ok(OpenedDatabase { writers, readers, searchers, shared: None, fresh: false })
}

impl SharedParts {
    pub fn release(&self) {
        self.lease.release();
        self.feed.stop();
    }
}

impl ServerWriter {
    fn begin_in_scope(&self, scope: &WriteScope) -> Result<(), DatabaseError> {
        let link = &self.session.link;
        link.connect()?;
        self.session.reset();
        self.open.begin(link, scope)
    }
}

impl ServerWriter {
    /// Logs the session that most likely holds the lock: the oldest transaction that does not wait
    /// for a lock itself.
    fn log_oldest_transaction(&self) {
        let sql = "SELECT CAST(pid AS BIGINT) AS process, coalesce(application_name, '') AS program,
                   coalesce(state, '') AS state, CAST(extract(epoch FROM clock_timestamp() - xact_start) AS BIGINT) AS age
                   FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                   AND wait_event_type IS DISTINCT FROM 'Lock' AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1";
        let link = &self.session.link;
        let Ok(rows) = link.connect().and_then(|()| link.send(&[], Some((sql, &[])))) else { return };
        let Some(row) = rows.first() else { return };
        let row = DbRow::of(row);
        let (process, age): (i64, i64) = (row.get("process").unwrap_or(0), row.get("age").unwrap_or(0));
        let word = |name| row.get::<String>(name).unwrap_or_default();
        let (program, state) = (word("program"), word("state"));
        tracing::warn!(
            process,
            program,
            state,
            age,
            "a lock is held by another session of the database server, most likely this one; end it with \
             SELECT pg_terminate_backend(process)"
        );
    }
}

impl WritingConnection for ServerWriter {
    fn max_jobs(&self) -> usize {
        MAX_JOBS_PER_TRANSACTION
    }

    fn begin(&self, scope: &WriteScope) -> Result<(), DatabaseError> {
        let begun = self.begin_in_scope(scope).or_else(|cause| match cause {
            // Nothing was executed yet.
            DatabaseError::Lost => {
                self.session.link.disconnect();
                self.begin_in_scope(scope)
            }
            other => Err(other),
        });
        begun.inspect_err(|cause| {
            self.roll_back();
            if matches!(cause, DatabaseError::Locked) {
                self.log_oldest_transaction();
            }
        })
    }

    fn session(&self) -> &dyn DbSession {
        &self.session
    }

    fn commit(&self) -> Result<(), DatabaseError> {
        let link = &self.session.link;
        // COMMIT of a failed transaction would roll back silently.
        let sound = self
            .open
            .store_stamp(&self.session)
            .and_then(|()| self.session.rows("SELECT 1", &[], &mut |_| Ok(ControlFlow::Break(()))));
        if let Err(cause) = sound {
            self.roll_back();
            return Err(cause);
        }
        link.batch_execute("COMMIT").inspect(|()| self.open.mark_committed()).map_err(|cause| match cause {
            DatabaseError::Lost => {
                link.disconnect();
                DatabaseError::Unknown
            }
            cause => {
                self.roll_back();
                cause
            }
        })
    }

    fn roll_back(&self) {
        self.session.reset();
        if self.session.link.batch_execute("ROLLBACK").is_err() {
            self.session.link.disconnect();
        }
    }

    fn take_obstacle(&self) -> Option<Obstacle> {
        self.session.link.take_obstacle()
    }

    fn close(&self) {
        self.session.link.disconnect();
    }
}
