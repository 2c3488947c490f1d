use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use model::time::SECOND;

/// Maximum age of a live process's heartbeat, in microseconds.
const HEARTBEAT_WINDOW: i64 = 5 * SECOND;

/// Processes with a recent heartbeat. A heartbeat far in the future is from before the server's
/// clock was set back.
const LIVE_PROCESSES: &str = "FROM processes
    WHERE abs(seen_at - CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)) < ?1";

pub fn find_live(db: &dyn DbSession) -> Result<Option<u32>, DatabaseError> {
    db.fetch_optional(&format!("SELECT process {LIVE_PROCESSES}"), bound![HEARTBEAT_WINDOW], |row| {
        row.get("process")
    })
}

pub fn count(db: &dyn DbSession) -> Result<i64, DatabaseError> {
    db.fetch_scalar(&format!("SELECT count(*) {LIVE_PROCESSES}"), bound![HEARTBEAT_WINDOW])
}
