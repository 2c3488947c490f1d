//! Templates. Interface: Resources, Template.
//!
//! Knows nothing of filling variables.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::service::database::DatabaseError;

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

const COLUMNS: &str =
    "SELECT name, language, category, status, components FROM templates WHERE workspace = ?1";

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
    let mut statement =
        db.prepare_cached(&format!("{COLUMNS} AND status = 'APPROVED' ORDER BY name, language"))?;
    let rows = statement.query_map([workspace], map)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// All of them, by name and language.
pub fn all(db: &Connection, workspace: &str) -> Result<Vec<Template>, DatabaseError> {
    let mut statement = db.prepare_cached(&format!("{COLUMNS} ORDER BY name, language"))?;
    let rows = statement.query_map([workspace], map)?;
    Ok(rows.collect::<Result<_, _>>()?)
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
    let mut statement = db.prepare_cached(&format!("{COLUMNS} AND name = ?2 AND language = ?3"))?;
    Ok(statement.query_row([workspace, name, language], map).optional()?)
}

fn map(row: &Row<'_>) -> rusqlite::Result<Template> {
    Ok(Template {
        name: row.get(0)?,
        language: row.get(1)?,
        category: row.get(2)?,
        status: row.get(3)?,
        components: row.get(4)?,
    })
}
