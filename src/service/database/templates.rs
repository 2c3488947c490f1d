//! Templates. Interface: Resources, Template.

use crate::database::DatabaseError;
use crate::database::rows::{bound, table};
use crate::database::session::DbSession;

/// A template of a workspace, approved or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub name: String,
    pub language: String,
    /// UTILITY, MARKETING or AUTHENTICATION.
    pub category: String,
    /// APPROVED, PENDING or REJECTED.
    pub status: String,
    /// A JSON array: header, body, footer, buttons.
    pub components: String,
}

table!(Template from templates { name, language, category, status, components });

/// Adds a template, or replaces the one of its name and language.
pub fn put(db: &dyn DbSession, workspace: &str, template: &Template) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO templates (workspace, name, language, category, status, components)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT (workspace, name, language) DO UPDATE SET category = excluded.category,
               status = excluded.status, components = excluded.components";
    let Template { name, language, category, status, components } = template;
    db.change_later(sql, bound![workspace, name, language, category, status, components])
}

/// The approved ones, by name and language.
pub fn list_approved(db: &dyn DbSession, workspace: &str) -> Result<Vec<Template>, DatabaseError> {
    let sql = format!("{SELECT} WHERE workspace = ?1 AND status = 'APPROVED' ORDER BY name, language");
    db.fetch_all(&sql, bound![workspace], from_row)
}

/// All of them, by name and language.
pub fn list(db: &dyn DbSession, workspace: &str) -> Result<Vec<Template>, DatabaseError> {
    db.fetch_all(
        &format!("{SELECT} WHERE workspace = ?1 ORDER BY name, language"),
        bound![workspace],
        from_row,
    )
}

/// Removes one; false when there is none.
pub fn remove(
    db: &dyn DbSession,
    workspace: &str,
    name: &str,
    language: &str,
) -> Result<bool, DatabaseError> {
    let sql = "DELETE FROM templates WHERE workspace = ?1 AND name = ?2 AND language = ?3";
    Ok(db.change(sql, bound![workspace, name, language])? > 0)
}

/// One by name and language, whatever its status.
pub fn find(
    db: &dyn DbSession,
    workspace: &str,
    name: &str,
    language: &str,
) -> Result<Option<Template>, DatabaseError> {
    let sql = format!("{SELECT} WHERE workspace = ?1 AND name = ?2 AND language = ?3");
    db.fetch_optional(&sql, bound![workspace, name, language], from_row)
}
