//! Contacts of a workspace, one for each phone number.

use crate::cursors::PagePosition;
use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::rows::{SqlValue, bound, single_cell, table};
use crate::database::search_parts;
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

    fn folded_name(&self) -> String {
        fold_case(self.name.as_deref().unwrap_or(""))
    }

    pub fn page_position(&self) -> PagePosition {
        PagePosition { at: self.last_at.micros(), id: self.id.clone() }
    }
}

table!(ContactRow from contacts {
    id, workspace, phone, name, named, email, tags, metadata, created_at, updated_at, last_at
});

/// Inserts a contact, or replaces the stored one, `before`, except for its number.
pub fn put(db: &dyn DbSession, before: Option<&ContactRow>, row: &ContactRow) -> Result<(), DatabaseError> {
    index(db, (&row.workspace, &row.id), before, Some(row))?;
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
            row.folded_name()
        ],
    )
}

/// Replaces the search parts of a contact.
fn index(
    db: &dyn DbSession,
    of: (&str, &str),
    before: Option<&ContactRow>,
    after: Option<&ContactRow>,
) -> Result<(), DatabaseError> {
    let texts = |row: &ContactRow| vec![row.folded_name(), row.phone.clone()];
    let (before, after) = (before.map(texts).unwrap_or_default(), after.map(texts).unwrap_or_default());
    search_parts::replace(db, of, &before, &after)
}

pub fn set_phone(db: &dyn DbSession, contact: &ContactRow, to: &str) -> Result<(), DatabaseError> {
    let changed = ContactRow { phone: to.to_owned(), ..contact.clone() };
    index(db, (&contact.workspace, &contact.id), Some(contact), Some(&changed))?;
    db.change_later("UPDATE contacts SET phone = ?2 WHERE id = ?1", bound![contact.id, to])
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
    let search = search.map(Search::new);
    let candidates = match &search {
        Some(search) => search.candidates(db, workspace)?,
        None => None,
    };
    let begin = |column: &str| {
        let sql = format!("{SELECT} WHERE {column} = ?1 AND (last_at, id) < (?2, ?3)");
        SqlQuery::new(sql, bound![workspace, after.at, after.id])
    };
    let Some(candidates) = candidates else {
        return fetch_page(db, begin("workspace"), search.as_ref(), reach);
    };
    search_parts::page_of(&candidates, reach, ContactRow::page_position, |ids| {
        // Steers the planner to the ids.
        let mut query = begin("workspace || ''");
        query.filter_in("id", ids, search_parts::CHUNK_ROWS);
        fetch_page(db, query, search.as_ref(), reach)
    })
}

fn fetch_page<'a>(
    db: &dyn DbSession,
    mut query: SqlQuery<'a>,
    search: Option<&'a Search>,
    reach: i64,
) -> Result<Vec<ContactRow>, DatabaseError> {
    if let Some(search) = search {
        let sql = " AND (instr(folded, ?) > 0 OR instr(phone, ?) > 0 OR phone IN (?, ?, ?, ?))";
        let forms = &search.forms;
        query.push(sql, bound![search.name, search.number, forms[0], forms[1], forms[2], forms[3]]);
    }
    query.push(" ORDER BY last_at DESC, id DESC LIMIT ?", &[SqlValue::Int(reach)]);
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, from_row)
}

struct Search {
    /// In lower case.
    name: String,
    /// Without spaces and hyphens, with which numbers are typed but not stored.
    number: Option<String>,
    /// Other forms of a whole number.
    forms: [Option<String>; 4],
}

impl Search {
    fn new(text: &str) -> Self {
        let number = Some(text.replace([' ', '-', '(', ')', '.'], "")).filter(|number| !number.is_empty());
        let mut forms = number.as_deref().map(phone_forms::all_forms).unwrap_or_default().into_iter().skip(1);
        Self { name: fold_case(text), number, forms: std::array::from_fn(|_| forms.next()) }
    }

    /// Returns the distinct ids of the contacts that may match; `None` if there are too many.
    fn candidates(&self, db: &dyn DbSession, workspace: &str) -> Result<Option<Vec<String>>, DatabaseError> {
        let Some(number) = &self.number else { return Ok(None) };
        let by_name = search_parts::find_candidates(db, workspace, &self.name)?;
        let Some(mut found) = by_name else { return Ok(None) };
        // A name with its spaces left out is no number.
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'+');
        if is_number && *number != self.name {
            let by_number = search_parts::find_candidates(db, workspace, number)?;
            let Some(by_number) = by_number else { return Ok(None) };
            found.extend(by_number);
        }
        let [a, b, c, d] = &self.forms;
        let sql = "SELECT id FROM contacts WHERE workspace = ?1 AND phone IN (?2, ?3, ?4, ?5)";
        let of_forms: Vec<String> = db.fetch_all(sql, bound![workspace, a, b, c, d], single_cell)?;
        found.extend(of_forms);
        Ok(Some(found.into_iter().collect()))
    }
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

/// Removes the search parts of a contact.
pub fn remove_from_search(db: &dyn DbSession, workspace: &str, id: &str) -> Result<(), DatabaseError> {
    let row = read(db, workspace, id)?;
    index(db, (workspace, id), row.as_ref(), None)
}

fn fold_case(text: &str) -> String {
    text.to_lowercase()
}
