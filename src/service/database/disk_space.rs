//! Checks the free space of the database's disk by writing, the only way to learn of quotas and
//! reserves.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::database::DatabaseError;
use crate::database::rows::single_cell;
use crate::database::session::DbSession;

const PROBE_BYTES: usize = 1024 * 1024;
const PROBE_ROWS: i64 = 30_000;

/// Writes and removes a file beside the database. A small write to the database would prove
/// nothing, as the log may be overwritten in place.
pub fn probe_folder(database: &Path) -> Result<(), DatabaseError> {
    let mut path = database.as_os_str().to_owned();
    path.push("-room");
    let written = disk::open(Path::new(&path)).and_then(|mut file| {
        let part = [0; 64 * 1024];
        (0..PROBE_BYTES / part.len()).try_for_each(|_| file.write_all(&part))
    });
    let removed = fs::remove_file(&path);
    match written.and(removed) {
        Err(cause) if matches!(cause.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
            Err(DatabaseError::Full(cause.to_string()))
        }
        other => Ok(other?),
    }
}

/// Creates a table in a savepoint that is rolled back. The table is unlogged, and its name is
/// unique to the connection.
pub fn probe_server(db: &dyn DbSession) -> Result<(), DatabaseError> {
    let own: i64 = db.fetch_scalar("SELECT CAST(pg_backend_pid() AS BIGINT)", &[])?;
    db.begin_savepoint()?;
    let sql = format!(
        "CREATE UNLOGGED TABLE room_{own} AS SELECT number FROM generate_series(1, {PROBE_ROWS}) AS number"
    );
    let made = db.change(&sql, &[]);
    let counted = made.and_then(|_| {
        db.fetch_optional(&format!("SELECT number FROM room_{own} LIMIT 1"), &[], single_cell::<i64>)
    });
    db.roll_back_savepoint()?;
    counted.map(drop)
}
