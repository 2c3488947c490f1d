//! Threads of mail that were taken over from the assistant or handed back to it.
//!
//! A thread without a row is decided by its mails: it is a person's once a person
//! has written in it. No row needs a thread: the thread that a queued mail begins
//! is stored when the mail leaves.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;

/// Sets whether the assistant answers a thread.
pub fn set(db: &dyn DbSession, thread: &str, enabled: bool) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO thread_automation (thread, enabled) VALUES (?1, ?2)
               ON CONFLICT (thread) DO UPDATE SET enabled = excluded.enabled";
    db.change_later(sql, bound![thread, enabled])
}

/// Returns whether the assistant answers a thread, `None` where nobody has set it.
pub fn read(db: &dyn DbSession, thread: &str) -> Result<Option<bool>, DatabaseError> {
    db.fetch_optional("SELECT enabled FROM thread_automation WHERE thread = ?1", bound![thread], single_cell)
}
