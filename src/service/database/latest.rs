//! The newest time any row was given, so that a run that starts later goes on
//! after it, whatever the clock says.
//!
//! Knows nothing of what the rows are.

use rusqlite::Connection;

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;

/// One question for each table whose rows are listed by their time; each is
/// answered from an index.
const QUESTIONS: [&str; 3] = [
    "SELECT max((SELECT max(created_at) FROM messages WHERE channel = channels.id)) FROM channels",
    "SELECT max((SELECT max(last_at) FROM conversations WHERE channel = channels.id)) FROM channels",
    "SELECT max((SELECT at FROM outbound ORDER BY seq DESC LIMIT 1), 0)",
];

/// The newest time.
pub fn stamp(db: &Connection) -> Result<Timestamp, DatabaseError> {
    let mut latest = 0;
    for question in QUESTIONS {
        let found: Option<i64> = db.query_row(question, [], |row| row.get(0))?;
        latest = latest.max(found.unwrap_or(0));
    }
    Ok(Timestamp::from_micros(latest))
}
