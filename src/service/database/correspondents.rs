//! Everybody mails were exchanged with, once each, over all threads.
//! Interface: Email contact.
//!
//! Addresses that differ only in case are one.

use rusqlite::{Connection, params};

use crate::cursors::Place;
use crate::database::DatabaseError;
use model::time::Timestamp;
use sqlite::{Queries, read_row};

/// Somebody mails were exchanged with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorrespondentRow {
    /// The address in lower case.
    pub address: String,
    /// The address as last written.
    pub email: String,
    /// The name as last told.
    pub name: Option<String>,
    /// Mails from and to them.
    pub message_count: i64,
    /// When the last of them came or went.
    pub last_at: Timestamp,
    /// The number of the business chat customer with this address.
    pub phone: Option<String>,
}

impl CorrespondentRow {
    /// Its place in lists ordered by activity.
    pub fn place(&self) -> Place {
        Place { at: self.last_at.micros(), id: self.address.clone() }
    }
}

/// Counts a mail from or to somebody.
pub fn note(
    db: &Connection,
    channel: &str,
    email: &str,
    name: Option<&str>,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql =
        "INSERT INTO correspondents (channel, address, email, name, folded_name, message_count, last_at)
        VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6)
        ON CONFLICT (channel, address) DO UPDATE SET email = excluded.email,
            name = coalesce(excluded.name, name), folded_name = coalesce(excluded.folded_name, folded_name),
            message_count = message_count + 1, last_at = max(last_at, excluded.last_at)";
    let bound = params![channel, email.to_lowercase(), email, name, name.map(str::to_lowercase), at];
    db.prepare_cached(sql)?.execute(bound)?;
    Ok(())
}

/// A page of a channel's, newest contact first; with `search`, those in whose
/// address or name it occurs, whatever the case.
pub fn list(
    db: &Connection,
    channel: &str,
    search: Option<&str>,
    after: &Place,
    reach: i64,
) -> Result<Vec<CorrespondentRow>, DatabaseError> {
    let filter = if search.is_some() {
        "AND (instr(address, ?2) > 0 OR instr(coalesce(folded_name, ''), ?2) > 0)"
    } else {
        "AND ?2 IS NULL"
    };
    // The contact or business chat customer of the same workspace who left this
    // address.
    let contact = "SELECT contacts.phone FROM contacts
        JOIN channels AS ours ON ours.id = correspondents.channel AND ours.workspace = contacts.workspace
        WHERE contacts.email = correspondents.address COLLATE NOCASE AND contacts.email IS NOT NULL
        ORDER BY contacts.last_at DESC LIMIT 1";
    let customer = "SELECT chat.peer FROM conversations AS chat
        JOIN channels AS theirs ON theirs.id = chat.channel AND theirs.kind = 'whatsapp'
        JOIN channels AS ours ON ours.id = correspondents.channel AND ours.workspace = theirs.workspace
        WHERE chat.email = correspondents.address COLLATE NOCASE AND chat.email IS NOT NULL
        ORDER BY chat.last_at DESC LIMIT 1";
    let sql = format!(
        "SELECT address, email, name, message_count, last_at, coalesce(({contact}), ({customer})) AS phone
         FROM correspondents
         WHERE channel = ?1 {filter} AND (last_at, address) < (?3, ?4)
         ORDER BY last_at DESC, address DESC LIMIT ?5"
    );
    let search = search.map(str::to_lowercase);
    Ok(db.all(&sql, params![channel, search, after.at, after.id, reach], |row| {
        Ok(read_row!(row, CorrespondentRow { address, email, name, message_count, last_at, phone }))
    })?)
}
