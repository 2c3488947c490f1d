//! Redates rows dated in the future because the clock was wrong: they are shifted back in order, so
//! that new rows follow them.

use crate::database::rows::bound;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, latest};
use crate::id_generator::MAX_STAMP_LEAD;
use model::time::Timestamp;

/// All columns with the time of creation or of the last activity.
const DATE_COLUMNS: [(&str, &[&str]); 10] = [
    ("messages", &["created_at", "delivered_at", "read_at"]),
    ("conversations", &["created_at", "first_at", "last_at", "last_inbound_at"]),
    ("emails", &["created_at", "opened_at"]),
    ("threads", &["created_at", "last_at"]),
    ("contacts", &["created_at", "updated_at", "last_at"]),
    ("broadcasts", &["created_at"]),
    ("webhooks", &["created_at"]),
    ("outbound", &["at"]),
    ("egress", &["place"]),
    ("ingress", &["place"]),
];

/// Returns true if rows are dated further in the future than stamps can be.
pub fn is_needed(db: &dyn DbSession, now: Timestamp) -> Result<bool, DatabaseError> {
    Ok(latest::newest_stamp(db)?.since(now) > MAX_STAMP_LEAD)
}

/// Shifts the rows dated in the future by `ahead`, the error of the clock; if `None`, the newest
/// row is dated now.
pub fn redate(db: &dyn DbSession, now: Timestamp, ahead: Option<i64>) -> Result<(), DatabaseError> {
    let newest = latest::newest_stamp(db)?.since(now);
    if newest <= MAX_STAMP_LEAD {
        return Ok(());
    }
    // At least enough to bring the newest row back.
    let ahead = ahead.unwrap_or(0).max(newest);
    tracing::warn!(seconds = ahead / 1_000_000, "rows with dates in the future get new dates");
    for (table, columns) in DATE_COLUMNS {
        for column in columns {
            let sql = format!("UPDATE {table} SET {column} = {column} - ?1 WHERE {column} > ?2");
            db.change_later(&sql, bound![ahead, now])?;
        }
    }
    Ok(())
}
