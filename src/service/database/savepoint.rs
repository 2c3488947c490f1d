//! A part of a transaction that is undone alone when it fails.

use crate::database::DatabaseError;
use crate::database::session::DbSession;

/// Runs a part; what it changed is undone when it fails. Parts may lie inside
/// one another.
pub fn in_savepoint<T, E: From<DatabaseError>>(
    db: &dyn DbSession,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    db.begin_savepoint()?;
    let undone = RollbackGuard(db);
    let outcome = work();
    std::mem::forget(undone);
    match outcome {
        Ok(done) => match db.release_savepoint() {
            Ok(()) => Ok(done),
            Err(cause) => {
                db.roll_back_savepoint()?;
                Err(cause.into())
            }
        },
        Err(cause) => {
            db.roll_back_savepoint()?;
            Err(cause)
        }
    }
}

/// Undoes a part that panics: a reader goes on with the next.
struct RollbackGuard<'a>(&'a dyn DbSession);

impl Drop for RollbackGuard<'_> {
    fn drop(&mut self) {
        // A writer's transaction is undone with it.
        let _ = self.0.roll_back_savepoint();
    }
}

/// Runs a part whose answer is wanted and whose changes are not.
pub fn dry_run<T, E: From<DatabaseError>>(
    db: &dyn DbSession,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    db.begin_savepoint()?;
    let outcome = work();
    db.roll_back_savepoint()?;
    outcome
}
