//! Rows that are dated in the future, because they were made while the clock was
//! wrong: they are given their time, in their order, so that what is made from now on
//! stands behind them.

use crate::database::DatabaseError;
use crate::database::latest;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use crate::id_generator::MAX_STAMP_LEAD;
use model::time::Timestamp;

/// Every column that holds when something was made or last happened.
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

/// Returns whether rows are dated further in the future than stamps can be.
pub fn is_needed(db: &dyn DbSession, now: Timestamp) -> Result<bool, DatabaseError> {
    Ok(latest::newest_stamp(db)?.since(now) > MAX_STAMP_LEAD)
}

/// Dates rows of the future anew. `ahead` is how far the clock was wrong, `None` where
/// nobody knows: the newest row is dated now then.
pub fn redate(db: &dyn DbSession, now: Timestamp, ahead: Option<i64>) -> Result<(), DatabaseError> {
    let newest = latest::newest_stamp(db)?.since(now);
    if newest <= MAX_STAMP_LEAD {
        return Ok(());
    }
    // Never less than brings the newest row back.
    let ahead = ahead.unwrap_or(0).max(newest);
    tracing::warn!(seconds = ahead / 1_000_000, "rows are dated in the future, and are dated anew");
    for (table, columns) in DATE_COLUMNS {
        for column in columns {
            let sql = format!("UPDATE {table} SET {column} = {column} - ?1 WHERE {column} > ?2");
            db.change_later(&sql, bound![ahead, now])?;
        }
    }
    Ok(())
}
