//! Outcome of an attempt to send a mail, applied in one transaction with its consequences: thread, price, and
//! the answer to the request.

use serde_json::{Value, json};

use crate::carriers::settle::{GIVEN_UP, keep_reply};
use crate::carriers::{CarryOutcome, Parcel};
use crate::chat::send::QUEUED;
use crate::database::channels::ChannelRow;
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::emails::{self, EmailRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, connected, correspondents, ingress, workspaces};
use crate::errors::ApiError;
use crate::events::{self, Event};
use crate::mail::answering;
use crate::mail::receive::{fresh, words};
use crate::platforms::mailbox::FILING;
use crate::reply::Reply;
use crate::world::letters;
use crate::write::Work;
use model::time::{SECOND, Timestamp};
use wire::carriers::MailDraft;
use wire::errors::ErrorCode;

/// Mail status of an unknown outcome.
pub const UNKNOWN: &str = "unknown";
/// Name under which ids of sent mail are recorded; also the folder and the status of sent mail.
pub const SENT: &str = "sent";
/// Maximum time for which a change in the mailbox is retried, in microseconds.
const FILED: i64 = 24 * GIVEN_UP;

/// Outbound mail with the rows it belongs to.
struct MailCase<'a, 'b> {
    work: &'a Work<'b>,
    channel: &'a ChannelRow,
    row: EgressRow,
    draft: MailDraft,
}

/// Settles an attempt that the caller has checked to be the newest.
pub fn settle(
    work: &Work<'_>,
    channel: &ChannelRow,
    row: EgressRow,
    outcome: CarryOutcome,
) -> Result<(), ApiError> {
    if is_filing(&row)? {
        return filed(work, &row, outcome);
    }
    let draft: MailDraft = serde_json::from_str(&row.draft).map_err(|cause| ApiError::internal(&cause))?;
    let was_unknown = row.state == EgressState::Unknown.word();
    let work = &Work { key: draft.key.as_deref(), ..*work };
    let case = MailCase { work, channel, row, draft: draft.clone() };
    match outcome {
        CarryOutcome::Taken { .. } => case.taken(),
        CarryOutcome::Refused { code, why, broken } => case.refused(code, &why, broken),
        // A mail that may have been sent is not retried.
        CarryOutcome::Later { .. } | CarryOutcome::Moved { .. } | CarryOutcome::Unknown { .. }
            if was_unknown =>
        {
            Ok(())
        }
        CarryOutcome::Later { after, why } => case.later(after, &why),
        CarryOutcome::Moved { .. } => case.later(SECOND, "the mail has another address"),
        CarryOutcome::Unknown { why } => case.unknown(&why),
    }
}

/// Stores a mail before its server has answered, because its request waits no longer.
pub fn tell(work: &Work<'_>, channel: &ChannelRow, row: EgressRow, reply: &Reply) -> Result<(), ApiError> {
    let draft: MailDraft = serde_json::from_str(&row.draft).map_err(|cause| ApiError::internal(&cause))?;
    let case = MailCase { work, channel, row, draft };
    case.store(QUEUED)?;
    keep_reply(work, &case.row.id, reply)?;
    Ok(egress::mark_told(work.db, &case.row.id)?)
}

/// Returns true if a due mail may still be sent: the assistant's may not after a takeover. Drops it
/// otherwise.
pub fn may_leave(work: &Work<'_>, row: &EgressRow) -> Result<bool, ApiError> {
    if is_filing(row)? {
        return Ok(true);
    }
    let draft: MailDraft = serde_json::from_str(&row.draft).map_err(|cause| ApiError::internal(&cause))?;
    let stays = draft.author != "ai" || answering::is_automated(work.db, &draft.thread)?;
    if !stays {
        egress::settle(work.db, &row.id, EgressState::Dropped, None, work.now)?;
    }
    Ok(stays)
}

fn is_filing(row: &EgressRow) -> Result<bool, ApiError> {
    let parcel: Parcel = serde_json::from_str(&row.parcel).map_err(|cause| ApiError::internal(&cause))?;
    Ok(parcel.kind == FILING)
}

/// Settles a change in the mailbox. Retried on any failure, since it is idempotent.
fn filed(work: &Work<'_>, row: &EgressRow, outcome: CarryOutcome) -> Result<(), ApiError> {
    let (after, why) = match outcome {
        CarryOutcome::Taken { .. } => {
            return Ok(egress::settle(work.db, &row.id, EgressState::Taken, None, work.now)?);
        }
        CarryOutcome::Later { after, why } => (after, why),
        CarryOutcome::Refused { why, .. } | CarryOutcome::Unknown { why } => (SECOND, why),
        CarryOutcome::Moved { .. } => (SECOND, String::new()),
    };
    if work.now.since(row.place) >= FILED {
        tracing::warn!(%why, "the mailbox does not show what was done to a thread");
        return Ok(egress::settle(work.db, &row.id, EgressState::Dropped, None, work.now)?);
    }
    Ok(egress::postpone(work.db, &row.id, &row.parcel, work.now.plus(after.max(SECOND)))?)
}

impl MailCase<'_, '_> {
    fn taken(&self) -> Result<(), ApiError> {
        let Self { work, row, .. } = self;
        let mail = if row.told {
            emails::move_on(work.db, &row.id, SENT)?;
            emails::read(work.db, &row.id)?
        } else {
            Some(self.store(SENT)?)
        };
        if let Some(mail) = mail {
            leave(work, self.channel, &mail)?;
            if self.draft.author != "ai" {
                letters::heard_a_person(work, &mail.thread)?;
            }
        }
        self.settle(EgressState::Taken, self.reply(SENT)?)
    }

