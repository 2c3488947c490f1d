//! PostgreSQL: one database on a server, shared by any number of processes.
//!
//! | file | knows |
//! |---|---|
//! | `mod.rs` | the connections that write, and what beside them |
//! | `address.rs`, `password.rs` | where the server is, and what opens it |
//! | `feed.rs` | what other processes commit |
//! | `lease.rs` | which process does what falls due |
//! | `link.rs` | one connection, made anew when it is lost |
//! | `order.rs` | the order of all commits |
//! | `pooler.rs` | whether a pooler in between loses prepared statements |
//! | `schema.rs` | making and migrating the tables |
//! | `session.rs` | queries inside a transaction, sent together |
//! | `shared_state.rs` | limits and claims, changed in turn |
//! | `tls.rs`, `values.rs` | encryption; values on the wire |
//!
//! Every transaction changes the row of its workspace first: writes of all
//! processes to one workspace run one after another, as they do on a file, and
//! those to others beside them.

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
pub use crate::database::postgres::order::REVISION;
use crate::database::postgres::order::{CommitOrder, OpenTransaction};
use crate::database::postgres::session::ReadingSession;
pub use crate::database::postgres::session::WritingSession;
use crate::database::postgres::shared_state::SharedState;
use crate::database::rows::DbRow;
use crate::database::session::{DbSession, Obstacle, WriteScope, WritingConnection};
use crate::database::{DatabaseError, Durability};

/// Jobs in one transaction at most: the server is slow with many savepoints.
const TOGETHER: usize = 16;
/// Threads that write, each in another workspace.
const WRITERS: usize = 6;
/// Threads that read pages.
const READERS: usize = 4;
/// Threads for what may go through many rows.
const SEARCHERS: usize = 1;

/// A connection that writes.
pub struct ServerWriter {
    session: WritingSession,
    open: OpenTransaction,
}

/// What the processes of a database have in common.
pub struct Shared {
    pub state: SharedState,
    /// Which process does what falls due.
    pub lease: BackgroundLease,
    pub feed: ChangeFeed,
}

/// A database whose tables are there.
pub struct Opened {
    pub writers: Vec<Box<dyn WritingConnection>>,
    pub readers: Vec<Box<dyn DbSession + Send>>,
    pub searchers: Vec<Box<dyn DbSession + Send>>,
    pub shared: Option<Shared>,
    /// Whether nothing is in the tables yet.
    pub fresh: bool,
}

/// Makes and migrates the tables, for a service.
pub fn serve(
    url: &ServerUrl,
    durability: Durability,
    stamp: Arc<AtomicI64>,
) -> Result<Opened, DatabaseError> {
    let address = ServerAddress::of(url)?;
    let link = Link::patient(&address)?;
    link.connect()?;
    pooler::check(&link, url, &address)?;
    schema::make(&link)?;
    // Also where one was killed before it had put anything into the tables.
    let fresh = schema::is_empty(&link)?;
    drop(link);
    let order = Arc::new(CommitOrder::new(stamp, durability));
    let shared = Shared {
        state: SharedState::new(&address)?,
        lease: BackgroundLease::ask(Link::new(&address)?)?,
        feed: ChangeFeed::start(address.clone(), url.listens(), order.clone())?,
    };
    Ok(Opened { shared: Some(shared), fresh, ..opened(&address, WRITERS, &order)? })
}

/// Opens a database that a service has made, while it may be served.
pub fn existing(url: &ServerUrl, stamp: Arc<AtomicI64>) -> Result<Opened, DatabaseError> {
    let address = ServerAddress::of(url)?;
    let link = Link::new(&address)?;
    link.connect()?;
    schema::check(&link)?;
    opened(&address, 1, &Arc::new(CommitOrder::new(stamp, Durability::Full)))
}

/// Removes the dead rows of tables and the values their statistics keep, each table by
/// itself and outside of transactions. Neither reads nor writes wait for it.
pub fn remove_dead_rows(
    url: &ServerUrl,
    tables: impl Iterator<Item = &'static str>,
) -> Result<(), DatabaseError> {
    let link = Link::patient(&ServerAddress::of(url)?)?;
    link.connect()?;
    for table in tables {
        link.batch(&format!("VACUUM (ANALYZE) {table}"))?;
    }
    Ok(())
}

fn opened(
    address: &ServerAddress,
    writers: usize,
    order: &Arc<CommitOrder>,
) -> Result<Opened, DatabaseError> {
    let reader = |_| Ok(Box::new(ReadingSession::new(Link::reading(address)?)) as Box<dyn DbSession + Send>);
    let readers = (0..READERS).map(reader).collect::<Result<_, DatabaseError>>()?;
    let searchers = (0..SEARCHERS).map(reader).collect::<Result<_, DatabaseError>>()?;
    let writer = |_| {
        let (session, open) = (WritingSession::new(Link::new(address)?), OpenTransaction::new(order.clone()));
        Ok(Box::new(ServerWriter { session, open }) as Box<dyn WritingConnection>)
    };
    let writers = (0..writers).map(writer).collect::<Result<_, DatabaseError>>()?;
    Ok(Opened { writers, readers, searchers, shared: None, fresh: false })
}

impl Shared {
    /// Gives back what is held, and follows nobody any more.
    pub fn end(&self) {
        self.lease.end();
        self.feed.end();
    }
}

impl ServerWriter {
    /// Begins a transaction behind those that its scope says.
    fn begun(&self, scope: &WriteScope) -> Result<(), DatabaseError> {
        let link = &self.session.link;
        link.connect()?;
        self.session.forget();
        self.open.begin(link, scope)
    }
}

impl ServerWriter {
    /// Names the session that has most likely the lock that was waited for: the one
    /// whose transaction is the oldest of those that wait for nobody.
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
    fn together(&self) -> usize {
        TOGETHER
    }

    fn begin(&self, scope: &WriteScope) -> Result<(), DatabaseError> {
        let begun = self.begun(scope).or_else(|cause| match cause {
            // Nothing has happened yet.
            DatabaseError::Lost => {
                self.session.link.cut();
                self.begun(scope)
            }
            other => Err(other),
        });
        begun.inspect_err(|cause| {
            self.abandon();
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
        // A transaction that failed would be rolled back without a word.
        let sound = self
            .open
            .keep_stamp(&self.session)
            .and_then(|()| self.session.rows("SELECT 1", &[], &mut |_| Ok(ControlFlow::Break(()))));
        if let Err(cause) = sound {
            self.abandon();
            return Err(cause);
        }
        link.batch("COMMIT").inspect(|()| self.open.committed()).map_err(|cause| match cause {
            DatabaseError::Lost => {
                link.cut();
                DatabaseError::Unknown
            }
            cause => {
                self.abandon();
                cause
            }
        })
    }

    fn abandon(&self) {
        self.session.forget();
        if self.session.link.batch("ROLLBACK").is_err() {
            self.session.link.cut();
        }
    }

    fn take_obstacle(&self) -> Option<Obstacle> {
        self.session.link.take_obstacle()
    }

    fn end(&self) {
        self.session.link.cut();
    }
}
