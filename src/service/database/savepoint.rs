use crate::database::DatabaseError;
use crate::database::session::DbSession;

/// Runs work in a savepoint and rolls it back if it fails. Savepoints nest.
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

/// Rolls back after a panic, as a reader continues with the next job.
struct RollbackGuard<'a>(&'a dyn DbSession);

impl Drop for RollbackGuard<'_> {
    fn drop(&mut self) {
        // A writer's whole transaction is rolled back with it.
        let _ = self.0.roll_back_savepoint();
    }
}

/// Runs work for its result only; always rolls back.
pub fn dry_run<T, E: From<DatabaseError>>(
    db: &dyn DbSession,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    db.begin_savepoint()?;
    let outcome = work();
    db.roll_back_savepoint()?;
    outcome
}
