//! Order of commits across all processes. Every transaction updates the row of its workspace first
//! and so locks it until it ends. A transaction with a wider scope locks the global row and then
//! every workspace's.

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

/// READ COMMITTED whatever the server's default is: statements after the first must see the commits
/// that the first waited for.
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// A transaction that waits too long for a lock fails, and the server ends one that idles, so that
/// it delays no others.
const WRITE_TIMEOUTS: &str = "SELECT set_config('lock_timeout', '8s', true),
    set_config('idle_in_transaction_session_timeout', '5s', true)";
/// Simulated data need not survive a crash of the server.
const RELAXED_COMMIT: &str = "SET LOCAL synchronous_commit = off";
const ADVANCE_WORKSPACE: &str = "UPDATE workspaces SET revision = revision + 1 WHERE id = ?1";
const READ_WORKSPACE: &str =
    "SELECT commit_order.format, greatest(commit_order.stamp, workspaces.stamp) AS stamp
    FROM commit_order, workspaces WHERE commit_order.id = 1 AND workspaces.id = ?1";
const ADVANCE_ORDER: &str = "UPDATE commit_order SET revision = revision + 1 WHERE id = 1";
/// In a fixed order, which prevents deadlocks.
const LOCK_ALL_WORKSPACES: &str = "SELECT id FROM workspaces ORDER BY id FOR NO KEY UPDATE";
/// Blocks migrations and moves of the tables, but no other writes.
const READ_UNORDERED: &str = "SELECT format, stamp FROM commit_order WHERE id = 1 FOR KEY SHARE";
const READ_ORDER: &str =
    "SELECT format, greatest(stamp, (SELECT max(workspaces.stamp) FROM workspaces)) AS stamp
    FROM commit_order WHERE id = 1";

/// Number of commits visible to a workspace, for a query of its row.
pub const REVISION_COLUMN: &str = "(SELECT commit_order.revision FROM commit_order) + workspaces.revision";

/// Lowers stamps that are too far ahead after the clock was set back.
pub fn lower_stamps(db: &dyn DbSession, newest: Timestamp) -> Result<(), DatabaseError> {
    db.change_later("UPDATE commit_order SET stamp = ?1 WHERE stamp > ?1", bound![newest])?;
    db.change_later("UPDATE workspaces SET stamp = ?1 WHERE stamp > ?1", bound![newest])
}

pub struct CommitOrder {
    pub stamp: Arc<AtomicI64>,
    /// Notified after each commit of this process.
    pub committed: Notify,
    durability: Durability,
}

impl CommitOrder {
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
    pub fn new(order: Arc<CommitOrder>) -> Self {
        Self { order, scope: RefCell::new(WriteScope::Everything), stamp: Cell::new(0) }
    }

    /// Begins a transaction and waits for those of all processes that conflict.
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

    /// Stores the newest timestamp for the next writer.
    pub fn store_stamp(&self, session: &WritingSession) -> Result<(), DatabaseError> {
        let stamp = self.order.stamp.load(Ordering::SeqCst);
        if stamp <= self.stamp.get() {
            return Ok(());
        }
        match &*self.scope.borrow() {
            WriteScope::Workspace(id) => {
                session.change_later("UPDATE workspaces SET stamp = ?1 WHERE id = ?2", bound![stamp, id])
            }
            // The next ordered transaction stores it.
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
