//! Outcome of an attempt to send a mail, applied in one transaction with its consequences: thread, price, and
//! the answer to the request.

use serde_json::{Value, json};

use crate::carriers::settle::{MAX_RETRY_TIME, store_reply};
use crate::carriers::{OutboundMessage, SendOutcome};
use crate::chat::send::QUEUED_STATUS;
use crate::database::channels::ChannelRow;
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::emails::{self, EmailRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, connected, correspondents, ingress, workspaces};
use crate::errors::ApiError;
use crate::events::{self, Event};
use crate::mail::answering;
use crate::mail::receive::{new_thread, readable_text};
use crate::platforms::mailbox::FILING_KIND;
use crate::reply::Reply;
use crate::world::letters;
use crate::write::WriteContext;
use model::time::{SECOND, Timestamp};
use wire::carriers::MailDraft;
use wire::errors::ErrorCode;

/// Mail status of an unknown outcome.
pub const UNKNOWN_STATUS: &str = "unknown";
/// Name under which ids of sent mail are recorded; also the folder and the status of sent mail.
pub const SENT_NAME: &str = "sent";
/// Maximum time for which a change in the mailbox is retried, in microseconds.
const MAX_FILING_TIME: i64 = 24 * MAX_RETRY_TIME;

/// Outbound mail with the rows it belongs to.
struct MailAttempt<'a, 'b> {
    context: &'a WriteContext<'b>,
    channel: &'a ChannelRow,
    row: EgressRow,
    draft: MailDraft,
}

/// Settles an attempt that the caller has checked to be the newest.
pub fn settle_attempt(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    row: EgressRow,
    outcome: SendOutcome,
) -> Result<(), ApiError> {
    if is_filing(&row)? {
        return settle_filing(work, &row, outcome);
    }
    let draft: MailDraft = serde_json::from_str(&row.draft).map_err(|cause| ApiError::internal(&cause))?;
    let was_unknown = row.state == EgressState::Unknown.word();
    let work = &WriteContext { key: draft.key.as_deref(), ..*work };
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
    let draft: MailDraft = serde_json::from_str(&row.draft).map_err(|cause| ApiError::internal(&cause))?;
    let case = MailAttempt { context: work, channel, row, draft };
    case.store_mail(QUEUED_STATUS)?;
    store_reply(work, &case.row.id, reply)?;
    Ok(egress::mark_recorded(work.db, &case.row.id)?)
}

/// Returns true if a due mail may still be sent: the assistant's may not after a takeover. Drops it
/// otherwise.
pub fn may_leave(work: &WriteContext<'_>, row: &EgressRow) -> Result<bool, ApiError> {
    if is_filing(row)? {
        return Ok(true);
    }
    let draft: MailDraft = serde_json::from_str(&row.draft).map_err(|cause| ApiError::internal(&cause))?;
    let stays = draft.author != "ai" || answering::is_assistant_enabled(work.db, &draft.thread)?;
    if !stays {
        egress::settle(work.db, &row.id, EgressState::Dropped, None, work.now)?;
    }
    Ok(stays)
}

fn is_filing(row: &EgressRow) -> Result<bool, ApiError> {
    let parcel: OutboundMessage =
        serde_json::from_str(&row.parcel).map_err(|cause| ApiError::internal(&cause))?;
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
        tracing::warn!(%why, "the mailbox does not show what was done to a thread");
        return Ok(egress::settle(work.db, &row.id, EgressState::Dropped, None, work.now)?);
    }
    Ok(egress::postpone(work.db, &row.id, &row.parcel, work.now.plus(after.max(SECOND)))?)
}

impl MailAttempt<'_, '_> {
    fn record_accepted(&self) -> Result<(), ApiError> {
        let Self { context: work, row, .. } = self;
        let mail = if row.told {
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
        self.settle_row(EgressState::Taken, self.build_reply(SENT_NAME)?)
    }

    fn record_refused(&self, code: ErrorCode, why: &str, broken: bool) -> Result<(), ApiError> {
        let Self { context: work, row, draft, channel } = self;
        if draft.cost > 0 {
            workspaces::refund(work.db, &channel.workspace, draft.cost, &row.id, work.now)?;
        }
        if broken {
            connected::set_trouble(work.db, &channel.id, Some(why))?;
        }
        if row.told {
            emails::mark_failed(work.db, &row.id)?;
        }
        if row.told || draft.author == "ai" {
            // No request reports this failure, so a person should look at the thread.
            threads::prioritize(work.db, &draft.thread, "high")?;
        }
        tracing::warn!(%why, mail = row.id, "a mail was refused");
        self.settle_row(EgressState::Refused, Some(Reply::from_error(&ApiError::new(code, why))))
    }

    fn retry_later(&self, after: i64, why: &str) -> Result<(), ApiError> {
        let Self { context: work, row, .. } = self;
        if work.now.since(row.place) >= MAX_RETRY_TIME {
            let why = format!("the mail server has not taken it for an hour: {why}");
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
        tracing::warn!(%why, mail = row.id, "nobody knows whether a mail has left");
        if row.told {
            emails::advance_recorded(work.db, &row.id, UNKNOWN_STATUS)?;
        } else {
            self.store_mail(UNKNOWN_STATUS)?;
            egress::mark_recorded(work.db, &row.id)?;
        }
        // A person should look at the thread.
        threads::prioritize(work.db, &draft.thread, "high")?;
        self.settle_row(EgressState::Unknown, self.build_reply(UNKNOWN_STATUS)?)
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

    /// Builds the answer to the request, if there was one.
    fn build_reply(&self, status: &str) -> Result<Option<Reply>, ApiError> {
        let Some((reply, _)) = egress::read_reply(self.context.db, &self.row.id)? else { return Ok(None) };
        let mut body: Value =
            serde_json::from_slice(&reply.body).map_err(|cause| ApiError::internal(&cause))?;
        body["status"] = status.into();
        Ok(Some(Reply::with_status(reply.status, &body)?))
    }

    fn settle_row(&self, state: EgressState, reply: Option<Reply>) -> Result<(), ApiError> {
        let Self { context: work, row, .. } = self;
        // The request was answered already, when the mail was stored.
        let reply = reply.as_ref().filter(|_| !row.told);
        if let Some(reply) = reply {
            store_reply(work, &row.id, reply)?;
        }
        Ok(egress::settle(work.db, &row.id, state, reply, work.now)?)
    }
}

/// Creates the thread that begins with a mail.
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
    let draft = draft.clone();
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

/// Stores a sent mail in its thread.
pub fn store_sent_mail(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    row: &EmailRow,
) -> Result<(), DatabaseError> {
    emails::insert(work.db, row)?;
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
    let told = json!({
        "threadId": row.thread, "messageId": row.id, "to": row.recipients, "subject": row.subject,
    });
    Ok(events::emit(work, &channel.id, Event::EmailSent, told)?)
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
