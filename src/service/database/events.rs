//! Events and their deliveries. Interface: Events.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use model::time::{DAY, Timestamp};
use sqlite::read_row;

/// How long events are kept after the last of their deliveries is over.
const EVENT_RETENTION: i64 = 7 * DAY;
/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Its id, which every delivery of it carries.
    pub id: String,
    pub channel: String,
    /// `message.received`, …
    pub name: String,
    /// Conversation or thread that it tells of.
    pub subject: Option<String>,
    /// The exact bytes of the envelope.
    pub body: Vec<u8>,
    pub at: Timestamp,
}

/// A delivery whose next attempt is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    pub id: String,
    /// The subscription it goes to.
    pub webhook: String,
    pub event: String,
    pub body: Vec<u8>,
    pub attempts: usize,
    pub due_at: Timestamp,
}

/// Stores an event, and forgets some that are long over.
pub fn insert(db: &dyn DbSession, row: &EventRow) -> Result<(), DatabaseError> {
    let purge = "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE at <= ?1 AND NOT EXISTS
                 (SELECT 1 FROM deliveries WHERE event = events.id AND due_at IS NOT NULL)
                 ORDER BY at LIMIT 20 /* skip locked */)";
    db.change_later(purge, bound![row.at.plus(-EVENT_RETENTION).micros()])?;
    let sql = "INSERT INTO events (id, channel, name, subject, body, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let EventRow { id, channel, name, subject, body, at } = row;
    db.change_later(sql, bound![id, channel, name, subject, body, at])
}

/// Sets an event to be delivered to a subscription.
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

/// The longest waiting deliveries that are due, so many for each subscription
/// at most.
pub fn list_due(db: &dyn DbSession, now: Timestamp, each: i64) -> Result<Vec<DueDelivery>, DatabaseError> {
    let waiting = "SELECT id FROM webhooks WHERE EXISTS (SELECT 1 FROM deliveries
                   WHERE webhook = webhooks.id AND due_at <= ?1 AND due_at IS NOT NULL)";
    let webhooks: Vec<String> = db.fetch_all(waiting, bound![now.micros()], single_cell)?;
    let sql = "SELECT deliveries.id, webhook, event, body, attempts, due_at
               FROM deliveries JOIN events ON events.id = event
               WHERE webhook = ?1 AND due_at <= ?2 AND due_at IS NOT NULL
               ORDER BY due_at, deliveries.id LIMIT ?3";
    let mut found = Vec::new();
    for webhook in webhooks {
        let rows: Vec<_> = db.fetch_all(sql, bound![webhook, now, each], |row| {
            Ok(read_row!(row, DueDelivery { id, webhook, event, body, attempts: number, due_at }))
        })?;
        found.extend(rows);
    }
    Ok(found)
}

/// When the next attempt of any delivery is due.
pub fn next_due(db: &dyn DbSession) -> Result<Option<Timestamp>, DatabaseError> {
    let sql = "SELECT due_at FROM deliveries WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1";
    db.fetch_optional(sql, &[], single_cell)
}

fn attempt_count(tried: &DueDelivery) -> i64 {
    i64::try_from(tried.attempts).unwrap_or(i64::MAX)
}

/// Notes that an attempt succeeded, unless that is noted already.
pub fn mark_delivered(db: &dyn DbSession, tried: &DueDelivery, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE deliveries SET attempts = attempts + 1, due_at = NULL, delivered_at = ?3
               WHERE id = ?1 AND attempts = ?2";
    db.change_later(sql, bound![tried.id, attempt_count(tried), at])
}

/// Notes that an attempt failed, and when the next one is due, if there is
/// one.
pub fn mark_failed(
    db: &dyn DbSession,
    tried: &DueDelivery,
    next: Option<Timestamp>,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE deliveries SET attempts = attempts + 1, due_at = ?3 WHERE id = ?1 AND attempts = ?2";
    db.change_later(sql, bound![tried.id, attempt_count(tried), next])
}

/// Gives up all that waits for a subscription.
pub fn cancel_deliveries(db: &dyn DbSession, webhook: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE deliveries SET due_at = NULL WHERE webhook = ?1 AND due_at IS NOT NULL";
    db.change_later(sql, bound![webhook])
}
