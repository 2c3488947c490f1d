//! Log of webhook delivery attempts, and dead letters: events whose delivery was given up.
//!
//! The log is bounded by number for each webhook, and by age ([`retention`](crate::retention)). A dead letter is a
//! delivery that has neither arrived nor a next attempt.

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, bound};
use crate::database::session::DbSession;
use model::time::Timestamp;
use sqlite::read_row;

const MAX_ATTEMPTS_PER_WEBHOOK: i64 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRow {
    pub webhook: String,
    pub delivery: String,
    pub event: String,
    /// `message.received`, …
    pub name: String,
    /// Number of the attempt, from 1.
    pub attempt: i64,
    /// `arrived`, `failed`, `given up` or `refused` (410).
    pub outcome: String,
    /// HTTP status; `None` without an answer.
    pub status: Option<u16>,
    /// Reason for a missing answer.
    pub failure: Option<String>,
    pub millis: i64,
    pub at: Timestamp,
    pub next_at: Option<Timestamp>,
}

/// An event that one webhook did not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// Id of the delivery.
    pub id: String,
    pub webhook: String,
    pub event: String,
    pub name: String,
    pub attempts: i64,
    /// Time of the event.
    pub at: Timestamp,
}

/// Appends an attempt and removes old ones of its webhook.
pub fn insert(db: &dyn DbSession, row: &AttemptRow) -> Result<(), DatabaseError> {
    let newest = "SELECT coalesce(max(number), 0) AS newest FROM delivery_attempts WHERE webhook = ?1";
    let newest: i64 = db.fetch_scalar(newest, bound![row.webhook])?;
    let sql =
        "INSERT INTO delivery_attempts (webhook, number, delivery, event, name, attempt, outcome, status,
               failure, millis, at, next_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let AttemptRow { webhook, delivery, event, name, attempt, outcome, status, failure, millis, at, next_at } =
        row;
    let number = newest + 1;
    db.change_later(
        sql,
        bound![
            webhook, number, delivery, event, name, attempt, outcome, status, failure, millis, at, next_at
        ],
    )?;
    let excess = "DELETE FROM delivery_attempts WHERE webhook = ?1 AND number <= ?2";
    db.change_later(excess, bound![webhook, number - MAX_ATTEMPTS_PER_WEBHOOK])
}

/// Lists the attempts of a webhook, newest first; with `only_failed` those that did not arrive.
pub fn list(
    db: &dyn DbSession,
    webhook: &str,
    only_failed: bool,
    limit: u32,
) -> Result<Vec<AttemptRow>, DatabaseError> {
    let which = if only_failed { "AND outcome <> 'arrived'" } else { "" };
    let sql = format!(
        "SELECT webhook, delivery, event, name, attempt, outcome, status, failure, millis, at, next_at
         FROM delivery_attempts WHERE webhook = ?1 {which} ORDER BY number DESC LIMIT ?2"
    );
    db.fetch_all(&sql, bound![webhook, limit], |row| {
        Ok(read_row!(
            row,
            AttemptRow {
                webhook,
                delivery,
                event,
                name,
                attempt,
                outcome,
                status,
                failure,
                millis,
                at,
                next_at
            }
        ))
    })
}

const DEAD: &str = "SELECT deliveries.id, webhook, event, name, attempts, events.at
                    FROM deliveries JOIN events ON events.id = event
                    WHERE webhook = ?1 AND due_at IS NULL AND delivered_at IS NULL";

/// Lists the dead letters of a webhook, oldest first.
pub fn list_dead(db: &dyn DbSession, webhook: &str, limit: u32) -> Result<Vec<DeadLetter>, DatabaseError> {
    db.fetch_all(&format!("{DEAD} ORDER BY deliveries.id LIMIT ?2"), bound![webhook, limit], dead_from_row)
}

fn dead_from_row(row: &DbRow<'_>) -> Result<DeadLetter, DatabaseError> {
    Ok(read_row!(row, DeadLetter { id, webhook, event, name, attempts, at }))
}

