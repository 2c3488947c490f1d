//! Mails, inbound and outbound.
//!
//! Attachments are stored as descriptions; their bytes, if kept, are media.

use std::ops::ControlFlow;

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell, table};
use crate::database::session::DbSession;
use crate::database::team::changes::{self, ChangeKind};
use crate::mail::earlier;
use api::email::AttachmentBody;
use model::service_levels::SaidBy;
use model::time::Timestamp;
use sqlite::read_row;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmailRow {
    pub id: String,
    pub thread: String,
    pub channel: String,
    pub header_id: String,
    pub direction: String,
    pub sender: String,
    pub sender_name: Option<String>,
    pub recipients: Vec<String>,
    pub copies: Vec<String>,
    pub blind_copies: Vec<String>,
    pub subject: String,
    pub text: Option<String>,
    pub html: Option<String>,
    pub attachments: Vec<AttachmentBody>,
    /// JSON object: Reply-To and other headers that the sender set.
    pub headers: String,
    pub in_reply_to: Option<String>,
    /// received; sent, opened, failed.
    pub status: String,
    pub cost: i64,
    pub created_at: Timestamp,
    /// Sending time according to the mail, never after its arrival; only for mails of a mailbox.
    pub sent_at: Option<Timestamp>,
    pub opened_at: Option<Timestamp>,
}

table!(EmailRow in emails {
    id, thread, channel, header_id, direction, sender, sender_name, recipients: json, copies: json,
    blind_copies: json, subject, text = body_text, html = body_html, attachments: json, headers, in_reply_to,
    status, cost, created_at, sent_at, opened_at
});

pub fn insert(db: &dyn DbSession, row: &EmailRow) -> Result<(), DatabaseError> {
    store(db, row)?;
    changes::log_mail(db, ChangeKind::Message, &row.id, row.created_at)
}

pub fn read(db: &dyn DbSession, id: &str) -> Result<Option<EmailRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

/// Maximum number of later mails that are checked.
const MAX_LATER_MAILS: i64 = 20;

/// Lists the headers of the newest mails of a thread that were sent after a time.
pub fn sent_headers_after(
    db: &dyn DbSession,
    thread: &str,
    after: Timestamp,
) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT headers FROM emails WHERE thread = ?1 AND created_at > ?2 AND direction = 'outbound'
               ORDER BY created_at DESC, id DESC LIMIT ?3";
    db.fetch_all(sql, bound![thread, after, MAX_LATER_MAILS], single_cell)
}

/// Maximum number of mails returned for one id.
const MAX_SAME_ID_MAILS: i64 = 20;

/// Returns the newest mail of a channel with the service's id or this `Message-ID`.
pub fn find(db: &dyn DbSession, channel: &str, id: &str) -> Result<Option<EmailRow>, DatabaseError> {
    Ok(find_all(db, channel, id)?.into_iter().next())
}

/// Lists the mails of a channel with the service's id or this `Message-ID`, newest first: some
/// programs reuse ids.
pub fn find_all(db: &dyn DbSession, channel: &str, id: &str) -> Result<Vec<EmailRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE channel = ?1 AND (id = ?2 OR header_id = ?2) ORDER BY created_at DESC, id DESC LIMIT ?3"
    );
    db.fetch_all(&sql, bound![channel, id, MAX_SAME_ID_MAILS], from_row)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailParticipants {
    pub direction: String,
    pub sender: String,
    pub recipients: Vec<String>,
    pub copies: Vec<String>,
    pub blind_copies: Vec<String>,
}

pub fn list_participants(db: &dyn DbSession, thread: &str) -> Result<Vec<MailParticipants>, DatabaseError> {
    let sql = "SELECT direction, sender, recipients, copies, blind_copies FROM emails WHERE thread = ?1
        ORDER BY created_at DESC, id DESC LIMIT 200";
    db.fetch_all(sql, bound![thread], |row| {
        Ok(read_row!(
            row,
            MailParticipants { direction, sender, recipients: json, copies: json, blind_copies: json }
        ))
    })
}

/// Lists a thread's newest mails, oldest first: at most `count`, and at most `bytes` of text, but
/// always the newest.
pub fn list_thread(
    db: &dyn DbSession,
    thread: &str,
    count: i64,
    bytes: usize,
) -> Result<Vec<EmailRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE thread = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2");
    let (mut found, mut left) = (Vec::new(), bytes);
    db.rows(&sql, bound![thread, count], &mut |row| {
        let row = from_row(row)?;
        let size = [&row.text, &row.html].into_iter().flatten().map(String::len).sum();
        left = match left.checked_sub(size) {
            None if !found.is_empty() => return Ok(ControlFlow::Break(())),
            left => left.unwrap_or(0),
        };
        found.push(row);
        Ok(ControlFlow::Continue(()))
    })?;
    found.reverse();
    Ok(found)
}

/// Lists who sent the mails of a thread before one of them, and when, newest first. Automatic mail of customers and
/// failed mail are left out.
pub fn list_authors_before(
    db: &dyn DbSession,
    mail: &EmailRow,
    count: i64,
) -> Result<Vec<(Timestamp, SaidBy)>, DatabaseError> {
    let sql = "SELECT direction, headers, created_at FROM emails
               WHERE thread = ?1 AND (created_at, id) < (?2, ?3) AND status <> 'failed'
               ORDER BY created_at DESC, id DESC LIMIT ?4";
    let found: Vec<Option<(Timestamp, SaidBy)>> =
        db.fetch_all(sql, bound![mail.thread, mail.created_at, mail.id, count], |row| {
            let (direction, headers): (String, String) = (row.get("direction")?, row.get("headers")?);
            let author = match (direction.as_str(), has_automatic_header(&headers)) {
                ("inbound", true) => return Ok(None),
                ("inbound", false) => SaidBy::Customer,
                (_, true) => SaidBy::Ai,
                (_, false) => SaidBy::Person,
            };
            Ok(Some((row.get("created_at")?, author)))
        })?;
    Ok(found.into_iter().flatten().collect())
}

