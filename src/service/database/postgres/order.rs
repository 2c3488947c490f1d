//! The order of commits over all processes: the row of a workspace, which every
//! transaction in it changes first, and so holds until it ends. What changes
//! anything else holds the row of all of them, and then every workspace's.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::Notify;

use crate::database::DatabaseError;
use crate::database::postgres::link::Link;
use crate::database::postgres::schema;
use crate::database::postgres::session::WritingSession;
use crate::database::rows::{DbRow, bound};
use crate::database::session::{DbSession, WriteScope};

/// Every statement sees what was committed before it, whatever the server's
/// settings say: those behind the first see what that waited for.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
const NEXT_IN_WORKSPACE: &str = "UPDATE workspaces SET revision = revision + 1 WHERE id = ?1";
const FOUND_IN_WORKSPACE: &str =
    "SELECT commit_order.format, greatest(commit_order.stamp, workspaces.stamp) AS stamp
    FROM commit_order, workspaces WHERE commit_order.id = 1 AND workspaces.id = ?1";
const NEXT: &str = "UPDATE commit_order SET revision = revision + 1 WHERE id = 1";
/// Always in the same order, so that nobody waits in a circle.
const ALL_WORKSPACES: &str = "SELECT id FROM workspaces ORDER BY id FOR NO KEY UPDATE";
const FOUND: &str = "SELECT format, greatest(stamp, (SELECT max(workspaces.stamp) FROM workspaces)) AS stamp
    FROM commit_order WHERE id = 1";

/// What one process knows of the order.
pub struct CommitOrder {
    /// The newest time a row was given.
    pub stamp: Arc<AtomicI64>,
    /// Told after each of this process's commits.
    pub committed: Notify,
}

impl CommitOrder {
    /// Nothing is known yet.
    pub fn new(stamp: Arc<AtomicI64>) -> Self {
        Self { stamp, committed: Notify::new() }
    }
}

pub struct OpenTransaction {
    order: Arc<CommitOrder>,
    scope: RefCell<WriteScope>,
    stamp: Cell<i64>,
}

impl OpenTransaction {
    /// None is open yet.
    pub fn new(order: Arc<CommitOrder>) -> Self {
        Self { order, scope: RefCell::new(WriteScope::Everything), stamp: Cell::new(0) }
    }

    /// Begins one, behind those of all processes.
    pub fn begin(&self, link: &Link, scope: &WriteScope) -> Result<(), DatabaseError> {
        let begin = link.line(BEGIN, &[])?;
        let rows = match scope {
            WriteScope::Workspace(id) => {
                let next = link.line(NEXT_IN_WORKSPACE, bound![id])?;
                link.send(&[begin, next], Some((FOUND_IN_WORKSPACE, bound![id])))?
            }
            WriteScope::Everything => {
                let (next, all) = (link.line(NEXT, &[])?, link.line(ALL_WORKSPACES, &[])?);
                link.send(&[begin, next, all], Some((FOUND, &[])))?
            }
        };
        let row = DbRow::of(rows.first().ok_or(DatabaseError::NoRow)?);
        self.stamp.set(row.get("stamp")?);
        self.scope.replace(scope.clone());
        schema::agree(row.get("format")?)?;
        self.order.stamp.fetch_max(self.stamp.get(), Ordering::SeqCst);
        Ok(())
    }

    /// Notes the newest time a row was given, for the next writer.
    pub fn keep_stamp(&self, session: &WritingSession) -> Result<(), DatabaseError> {
        let stamp = self.order.stamp.load(Ordering::SeqCst);
        if stamp <= self.stamp.get() {
            return Ok(());
        }
        match &*self.scope.borrow() {
            WriteScope::Workspace(id) => {
                session.note("UPDATE workspaces SET stamp = ?1 WHERE id = ?2", bound![stamp, id])
            }
            WriteScope::Everything => {
                session.note("UPDATE commit_order SET stamp = ?1 WHERE id = 1", bound![stamp])
            }
        }
    }

    pub fn committed(&self) {
        self.order.committed.notify_one();
    }
}

/// How often something that a workspace sees was committed.
pub fn revision(db: &dyn DbSession, workspace: &str) -> Result<u64, DatabaseError> {
    let sql = "SELECT commit_order.revision + workspaces.revision FROM commit_order, workspaces
               WHERE commit_order.id = 1 AND workspaces.id = ?1";
    db.scalar::<i64>(sql, bound![workspace]).map(i64::unsigned_abs)
}
