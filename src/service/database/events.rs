//! Events and their webhook deliveries.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use model::time::Timestamp;
use sqlite::read_row;

/// Number of events that a step of the purge checks.
const PURGED_AT_ONCE: i64 = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Id of the event, contained in each of its deliveries.
    pub id: String,
    pub channel: String,
    /// `message.received`, …
    pub name: String,
    pub subject: Option<String>,
    /// Exact bytes of the envelope.
    pub body: Vec<u8>,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    pub id: String,
    pub webhook: String,
    pub event: String,
    /// `message.received`, …
    pub name: String,
    pub body: Vec<u8>,
    pub attempts: usize,
    pub due_at: Timestamp,
}

pub fn insert(db: &dyn DbSession, row: &EventRow) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO events (id, channel, name, subject, body, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let EventRow { id, channel, name, subject, body, at } = row;
    db.change_later(sql, bound![id, channel, name, subject, body, at])
}

/// Removes events that are old enough: those that every webhook got, and those that one did not get, each with
/// a limit of its own. Keeps events with a pending delivery. `after` is the time of the last event checked.
/// Returns the number of removed events, and that time for the next call, `None` at the end.
pub fn purge(
    db: &dyn DbSession,
    (delivered_before, dead_before): (Timestamp, Timestamp),
    after: Timestamp,
) -> Result<(u64, Option<Timestamp>), DatabaseError> {
    let newest = delivered_before.max(dead_before);
    let aged = "SELECT at FROM events WHERE at > ?1 AND at <= ?2 ORDER BY at LIMIT 1 OFFSET ?3";
    let last: Option<Timestamp> =
        db.fetch_optional(aged, bound![after, newest, PURGED_AT_ONCE], single_cell)?;
    let until = last.unwrap_or(newest);
    let sql = "DELETE FROM events WHERE at > ?1 AND at <= ?2
               AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = events.id AND due_at IS NOT NULL)
               AND CASE WHEN EXISTS (SELECT 1 FROM deliveries WHERE event = events.id AND due_at IS NULL
                   AND delivered_at IS NULL) THEN at <= ?3 ELSE at <= ?4 END";
    let removed = db.change(sql, bound![after, until, dead_before, delivered_before])?;
    Ok((removed, last))
}

pub fn schedule_delivery(
    db: &dyn DbSession,
    id: &str,
    event: &str,
    webhook: &str,
    due_at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO deliveries (id, event, webhook, due_at) VALUES (?1, ?2, ?3, ?4)";
    db.change_later(sql, bound![id, event, webhook, due_at])
}

/// Lists the due deliveries that have waited longest, at most `each` per subscription.
pub fn list_due(db: &dyn DbSession, now: Timestamp, each: i64) -> Result<Vec<DueDelivery>, DatabaseError> {
    let waiting = "SELECT id FROM webhooks WHERE EXISTS (SELECT 1 FROM deliveries
                   WHERE webhook = webhooks.id AND due_at <= ?1 AND due_at IS NOT NULL)";
    let webhooks: Vec<String> = db.fetch_all(waiting, bound![now.micros()], single_cell)?;
    let sql = "SELECT deliveries.id, webhook, event, name, body, attempts, due_at
               FROM deliveries JOIN events ON events.id = event
               WHERE webhook = ?1 AND due_at <= ?2 AND due_at IS NOT NULL
               ORDER BY due_at, deliveries.id LIMIT ?3";
    let mut found = Vec::new();
    for webhook in webhooks {
        let rows: Vec<_> = db.fetch_all(sql, bound![webhook, now, each], |row| {
            Ok(read_row!(row, DueDelivery { id, webhook, event, name, body, attempts: number, due_at }))
        })?;
        found.extend(rows);
    }
    Ok(found)
}

pub fn next_due(db: &dyn DbSession) -> Result<Option<Timestamp>, DatabaseError> {
    let sql = "SELECT due_at FROM deliveries WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1";
    db.fetch_optional(sql, &[], single_cell)
}

fn attempt_count(tried: &DueDelivery) -> i64 {
    i64::try_from(tried.attempts).unwrap_or(i64::MAX)
}

/// Records a successful attempt, unless it is recorded already.
pub fn mark_delivered(db: &dyn DbSession, tried: &DueDelivery, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE deliveries SET attempts = attempts + 1, due_at = NULL, delivered_at = ?3
               WHERE id = ?1 AND attempts = ?2";
    db.change_later(sql, bound![tried.id, attempt_count(tried), at])
}

/// Records a failed attempt; `next` is the time of the next one, if any.
pub fn mark_failed(
    db: &dyn DbSession,
    tried: &DueDelivery,
    next: Option<Timestamp>,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE deliveries SET attempts = attempts + 1, due_at = ?3 WHERE id = ?1 AND attempts = ?2";
    db.change_later(sql, bound![tried.id, attempt_count(tried), next])
}

pub fn cancel_deliveries(db: &dyn DbSession, webhook: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE deliveries SET due_at = NULL WHERE webhook = ?1 AND due_at IS NOT NULL";
    db.change_later(sql, bound![webhook])
}
