//! Sessions on PostgreSQL. Changes without a needed result are queued and sent together with the
//! next query, so that most writes cost few round trips.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use crate::database::DatabaseError;
use crate::database::postgres::link::{Link, PreparedChange};
use crate::database::rows::{DbRow, SqlValue};
use crate::database::session::{DbSession, Visit};

const MAX_QUEUED_CHANGES: usize = 24;

const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Limits how long an idle process keeps old rows from being removed.
const SNAPSHOT_TIMEOUT: &str = "SET LOCAL idle_in_transaction_session_timeout = '5s'";

/// Session that reads: each query separately, or all queries of a savepoint on one snapshot.
pub struct ReadingSession {
    link: Link,
    /// Number of open savepoints.
    depth: Cell<usize>,
    /// True if the server holds a snapshot for them.
    is_held: Cell<bool>,
}

impl ReadingSession {
    pub fn new(link: Link) -> Self {
        Self { link, depth: Cell::default(), is_held: Cell::default() }
    }

    fn query(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<Vec<tokio_postgres::Row>, DatabaseError> {
        self.link.connect()?;
        let holds = self.depth.get() > 0 && !self.is_held.get();
        let first = if holds {
            vec![
                self.link.prepare_change(BEGIN_SNAPSHOT, &[])?,
                self.link.prepare_change(SNAPSHOT_TIMEOUT, &[])?,
            ]
        } else {
            Vec::new()
        };
        let rows = self.link.send(&first, Some((sql, bound)));
        self.is_held.set(self.depth.get() > 0);
        rows
    }

    fn end_savepoint(&self) -> Result<(), DatabaseError> {
        self.depth.set(self.depth.get().saturating_sub(1));
        if self.depth.get() > 0 || !self.is_held.replace(false) {
            return Ok(());
        }
        // Nothing was changed, so a failed rollback does not affect the result.
        if self.link.batch_execute("ROLLBACK").is_err() {
            self.link.disconnect();
        }
        Ok(())
    }
}

impl DbSession for ReadingSession {
    fn rows(&self, sql: &str, bound: &[SqlValue<'_>], visit: &mut Visit<'_>) -> Result<(), DatabaseError> {
        let was_held = self.is_held.get();
        let rows = self.query(sql, bound).or_else(|cause| match cause {
            DatabaseError::Lost => {
                self.link.disconnect();
                self.is_held.set(false);
                // Earlier reads belong to another snapshot.
                if was_held { Err(DatabaseError::Lost) } else { self.query(sql, bound) }
            }
            // The abandoned answer may still arrive on this connection.
            DatabaseError::Slow => {
                self.link.disconnect();
                self.is_held.set(false);
                Err(DatabaseError::Slow)
            }
            other => Err(other),
        });
        visit_rows(&rows?, visit)
    }

    fn change(&self, _: &str, _: &[SqlValue<'_>]) -> Result<u64, DatabaseError> {
        Err(DatabaseError::Sql("a reader changes nothing".to_owned()))
    }

    fn begin_savepoint(&self) -> Result<(), DatabaseError> {
        self.depth.set(self.depth.get() + 1);
        Ok(())
    }

    fn release_savepoint(&self) -> Result<(), DatabaseError> {
        self.end_savepoint()
    }

    fn roll_back_savepoint(&self) -> Result<(), DatabaseError> {
        self.end_savepoint()
    }
}

/// Session that writes within a transaction begun and ended by the caller.
pub struct WritingSession {
    pub link: Link,
    queue: RefCell<Vec<PreparedChange>>,
    /// Number of queued statements that may be refused; savepoint statements do not count.
    changes: Cell<usize>,
    /// For each open savepoint the queue length before it; `None` once its SAVEPOINT was sent.
    savepoints: RefCell<Vec<Option<usize>>>,
}

impl WritingSession {
    pub fn new(link: Link) -> Self {
        Self { link, queue: RefCell::default(), changes: Cell::default(), savepoints: RefCell::default() }
    }

    pub fn flush(&self) -> Result<(), DatabaseError> {
        if self.queue.borrow().is_empty() { Ok(()) } else { self.query(None).map(drop) }
    }

    pub fn reset(&self) {
        self.take_queue();
        self.savepoints.borrow_mut().clear();
    }

    /// Takes the queue to be sent or dropped.
    fn take_queue(&self) -> Vec<PreparedChange> {
        self.changes.set(0);
        self.savepoints.borrow_mut().iter_mut().for_each(|part| *part = None);
        self.queue.take()
    }

    fn query(
        &self,
        question: Option<(&str, &[SqlValue<'_>])>,
    ) -> Result<Vec<tokio_postgres::Row>, DatabaseError> {
        self.check_lost(self.link.send(&self.take_queue(), question))
    }

    /// Disconnects after a lost connection: the transaction is over.
    fn check_lost<T>(&self, answer: Result<T, DatabaseError>) -> Result<T, DatabaseError> {
        if matches!(answer, Err(DatabaseError::Lost)) {
            self.link.disconnect();
        }
        answer
    }

    fn enqueue(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<(), DatabaseError> {
        let line = self.link.prepare_change(sql, bound)?;
        self.queue.borrow_mut().push(line);
        if self.queue.borrow().len() >= MAX_QUEUED_CHANGES { self.flush() } else { Ok(()) }
    }
}

impl DbSession for WritingSession {
    fn rows(&self, sql: &str, bound: &[SqlValue<'_>], visit: &mut Visit<'_>) -> Result<(), DatabaseError> {
        visit_rows(&self.query(Some((sql, bound)))?, visit)
    }

    fn change(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<u64, DatabaseError> {
        let change = self.link.prepare_change(sql, bound)?;
        let mut line = self.take_queue();
        line.push(change);
        self.check_lost(self.link.execute_all(&line))
    }

    fn change_later(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<(), DatabaseError> {
        self.changes.set(self.changes.get() + 1);
        self.enqueue(sql, bound)
    }

    /// Flushes first, so that a refused earlier change is not reported to the new savepoint.
    fn begin_savepoint(&self) -> Result<(), DatabaseError> {
        if self.changes.get() > 0 {
            self.flush()?;
        }
        let before = self.queue.borrow().len();
        self.savepoints.borrow_mut().push(Some(before));
        let depth = self.savepoints.borrow().len();
        self.enqueue(&format!("SAVEPOINT part_{depth}"), &[])
    }

    /// Flushes, so that a refused change is reported to this savepoint.
    fn release_savepoint(&self) -> Result<(), DatabaseError> {
        let depth = self.savepoints.borrow().len();
        self.enqueue(&format!("RELEASE part_{depth}"), &[])?;
        if self.changes.get() > 0 {
            self.flush()?;
        }
        self.savepoints.borrow_mut().pop();
        Ok(())
    }

    fn roll_back_savepoint(&self) -> Result<(), DatabaseError> {
        let depth = self.savepoints.borrow().len();
        let unsent = self.savepoints.borrow_mut().pop().flatten();
        match unsent {
            // The server has not received the SAVEPOINT.
            Some(before) => {
                self.queue.borrow_mut().truncate(before);
                self.changes.set(0);
            }
            None => {
                self.take_queue();
                self.link.batch_execute(&format!("ROLLBACK TO part_{depth}; RELEASE part_{depth}"))?;
            }
        }
        Ok(())
    }
}

fn visit_rows(rows: &[tokio_postgres::Row], visit: &mut Visit<'_>) -> Result<(), DatabaseError> {
    for row in rows {
        if visit(&DbRow::of(row))? == ControlFlow::Break(()) {
            break;
        }
    }
    Ok(())
}
