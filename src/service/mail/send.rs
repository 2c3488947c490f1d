//! Sending of a mail: queued for the mail server (see `carriers`), or stored at once in a simulated world.

use serde_json::{Map, Value};

use crate::carriers::OutboundMessage;
use crate::chat::send::QUEUED_STATUS;
use crate::database::channels::ChannelRow;
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::emails::{self, EmailRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{due, workspaces};
use crate::errors::ApiError;
use crate::mail::answer_target::is_mail_daemon;
use crate::mail::compose;
use crate::mail::content::MailSendRequest;
use crate::mail::receive::new_thread;
use crate::mail::settle::{self, SENT_NAME};
use crate::platforms::mail::{OutgoingMail, SimulatedMailOutcome};
use crate::platforms::mailbox::MAIL_KIND;
use crate::takeover::{self, AutomationSubject};
use crate::world::{JobKind, letters};
use crate::write::WriteContext;
use model::bounds;
use wire::carriers::{MailDraft, MailEnvelope};
use wire::email::AttachmentBody;

/// Maximum number of references: the newest mails of the thread.
const MAX_REFERENCES: i64 = 30;

/// Returns the thread of a mail: the named one, else that of the mail it answers, else a new one.
///
/// # Errors
/// 404 if the named thread does not exist.
pub fn find_or_create_thread(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    asked: &MailSendRequest,
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
    let made = new_thread(work.id("thread", stamp), channel, &asked.subject, contact, stamp);
    Ok(ThreadRow { folder: SENT_NAME.to_owned(), is_read: true, ..made })
}

/// Refuses mail to an address from which mail servers send reports.
fn refuse_mail_daemon(asked: &MailSendRequest, thread: &ThreadRow) -> Result<(), ApiError> {
    let mut all = asked.to.iter().chain(&asked.cc).chain(&asked.bcc);
    let Some(daemon) = all.find(|address| is_mail_daemon(address)) else { return Ok(()) };
    let contact = &thread.contact_email;
    let instead = match bounds::is_email(contact) && !is_mail_daemon(contact) {
        true => format!("; write to {contact}"),
        false => String::new(),
    };
    let words =
        format!("to: {daemon} is a mail server that reports, nobody reads what is sent there{instead}");
    Err(ApiError::validation(words))
}

/// Author of a mail and its price.
#[derive(Debug, Clone, Copy)]
pub struct MailAuthor {
    /// `api` or `ai`.
    pub sender: &'static str,
    pub cost: i64,
}

/// Sends or queues a mail with the given id. A queued mail is returned as `queued` and is not in its thread
/// yet.
pub fn send(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    id: String,
    asked: MailSendRequest,
    attachments: Vec<AttachmentBody>,
    author: MailAuthor,
) -> Result<EmailRow, ApiError> {
    let answered = match &asked.in_reply_to {
        Some(reference) => emails::find(work.db, &channel.id, reference)?,
        None => None,
    };
    let thread = find_or_create_thread(work, channel, &asked, answered.as_ref())?;
    refuse_mail_daemon(&asked, &thread)?;
    let in_reply_to = match (answered, &asked.in_reply_to) {
        (Some(answered), _) => Some(answered.header_id),
        (None, Some(reference)) => Some(reference.clone()),
        // In an existing thread a mail answers the last one.
        (None, None) => emails::newest_in_thread(work.db, &thread.id)?.map(|email_row| email_row.header_id),
    };
    let address = work.service.platforms.address(channel)?.to_owned();
    let from_name = match asked.from_name {
        Some(name) => Some(name),
        None => {
            let connected = work.service.platforms.connected(&channel.id);
            let given = connected.and_then(|entry| entry.platform.display_name());
            match given {
                Some(name) => Some(name),
                None => workspaces::read(work.db, &channel.workspace)?.name,
            }
        }
    };
    if author.sender != "ai" {
        takeover::record_person_answer(work, AutomationSubject::Thread(&thread.id))?;
    }
    let stamp = work.stamp();
    let domain = address.rsplit('@').next().unwrap_or("mail.example");
    let draft = MailDraft {
        header_id: format!("<{id}@{domain}>"),
        id,
        references: emails::list_references(work.db, &thread.id, MAX_REFERENCES)?,
        begins_thread: thread.message_count == 0,
        thread: thread.id,
        at: stamp.micros(),
        sender: address,
        sender_name: from_name,
        to: asked.to,
        cc: asked.cc,
        bcc: asked.bcc,
        subject: asked.subject,
        text: asked.text,
        html: asked.html,
        headers: all_headers(asked.headers, asked.reply_to),
        in_reply_to,
        attachments,
        cost: author.cost,
        key: work.key.map(str::to_owned),
        author: author.sender.to_owned(),
    };
    if work.service.platforms.connected(&channel.id).is_some() && !work.test {
        enqueue(work, channel, &draft)?;
        return Ok(settle::sent_row(&draft, channel, QUEUED_STATUS, stamp));
    }
    let row = settle::sent_row(&draft, channel, SENT_NAME, stamp);
    if draft.begins_thread {
        settle::begin_thread(work, channel, &draft, stamp)?;
    }
    settle::store_sent_mail(work, channel, &row)?;
    settle::record_sent(work, channel, &row)?;
    if !work.service.platforms.are_simulated() {
        // Mail of test keys is not sent.
        return Ok(row);
    }
    let letter = OutgoingMail { id: &row.id, to: &row.recipients };
    schedule_outcome(work, &row.id, work.service.platforms.mail()?.accept(&letter))?;
    letters::schedule_reply(work, &row.thread)?;
    Ok(row)
}

/// Queues a mail behind the others of its thread.
fn enqueue(work: &WriteContext<'_>, channel: &ChannelRow, draft: &MailDraft) -> Result<(), ApiError> {
    // Refuses an invalid mail now instead of at the attempt.
    compose::build_mail(draft, Vec::new())?;
    let envelope = MailEnvelope {
        from: draft.sender.clone(),
        to: settle::all_recipients([&draft.to, &draft.cc, &draft.bcc])
            .into_iter()
            .map(str::to_owned)
            .collect(),
        header_id: draft.header_id.clone(),
        answers: draft.in_reply_to.clone(),
    };
    let json = |result: Result<String, serde_json::Error>| result.map_err(|cause| ApiError::internal(&cause));
    let content = serde_json::to_value(&envelope).map_err(|cause| ApiError::internal(&cause))?;
    let parcel = OutboundMessage {
        id: draft.id.clone(),
        kind: MAIL_KIND.to_owned(),
        content: Some(content),
        ..OutboundMessage::default()
    };
    let row = EgressRow {
        id: draft.id.clone(),
        channel: channel.id.clone(),
        lane: draft.thread.clone(),
        place: work.stamp(),
        parcel: json(serde_json::to_string(&parcel))?,
        draft: json(serde_json::to_string(draft))?,
        state: EgressState::Waiting.word().to_owned(),
        due_at: work.now,
        fence: 0,
        claimed_until: work.now,
        told: false,
    };
    Ok(egress::insert(work.db, &row)?)
}

fn all_headers(mut headers: Map<String, Value>, reply_to: Option<String>) -> Map<String, Value> {
    if let Some(address) = reply_to {
        headers.insert("Reply-To".to_owned(), Value::String(address));
    }
    headers
}

/// Schedules the simulated progress of a mail.
fn schedule_outcome(work: &WriteContext<'_>, id: &str, fate: SimulatedMailOutcome) -> Result<(), ApiError> {
    match fate {
        SimulatedMailOutcome::Unopened => Ok(()),
        SimulatedMailOutcome::Opened { after } => {
            Ok(due::add(work.db, work.now.plus(after), JobKind::Opened.word(), id, "")?)
        }
        SimulatedMailOutcome::Bounced { after } => {
            Ok(due::add(work.db, work.now.plus(after), JobKind::Bounced.word(), id, "")?)
        }
    }
}
