//! People with whom mails were exchanged, once each, across all threads. Addresses are compared
//! without case.

use crate::cursors::PagePosition;
use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use model::time::Timestamp;
use sqlite::read_row;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorrespondentRow {
    /// Address in lower case.
    pub address: String,
    pub email: String,
    /// Most recent name.
    pub name: Option<String>,
    pub message_count: i64,
    pub last_at: Timestamp,
    /// Phone number of the business chat customer with this address.
    pub phone: Option<String>,
}

impl CorrespondentRow {
    pub fn page_position(&self) -> PagePosition {
        PagePosition { at: self.last_at.micros(), id: self.address.clone() }
    }
}

pub fn record_mail(
    db: &dyn DbSession,
    channel: &str,
    email: &str,
    name: Option<&str>,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql =
        "INSERT INTO correspondents (channel, address, email, name, folded_name, message_count, last_at)
        VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6)
        ON CONFLICT (channel, address) DO UPDATE SET email = excluded.email,
            name = coalesce(excluded.name, correspondents.name),
            folded_name = coalesce(excluded.folded_name, correspondents.folded_name),
            message_count = correspondents.message_count + 1,
            last_at = CASE WHEN correspondents.last_at < excluded.last_at THEN excluded.last_at
                      ELSE correspondents.last_at END";
    let (address, folded) = (email.to_lowercase(), name.map(str::to_lowercase));
    db.change_later(sql, bound![channel, address, email, name, folded, at])
}

/// Lists a page of a channel's contacts, newest first; `search` matches addresses and names,
/// ignoring case.
pub fn list(
    db: &dyn DbSession,
    channel: &str,
    search: Option<&str>,
    after: &PagePosition,
    reach: i64,
) -> Result<Vec<CorrespondentRow>, DatabaseError> {
    // Contact or business chat customer of the same workspace with this address. `|| ''` steers the
    // planner to the index on `lower(email)`.
    let contact = "SELECT contacts.phone FROM contacts
        JOIN channels AS ours ON ours.id = correspondents.channel AND ours.workspace = contacts.workspace || ''
        WHERE lower(contacts.email) = correspondents.address || '' AND contacts.email IS NOT NULL
        ORDER BY contacts.last_at DESC LIMIT 1";
    let customer = "SELECT chat.peer FROM conversations AS chat
        JOIN channels AS theirs ON theirs.id = chat.channel AND theirs.kind = 'whatsapp'
        JOIN channels AS ours ON ours.id = correspondents.channel AND ours.workspace = theirs.workspace
        WHERE lower(chat.email) = correspondents.address || '' AND chat.email IS NOT NULL
        ORDER BY chat.last_at DESC LIMIT 1";
    let sql = format!(
        "SELECT address, email, name, message_count, last_at, coalesce(({contact}), ({customer})) AS phone
         FROM correspondents WHERE channel = ?1 AND (last_at, address) < (?2, ?3)"
    );
    let search = search.map(str::to_lowercase);
    let mut query = SqlQuery::new(sql, bound![channel, after.at, after.id]);
    if search.is_some() {
        let found = " AND (instr(address, ?) > 0 OR instr(coalesce(folded_name, ''), ?) > 0)";
        query.push(found, bound![search, search]);
    }
    query.push(" ORDER BY last_at DESC, address DESC LIMIT ?", bound![reach]);
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, |row| {
        Ok(read_row!(row, CorrespondentRow { address, email, name, message_count, last_at, phone }))
    })
}
