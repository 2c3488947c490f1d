//! What queries are asked through: one transaction, or one reading, of
//! whichever engine keeps the database.
//!
//! Each query has one text for all engines, with numbered parameters (`?1`).
//! Common SQL only: upserts instead of `INSERT OR REPLACE`, qualified names in
//! them, booleans as truth values, and no parameter that nothing is compared
//! with.

use std::ops::ControlFlow;

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, FromSqlValue, SqlValue, single_cell};

/// What a row is shown to; it says whether more are wanted.
pub type Visit<'a> = dyn FnMut(&DbRow<'_>) -> Result<ControlFlow<()>, DatabaseError> + 'a;

/// One transaction, or one reading.
pub trait DbSession {
    /// Shows each row of an answer where it lies.
    ///
    /// # Errors
    /// When the engine refuses, or what `visit` fails with.
    fn rows(&self, sql: &str, bound: &[SqlValue<'_>], visit: &mut Visit<'_>) -> Result<(), DatabaseError>;

    /// Makes a change and tells how many rows it touched.
    fn change(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<u64, DatabaseError>;

    /// Makes a change whose count nobody waits for: an engine behind a network
    /// may send it later, at the latest when the part ends that it lies in.
    fn change_later(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<(), DatabaseError> {
        self.change(sql, bound).map(drop)
    }

    /// Begins a part that can be undone alone; parts may lie inside one another.
    /// See [`part`](crate::database::savepoint::part).
    fn begin_savepoint(&self) -> Result<(), DatabaseError>;

    /// Ends the innermost part and keeps what it changed.
    ///
    /// # Errors
    /// When something in it could not be done; it is to be undone then.
    fn release_savepoint(&self) -> Result<(), DatabaseError>;

    /// Ends the innermost part and undoes what it changed.
    fn roll_back_savepoint(&self) -> Result<(), DatabaseError>;
}

/// What a transaction may change, and so which others it comes behind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum WriteScope {
    /// Rows of one workspace: it comes behind all others in that workspace, of
    /// whichever process.
    Workspace(String),
    /// Rows that no list shows in an order: it comes behind nobody, and each job has
    /// a transaction of its own.
    Unordered,
    /// Anything: it comes behind all others, and they come behind it.
    Everything,
}

/// A connection that writes, one transaction after another.
pub trait WritingConnection: Send {
    /// Jobs that share a transaction at most.
    fn max_jobs(&self) -> usize;

    /// Begins a transaction behind those that its scope says.
    fn begin(&self, scope: &WriteScope) -> Result<(), DatabaseError>;

    /// What jobs change things through.
    fn session(&self) -> &dyn DbSession;

    /// Ends the transaction and keeps what it changed.
    ///
    /// # Errors
    /// When nothing of it is kept; [`DatabaseError::Unknown`] when nobody knows.
    fn commit(&self) -> Result<(), DatabaseError>;

    /// Ends the transaction and keeps nothing of it.
    fn roll_back(&self);

    /// Takes the obstacle that was met since the last call, `None` without one.
    fn take_obstacle(&self) -> Option<Obstacle> {
        None
    }

    /// Tidies up between two transactions; true if it wants to do so again soon.
    fn run_maintenance(&self) -> bool {
        false
    }

    /// Nothing more will be written.
    fn close(&self);
}

/// Obstacle that keeps a database from being written for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// There is no room on its disk.
    FullDisk,
    /// Another session holds a lock.
    ForeignLock,
}

impl dyn DbSession + '_ {
    /// The one value that answers a question which always has an answer: a
    /// count, whether a row exists.
    pub fn fetch_scalar<T: FromSqlValue>(
        &self,
        sql: &str,
        bound: &[SqlValue<'_>],
    ) -> Result<T, DatabaseError> {
        self.fetch_one(sql, bound, single_cell)
    }

    /// The first row.
    pub fn fetch_one<T>(
        &self,
        sql: &str,
        bound: &[SqlValue<'_>],
        read: impl FnOnce(&DbRow<'_>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        self.fetch_optional(sql, bound, read)?.ok_or(DatabaseError::NoRow)
    }

    /// The first row, if there is one.
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

    /// All rows.
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

    /// Shows all rows to somebody who may fail in a way of their own.
    ///
    /// # Errors
    /// When the engine refuses, or what `visit` fails with.
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