    fn refused(&self, code: ErrorCode, why: &str, broken: bool) -> Result<(), ApiError> {
        let Self { work, row, draft, channel } = self;
        if draft.cost > 0 {
            workspaces::refund(work.db, &channel.workspace, draft.cost, &row.id, work.now)?;
        }
        if broken {
            connected::set_trouble(work.db, &channel.id, Some(why))?;
        }
        if row.told {
            emails::fail(work.db, &row.id)?;
        }
        if row.told || draft.author == "ai" {
            // No request reports this failure, so a person should look at the thread.
            threads::prioritize(work.db, &draft.thread, "high")?;
        }
        tracing::warn!(%why, mail = row.id, "a mail was refused");
        self.settle(EgressState::Refused, Some(Reply::of_error(&ApiError::new(code, why))))
    }

    fn later(&self, after: i64, why: &str) -> Result<(), ApiError> {
        let Self { work, row, .. } = self;
        if work.now.since(row.place) >= GIVEN_UP {
            let why = format!("the mail server has not taken it for an hour: {why}");
            return self.refused(ErrorCode::WhatsappError, &why, false);
        }
        Ok(egress::postpone(work.db, &row.id, &row.parcel, work.now.plus(after.max(SECOND / 10)))?)
    }

    fn unknown(&self, why: &str) -> Result<(), ApiError> {
        let Self { work, row, draft, channel } = self;
        // The copy in the folder of sent mail may have been read already.
        if ingress::has_come(work.db, &channel.id, SENT, &draft.header_id)? {
            return self.taken();
        }
        tracing::warn!(%why, mail = row.id, "nobody knows whether a mail has left");
        if row.told {
            emails::move_on(work.db, &row.id, UNKNOWN)?;
        } else {
            self.store(UNKNOWN)?;
            egress::mark_told(work.db, &row.id)?;
        }
        // A person should look at the thread.
        threads::prioritize(work.db, &draft.thread, "high")?;
        self.settle(EgressState::Unknown, self.reply(UNKNOWN)?)
    }

    /// Stores the mail in its thread, which it may begin.
    fn store(&self, status: &str) -> Result<EmailRow, ApiError> {
        let Self { work, channel, draft, .. } = self;
        let stamp = work.stamp();
        if draft.begins_thread {
            begin_thread(work, channel, draft, stamp)?;
        }
        let row = row_of(draft, channel, status, stamp);
        put(work, channel, &row)?;
        Ok(row)
    }

    /// Builds the answer to the request, if there was one.
    fn reply(&self, status: &str) -> Result<Option<Reply>, ApiError> {
        let Some((reply, _)) = egress::answer(self.work.db, &self.row.id)? else { return Ok(None) };
        let mut body: Value =
            serde_json::from_slice(&reply.body).map_err(|cause| ApiError::internal(&cause))?;
        body["status"] = status.into();
        Ok(Some(Reply::with_status(reply.status, &body)?))
    }

    fn settle(&self, state: EgressState, reply: Option<Reply>) -> Result<(), ApiError> {
        let Self { work, row, .. } = self;
        // The request was answered already, when the mail was stored.
        let reply = reply.as_ref().filter(|_| !row.told);
        if let Some(reply) = reply {
            keep_reply(work, &row.id, reply)?;
        }
        Ok(egress::settle(work.db, &row.id, state, reply, work.now)?)
    }
}

/// Creates the thread that begins with a mail.
pub fn begin_thread(
    work: &Work<'_>,
    channel: &ChannelRow,
    draft: &MailDraft,
    stamp: Timestamp,
) -> Result<(), DatabaseError> {
    let contact = draft.to.first().map_or("", String::as_str);
    let made = fresh(draft.thread.clone(), channel, &draft.subject, contact, stamp);
    threads::insert(work.db, &ThreadRow { folder: SENT.to_owned(), is_read: true, ..made })
}

pub fn row_of(draft: &MailDraft, channel: &ChannelRow, status: &str, stamp: Timestamp) -> EmailRow {
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
pub fn put(work: &Work<'_>, channel: &ChannelRow, row: &EmailRow) -> Result<(), DatabaseError> {
    emails::insert(work.db, row)?;
    threads::touch(work.db, &row.thread, false, row.created_at)?;
    for address in everybody([&row.recipients, &row.copies, &row.blind_copies]) {
        correspondents::note(work.db, &channel.id, address, None, row.created_at)?;
    }
    Ok(())
}

/// Emits `email.sent`.
pub fn leave(work: &Work<'_>, channel: &ChannelRow, row: &EmailRow) -> Result<(), ApiError> {
    let to = everybody([&row.recipients, &row.copies, &row.blind_copies]).join(", ");
    let content = format!("{}\n\n{}", row.subject, words(row.text.as_deref(), row.html.as_deref()));
    work.note_outbound(channel.kind, &to, &content, row.created_at)?;
    let told = json!({
        "threadId": row.thread, "messageId": row.id, "to": row.recipients, "subject": row.subject,
    });
    Ok(events::emit(work, &channel.id, Event::EmailSent, told)?)
}

/// Returns all recipients without duplicates.
pub fn everybody(lists: [&[String]; 3]) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for address in lists.into_iter().flatten() {
        if !found.iter().any(|entry| entry.eq_ignore_ascii_case(address)) {
            found.push(address);
        }
    }
    found
}
