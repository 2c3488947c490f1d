//! The order of commits over all processes: one row that every transaction
//! changes first, and so holds until it ends.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::Notify;

use crate::database::DatabaseError;
use crate::database::postgres::link::Link;
use crate::database::postgres::schema;
use crate::database::postgres::session::WritingSession;
use crate::database::rows::{DbRow, bound};
use crate::database::session::DbSession;

/// What one process knows of the order.
pub struct CommitOrder {
    /// The newest time a row was given.
    pub stamp: Arc<AtomicI64>,
    /// The number of this process's last commit.
    pub revision: AtomicI64,
    /// Told after each of this process's commits.
    pub committed: Notify,
}

impl CommitOrder {
    /// Nothing is known yet.
    pub fn new(stamp: Arc<AtomicI64>) -> Self {
        Self { stamp, revision: AtomicI64::new(0), committed: Notify::new() }
    }
}

/// The transaction that is open.
pub struct OpenTransaction {
    order: Arc<CommitOrder>,
    revision: Cell<i64>,
    stamp: Cell<i64>,
}

impl OpenTransaction {
    /// None is open yet.
    pub fn new(order: Arc<CommitOrder>) -> Self {
        Self { order, revision: Cell::new(0), stamp: Cell::new(0) }
    }

    /// Begins one, behind those of all processes.
    pub fn begin(&self, link: &Link) -> Result<(), DatabaseError> {
        let next =
            "UPDATE commit_order SET revision = revision + 1 WHERE id = 1 RETURNING revision, stamp, format";
        let rows = link.send(&[link.line("BEGIN", &[])?], Some((next, &[])))?;
        let row = DbRow::of(rows.first().ok_or(DatabaseError::NoRow)?);
        self.revision.set(row.get("revision")?);
        self.stamp.set(row.get("stamp")?);
        schema::agree(row.get("format")?)?;
        self.order.stamp.fetch_max(self.stamp.get(), Ordering::SeqCst);
        Ok(())
    }

    /// Notes the newest time a row was given, for whoever comes next.
    pub fn keep_stamp(&self, session: &WritingSession) -> Result<(), DatabaseError> {
        let stamp = self.order.stamp.load(Ordering::SeqCst);
        if stamp > self.stamp.get() {
            session.note("UPDATE commit_order SET stamp = ?1 WHERE id = 1", bound![stamp])?;
        }
        Ok(())
    }

    /// It was committed.
    pub fn committed(&self) {
        self.order.revision.store(self.revision.get(), Ordering::SeqCst);
        self.order.committed.notify_one();
    }
}
