//! A mail goes out: handed to the platform, stored in its thread, counted, and
//! its fate set to happen. Interface: SendEmail; Events, email.sent.

use serde_json::{Map, Value, json};

use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{correspondents, due, outbound, workspaces};
use crate::errors::ApiError;
use crate::events::{self, Event};
use crate::mail::content::SendRequest;
use crate::mail::receive::{fresh, words};
use crate::platforms::mail::{Letter, LetterFate};
use crate::world::{Kind, letters};
use crate::write::Work;
use wire::email::AttachmentBody;

/// The thread a mail is sent in: the one it names, that of the mail it
/// answers, or a new one.
///
/// # Errors
/// 404 when the thread it names does not exist.
pub fn thread_for(
    work: &Work<'_>,
    channel: &ChannelRow,
    asked: &SendRequest,
    answered: Option<&EmailRow>,
) -> Result<ThreadRow, ApiError> {
    if let Some(id) = &asked.thread {
        let found = threads::read(work.db, &channel.id, id)?;
        return found.ok_or_else(|| ApiError::not_found("this thread"));
    }
    if let Some(answered) = answered
        && let Some(found) = threads::read(work.db, &channel.id, &answered.thread)?
    {
        return Ok(found);
    }
    let stamp = work.stamp();
    let contact = asked.to.first().map_or("", String::as_str);
    let made = fresh(work.id("thread", stamp), channel, &asked.subject, contact, stamp);
    let made = ThreadRow { folder: "sent".to_owned(), is_read: true, ..made };
    threads::insert(work.db, &made)?;
    Ok(made)
}

/// Sends a mail in a thread. `id` is the mail's, `cost` what was paid for it.
///
/// # Errors
/// What the platform refuses, or when the database fails.
pub fn send(
    work: &Work<'_>,
    channel: &ChannelRow,
    id: String,
    asked: SendRequest,
    attachments: Vec<AttachmentBody>,
    cost: i64,
) -> Result<EmailRow, ApiError> {
    let answered = match &asked.in_reply_to {
        Some(reference) => emails::find(work.db, &channel.id, reference)?,
        None => None,
    };
    let thread = thread_for(work, channel, &asked, answered.as_ref())?;
    let in_reply_to = match (answered, &asked.in_reply_to) {
        (Some(answered), _) => Some(answered.header_id),
        (None, Some(reference)) => Some(reference.clone()),
        // In a thread, a mail answers what was said last.
        (None, None) => emails::last(work.db, &thread.id)?.map(|it| it.header_id),
    };
    let address = work.service.platforms.address(channel)?.to_owned();
    let letter = Letter { id: &id, sender: &address, to: &asked.to };
    let posted = work.service.platforms.mail()?.hand_over(work, &letter)?;
    let from_name = match asked.from_name {
        Some(name) => Some(name),
        None => workspaces::read(work.db, &channel.workspace)?.name,
    };
    let stamp = work.stamp();
    let row = EmailRow {
        id,
        thread: thread.id.clone(),
        channel: channel.id.clone(),
        header_id: posted.header_id,
        direction: "outbound".to_owned(),
        sender: address,
        sender_name: from_name,
        recipients: asked.to,
        copies: asked.cc,
        blind_copies: asked.bcc,
        subject: asked.subject,
        text: asked.text,
        html: asked.html,
        attachments,
        headers: all_headers(asked.headers, asked.reply_to),
        in_reply_to,
        status: "sent".to_owned(),
        cost,
        created_at: stamp,
        opened_at: None,
    };
    emails::insert(work.db, &row)?;
    threads::touch(work.db, &thread.id, false, stamp)?;
    for address in everybody(&row) {
        correspondents::note(work.db, &channel.id, address, None, stamp)?;
    }
    note(work, channel, &row)?;
    let told = json!({
        "threadId": row.thread, "messageId": row.id, "to": row.recipients, "subject": row.subject,
    });
    events::emit(work, &channel.id, Event::EmailSent, told)?;
    foretell(work, &row.id, posted.fate)?;
    letters::heard_a_person(work, &thread.id)?;
    Ok(row)
}

/// All who get the mail, each once.
fn everybody(row: &EmailRow) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for address in row.recipients.iter().chain(&row.copies).chain(&row.blind_copies) {
        if !found.iter().any(|it| it.eq_ignore_ascii_case(address)) {
            found.push(address);
        }
    }
    found
}

fn all_headers(mut headers: Map<String, Value>, reply_to: Option<String>) -> String {
    if let Some(address) = reply_to {
        headers.insert("Reply-To".to_owned(), Value::String(address));
    }
    Value::Object(headers).to_string()
}

fn note(work: &Work<'_>, channel: &ChannelRow, row: &EmailRow) -> Result<(), ApiError> {
    let to = everybody(row).join(", ");
    let content = format!("{}\n\n{}", row.subject, words(row.text.as_deref(), row.html.as_deref()));
    Ok(outbound::note(work.db, channel.kind, &to, &content, work.key, row.created_at)?)
}

/// Sets what will become of a mail.
fn foretell(work: &Work<'_>, id: &str, fate: LetterFate) -> Result<(), ApiError> {
    match fate {
        LetterFate::Unopened => Ok(()),
        LetterFate::Opened { after } => {
            Ok(due::add(work.db, work.now.plus(after), Kind::Opened.word(), id, "")?)
        }
        LetterFate::Bounced { after } => {
            Ok(due::add(work.db, work.now.plus(after), Kind::Bounced.word(), id, "")?)
        }
    }
}