/// Makes all dead letters of a webhook due, with all their attempts before them. Returns their number.
pub fn replay_dead(db: &dyn DbSession, webhook: &str, now: Timestamp) -> Result<u64, DatabaseError> {
    let sql = "UPDATE deliveries SET due_at = ?2, attempts = 0
               WHERE webhook = ?1 AND due_at IS NULL AND delivered_at IS NULL";
    db.change(sql, bound![webhook, now])
}

/// Makes a delivery due again that has arrived or was given up; false if it waits already, or is no longer
/// stored.
pub fn replay(db: &dyn DbSession, delivery: &str, now: Timestamp) -> Result<bool, DatabaseError> {
    let sql = "UPDATE deliveries SET due_at = ?2, attempts = 0, delivered_at = NULL
               WHERE id = ?1 AND due_at IS NULL";
    Ok(db.change(sql, bound![delivery, now])? > 0)
}

pub fn find_webhook(db: &dyn DbSession, delivery: &str) -> Result<Option<String>, DatabaseError> {
    let sql = "SELECT webhook FROM deliveries WHERE id = ?1";
    db.fetch_optional(sql, bound![delivery], crate::database::rows::single_cell)
}

/// Counts the deliveries of a webhook that wait, and its dead letters.
pub fn count_open(db: &dyn DbSession, webhook: &str) -> Result<(i64, i64), DatabaseError> {
    let waiting = "SELECT count(*) FROM deliveries WHERE webhook = ?1 AND due_at IS NOT NULL";
    let dead =
        "SELECT count(*) FROM deliveries WHERE webhook = ?1 AND due_at IS NULL AND delivered_at IS NULL";
    Ok((db.fetch_scalar(waiting, bound![webhook])?, db.fetch_scalar(dead, bound![webhook])?))
}

/// Counts the waiting deliveries and the dead letters of each of the oldest webhooks.
pub fn count_by_webhook(db: &dyn DbSession, limit: u32) -> Result<Vec<(String, i64, i64)>, DatabaseError> {
    let sql =
        "SELECT id, (SELECT count(*) FROM deliveries WHERE webhook = webhooks.id AND due_at IS NOT NULL)
                   AS waiting,
               (SELECT count(*) FROM deliveries WHERE webhook = webhooks.id AND due_at IS NULL
                   AND delivered_at IS NULL) AS dead
               FROM webhooks ORDER BY created_at, id LIMIT ?1";
    db.fetch_all(sql, bound![limit], |row| Ok((row.get("id")?, row.get("waiting")?, row.get("dead")?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_of_a_webhook_is_bounded() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        for schema in [include_str!("schema.sql"), include_str!("schema_operating.sql")] {
            db.execute_batch(schema).expect("made");
        }
        db.pragma_update(None, "foreign_keys", false).expect("set");
        let db: &dyn DbSession = &db;
        let row = |number: i64, at: i64, outcome: &str| AttemptRow {
            webhook: "wh".to_owned(),
            delivery: format!("dlv_{number}"),
            event: "evt".to_owned(),
            name: "message.received".to_owned(),
            attempt: 1,
            outcome: outcome.to_owned(),
            status: Some(500),
            failure: None,
            millis: 3,
            at: Timestamp::from_micros(at),
            next_at: None,
        };
        for number in 0..MAX_ATTEMPTS_PER_WEBHOOK + 5 {
            insert(db, &row(number, number, "arrived")).expect("logged");
        }
        let all = list(db, "wh", false, u32::MAX).expect("read");
        assert_eq!(i64::try_from(all.len()).expect("few"), MAX_ATTEMPTS_PER_WEBHOOK);
        assert_eq!(all[0].delivery, format!("dlv_{}", MAX_ATTEMPTS_PER_WEBHOOK + 4));
        let late = row(1_000_000, 1_000_000, "failed");
        insert(db, &late).expect("logged");
        assert_eq!(list(db, "wh", true, 10).expect("read"), [late]);
    }
}
