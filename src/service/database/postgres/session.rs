//! PostgreSQL's side of a session. Changes nobody waits for are kept in line
//! and sent together with the next question, so that most writes cost a few
//! round trips.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use crate::database::DatabaseError;
use crate::database::postgres::link::{Link, PreparedChange};
use crate::database::rows::{DbRow, SqlValue};
use crate::database::session::{DbSession, Visit};

/// Changes that are sent together at most.
const MAX_QUEUED_CHANGES: usize = 24;

/// Holds one moment for all that is read.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// But not for ever where the process stands still: old rows could not be removed.
const SNAPSHOT_TIMEOUT: &str = "SET LOCAL idle_in_transaction_session_timeout = '5s'";

/// Reads: each question for itself, or all of a part as of one moment.
pub struct ReadingSession {
    link: Link,
    /// Parts that are open, one inside another.
    depth: Cell<usize>,
    /// Whether the server has heard of them.
    is_held: Cell<bool>,
}

impl ReadingSession {
    /// No part is open.
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
        // Nothing was changed: how it ends says nothing of what was read.
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
                // What was read before was of another moment.
                if was_held { Err(DatabaseError::Lost) } else { self.query(sql, bound) }
            }
            // Its answer may still be on the way.
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

/// Writes, inside a transaction that somebody else begins and ends.
pub struct WritingSession {
    pub link: Link,
    queue: RefCell<Vec<PreparedChange>>,
    /// How many of them may be refused: not where a part begins or ends.
    changes: Cell<usize>,
    /// For each part that is open, how many changes stood in line before it;
    /// none once its beginning was sent.
    savepoints: RefCell<Vec<Option<usize>>>,
}

impl WritingSession {
    /// Nothing is in line yet.
    pub fn new(link: Link) -> Self {
        Self { link, queue: RefCell::default(), changes: Cell::default(), savepoints: RefCell::default() }
    }

    /// Sends what stands in line.
    pub fn flush(&self) -> Result<(), DatabaseError> {
        if self.queue.borrow().is_empty() { Ok(()) } else { self.query(None).map(drop) }
    }

    /// Forgets what stands in line and which parts are open.
    pub fn reset(&self) {
        self.take_queue();
        self.savepoints.borrow_mut().clear();
    }

    /// What stands in line, which is sent or given up now.
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

    /// A transaction that lost its connection is over: nothing more may happen
    /// in it.
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

    /// What stands in line before it is another part's: it is sent first, so
    /// that what is refused is told to that one.
    fn begin_savepoint(&self) -> Result<(), DatabaseError> {
        if self.changes.get() > 0 {
            self.flush()?;
        }
        let before = self.queue.borrow().len();
        self.savepoints.borrow_mut().push(Some(before));
        let depth = self.savepoints.borrow().len();
        self.enqueue(&format!("SAVEPOINT part_{depth}"), &[])
    }

    /// Waits for the changes that stand in line, so that what is refused is known
    /// as this part's.
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
            // The server has not heard of it.
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
