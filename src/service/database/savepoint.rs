//! A part of a transaction that is undone alone when it fails.

use rusqlite::Connection;

use crate::database::DatabaseError;

/// Runs a part; what it changed is undone when it fails. Parts may lie inside
/// one another.
///
/// # Errors
/// What the part fails with, or why it could not be undone.
pub fn part<T, E: From<DatabaseError>>(db: &Connection, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let run = |sql: &str| db.prepare_cached(sql)?.execute([]).map(drop).map_err(DatabaseError::from);
    run("SAVEPOINT part")?;
    let outcome = work();
    if outcome.is_err() {
        run("ROLLBACK TO part")?;
    }
    run("RELEASE part")?;
    outcome
}