/// Maximum number of mails with a certain header returned of a thread.
const MAX_MAILS_WITH_HEADER: i64 = 100;

/// Lists the received mails of a thread that have a stored header of a name, newest first.
pub fn list_with_header(
    db: &dyn DbSession,
    thread: &str,
    name: &str,
) -> Result<Vec<EmailRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE thread = ?1 AND direction = 'inbound' AND headers LIKE ?2
         ORDER BY created_at DESC, id DESC LIMIT ?3"
    );
    db.fetch_all(&sql, bound![thread, format!("%\"{name}\":%"), MAX_MAILS_WITH_HEADER], from_row)
}

pub fn newest_in_thread(db: &dyn DbSession, thread: &str) -> Result<Option<EmailRow>, DatabaseError> {
    Ok(list_thread(db, thread, 1, 0)?.pop())
}

pub fn newest_inbound(
    db: &dyn DbSession,
    channel: &str,
    from: Timestamp,
    count: i64,
) -> Result<Vec<EmailRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE channel = ?1 AND direction = 'inbound' AND created_at >= ?2
         ORDER BY created_at DESC, id DESC LIMIT ?3"
    );
    db.fetch_all(&sql, bound![channel, from, count], from_row)
}

pub fn newest_inbound_at(db: &dyn DbSession, thread: &str) -> Result<Option<Timestamp>, DatabaseError> {
    let sql = "SELECT created_at FROM emails WHERE thread = ?1 AND direction = 'inbound'
        ORDER BY created_at DESC, id DESC LIMIT 1";
    db.fetch_optional(sql, bound![thread], single_cell)
}

pub fn inbound_ids(db: &dyn DbSession, thread: &str, count: i64) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT header_id FROM emails WHERE thread = ?1 AND direction = 'inbound'
        ORDER BY created_at DESC, id DESC LIMIT ?2";
    db.fetch_all(sql, bound![thread, count], single_cell)
}

/// Lists the `Message-ID`s of inbound mails in inbox threads that arrived after a time or were
/// imported, and whose arrival is recorded under a name in a range.
pub fn list_ids_in_inbox(
    db: &dyn DbSession,
    channel: &str,
    (first, last): &(String, String),
    after: Timestamp,
) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT emails.header_id FROM arrivals
        JOIN emails ON emails.channel = arrivals.channel AND emails.header_id = arrivals.platform_id
        JOIN threads ON threads.id = emails.thread
        WHERE arrivals.channel = ?1 AND arrivals.peer BETWEEN ?2 AND ?3 AND emails.direction = 'inbound'
        AND (emails.created_at > ?4 OR emails.headers LIKE ?5) AND threads.folder = 'inbox'";
    let was_there = format!("%\"{}\":true%", earlier::EARLIER_KEY);
    db.fetch_all(sql, bound![channel, first, last, after, was_there], single_cell)
}

/// Lists the `Message-ID`s of a thread's newest mails, oldest first.
pub fn list_references(db: &dyn DbSession, thread: &str, count: i64) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT header_id FROM emails WHERE thread = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2";
    let mut found: Vec<String> = db.fetch_all(sql, bound![thread, count], single_cell)?;
    found.reverse();
    Ok(found)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnMail {
    pub headers: String,
    pub created_at: Timestamp,
}

pub fn list_own(db: &dyn DbSession, thread: &str) -> Result<Vec<OwnMail>, DatabaseError> {
    let sql = "SELECT headers, created_at FROM emails WHERE thread = ?1 AND direction = 'outbound'
        ORDER BY created_at DESC, id DESC LIMIT 100";
    db.fetch_all(sql, bound![thread], |row| Ok(read_row!(row, OwnMail { headers, created_at })))
}

pub fn is_from_assistant(mail: &OwnMail) -> bool {
    has_automatic_header(&mail.headers)
}

/// Returns true if the headers mark the mail as written by a program.
pub fn has_automatic_header(headers: &str) -> bool {
    headers.contains("\"Auto-Submitted\"")
}

/// Updates the status of a mail that was recorded before the server answered; false if it has
/// advanced already.
pub fn advance_recorded(db: &dyn DbSession, id: &str, status: &str) -> Result<bool, DatabaseError> {
    let sql = "UPDATE emails SET status = ?2 WHERE id = ?1 AND status IN ('queued', 'unknown')";
    Ok(db.change(sql, bound![id, status])? > 0)
}

pub fn mark_failed(db: &dyn DbSession, id: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE emails SET status = 'failed' WHERE id = ?1 AND direction = 'outbound'";
    db.change_later(sql, bound![id])?;
    changes::log_mail(db, ChangeKind::Status, id, at)
}

/// Advances a sent mail to opened or failed; false if it is past that.
pub fn advance(db: &dyn DbSession, id: &str, status: &str, at: Timestamp) -> Result<bool, DatabaseError> {
    let sql = "UPDATE emails SET status = ?2, opened_at = CASE WHEN ?2 = 'opened' THEN ?3 ELSE opened_at END
        WHERE id = ?1 AND status = 'sent'";
    let moved = db.change(sql, bound![id, status, at])? > 0;
    if moved {
        changes::log_mail(db, ChangeKind::Status, id, at)?;
    }
    Ok(moved)
}
