//! Processes that serve a database on a server.

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use model::time::SECOND;

/// Span in microseconds in which a process that lives is heard of.
const HEARTBEAT_WINDOW: i64 = 5 * SECOND;

/// Which processes were heard of in that span; later ones were before the server's
/// clock was set back.
const LIVE_PROCESSES: &str = "FROM processes
    WHERE abs(seen_at - CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)) < ?1";

/// Returns the id of a process that serves the database.
pub fn find_live(db: &dyn DbSession) -> Result<Option<u32>, DatabaseError> {
    db.fetch_optional(&format!("SELECT process {LIVE_PROCESSES}"), bound![HEARTBEAT_WINDOW], |row| {
        row.get("process")
    })
}

/// Number of processes that serve the database.
pub fn count(db: &dyn DbSession) -> Result<i64, DatabaseError> {
    db.fetch_scalar(&format!("SELECT count(*) {LIVE_PROCESSES}"), bound![HEARTBEAT_WINDOW])
}
