use crate::database::DatabaseError;
use crate::database::rows::{bound, table};
use crate::database::session::DbSession;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRow {
    pub id: String,
    pub channel: String,
    pub url: String,
    /// JSON array of event names.
    pub events: String,
    pub secret: Option<Vec<u8>>,
    pub active: bool,
    /// Time since which no delivery has succeeded.
    pub failing_since: Option<Timestamp>,
    pub created_at: Timestamp,
    /// Reason why delivery has ended; `None` while it is active, or if it ended before reasons were stored.
    pub ended_why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// Every attempt failed for the longest allowed time.
    Failing,
    /// The endpoint answered 410 Gone.
    Gone,
    Operator,
}

impl EndReason {
    pub fn word(self) -> &'static str {
        match self {
            Self::Failing => "failing",
            Self::Gone => "gone",
            Self::Operator => "operator",
        }
    }
}

table!(WebhookRow in webhooks { id, channel, url, events, secret, active, failing_since, created_at, ended_why });

pub fn insert(db: &dyn DbSession, row: &WebhookRow) -> Result<(), DatabaseError> {
    store(db, row)
}

pub fn list(db: &dyn DbSession, channel: &str) -> Result<Vec<WebhookRow>, DatabaseError> {
    db.fetch_all(&format!("{SELECT} WHERE channel = ?1 ORDER BY created_at, id"), bound![channel], from_row)
}

/// Lists the active webhooks of all channels whose deliveries fail.
pub fn failing(db: &dyn DbSession) -> Result<Vec<WebhookRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE active AND failing_since IS NOT NULL ORDER BY failing_since, id");
    db.fetch_all(&sql, bound![], from_row)
}

pub fn read(db: &dyn DbSession, id: &str) -> Result<Option<WebhookRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

pub fn count(db: &dyn DbSession, channel: &str) -> Result<usize, DatabaseError> {
    let sql = "SELECT count(*) FROM webhooks WHERE channel = ?1";
    let count: i64 = db.fetch_scalar(sql, bound![channel])?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

pub fn list_listening(db: &dyn DbSession, channel: &str, event: &str) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT id, events FROM webhooks WHERE channel = ?1 AND active ORDER BY created_at, id";
    let active: Vec<(String, Vec<String>)> =
        db.fetch_all(sql, bound![channel], |row| Ok((row.get("id")?, row.json("events")?)))?;
    let named = active.into_iter().filter(|(_, events)| events.iter().any(|entry| entry == event));
    Ok(named.map(|(id, _)| id).collect())
}

pub fn delete(db: &dyn DbSession, channel: &str, id: &str) -> Result<bool, DatabaseError> {
    let sql = "DELETE FROM webhooks WHERE id = ?1 AND channel = ?2";
    Ok(db.change(sql, bound![id, channel])? > 0)
}

/// Records since when deliveries fail, or clears it.
pub fn set_failing(db: &dyn DbSession, id: &str, since: Option<Timestamp>) -> Result<(), DatabaseError> {
    let sql = "UPDATE webhooks SET failing_since = ?2 WHERE id = ?1";
    db.change_later(sql, bound![id, since])
}

pub fn deactivate(db: &dyn DbSession, id: &str, why: EndReason) -> Result<(), DatabaseError> {
    let sql = "UPDATE webhooks SET active = FALSE, ended_why = ?2 WHERE id = ?1";
    db.change_later(sql, bound![id, why.word()])
}

/// Starts a subscription again, as if nothing had failed.
pub fn activate(db: &dyn DbSession, id: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE webhooks SET active = TRUE, ended_why = NULL, failing_since = NULL WHERE id = ?1";
    db.change_later(sql, bound![id])
}
