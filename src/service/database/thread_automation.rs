//! Threads of mail that were taken over from the assistant or handed back to it.
//!
//! For a thread without a row its mails decide: it is a person's once a person has written in it. A
//! row may precede its thread, which is stored only when its first queued mail leaves.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;

pub fn set(db: &dyn DbSession, thread: &str, enabled: bool) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO thread_automation (thread, enabled) VALUES (?1, ?2)
               ON CONFLICT (thread) DO UPDATE SET enabled = excluded.enabled";
    db.change_later(sql, bound![thread, enabled])
}

/// Returns true if the assistant answers a thread, `None` if that was never set.
pub fn read(db: &dyn DbSession, thread: &str) -> Result<Option<bool>, DatabaseError> {
    db.fetch_optional("SELECT enabled FROM thread_automation WHERE thread = ?1", bound![thread], single_cell)
}
