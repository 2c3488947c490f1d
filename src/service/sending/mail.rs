//! Sending of mail: accepted into the queue, or stored at once in a simulated world; its outcome with thread,
//! price and answer to the request; its progress.

use serde_json::{Value, json};

use crate::database::channels::ChannelRow;
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::emails::{self, EmailRow};
use crate::database::team::work as answers;
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, connected, correspondents, due, ingress, workspaces};
use crate::errors::ApiError;
use crate::events;
use crate::mail::content::MailSendRequest;
use crate::mail::invitations::AnsweredInvitation;
use crate::mail::receive::new_thread;
use crate::mail::{compose, identities, invitations};
use crate::reply::Reply;
use crate::sending::accept::{self, QUEUED_STATUS};
use crate::sending::outcome::{MAX_RETRY_TIME, build_reply, settle_row, store_reply};
use crate::sending::{check_json, crossing};
use crate::takeover::{self, AutomationSubject};
use crate::team;
use crate::world::{JobKind, letters};
use crate::write::WriteContext;
use api::carriers::{MailDraft, MailEnvelope};
use api::email::AttachmentBody;
use api::errors::ErrorCode;
use api::events::{EmailOpened, EmailSent, EventData};
use api::team::PersonName;
use model::bounds;
use model::messages::AnswerPlace;
use model::time::{SECOND, Timestamp};
use platforms::mail::answer_target::is_mail_daemon;
use platforms::mail::readable_text;
use platforms::mailbox::{FILING_KIND, MAIL_KIND};
use platforms::simulated::mail::{OutgoingMail, SimulatedMailOutcome};
use platforms::{OutboundMessage, SendOutcome};

pub const UNKNOWN_STATUS: &str = "unknown";
/// Name under which ids of sent mail are recorded; also the folder and the status of sent mail.
pub const SENT_NAME: &str = "sent";
/// Entry of a stored mail's headers with the person who sent it; no name of a header has a space.
pub const AGENT_KEY: &str = "sent by";
/// Entry with the word of the place where a person sent the mail, if not through this service.
pub const PLACE_KEY: &str = "sent from";
/// Maximum time for which a change in the mailbox is retried, in microseconds.
const MAX_FILING_TIME: i64 = 24 * MAX_RETRY_TIME;
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
    let words = format!(
        "to: {daemon} is a mail server's own address for reports; nobody reads mail sent there{instead}"
    );
    Err(ApiError::validation(words))
}

#[derive(Debug, Clone, Copy)]
pub struct MailAuthor {
    /// `api` or `ai`.
    pub sender: &'static str,
    pub cost: i64,
}

/// Thread and mail that a mail answers.
struct AnsweredMail {
    thread: ThreadRow,
    invitation: Option<AnsweredInvitation>,
    /// Address of the mailbox that the answered mail reached or was sent from, `None` for the main one.
    own_address: Option<String>,
    in_reply_to: Option<String>,
}

fn find_answered(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    asked: &MailSendRequest,
) -> Result<AnsweredMail, ApiError> {
    let answered = match &asked.in_reply_to {
        Some(reference) => emails::find(work.db, &channel.id, reference)?,
        None => None,
    };
    let thread = find_or_create_thread(work, channel, asked, answered.as_ref())?;
    refuse_mail_daemon(asked, &thread)?;
    let invitation = invitations::find_answered(work, channel, &thread, asked, answered.as_ref())?;
    // In an existing thread a mail answers the last one.
    let before = match (&answered, &asked.in_reply_to) {
        (None, None) => emails::newest_in_thread(work.db, &thread.id)?,
        _ => None,
    };
    let own_address = answered.as_ref().or(before.as_ref()).and_then(identities::address_in);
    let in_reply_to = match (&invitation, answered.or(before)) {
        (Some(invitation), _) => Some(invitation.header_id.clone()),
        (None, Some(answered)) => Some(answered.header_id),
        (None, None) => asked.in_reply_to.clone(),
    };
    Ok(AnsweredMail { thread, invitation, own_address, in_reply_to })
}

