//! Message templates, which belong to the account of a channel.

use crate::database::DatabaseError;
use crate::database::rows::{bound, table};
use crate::database::session::DbSession;
use platforms::{Template, TemplateReport};

table!(Template from templates { name, language, category, status, components, reason });

pub fn put(db: &dyn DbSession, channel: &str, template: &Template) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO templates (channel, name, language, category, status, components, reason)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
               ON CONFLICT (channel, name, language) DO UPDATE SET category = excluded.category,
               status = excluded.status, components = excluded.components, reason = excluded.reason";
    let Template { name, language, category, status, components, reason } = template;
    db.change_later(sql, bound![channel, name, language, category, status, components, reason])
}

/// Stores the result of a review; nothing happens if the channel does not have the template.
pub fn set_review(db: &dyn DbSession, channel: &str, report: &TemplateReport) -> Result<(), DatabaseError> {
    let sql =
        "UPDATE templates SET status = ?4, reason = ?5 WHERE channel = ?1 AND name = ?2 AND language = ?3";
    let TemplateReport { name, language, status, reason } = report;
    db.change_later(sql, bound![channel, name, language, status, reason])
}

pub fn list(db: &dyn DbSession, channel: &str) -> Result<Vec<Template>, DatabaseError> {
    db.fetch_all(&format!("{SELECT} WHERE channel = ?1 ORDER BY name, language"), bound![channel], from_row)
}

pub fn remove(db: &dyn DbSession, channel: &str, name: &str, language: &str) -> Result<bool, DatabaseError> {
    let sql = "DELETE FROM templates WHERE channel = ?1 AND name = ?2 AND language = ?3";
    Ok(db.change(sql, bound![channel, name, language])? > 0)
}

pub fn find(
    db: &dyn DbSession,
    channel: &str,
    name: &str,
    language: &str,
) -> Result<Option<Template>, DatabaseError> {
    let sql = format!("{SELECT} WHERE channel = ?1 AND name = ?2 AND language = ?3");
    db.fetch_optional(&sql, bound![channel, name, language], from_row)
}
