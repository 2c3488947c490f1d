//! The order of commits over all processes: the row of a workspace, which every
//! transaction in it changes first, and so holds until it ends. What changes
//! anything else holds the row of all of them, and then every workspace's.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::Notify;

use crate::database::postgres::link::Link;
use crate::database::postgres::schema;
use crate::database::postgres::session::WritingSession;
use crate::database::rows::{DbRow, bound};
use crate::database::session::{DbSession, WriteScope};
use crate::database::{DatabaseError, Durability};
use model::time::Timestamp;

/// Every statement sees what was committed before it, whatever the server's
/// settings say: those behind the first see what that waited for.
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// Who has waited so long gives up, and leaves no connection behind that waits on;
/// and a process that stands still in the middle of it holds up nobody.
const WRITE_TIMEOUTS: &str = "SELECT set_config('lock_timeout', '8s', true),
    set_config('idle_in_transaction_session_timeout', '5s', true)";
/// What is simulated need not outlive the server.
const RELAXED_COMMIT: &str = "SET LOCAL synchronous_commit = off";
const ADVANCE_WORKSPACE: &str = "UPDATE workspaces SET revision = revision + 1 WHERE id = ?1";
const READ_WORKSPACE: &str =
    "SELECT commit_order.format, greatest(commit_order.stamp, workspaces.stamp) AS stamp
    FROM commit_order, workspaces WHERE commit_order.id = 1 AND workspaces.id = ?1";
const ADVANCE_ORDER: &str = "UPDATE commit_order SET revision = revision + 1 WHERE id = 1";
/// Always in the same order, so that nobody waits in a circle.
const LOCK_ALL_WORKSPACES: &str = "SELECT id FROM workspaces ORDER BY id FOR NO KEY UPDATE";
/// Keeps the tables from being changed or moved away meanwhile, and nobody else from
/// writing.
const READ_UNORDERED: &str = "SELECT format, stamp FROM commit_order WHERE id = 1 FOR KEY SHARE";
const READ_ORDER: &str =
    "SELECT format, greatest(stamp, (SELECT max(workspaces.stamp) FROM workspaces)) AS stamp
    FROM commit_order WHERE id = 1";

/// How often something that a workspace sees was committed, in a query for its row.
pub const REVISION_COLUMN: &str = "(SELECT commit_order.revision FROM commit_order) + workspaces.revision";

/// Has rows dated by the clock again, where it was set back over more than a stamp
/// may be ahead of it.
pub fn lower_stamps(db: &dyn DbSession, newest: Timestamp) -> Result<(), DatabaseError> {
    db.change_later("UPDATE commit_order SET stamp = ?1 WHERE stamp > ?1", bound![newest])?;
    db.change_later("UPDATE workspaces SET stamp = ?1 WHERE stamp > ?1", bound![newest])
}

/// What one process knows of the order.
pub struct CommitOrder {
    /// The newest time a row was given.
    pub stamp: Arc<AtomicI64>,
    /// Told after each of this process's commits.
    pub committed: Notify,
    durability: Durability,
}

impl CommitOrder {
    /// Nothing is known yet.
    pub fn new(stamp: Arc<AtomicI64>, durability: Durability) -> Self {
        Self { stamp, committed: Notify::new(), durability }
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
        let mut lines =
            vec![link.prepare_change(BEGIN_WRITE, &[])?, link.prepare_change(WRITE_TIMEOUTS, &[])?];
        if self.order.durability == Durability::Simulated {
            lines.push(link.prepare_change(RELAXED_COMMIT, &[])?);
        }
        let rows = match scope {
            WriteScope::Workspace(id) => {
                lines.push(link.prepare_change(ADVANCE_WORKSPACE, bound![id])?);
                link.send(&lines, Some((READ_WORKSPACE, bound![id])))?
            }
            WriteScope::Unordered => link.send(&lines, Some((READ_UNORDERED, &[])))?,
            WriteScope::Everything => {
                lines.extend([
                    link.prepare_change(ADVANCE_ORDER, &[])?,
                    link.prepare_change(LOCK_ALL_WORKSPACES, &[])?,
                ]);
                link.send(&lines, Some((READ_ORDER, &[])))?
            }
        };
        let row = DbRow::of(rows.first().ok_or(DatabaseError::NoRow)?);
        self.stamp.set(row.get("stamp")?);
        self.scope.replace(scope.clone());
        schema::check_format(row.get("format")?)?;
        self.order.stamp.fetch_max(self.stamp.get(), Ordering::SeqCst);
        Ok(())
    }

    /// Notes the newest time a row was given, for the next writer.
    pub fn store_stamp(&self, session: &WritingSession) -> Result<(), DatabaseError> {
        let stamp = self.order.stamp.load(Ordering::SeqCst);
        if stamp <= self.stamp.get() {
            return Ok(());
        }
        match &*self.scope.borrow() {
            WriteScope::Workspace(id) => {
                session.change_later("UPDATE workspaces SET stamp = ?1 WHERE id = ?2", bound![stamp, id])
            }
            // Whoever writes a list next notes it.
            WriteScope::Unordered => Ok(()),
            WriteScope::Everything => {
                session.change_later("UPDATE commit_order SET stamp = ?1 WHERE id = 1", bound![stamp])
            }
        }
    }

    pub fn mark_committed(&self) {
        if *self.scope.borrow() != WriteScope::Unordered {
            self.order.committed.notify_one();
        }
    }
}
