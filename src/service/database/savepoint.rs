//! A part of a transaction that is undone alone when it fails.

use crate::database::DatabaseError;
use crate::database::session::DbSession;

/// Runs a part; what it changed is undone when it fails. Parts may lie inside
/// one another.
pub fn part<T, E: From<DatabaseError>>(
    db: &dyn DbSession,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    db.begin_part()?;
    let undone = UndoneInPanic(db);
    let outcome = work();
    std::mem::forget(undone);
    match outcome {
        Ok(done) => match db.keep_part() {
            Ok(()) => Ok(done),
            Err(cause) => {
                db.undo_part()?;
                Err(cause.into())
            }
        },
        Err(cause) => {
            db.undo_part()?;
            Err(cause)
        }
    }
}

/// Undoes a part that panics: a reader goes on with the next.
struct UndoneInPanic<'a>(&'a dyn DbSession);

impl Drop for UndoneInPanic<'_> {
    fn drop(&mut self) {
        // A writer's transaction is undone with it.
        let _ = self.0.undo_part();
    }
}

/// Runs a part whose answer is wanted and whose changes are not.
pub fn rehearsal<T, E: From<DatabaseError>>(
    db: &dyn DbSession,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    db.begin_part()?;
    let outcome = work();
    db.undo_part()?;
    outcome
}
