//! Webhook subscriptions. Interface: Resources, Webhook subscription.
//!
//! Knows nothing of events beyond their names, or of how a secret is sealed.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;

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

const COLUMNS: &str =
    "SELECT id, channel, url, events, secret, active, failing_since, created_at FROM webhooks";

/// Makes a subscription.
pub fn insert(db: &Connection, row: &WebhookRow) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO webhooks (id, channel, url, events, secret, active, failing_since, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let WebhookRow { id, channel, url, events, secret, active, failing_since, created_at } = row;
    db.prepare_cached(sql)?.execute(params![
        id,
        channel,
        url,
        events,
        secret,
        active,
        failing_since.map(Timestamp::micros),
        created_at.micros()
    ])?;
    Ok(())
}

/// All of a channel, oldest first.
pub fn list(db: &Connection, channel: &str) -> Result<Vec<WebhookRow>, DatabaseError> {
    let mut statement =
        db.prepare_cached(&format!("{COLUMNS} WHERE channel = ?1 ORDER BY created_at, id"))?;
    let rows = statement.query_map([channel], map)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One by id.
pub fn read(db: &Connection, id: &str) -> Result<Option<WebhookRow>, DatabaseError> {
    let mut statement = db.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
    Ok(statement.query_row([id], map).optional()?)
}

/// How many a channel has.
pub fn count(db: &Connection, channel: &str) -> Result<usize, DatabaseError> {
    let sql = "SELECT count(*) FROM webhooks WHERE channel = ?1";
    let count: i64 = db.prepare_cached(sql)?.query_row([channel], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The ids of a channel's active subscriptions that name an event.
pub fn listening(db: &Connection, channel: &str, event: &str) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT id FROM webhooks WHERE channel = ?1 AND active = 1
               AND EXISTS (SELECT 1 FROM json_each(webhooks.events) WHERE value = ?2) ORDER BY created_at, id";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([channel, event], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Removes one of a channel, with its deliveries; false when there is none.
pub fn delete(db: &Connection, channel: &str, id: &str) -> Result<bool, DatabaseError> {
    let sql = "DELETE FROM webhooks WHERE id = ?1 AND channel = ?2";
    Ok(db.prepare_cached(sql)?.execute([id, channel])? > 0)
}

/// Notes since when nothing arrives, or that something has.
pub fn set_failing(db: &Connection, id: &str, since: Option<Timestamp>) -> Result<(), DatabaseError> {
    let sql = "UPDATE webhooks SET failing_since = ?2 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, since.map(Timestamp::micros)])?;
    Ok(())
}

/// Delivers nothing more to a subscription.
pub fn deactivate(db: &Connection, id: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("UPDATE webhooks SET active = 0 WHERE id = ?1")?.execute([id])?;
    Ok(())
}

fn map(row: &Row<'_>) -> rusqlite::Result<WebhookRow> {
    Ok(WebhookRow {
        id: row.get(0)?,
        channel: row.get(1)?,
        url: row.get(2)?,
        events: row.get(3)?,
        secret: row.get(4)?,
        active: row.get(5)?,
        failing_since: row.get::<_, Option<i64>>(6)?.map(Timestamp::from_micros),
        created_at: Timestamp::from_micros(row.get(7)?),
    })
}