/// Sends or queues a mail with the given id. A queued mail is returned as `queued` and is not in its thread
/// yet.
pub fn accept_mail(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    id: String,
    asked: MailSendRequest,
    attachments: Vec<AttachmentBody>,
    author: MailAuthor,
) -> Result<EmailRow, ApiError> {
    let AnsweredMail { thread, invitation, own_address, in_reply_to } = find_answered(work, channel, &asked)?;
    let address = work.service.platforms.address(channel)?.to_owned();
    let connected = work.service.platforms.connected(&channel.id);
    let given = || connected.as_ref().and_then(|entry| entry.platform.display_name());
    let sender_name = match asked.from_name.or_else(given) {
        Some(name) => Some(name),
        None => workspaces::read(work.db, &channel.workspace)?.name,
    };
    if author.sender != "ai" {
        crossing::check_thread(work, &thread.id)?;
        takeover::record_person_answer(work, channel, AutomationSubject::Thread(&thread.id), None)?;
    }
    let mut headers = asked.headers;
    if let Some(address) = asked.reply_to {
        headers.insert("Reply-To".to_owned(), Value::String(address));
    }
    let stamp = work.stamp();
    let domain = address.rsplit('@').next().unwrap_or("mail.example").to_owned();
    let sender = match &connected {
        Some(entry) => {
            let guest = invitation.as_ref().map(|invitation| invitation.guest_address().to_owned());
            identities::choose_sender(&*entry.platform, &[guest, asked.from_address, own_address], &address)
        }
        None => address,
    };
    let draft = MailDraft {
        header_id: format!("<{id}@{domain}>"),
        id,
        references: emails::list_references(work.db, &thread.id, MAX_REFERENCES)?,
        begins_thread: thread.message_count == 0,
        thread: thread.id,
        at: stamp.micros(),
        invitation: invitation.map(|invitation| invitation.to_reply(&sender, stamp)),
        sender,
        sender_name,
        to: asked.to,
        cc: asked.cc,
        bcc: asked.bcc,
        subject: asked.subject,
        text: asked.text,
        html: asked.html,
        headers,
        in_reply_to,
        attachments,
        cost: author.cost,
        key: work.key.map(str::to_owned),
        author: author.sender.to_owned(),
        agent: work.agent.filter(|_| author.sender != "ai").cloned(),
    };
    if connected.is_some() && !work.test {
        enqueue_mail(work, channel, &draft)?;
        return Ok(sent_row(&draft, channel, QUEUED_STATUS, stamp));
    }
    let row = sent_row(&draft, channel, SENT_NAME, stamp);
    if draft.begins_thread {
        begin_thread(work, channel, &draft, stamp)?;
    }
    store_sent_mail(work, channel, &row)?;
    record_sent(work, channel, &row)?;
    if !work.service.platforms.are_simulated() {
        // Mail of test keys is not sent.
        return Ok(row);
    }
    let letter = OutgoingMail { id: &row.id, to: &row.recipients };
    schedule_outcome(work, &row.id, work.service.platforms.mail()?.accept(&letter))?;
    letters::schedule_reply(work, &row.thread)?;
    Ok(row)
}

