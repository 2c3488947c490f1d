//! Templates. Interface: Resources, Template.

use rusqlite::{Connection, params};

use crate::database::DatabaseError;
use sqlite::{Queries, columns};

/// A template of a workspace, approved or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// Its language code.
    pub language: String,
    /// UTILITY, MARKETING or AUTHENTICATION.
    pub category: String,
    /// APPROVED, PENDING or REJECTED.
    pub status: String,
    /// A JSON array: header, body, footer, buttons.
    pub components: String,
}

columns!(Template from templates { name, language, category, status, components });

/// Adds a template, or replaces the one of its name and language.
pub fn put(db: &Connection, workspace: &str, template: &Template) -> Result<(), DatabaseError> {
    let sql = "INSERT OR REPLACE INTO templates (workspace, name, language, category, status, components)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let Template { name, language, category, status, components } = template;
    db.execute(sql, params![workspace, name, language, category, status, components])?;
    Ok(())
}

/// The approved ones, by name and language.
pub fn approved(db: &Connection, workspace: &str) -> Result<Vec<Template>, DatabaseError> {
    let sql = format!("{SELECT} WHERE workspace = ?1 AND status = 'APPROVED' ORDER BY name, language");
    Ok(db.all(&sql, [workspace], from_row)?)
}

/// All of them, by name and language.
pub fn all(db: &Connection, workspace: &str) -> Result<Vec<Template>, DatabaseError> {
    Ok(db.all(&format!("{SELECT} WHERE workspace = ?1 ORDER BY name, language"), [workspace], from_row)?)
}

/// Removes one; false when there is none.
pub fn remove(db: &Connection, workspace: &str, name: &str, language: &str) -> Result<bool, DatabaseError> {
    let sql = "DELETE FROM templates WHERE workspace = ?1 AND name = ?2 AND language = ?3";
    Ok(db.execute(sql, params![workspace, name, language])? > 0)
}

/// One by name and language, whatever its status.
pub fn find(
    db: &Connection,
    workspace: &str,
    name: &str,
    language: &str,
) -> Result<Option<Template>, DatabaseError> {
    let sql = format!("{SELECT} WHERE workspace = ?1 AND name = ?2 AND language = ?3");
    Ok(db.first(&sql, [workspace, name, language], from_row)?)
}
