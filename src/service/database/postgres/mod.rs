//! PostgreSQL: one database on a server, served by one process at a time,
//! which another takes over from when it ends.
//!
//! | file | knows |
//! |---|---|
//! | `mod.rs` | the connection that writes, and the threads that read |
//! | `lease.rs` | which process serves |
//! | `link.rs` | one connection, made anew when it is lost |
//! | `schema.rs` | making and migrating the tables |
//! | `session.rs` | queries inside a transaction, sent together |
//! | `tls.rs`, `values.rs` | encryption; values on the wire |
//!
//! Every transaction locks the row of the lease first: writes of all processes
//! run one after another, and one that lost the lease writes nothing more.

mod lease;
mod link;
mod schema;
mod session;
mod tls;
mod values;

use crate::database::place::ServerUrl;
use crate::database::postgres::link::Link;
use crate::database::postgres::session::{ReadingSession, WritingSession};
use crate::database::session::{CommitFailure, DbSession, WritingConnection};
use crate::database::{DatabaseError, Durability};

pub use lease::Lease;

/// Jobs in one transaction at most: the server is slow with many savepoints.
const TOGETHER: usize = 16;
/// Threads that read.
const READERS: usize = 4;

/// The connection that writes.
pub struct ServerWriter {
    session: WritingSession,
    holder: Option<String>,
}

/// A database whose tables are there.
pub struct Opened {
    /// What writes to it.
    pub writer: ServerWriter,
    /// What reads from it.
    pub readers: Vec<Box<dyn DbSession + Send>>,
    /// Held by a service.
    pub lease: Option<Lease>,
    /// Whether nothing is in the tables yet.
    pub fresh: bool,
}

/// Makes and migrates the tables, and takes the lease for a service.
pub fn serve(url: &ServerUrl, durability: Durability) -> Result<Opened, DatabaseError> {
    let link = Link::new(url)?;
    link.connect()?;
    schema::make(&link)?;
    let lease = Lease::take(url)?;
    // Also where one was killed before it had put anything into the tables.
    let fresh = schema::is_empty(&link)?;
    if durability == Durability::Simulated {
        link.batch("SET synchronous_commit = off")?;
    }
    let holder = Some(lease.holder().to_owned());
    Ok(Opened { lease: Some(lease), ..opened(url, link, holder, fresh)? })
}

/// Opens a database that a service has made, beside whoever serves it.
pub fn existing(url: &ServerUrl) -> Result<Opened, DatabaseError> {
    let link = Link::new(url)?;
    link.connect()?;
    schema::check(&link)?;
    opened(url, link, None, false)
}

fn opened(url: &ServerUrl, link: Link, holder: Option<String>, fresh: bool) -> Result<Opened, DatabaseError> {
    let reader = |_| Ok(Box::new(ReadingSession(Link::new(url)?)) as Box<dyn DbSession + Send>);
    let readers = (0..READERS).map(reader).collect::<Result<_, DatabaseError>>()?;
    let writer = ServerWriter { session: WritingSession::new(link), holder };
    Ok(Opened { writer, readers, lease: None, fresh })
}

impl ServerWriter {
    /// Begins a transaction with the lock that all of them take first.
    fn locked(&self) -> Result<(), DatabaseError> {
        let link = &self.session.link;
        link.connect()?;
        self.session.forget();
        link.batch("BEGIN")?;
        lease::lock(link, self.holder.as_deref())
    }

    fn abandon(&self) {
        self.session.forget();
        if self.session.link.batch("ROLLBACK").is_err() {
            self.session.link.cut();
        }
    }
}

impl WritingConnection for ServerWriter {
    fn together(&self) -> usize {
        TOGETHER
    }

    fn begin(&self) -> Result<(), String> {
        let begun = self.locked().or_else(|cause| match cause {
            // Nothing has happened yet.
            DatabaseError::Lost => {
                self.session.link.cut();
                self.locked()
            }
            other => Err(other),
        });
        begun.map_err(|cause| {
            self.abandon();
            cause.to_string()
        })
    }

    fn session(&self) -> &dyn DbSession {
        &self.session
    }

    fn commit(&self) -> Result<(), CommitFailure> {
        let link = &self.session.link;
        // A transaction that failed would be rolled back without a word.
        let sound = self.session.flush().and_then(|()| link.send(&[], Some(("SELECT 1", &[]))));
        if let Err(cause) = sound {
            self.abandon();
            return Err(CommitFailure::Undone(cause.to_string()));
        }
        link.batch("COMMIT").map_err(|cause| match cause {
            DatabaseError::Lost => {
                link.cut();
                CommitFailure::Unknown
            }
            cause => {
                self.abandon();
                CommitFailure::Undone(cause.to_string())
            }
        })
    }

    fn end(&self) {
        self.session.link.cut();
    }
}
