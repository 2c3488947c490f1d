//! Contacts of a workspace, one for each phone number.

use crate::cursors::PagePosition;
use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::rows::{bound, single_cell, table};
use crate::database::session::DbSession;
use model::phone_forms;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactRow {
    pub id: String,
    pub workspace: String,
    /// E.164.
    pub phone: String,
    pub name: Option<String>,
    /// True if the business gave the name, which the platform's name then does not replace.
    pub named: bool,
    pub email: Option<String>,
    /// JSON array of strings.
    pub tags: String,
    pub metadata: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub last_at: Timestamp,
}

impl ContactRow {
    /// Creates a contact of which only the number is known.
    pub fn new(id: String, workspace: &str, phone: &str, now: Timestamp) -> Self {
        Self {
            id,
            workspace: workspace.to_owned(),
            phone: phone.to_owned(),
            name: None,
            named: false,
            email: None,
            tags: "[]".to_owned(),
            metadata: "{}".to_owned(),
            created_at: now,
            updated_at: now,
            last_at: now,
        }
    }

    pub fn page_position(&self) -> PagePosition {
        PagePosition { at: self.last_at.micros(), id: self.id.clone() }
    }
}

table!(ContactRow from contacts {
    id, workspace, phone, name, named, email, tags, metadata, created_at, updated_at, last_at
});

pub fn put(db: &dyn DbSession, row: &ContactRow) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO contacts (id, workspace, phone, name, named, email, tags, metadata, created_at,
        updated_at, last_at, folded) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, named = excluded.named, email = excluded.email,
        tags = excluded.tags, metadata = excluded.metadata, updated_at = excluded.updated_at,
        last_at = excluded.last_at, folded = excluded.folded";
    db.change_later(
        sql,
        bound![
            row.id,
            row.workspace,
            row.phone,
            row.name,
            row.named,
            row.email,
            row.tags,
            row.metadata,
            row.created_at,
            row.updated_at,
            row.last_at,
            fold_case(row.name.as_deref().unwrap_or(""))
        ],
    )
}

pub fn set_phone(db: &dyn DbSession, workspace: &str, from: &str, to: &str) -> Result<(), DatabaseError> {
    let sql = "UPDATE contacts SET phone = ?3 WHERE workspace = ?1 AND phone = ?2";
    db.change_later(sql, bound![workspace, from, to])
}

pub fn read(db: &dyn DbSession, workspace: &str, id: &str) -> Result<Option<ContactRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1 AND workspace = ?2"), bound![id, workspace], from_row)
}

/// Finds a contact by any form of a phone number: the exact form first, then the most recently
/// active contact.
pub fn find_by_phone(
    db: &dyn DbSession,
    workspace: &str,
    phone: &str,
) -> Result<Option<ContactRow>, DatabaseError> {
    let forms = phone_forms::all_forms(phone);
    let form = |place: usize| forms.get(place).unwrap_or(&forms[0]);
    let sql = format!(
        "{SELECT} WHERE workspace = ?1 AND phone IN (?2, ?3, ?4, ?5, ?6)
         ORDER BY CASE WHEN phone = ?2 THEN 0 ELSE 1 END, last_at DESC, id LIMIT 1"
    );
    db.fetch_optional(&sql, bound![workspace, form(0), form(1), form(2), form(3), form(4)], from_row)
}

/// Lists contacts with one of the given phone numbers or lower-case mail addresses.
pub fn find_by_address(
    db: &dyn DbSession,
    workspace: &str,
    addresses: &[String],
) -> Result<Vec<ContactRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE workspace = ?1 AND (phone = ?2 OR (lower(email) = ?2 AND email IS NOT NULL))"
    );
    let mut found: Vec<ContactRow> = Vec::new();
    for address in addresses {
        let some: Vec<ContactRow> = db.fetch_all(&sql, bound![workspace, address], from_row)?;
        found.extend(some);
    }
    Ok(found)
}

/// Lists a page, newest activity first; a search matches names and numbers, ignoring case.
pub fn list(
    db: &dyn DbSession,
    workspace: &str,
    search: Option<&str>,
    after: &PagePosition,
    reach: i64,
) -> Result<Vec<ContactRow>, DatabaseError> {
    let name = search.map(fold_case);
    // Numbers are typed with spaces and hyphens, but stored without.
    let number =
        search.map(|search| search.replace([' ', '-', '(', ')', '.'], "")).filter(|entry| !entry.is_empty());
    let sql = format!("{SELECT} WHERE workspace = ?1 AND (last_at, id) < (?2, ?3)");
    let mut query = SqlQuery::new(sql, bound![workspace, after.at, after.id]);
    let forms = number.as_deref().map(phone_forms::all_forms).unwrap_or_default();
    let form: [Option<&String>; 4] = std::array::from_fn(|place| forms.get(place + 1));
    if name.is_some() {
        let sql = " AND (instr(folded, ?) > 0 OR instr(phone, ?) > 0 OR phone IN (?, ?, ?, ?))";
        query.push(sql, bound![name, number, form[0], form[1], form[2], form[3]]);
    }
    query.push(" ORDER BY last_at DESC, id DESC LIMIT ?", bound![reach]);
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, from_row)
}

pub fn newest(db: &dyn DbSession, workspace: &str, count: i64) -> Result<Vec<ContactRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE workspace = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2");
    db.fetch_all(&sql, bound![workspace, count], from_row)
}

pub fn all_ids(db: &dyn DbSession, workspace: &str) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT id FROM contacts WHERE workspace = ?1 ORDER BY created_at, id";
    db.fetch_all(sql, bound![workspace], single_cell)
}

pub fn touch(db: &dyn DbSession, workspace: &str, phone: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let Some(found) = find_by_phone(db, workspace, phone)? else { return Ok(()) };
    db.change_later("UPDATE contacts SET last_at = ?2 WHERE id = ?1 AND last_at < ?2", bound![found.id, at])
}

pub fn delete(db: &dyn DbSession, id: &str) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM contacts WHERE id = ?1", bound![id])
}

fn fold_case(text: &str) -> String {
    text.to_lowercase()
}
