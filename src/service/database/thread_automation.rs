//! Threads of mail that were taken over from the assistant or handed back to it.
//!
//! For a thread without a row its mails decide: it is a person's once a person has written in it. A
//! row may precede its thread, which is stored only when its first queued mail leaves.

use std::collections::HashMap;

use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::conversations::Pauser;
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use model::messages::AnswerPlace;

/// The length of a list of threads in a query is a multiple of this, so that few texts of queries are prepared.
const THREADS_PER_STEP: usize = 128;

/// Recorded author of a pause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadPause {
    /// Name of the person.
    pub by: Option<String>,
    /// Word of the place of an answer that was not sent through the service.
    pub from: Option<String>,
}

/// Switches the assistant on or off. `pauser` is recorded with a switch, and not if the row already says the same.
pub fn set(db: &dyn DbSession, thread: &str, enabled: bool, pauser: Pauser<'_>) -> Result<(), DatabaseError> {
    let (person, place) = (pauser.person, pauser.place.map(AnswerPlace::word));
    let sql =
        "INSERT INTO thread_automation (thread, enabled, paused_by, paused_from) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (thread) DO UPDATE SET enabled = excluded.enabled, paused_by = excluded.paused_by,
               paused_from = excluded.paused_from WHERE thread_automation.enabled <> excluded.enabled";
    db.change_later(sql, bound![thread, enabled, person, place])
}

/// Returns the recorded pauses of threads by thread.
pub fn list_pauses(
    db: &dyn DbSession,
    threads: &[String],
) -> Result<HashMap<String, ThreadPause>, DatabaseError> {
    if threads.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = "SELECT thread, paused_by, paused_from FROM thread_automation WHERE NOT enabled";
    let mut query = SqlQuery::new(sql.to_owned(), &[]);
    query.filter_in("thread", threads, threads.len().next_multiple_of(THREADS_PER_STEP));
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, |row| {
        let thread: String = row.text("thread")?;
        let pause =
            ThreadPause { by: row.optional_text("paused_by")?, from: row.optional_text("paused_from")? };
        Ok((thread, pause))
    })
}

/// Returns true if the assistant answers a thread, `None` if that was never set.
pub fn read(db: &dyn DbSession, thread: &str) -> Result<Option<bool>, DatabaseError> {
    db.fetch_optional("SELECT enabled FROM thread_automation WHERE thread = ?1", bound![thread], single_cell)
}
