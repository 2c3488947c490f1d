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
use crate::database::session::{DbSession, WriteScope, WritingConnection};
use crate::database::{DatabaseError, Durability};

/// Jobs in one transaction at most: the server is slow with many savepoints.
const TOGETHER: usize = 16;
/// Threads that write, each in another workspace.
const WRITERS: usize = 6;
/// Threads that read.
const READERS: usize = 4;

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

fn opened(
    address: &ServerAddress,
    writers: usize,
    order: &Arc<CommitOrder>,
) -> Result<Opened, DatabaseError> {
    let reader = |_| Ok(Box::new(ReadingSession::new(Link::new(address)?)) as Box<dyn DbSession + Send>);
    let readers = (0..READERS).map(reader).collect::<Result<_, DatabaseError>>()?;
    let writer = |_| {
        let (session, open) = (WritingSession::new(Link::new(address)?), OpenTransaction::new(order.clone()));
        Ok(Box::new(ServerWriter { session, open }) as Box<dyn WritingConnection>)
    };
    let writers = (0..writers).map(writer).collect::<Result<_, DatabaseError>>()?;
    Ok(Opened { writers, readers, shared: None, fresh: false })
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
        begun.inspect_err(|_| self.abandon())
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

    fn end(&self) {
        self.session.link.cut();
    }
}
