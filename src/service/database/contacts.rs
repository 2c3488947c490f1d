//! Contacts of a workspace, one for each phone number. Interface: Contact.

use rusqlite::{Connection, params};

use crate::cursors::Place;
use crate::database::DatabaseError;
use model::time::Timestamp;
use sqlite::{Queries, columns, only};

/// A contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactRow {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub workspace: String,
    /// E.164.
    pub phone: String,
    /// What the person is called.
    pub name: Option<String>,
    /// Whether the business gave the name; the platform's does not replace it
    /// then.
    pub named: bool,
    /// The person's mail address.
    pub email: Option<String>,
    /// A JSON array of strings.
    pub tags: String,
    /// A JSON object.
    pub metadata: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the business last changed it.
    pub updated_at: Timestamp,
    /// When a message last came or went; at first when it was made.
    pub last_at: Timestamp,
}

impl ContactRow {
    /// One of whom only the number is known.
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

    /// Its place in lists ordered by activity.
    pub fn place(&self) -> Place {
        Place { at: self.last_at.micros(), id: self.id.clone() }
    }
}

columns!(ContactRow from contacts {
    id, workspace, phone, name, named, email, tags, metadata, created_at, updated_at, last_at
});

/// Stores a contact, in place of the one of its id.
pub fn put(db: &Connection, row: &ContactRow) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO contacts (id, workspace, phone, name, named, email, tags, metadata, created_at,
        updated_at, last_at, folded) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, named = excluded.named, email = excluded.email,
        tags = excluded.tags, metadata = excluded.metadata, updated_at = excluded.updated_at,
        last_at = excluded.last_at, folded = excluded.folded";
    db.prepare_cached(sql)?.execute(params![
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
        folded(row.name.as_deref().unwrap_or(""))
    ])?;
    Ok(())
}

/// Gives a contact another number.
pub fn set_phone(db: &Connection, workspace: &str, from: &str, to: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("UPDATE contacts SET phone = ?3 WHERE workspace = ?1 AND phone = ?2")?
        .execute([workspace, from, to])?;
    Ok(())
}

/// One of a workspace by id.
pub fn read(db: &Connection, workspace: &str, id: &str) -> Result<Option<ContactRow>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE id = ?1 AND workspace = ?2"), [id, workspace], from_row)?)
}

/// One of a workspace by phone number.
pub fn of_phone(db: &Connection, workspace: &str, phone: &str) -> Result<Option<ContactRow>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE workspace = ?1 AND phone = ?2"), [workspace, phone], from_row)?)
}

/// A page, newest activity first; with a search only those whose name or
/// number contains it, whatever the case.
pub fn list(
    db: &Connection,
    workspace: &str,
    search: Option<&str>,
    after: &Place,
    reach: i64,
) -> Result<Vec<ContactRow>, DatabaseError> {
    let name = search.map(folded);
    // Numbers are typed with spaces and hyphens, but kept without.
    let number = search.map(|it| it.replace([' ', '-', '(', ')', '.'], "")).filter(|it| !it.is_empty());
    let filter = match search {
        Some(_) => "AND (instr(folded, ?2) > 0 OR instr(phone, ?3) > 0)",
        None => "AND ?2 IS NULL AND ?3 IS NULL",
    };
    let sql = format!(
        "{SELECT} WHERE workspace = ?1 {filter} AND (last_at, id) < (?4, ?5)
         ORDER BY last_at DESC, id DESC LIMIT ?6"
    );
    Ok(db.all(&sql, params![workspace, name, number, after.at, after.id, reach], from_row)?)
}

/// The newest ones, newest first.
pub fn newest(db: &Connection, workspace: &str, count: i64) -> Result<Vec<ContactRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE workspace = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2");
    Ok(db.all(&sql, params![workspace, count], from_row)?)
}

/// The ids of all contacts of a workspace, oldest first.
pub fn all_ids(db: &Connection, workspace: &str) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT id FROM contacts WHERE workspace = ?1 ORDER BY created_at, id";
    Ok(db.all(sql, [workspace], only)?)
}

/// Notes that a message came or went.
pub fn touch(db: &Connection, workspace: &str, phone: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE contacts SET last_at = max(last_at, ?3) WHERE workspace = ?1 AND phone = ?2";
    db.prepare_cached(sql)?.execute(params![workspace, phone, at])?;
    Ok(())
}

/// Removes a contact.
pub fn delete(db: &Connection, id: &str) -> Result<(), DatabaseError> {
    db.prepare_cached("DELETE FROM contacts WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// A text as it is searched in and for.
fn folded(text: &str) -> String {
    text.to_lowercase()
}
