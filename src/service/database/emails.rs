//! Mails, in and out. Interface: Email thread; States and transitions.
//!
//! Knows nothing of threads' counters. Attachments are kept as what is told
//! of them; their bytes are not.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;
use crate::wire::email::AttachmentBody;

/// A mail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmailRow {
    /// The service's id.
    pub id: String,
    /// The thread it is in.
    pub thread: String,
    /// The channel it is on.
    pub channel: String,
    /// The `Message-ID` header.
    pub header_id: String,
    /// `inbound` or `outbound`.
    pub direction: String,
    /// The sender's address.
    pub sender: String,
    /// The sender's name.
    pub sender_name: Option<String>,
    /// Whom it is to.
    pub recipients: Vec<String>,
    /// Who gets a copy.
    pub copies: Vec<String>,
    /// Who gets a copy the others do not see.
    pub blind_copies: Vec<String>,
    /// Its subject.
    pub subject: String,
    /// The plain text.
    pub text: Option<String>,
    /// The HTML.
    pub html: Option<String>,
    /// What is attached.
    pub attachments: Vec<AttachmentBody>,
    /// A JSON object: Reply-To and what else the sender set.
    pub headers: String,
    /// The mail it answers.
    pub in_reply_to: Option<String>,
    /// received; sent, opened, failed.
    pub status: String,
    /// Credits.
    pub cost: i64,
    /// When it came or went.
    pub created_at: Timestamp,
    /// When it was first opened.
    pub opened_at: Option<Timestamp>,
}

const COLUMNS: &str =
    "SELECT id, thread, channel, header_id, direction, sender, sender_name, recipients, copies,
    blind_copies, subject, body_text, body_html, attachments, headers, in_reply_to, status, cost, created_at,
    opened_at FROM emails";

/// Stores a mail.
pub fn insert(db: &Connection, row: &EmailRow) -> Result<(), DatabaseError> {
    let sql =
        "INSERT INTO emails (id, thread, channel, header_id, direction, sender, sender_name, recipients,
        copies, blind_copies, subject, body_text, body_html, attachments, headers, in_reply_to, status, cost,
        created_at, opened_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)";
    let list = |addresses: &[String]| serde_json::to_string(addresses).unwrap_or_else(|_| "[]".to_owned());
    db.prepare_cached(sql)?.execute(params![
        row.id,
        row.thread,
        row.channel,
        row.header_id,
        row.direction,
        row.sender,
        row.sender_name,
        list(&row.recipients),
        list(&row.copies),
        list(&row.blind_copies),
        row.subject,
        row.text,
        row.html,
        serde_json::to_string(&row.attachments).unwrap_or_else(|_| "[]".to_owned()),
        row.headers,
        row.in_reply_to,
        row.status,
        row.cost,
        row.created_at.micros(),
        row.opened_at.map(Timestamp::micros),
    ])?;
    Ok(())
}

/// One by the service's id.
pub fn read(db: &Connection, id: &str) -> Result<Option<EmailRow>, DatabaseError> {
    let mut statement = db.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
    Ok(statement.query_row([id], map).optional()?)
}

/// One of a channel, by the service's id or its `Message-ID` header.
pub fn find(db: &Connection, channel: &str, id: &str) -> Result<Option<EmailRow>, DatabaseError> {
    let sql = format!("{COLUMNS} WHERE channel = ?1 AND (id = ?2 OR header_id = ?2) LIMIT 1");
    Ok(db.prepare_cached(&sql)?.query_row([channel, id], map).optional()?)
}

/// The newest mails of a thread, oldest first: at most `count`, and no more
/// than go into `bytes`, but the newest in any case.
pub fn of_thread(
    db: &Connection,
    thread: &str,
    count: i64,
    bytes: usize,
) -> Result<Vec<EmailRow>, DatabaseError> {
    let sql = format!("{COLUMNS} WHERE thread = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2");
    let mut statement = db.prepare_cached(&sql)?;
    let (mut found, mut left) = (Vec::new(), bytes);
    for row in statement.query_map(params![thread, count], map)? {
        let row = row?;
        let size = [&row.text, &row.html].into_iter().flatten().map(String::len).sum();
        left = match left.checked_sub(size) {
            None if !found.is_empty() => break,
            left => left.unwrap_or(0),
        };
        found.push(row);
    }
    found.reverse();
    Ok(found)
}

/// The newest mail of a thread.
pub fn last(db: &Connection, thread: &str) -> Result<Option<EmailRow>, DatabaseError> {
    Ok(of_thread(db, thread, 1, 0)?.pop())
}

/// The newest mails that came in on a channel, newest first.
pub fn newest_inbound(db: &Connection, channel: &str, count: i64) -> Result<Vec<EmailRow>, DatabaseError> {
    let sql = format!(
        "{COLUMNS} WHERE channel = ?1 AND direction = 'inbound' ORDER BY created_at DESC, id DESC LIMIT ?2"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(params![channel, count], map)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Moves a sent mail on to opened or failed; false when it is past that.
pub fn advance(db: &Connection, id: &str, status: &str, at: Timestamp) -> Result<bool, DatabaseError> {
    let sql = "UPDATE emails SET status = ?2, opened_at = CASE ?2 WHEN 'opened' THEN ?3 ELSE opened_at END
        WHERE id = ?1 AND status = 'sent'";
    Ok(db.prepare_cached(sql)?.execute(params![id, status, at.micros()])? > 0)
}

fn map(row: &Row<'_>) -> rusqlite::Result<EmailRow> {
    let list = |index| {
        let text: String = row.get(index)?;
        Ok::<Vec<String>, rusqlite::Error>(serde_json::from_str(&text).unwrap_or_default())
    };
    let attachments: String = row.get(13)?;
    Ok(EmailRow {
        id: row.get(0)?,
        thread: row.get(1)?,
        channel: row.get(2)?,
        header_id: row.get(3)?,
        direction: row.get(4)?,
        sender: row.get(5)?,
        sender_name: row.get(6)?,
        recipients: list(7)?,
        copies: list(8)?,
        blind_copies: list(9)?,
        subject: row.get(10)?,
        text: row.get(11)?,
        html: row.get(12)?,
        attachments: serde_json::from_str(&attachments).unwrap_or_default(),
        headers: row.get(14)?,
        in_reply_to: row.get(15)?,
        status: row.get(16)?,
        cost: row.get(17)?,
        created_at: Timestamp::from_micros(row.get(18)?),
        opened_at: row.get::<_, Option<i64>>(19)?.map(Timestamp::from_micros),
    })
}
