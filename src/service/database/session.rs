//! Access to the database for queries: one transaction or one read of either engine.
//!
//! Each query has one text for all engines, with numbered parameters (`?1`). Common SQL only:
//! upserts instead of `INSERT OR REPLACE`, qualified names in them, booleans as truth values, and
//! no parameter that is compared with nothing.

use std::ops::ControlFlow;

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, FromSqlValue, SqlValue, single_cell};

/// Callback for each row; its result says if more rows are wanted.
pub type Visit<'a> = dyn FnMut(&DbRow<'_>) -> Result<ControlFlow<()>, DatabaseError> + 'a;

pub trait DbSession {
    /// Visits each row without copying it.
    fn rows(&self, sql: &str, bound: &[SqlValue<'_>], visit: &mut Visit<'_>) -> Result<(), DatabaseError>;

    fn change(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<u64, DatabaseError>;

    /// Executes a change whose row count is not needed. An engine behind a network may send it
    /// later, at the latest at the end of the current savepoint.
    fn change_later(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<(), DatabaseError> {
        self.change(sql, bound).map(drop)
    }

    /// Begins a savepoint; savepoints nest. See
    /// [`in_savepoint`](crate::database::savepoint::in_savepoint).
    fn begin_savepoint(&self) -> Result<(), DatabaseError>;

    /// Ends the innermost savepoint and keeps its changes.
    ///
    /// # Errors
    /// If a deferred change failed; the savepoint must then be rolled back.
    fn release_savepoint(&self) -> Result<(), DatabaseError>;

    /// Ends the innermost savepoint and undoes its changes.
    fn roll_back_savepoint(&self) -> Result<(), DatabaseError>;
}

/// Rows that a transaction may change, and so which other transactions it waits for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum WriteScope {
    /// Rows of one workspace: waits for all other writes to that workspace, by any process.
    Workspace(String),
    /// Rows that no list shows in order: waits for no other write; each job has its own
    /// transaction.
    Unordered,
    /// Anything: excludes all other writes.
    Everything,
}

pub trait WritingConnection: Send {
    fn max_jobs(&self) -> usize;

    /// Begins a transaction; waits for those that conflict with its scope.
    fn begin(&self, scope: &WriteScope) -> Result<(), DatabaseError>;

    fn session(&self) -> &dyn DbSession;

    /// Commits the transaction.
    ///
    /// # Errors
    /// If nothing was kept; [`DatabaseError::Unknown`] if the outcome is unknown.
    fn commit(&self) -> Result<(), DatabaseError>;

    fn roll_back(&self);

    fn take_obstacle(&self) -> Option<Obstacle> {
        None
    }

    /// Runs maintenance between two transactions; returns true if it should run again soon.
    fn run_maintenance(&self) -> bool {
        false
    }

    /// Ends the connection; nothing is written afterwards.
    fn close(&self);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    FullDisk,
    ForeignLock,
}

impl dyn DbSession + '_ {
    /// Returns the only value of a query that always has a row, such as a count.
    pub fn fetch_scalar<T: FromSqlValue>(
        &self,
        sql: &str,
        bound: &[SqlValue<'_>],
    ) -> Result<T, DatabaseError> {
        self.fetch_one(sql, bound, single_cell)
    }

    /// Returns the first row; [`DatabaseError::NoRow`] if there is none.
    pub fn fetch_one<T>(
        &self,
        sql: &str,
        bound: &[SqlValue<'_>],
        read: impl FnOnce(&DbRow<'_>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        self.fetch_optional(sql, bound, read)?.ok_or(DatabaseError::NoRow)
    }

    pub fn fetch_optional<T>(
        &self,
        sql: &str,
        bound: &[SqlValue<'_>],
        read: impl FnOnce(&DbRow<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Option<T>, DatabaseError> {
        let (mut found, mut read) = (None, Some(read));
        self.rows(sql, bound, &mut |row| {
            if let Some(read) = read.take() {
                found = Some(read(row)?);
            }
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    pub fn fetch_all<T, C: Default + Extend<T>>(
        &self,
        sql: &str,
        bound: &[SqlValue<'_>],
        mut read: impl FnMut(&DbRow<'_>) -> Result<T, DatabaseError>,
    ) -> Result<C, DatabaseError> {
        let mut found = C::default();
        self.rows(sql, bound, &mut |row| {
            found.extend([read(row)?]);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Visits all rows with a callback that has its own error type.
    pub fn for_each_row<E: From<DatabaseError>>(
        &self,
        sql: &str,
        bound: &[SqlValue<'_>],
        mut visit: impl FnMut(&DbRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failed = None;
        self.rows(sql, bound, &mut |row| {
            failed = visit(row).err();
            Ok(if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        failed.map_or(Ok(()), Err)
    }
}