/// Queues a mail after the others of its thread. Refuses an invalid one now instead of at the attempt.
fn enqueue_mail(work: &WriteContext<'_>, channel: &ChannelRow, draft: &MailDraft) -> Result<(), ApiError> {
    compose::build_mail(draft, Vec::new())?;
    let recipients = all_recipients([&draft.to, &draft.cc, &draft.bcc]);
    let envelope = MailEnvelope {
        from: draft.sender.clone(),
        to: recipients.into_iter().map(str::to_owned).collect(),
        header_id: draft.header_id.clone(),
        answers: draft.in_reply_to.clone(),
    };
    let parcel = OutboundMessage {
        id: draft.id.clone(),
        kind: MAIL_KIND.to_owned(),
        content: Some(check_json(serde_json::to_value(&envelope))?),
        ..OutboundMessage::default()
    };
    let stored = check_json(serde_json::to_string(draft))?;
    accept::enqueue(work, &channel.id, &draft.thread, &parcel, stored)
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

/// Outbound mail with the rows it belongs to.
struct MailAttempt<'a, 'b> {
    context: &'a WriteContext<'b>,
    channel: &'a ChannelRow,
    row: EgressRow,
    draft: MailDraft,
}

/// Records the outcome of an attempt that the caller has checked to be the newest.
pub fn record_outcome(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    row: EgressRow,
    outcome: SendOutcome,
) -> Result<(), ApiError> {
    if is_filing(&row)? {
        return settle_filing(work, &row, outcome);
    }
    let draft: MailDraft = check_json(serde_json::from_str(&row.draft))?;
    let was_unknown = row.state == EgressState::Unknown.word();
    let work = &WriteContext { key: draft.key.as_deref(), agent: draft.agent.as_ref(), ..*work };
    let case = MailAttempt { context: work, channel, row, draft: draft.clone() };
    match outcome {
        SendOutcome::Taken { .. } => case.record_accepted(),
        SendOutcome::Refused { code, why, broken } => case.record_refused(code, &why, broken),
        // A mail that may have been sent is not retried.
        SendOutcome::Later { .. } | SendOutcome::Moved { .. } | SendOutcome::Unknown { .. }
            if was_unknown =>
        {
            Ok(())
        }
        SendOutcome::Later { after, why } => case.retry_later(after, &why),
        SendOutcome::Moved { .. } => case.retry_later(SECOND, "the mail has another address"),
        SendOutcome::Unknown { why } => case.record_unknown(&why),
    }
}

/// Stores a mail before its server has answered, because its request waits no longer.
pub fn record_early(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    row: EgressRow,
    reply: &Reply,
) -> Result<(), ApiError> {
    let draft: MailDraft = check_json(serde_json::from_str(&row.draft))?;
    let case = MailAttempt { context: work, channel, row, draft };
    case.store_mail(QUEUED_STATUS)?;
    store_reply(work, &case.row.id, reply)?;
    Ok(egress::mark_recorded(work.db, &case.row.id)?)
}

/// Returns true for a change in the mailbox, which is no message.
pub(super) fn is_filing(row: &EgressRow) -> Result<bool, ApiError> {
    let parcel: OutboundMessage = check_json(serde_json::from_str(&row.parcel))?;
    Ok(parcel.kind == FILING_KIND)
}

/// Settles a change in the mailbox. Retried on any failure, since it is idempotent.
fn settle_filing(work: &WriteContext<'_>, row: &EgressRow, outcome: SendOutcome) -> Result<(), ApiError> {
    let (after, why) = match outcome {
        SendOutcome::Taken { .. } => {
            return Ok(egress::settle(work.db, &row.id, EgressState::Taken, None, work.now)?);
        }
        SendOutcome::Later { after, why } => (after, why),
        SendOutcome::Refused { why, .. } | SendOutcome::Unknown { why } => (SECOND, why),
        SendOutcome::Moved { .. } => (SECOND, String::new()),
    };
    if work.now.since(row.place) >= MAX_FILING_TIME {
        tracing::warn!(%why, "a change of a thread could not be made in the mailbox");
        return Ok(egress::settle(work.db, &row.id, EgressState::Dropped, None, work.now)?);
    }
    Ok(egress::postpone(work.db, &row.id, &row.parcel, work.now.plus(after.max(SECOND)))?)
}

impl MailAttempt<'_, '_> {
    fn record_accepted(&self) -> Result<(), ApiError> {
        let Self { context: work, row, .. } = self;
        let mail = if row.is_recorded {
            emails::advance_recorded(work.db, &row.id, SENT_NAME)?;
            emails::read(work.db, &row.id)?
        } else {
            Some(self.store_mail(SENT_NAME)?)
        };
        if let Some(mail) = mail {
            record_sent(work, self.channel, &mail)?;
            if self.draft.author != "ai" {
                letters::schedule_reply(work, &mail.thread)?;
            }
        }
        self.settle(EgressState::Taken, SENT_NAME)
    }

    fn record_refused(&self, code: ErrorCode, why: &str, broken: bool) -> Result<(), ApiError> {
        let Self { context: work, row, draft, channel } = self;
        if draft.cost > 0 {
            workspaces::refund(work.db, &channel.workspace, draft.cost, &row.id, work.now)?;
        }
        if broken {
            connected::set_trouble(work.db, &channel.id, Some(why))?;
        }
        if row.is_recorded {
            emails::mark_failed(work.db, &row.id, work.now)?;
            answers::remove_answer(work.db, &row.id)?;
        }
        if row.is_recorded || draft.author == "ai" {
            // No request reports this failure, so a person should look at the thread.
            threads::prioritize(work.db, &draft.thread, "high")?;
        }
        tracing::warn!(%why, mail = row.id, "a mail was refused");
        settle_row(work, row, EgressState::Refused, Some(Reply::from_error(&ApiError::new(code, why))))
    }

    fn retry_later(&self, after: i64, why: &str) -> Result<(), ApiError> {
        let Self { context: work, row, .. } = self;
        if work.now.since(row.place) >= MAX_RETRY_TIME {
            let why = format!("the mail server did not accept the mail for an hour: {why}");
            return self.record_refused(ErrorCode::WhatsappError, &why, false);
        }
        Ok(egress::postpone(work.db, &row.id, &row.parcel, work.now.plus(after.max(SECOND / 10)))?)
    }

    fn record_unknown(&self, why: &str) -> Result<(), ApiError> {
        let Self { context: work, row, draft, channel } = self;
        // The copy in the folder of sent mail may have been read already.
        if ingress::has_arrived(work.db, &channel.id, SENT_NAME, &draft.header_id)? {
            return self.record_accepted();
        }
        tracing::warn!(%why, mail = row.id, "it is not known whether a mail was sent");
        if row.is_recorded {
            emails::advance_recorded(work.db, &row.id, UNKNOWN_STATUS)?;
        } else {
            self.store_mail(UNKNOWN_STATUS)?;
            egress::mark_recorded(work.db, &row.id)?;
        }
        // A person should look at the thread.
        threads::prioritize(work.db, &draft.thread, "high")?;
        self.settle(EgressState::Unknown, UNKNOWN_STATUS)
    }

    /// Stores the mail in its thread, which it may begin.
    fn store_mail(&self, status: &str) -> Result<EmailRow, ApiError> {
        let Self { context: work, channel, draft, .. } = self;
        let stamp = work.stamp();
        if draft.begins_thread {
            begin_thread(work, channel, draft, stamp)?;
        }
        let row = sent_row(draft, channel, status, stamp);
        store_sent_mail(work, channel, &row)?;
        Ok(row)
    }

    fn settle(&self, state: EgressState, status: &str) -> Result<(), ApiError> {
        let reply = build_reply(self.context, &self.row, |body| body["status"] = status.into())?;
        settle_row(self.context, &self.row, state, reply)
    }
}

pub fn begin_thread(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    draft: &MailDraft,
    stamp: Timestamp,
) -> Result<(), DatabaseError> {
    let contact = draft.to.first().map_or("", String::as_str);
    let made = new_thread(draft.thread.clone(), channel, &draft.subject, contact, stamp);
    threads::insert(work.db, &ThreadRow { folder: SENT_NAME.to_owned(), is_read: true, ..made })
}

pub fn sent_row(draft: &MailDraft, channel: &ChannelRow, status: &str, stamp: Timestamp) -> EmailRow {
    let mut draft = draft.clone();
    if let Some(agent) = draft.agent {
        draft.headers.insert(AGENT_KEY.to_owned(), json!({"id": agent.id, "name": agent.name}));
    }
    if let Some(reply) = &draft.invitation {
        invitations::write_answer(reply, &mut draft.headers);
    }
    EmailRow {
        id: draft.id,
        thread: draft.thread,
        channel: channel.id.clone(),
        header_id: draft.header_id,
        direction: "outbound".to_owned(),
        sender: draft.sender,
        sender_name: draft.sender_name,
        recipients: draft.to,
        copies: draft.cc,
        blind_copies: draft.bcc,
        subject: draft.subject,
        text: draft.text,
        html: draft.html,
        attachments: draft.attachments,
        headers: Value::Object(draft.headers).to_string(),
        in_reply_to: draft.in_reply_to,
        status: status.to_owned(),
        cost: draft.cost,
        created_at: stamp,
        sent_at: None,
        opened_at: None,
    }
}

/// Reads who sent a mail from its stored headers; `None` if it was not sent with a person's own key.
pub fn read_agent(headers: &str) -> Option<PersonName> {
    let headers: Value = serde_json::from_str(headers).ok()?;
    serde_json::from_value(headers.get(AGENT_KEY)?.clone()).ok()
}

/// Reads where a person sent a mail, if not through this service.
pub fn read_place(headers: &str) -> Option<AnswerPlace> {
    if !headers.contains(PLACE_KEY) {
        return None;
    }
    let headers: Value = serde_json::from_str(headers).ok()?;
    AnswerPlace::from_word(headers.get(PLACE_KEY)?.as_str()?)
}

pub fn store_sent_mail(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    row: &EmailRow,
) -> Result<(), DatabaseError> {
    emails::insert(work.db, row)?;
    if let Some(agent) = read_agent(&row.headers) {
        team::work::record_mail_answer(work.db, &channel.workspace, &agent, row)?;
    }
    threads::touch(work.db, &row.thread, false, row.created_at)?;
    for address in all_recipients([&row.recipients, &row.copies, &row.blind_copies]) {
        correspondents::record_mail(work.db, &channel.id, address, None, row.created_at)?;
    }
    Ok(())
}

/// Emits `email.sent`.
pub fn record_sent(work: &WriteContext<'_>, channel: &ChannelRow, row: &EmailRow) -> Result<(), ApiError> {
    let to = all_recipients([&row.recipients, &row.copies, &row.blind_copies]).join(", ");
    let content = format!("{}\n\n{}", row.subject, readable_text(row.text.as_deref(), row.html.as_deref()));
    work.record_outbound(channel.kind, &to, &content, row.created_at)?;
    let data = EmailSent {
        message_id: row.id.as_str().into(),
        subject: row.subject.as_str().into(),
        thread_id: row.thread.as_str().into(),
        to: row.recipients.as_slice().into(),
    };
    Ok(events::emit(work, &channel.id, &EventData::EmailSent(data))?)
}

/// Returns all recipients without duplicates.
pub fn all_recipients(lists: [&[String]; 3]) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for address in lists.into_iter().flatten() {
        if !found.iter().any(|entry| entry.eq_ignore_ascii_case(address)) {
            found.push(address);
        }
    }
    found
}

/// Advances a mail to `step`, unless it is past that already, and emits `email.opened`.
pub fn advance(work: &WriteContext<'_>, mail: &str, step: JobKind) -> Result<(), DatabaseError> {
    let status = if step == JobKind::Opened { "opened" } else { "failed" };
    let moved = emails::advance(work.db, mail, status, work.now)?;
    // The interface has no event for a bounced mail.
    if !moved || step != JobKind::Opened {
        return Ok(());
    }
    let Some(row) = emails::read(work.db, mail)? else { return Ok(()) };
    let data = EmailOpened {
        message_id: row.id.into(),
        opened_at: row.opened_at,
        subject: row.subject.into(),
        thread_id: row.thread.into(),
        to: row.recipients.into(),
    };
    events::emit(work, &row.channel, &EventData::EmailOpened(data))
}
