//! Finds the phone numbers and mail addresses of one person, and their conversations in every tab.
//!
//! A number and a mail address are linked if a contact, a correspondent or a conversation has both.
//! Names link nothing, nor does a mail address with several numbers.

use rusqlite::{Connection, params};

use crate::StoreError;
use model::bounds;
use model::email::addresses::normalize;
use model::queries::ConversationKey;
use sqlite::{Queries, only_cell, read_row};

const MAX_CONVERSATIONS: usize = 20;
const MAX_CONTACT_POINTS: usize = 10;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ContactPoints {
    pub(crate) phones: Vec<String>,
    pub(crate) emails: Vec<String>,
    /// Mail addresses with several numbers.
    pub(crate) shared: Vec<String>,
}

/// Returns the conversations in other tabs, sorted by key.
pub(crate) fn load_other_conversations(
    connection: &Connection,
    key: &ConversationKey,
) -> Result<Vec<ConversationKey>, StoreError> {
    let points = load_contact_points(connection, key)?;
    let mut found = conversations(connection, &points)?;
    found.retain(|conversation_key| conversation_key.channel != key.channel);
    found.sort();
    Ok(found)
}

pub(crate) fn load_contact_points(
    connection: &Connection,
    key: &ConversationKey,
) -> Result<ContactPoints, StoreError> {
    let known: Option<(Option<String>, Option<String>)> = connection.first(
        "SELECT address, email FROM conversation WHERE channel = ?1 AND id = ?2",
        params![key.channel, key.conversation],
        |row| Ok((row.get("address")?, row.get("email")?)),
    )?;
    let (address, email) = known.unwrap_or_default();
    // The id of a bot chat is not a phone number.
    let phones: Vec<String> = address.into_iter().filter(|text| bounds::is_e164(text)).collect();
    let mut points = ContactPoints { phones, ..ContactPoints::default() };
    match email.map(|email| normalize(&email)).filter(|text| !text.is_empty()) {
        // The only contact point, used even if it is shared.
        Some(email) if points.phones.is_empty() => points.emails.push(email),
        Some(email) => add_email(connection, &mut points, email)?,
        None => (),
    }
    let (mut phone, mut email) = (0, 0);
    while phone < points.phones.len() || email < points.emails.len() {
        while let Some(number) = points.phones.get(phone).cloned() {
            phone += 1;
            for found in emails_of(connection, &number)? {
                add_email(connection, &mut points, found)?;
            }
        }
        while let Some(address) = points.emails.get(email).cloned() {
            email += 1;
            let numbers = phones_of(connection, &address)?;
            match numbers.as_slice() {
                [number] if !points.phones.contains(number) && points.phones.len() < MAX_CONTACT_POINTS => {
                    points.phones.push(number.clone());
                }
                [] | [_] => (),
                _ if points.shared.contains(&address) => (),
                _ => points.shared.push(address),
            }
        }
    }
    Ok(points)
}

/// Adds an address linked to a number of the person, as shared if it has several numbers.
fn add_email(connection: &Connection, points: &mut ContactPoints, email: String) -> Result<(), StoreError> {
    let is_known = points.emails.contains(&email) || points.shared.contains(&email);
    if is_known || points.emails.len() >= MAX_CONTACT_POINTS {
        return Ok(());
    }
    match phones_of(connection, &email)?.len() {
        0 | 1 => points.emails.push(email),
        _ => points.shared.push(email),
    }
    Ok(())
}

fn emails_of(connection: &Connection, phone: &str) -> Result<Vec<String>, StoreError> {
    let found: Vec<String> = connection.all(
        "SELECT email FROM contact WHERE phone = ?1 AND email IS NOT NULL
         UNION SELECT email FROM correspondent WHERE phone = ?1
         UNION SELECT email FROM conversation WHERE address = ?1 AND email IS NOT NULL",
        [phone],
        only_cell,
    )?;
    Ok(found.iter().map(|text| normalize(text)).filter(|text| !text.is_empty()).collect())
}

fn phones_of(connection: &Connection, email: &str) -> Result<Vec<String>, StoreError> {
    let mut found: Vec<String> = connection.all(
        "SELECT phone FROM contact WHERE email = ?1 COLLATE NOCASE
         UNION SELECT phone FROM correspondent WHERE folded = ?1 AND phone IS NOT NULL
         UNION SELECT address FROM conversation WHERE email = ?1 COLLATE NOCASE AND address IS NOT NULL",
        [email],
        only_cell,
    )?;
    found.retain(|text| bounds::is_e164(text));
    Ok(found)
}

/// Returns the conversations with these numbers and addresses, newest first.
pub(crate) fn conversations(
    connection: &Connection,
    points: &ContactPoints,
) -> Result<Vec<ConversationKey>, StoreError> {
    let most = i64::try_from(MAX_CONVERSATIONS).unwrap_or(i64::MAX);
    let mut found: Vec<(i64, ConversationKey)> = Vec::new();
    let by = [("address = ?1", &points.phones), ("email = ?1 COLLATE NOCASE", &points.emails)];
    for (condition, values) in by {
        let sql = format!(
            "SELECT sort_at, channel, id FROM conversation WHERE {condition} ORDER BY sort_at DESC LIMIT ?2"
        );
        for value in values {
            let rows: Vec<_> = connection.all(&sql, params![value, most], |row| {
                let at = row.get("sort_at")?;
                Ok((at, read_row!(row, ConversationKey { channel, conversation = id })))
            })?;
            found.extend(rows);
        }
    }
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    found.dedup_by(|one, other| one.1 == other.1);
    found.truncate(MAX_CONVERSATIONS);
    Ok(found.into_iter().map(|pair| pair.1).collect())
}
