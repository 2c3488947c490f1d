//! Webhook subscriptions. Interface: Resources, Webhook subscription.

use rusqlite::{Connection, params};

use crate::database::DatabaseError;
use model::time::Timestamp;
use sqlite::{Queries, columns, only};

/// A subscription of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRow {
    /// Its id.
    pub id: String,
    /// The channel it listens to.
    pub channel: String,
    /// Where deliveries go.
    pub url: String,
    /// A JSON array of event names.
    pub events: String,
    /// The sealed secret, if there is one.
    pub secret: Option<Vec<u8>>,
    /// Whether anything is delivered.
    pub active: bool,
    /// Since when no delivery has succeeded.
    pub failing_since: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

columns!(WebhookRow in webhooks { id, channel, url, events, secret, active, failing_since, created_at });

/// Makes a subscription.
pub fn insert(db: &Connection, row: &WebhookRow) -> Result<(), DatabaseError> {
    store(db, row)?;
    Ok(())
}

/// All of a channel, oldest first.
pub fn list(db: &Connection, channel: &str) -> Result<Vec<WebhookRow>, DatabaseError> {
    Ok(db.all(&format!("{SELECT} WHERE channel = ?1 ORDER BY created_at, id"), [channel], from_row)?)
}

/// One by id.
pub fn read(db: &Connection, id: &str) -> Result<Option<WebhookRow>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE id = ?1"), [id], from_row)?)
}

/// How many a channel has.
pub fn count(db: &Connection, channel: &str) -> Result<usize, DatabaseError> {
    let sql = "SELECT count(*) FROM webhooks WHERE channel = ?1";
    let count: i64 = db.scalar(sql, [channel])?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The ids of a channel's active subscriptions that name an event.
pub fn listening(db: &Connection, channel: &str, event: &str) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT id FROM webhooks WHERE channel = ?1 AND active = 1
               AND EXISTS (SELECT 1 FROM json_each(webhooks.events) WHERE value = ?2) ORDER BY created_at, id";
    Ok(db.all(sql, [channel, event], only)?)
}

/// Removes one of a channel, with its deliveries; false when there is none.
pub fn delete(db: &Connection, channel: &str, id: &str) -> Result<bool, DatabaseError> {
    let sql = "DELETE FROM webhooks WHERE id = ?1 AND channel = ?2";
    Ok(db.prepare_cached(sql)?.execute([id, channel])? > 0)
}

/// Notes since when nothing arrives, or that something has.
pub fn set_failing(db: &Connection, id: &str, since: Option<Timestamp>) -> Result<(), DatabaseError> {
    let sql = "UPDATE webhooks SET failing_since = ?2 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, since])?;
    Ok(())
}

/// Delivers nothing more to a subscription.
pub fn deactivate(db: &Connection, id: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("UPDATE webhooks SET active = 0 WHERE id = ?1")?.execute([id])?;
    Ok(())
}
