use crate::database::DatabaseError;
use crate::database::rows::{bound, table};
use crate::database::session::DbSession;
use platforms::Template;

table!(Template from templates { name, language, category, status, components });

pub fn put(db: &dyn DbSession, workspace: &str, template: &Template) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO templates (workspace, name, language, category, status, components)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT (workspace, name, language) DO UPDATE SET category = excluded.category,
               status = excluded.status, components = excluded.components";
    let Template { name, language, category, status, components } = template;
    db.change_later(sql, bound![workspace, name, language, category, status, components])
}

pub fn list_approved(db: &dyn DbSession, workspace: &str) -> Result<Vec<Template>, DatabaseError> {
    let sql = format!("{SELECT} WHERE workspace = ?1 AND status = 'APPROVED' ORDER BY name, language");
    db.fetch_all(&sql, bound![workspace], from_row)
}

pub fn list(db: &dyn DbSession, workspace: &str) -> Result<Vec<Template>, DatabaseError> {
    db.fetch_all(
        &format!("{SELECT} WHERE workspace = ?1 ORDER BY name, language"),
        bound![workspace],
        from_row,
    )
}

pub fn remove(
    db: &dyn DbSession,
    workspace: &str,
    name: &str,
    language: &str,
) -> Result<bool, DatabaseError> {
    let sql = "DELETE FROM templates WHERE workspace = ?1 AND name = ?2 AND language = ?3";
    Ok(db.change(sql, bound![workspace, name, language])? > 0)
}

pub fn find(
    db: &dyn DbSession,
    workspace: &str,
    name: &str,
    language: &str,
) -> Result<Option<Template>, DatabaseError> {
    let sql = format!("{SELECT} WHERE workspace = ?1 AND name = ?2 AND language = ?3");
    db.fetch_optional(&sql, bound![workspace, name, language], from_row)
}
