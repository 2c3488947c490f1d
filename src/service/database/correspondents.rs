//! People with whom mails were exchanged, once each, across all threads. Addresses are compared
//! without case.

use crate::cursors::PagePosition;
use crate::database::DatabaseError;
use crate::database::clauses::SqlQuery;
use crate::database::rows::{SqlValue, bound, single_cell};
use crate::database::search_parts;
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
    let before = read_texts(db, channel, &address)?;
    let after = match (&folded, &before[..]) {
        (Some(name), _) => vec![address.clone(), name.clone()],
        (None, []) => vec![address.clone()],
        // The stored name stays.
        (None, stored) => stored.to_vec(),
    };
    search_parts::replace(db, (channel, &address), &before, &after)?;
    db.change_later(sql, bound![channel, address, email, name, folded, at])
}

/// Returns the searched texts of a stored correspondent, address and name; empty if it is not stored.
fn read_texts(db: &dyn DbSession, channel: &str, address: &str) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT coalesce(folded_name, '') FROM correspondents WHERE channel = ?1 AND address = ?2";
    let name: Option<String> = db.fetch_optional(sql, bound![channel, address], single_cell)?;
    Ok(name.map(|name| vec![address.to_owned(), name]).unwrap_or_default())
}

/// Removes the search parts of a correspondent in the channels of a workspace.
pub fn remove_from_search(db: &dyn DbSession, workspace: &str, address: &str) -> Result<(), DatabaseError> {
    let sql = "SELECT id FROM channels WHERE workspace = ?1";
    let channels: Vec<String> = db.fetch_all(sql, bound![workspace], single_cell)?;
    for channel in channels {
        let before = read_texts(db, &channel, address)?;
        search_parts::replace(db, (&channel, address), &before, &[])?;
    }
    Ok(())
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
    let begin = || SqlQuery::new(sql.clone(), bound![channel, after.at, after.id]);
    let candidates = match &search {
        Some(search) => search_parts::find_candidates(db, channel, search)?,
        None => None,
    };
    let Some(candidates) = candidates else {
        return fetch_page(db, begin(), (search.as_ref(), "last_at"), reach);
    };
    let candidates: Vec<String> = candidates.into_iter().collect();
    search_parts::page_of(&candidates, reach, CorrespondentRow::page_position, |addresses| {
        let mut query = begin();
        query.filter_in("address", addresses, search_parts::CHUNK_ROWS);
        // Steers the planner to the addresses.
        fetch_page(db, query, (search.as_ref(), "last_at + 0"), reach)
    })
}

fn fetch_page<'a>(
    db: &dyn DbSession,
    mut query: SqlQuery<'a>,
    (search, order): (Option<&'a String>, &str),
    reach: i64,
) -> Result<Vec<CorrespondentRow>, DatabaseError> {
    if let Some(search) = search {
        let found = " AND (instr(address, ?) > 0 OR instr(coalesce(folded_name, ''), ?) > 0)";
        query.push(found, &[SqlValue::Text(search), SqlValue::Text(search)]);
    }
    query.push(&format!(" ORDER BY {order} DESC, address DESC LIMIT ?"), &[SqlValue::Int(reach)]);
    let (sql, bound) = query.parts();
    db.fetch_all(sql, bound, |row| {
        Ok(read_row!(row, CorrespondentRow { address, email, name, message_count, last_at, phone }))
    })
}
