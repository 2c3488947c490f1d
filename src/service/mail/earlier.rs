//! Import of mail from before the mailbox was connected. An imported mail keeps its arrival time and flags,
//! emits no event, is not answered by the assistant and costs nothing.
//!
//! Mails are imported newest first, so a mail usually comes after its answers. It joins the thread of a mail
//! that references it (`naming.rs`) and becomes that thread's beginning. A thread is read and starred as its
//! newest received mail is in the mailbox.

use serde_json::Value;

use crate::carriers::files;
use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::media::{self, MediaRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, correspondents, egress, ingress};
use crate::errors::ApiError;
use crate::mail::arriving::INBOX_NAME;
use crate::mail::receive::{self, TOPIC_JOIN_WINDOW};
use crate::mail::{categories, filing, invitations, naming, repeats};
use crate::sending::mail::{self as sent, SENT_NAME};
use crate::write::WriteContext;
use model::bounds;
use model::time::Timestamp;
use platforms::mail::{ArrivedMail, EarlierArrival, InboundMail, topics};
use platforms::mailbox::MailDirection;

/// Key that marks imported mail among its headers. No header can have this name, since it contains spaces.
pub const EARLIER_KEY: &str = "was there before";

/// Imports a mail, once.
///
/// # Errors
/// If the database fails.
pub fn file_earlier_mail(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    arrived: ArrivedMail,
    kept: Vec<MediaRow>,
    arrival: EarlierArrival,
) -> Result<(), ApiError> {
    let ArrivedMail { mut mail, direction, number, bounce: returned, left, .. } = arrived;
    let id = mail.header_id.clone().unwrap_or_default();
    if let Some((validity, uid)) = number {
        ingress::record_arrival(work.db, &channel.id, &filing::number_name(validity, uid), &id)?;
    }
    let place = match direction {
        MailDirection::SentToSelf => return Ok(()),
        MailDirection::Sent => SENT_NAME,
        MailDirection::Inbound => INBOX_NAME,
    };
    if !repeats::record_mail(work, channel, place, &mail)? || is_from_here(work, channel, &id)? {
        return Ok(());
    }
    if let Some(returned) = returned {
        mail.in_reply_to = Some(returned.header_id);
    }
    for row in kept {
        media::insert(work.db, &MediaRow { workspace: channel.workspace.clone(), ..row }, work.now)?;
    }
    let filed = match direction {
        MailDirection::Sent => file_sent(work, channel, &mail, arrival.at)?,
        _ => file_inbound(work, channel, &mail, arrival)?,
    };
    naming::record_references(work.db, &channel.id, &filed, &mail)?;
    emails::insert(work.db, &filed)?;
    files::store_left_files(work, (&channel.id, &filed.thread, &filed.id), left)?;
    Ok(())
}

/// Returns true for a mail sent by this service, which is in its thread already.
fn is_from_here(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    header_id: &str,
) -> Result<bool, DatabaseError> {
    let id = header_id.trim_start_matches('<').split('@').next().unwrap_or_default();
    Ok(egress::read(work.db, id)?.is_some_and(|row| row.channel == channel.id))
}

/// Adds a received mail to its thread and returns its row.
fn file_inbound(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    arrival: EarlierArrival,
) -> Result<EmailRow, DatabaseError> {
    let EarlierArrival { at, is_read, is_starred } = arrival;
    let people = if mail.is_answerable() { vec![mail.customer()] } else { Vec::new() };
    let answered = receive::find_answered_mail(work, channel, mail, &people)?;
    let mail = &receive::with_answer_target(mail, answered.as_ref());
    let related = match &answered {
        Some((_, thread)) => Some(thread.clone()),
        None => find_related(work, channel, mail, &people, at)?,
    };
    let was_there = related.is_some();
    let mut thread = match related {
        Some(thread) => thread,
        None => begin_thread(work, channel, mail, mail.customer(), at)?,
    };
    if is_newest_inbound(work, &thread, at)? {
        // A newer mail was sent from the thread, so this one was read.
        thread.is_read = is_read || (was_there && thread.last_at > at);
        thread.is_starred = is_starred;
    }
    if thread.folder == SENT_NAME {
        "inbox".clone_into(&mut thread.folder);
    }
    if mail.is_answerable() && !mail.is_report {
        let is_contact = mail.customer().to_lowercase() == thread.contact;
        if thread.contact_name.is_none() && is_contact {
            thread.contact_name = mail.customer_name().map(str::to_owned);
        }
        correspondents::record_mail(work.db, &channel.id, mail.customer(), mail.customer_name(), at)?;
    }
    if thread.category.is_none() {
        thread.category = Some(categories::categorize(&mail.subject, &mail.readable_text()).to_owned());
    }
    count_mail(work, &mut thread, mail, at)?;
    let answered = answered.map(|found| found.0.header_id);
    invitations::record_cancellation(work, channel, mail)?;
    let row = receive::inbound_row(work.id("mail", at), &thread.id, channel, mail, answered, at);
    Ok(EmailRow { headers: mark_headers(&row.headers), ..row })
}

/// Adds a sent mail to its thread and returns its row.
fn file_sent(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    at: Timestamp,
) -> Result<EmailRow, DatabaseError> {
    let people: Vec<&str> = mail.to.iter().chain(&mail.copies).map(String::as_str).collect();
    let related = match receive::find_answered_mail(work, channel, mail, &people)? {
        Some((_, thread)) => Some(thread),
        None => naming::find_thread(work, channel, mail, &people)?,
    };
    let mut thread = match related {
        Some(thread) => thread,
        None => {
            let is_other = |address: &&&str| !address.eq_ignore_ascii_case(&mail.from);
            let contact = people.iter().find(is_other).copied().unwrap_or(mail.from.as_str());
            let made = begin_thread(work, channel, mail, contact, at)?;
            ThreadRow { folder: SENT_NAME.to_owned(), is_read: true, ..made }
        }
    };
    // An answer shows that the mails before it were read.
    thread.is_read |= is_newest_inbound(work, &thread, at)?;
    count_mail(work, &mut thread, mail, at)?;
    for address in sent::all_recipients([&mail.to, &mail.copies, &[]]) {
        correspondents::record_mail(work.db, &channel.id, address, None, at)?;
    }
    let row = receive::sent_row(work.id("mail", at), &thread.id, channel, mail, at);
    Ok(EmailRow { headers: mark_headers(&row.headers), ..row })
}

/// Finds the thread of a mail by references, or by its topic around its time.
fn find_related(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    people: &[&str],
    at: Timestamp,
) -> Result<Option<ThreadRow>, DatabaseError> {
    if let Some(thread) = naming::find_thread(work, channel, mail, people)? {
        return Ok(Some(thread));
    }
    let topic = topics::distinct_topic(&mail.subject);
    let contact = mail.customer().to_lowercase();
    if topic.is_empty() || !mail.is_answerable() || !bounds::is_email(&contact) {
        return Ok(None);
    }
    let around = (at.plus(-TOPIC_JOIN_WINDOW), at.plus(TOPIC_JOIN_WINDOW));
    match threads::find_by_topic_within(work.db, &channel.id, &contact, &topic, around)? {
        Some(thread) if receive::is_by_same_author(work, &thread, mail)? => Ok(Some(thread)),
        _ => Ok(None),
    }
}

fn begin_thread(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    contact: &str,
    at: Timestamp,
) -> Result<ThreadRow, DatabaseError> {
    let made = receive::new_thread(work.id("thread", at), channel, &mail.subject, contact, at);
    threads::insert(work.db, &made)?;
    Ok(made)
}

/// Returns true if no mail in the thread was received at or after `at`.
fn is_newest_inbound(
    work: &WriteContext<'_>,
    thread: &ThreadRow,
    at: Timestamp,
) -> Result<bool, DatabaseError> {
    Ok(emails::newest_inbound_at(work.db, &thread.id)?.is_none_or(|newest| newest < at))
}

/// Counts a mail in its thread; the oldest mail gives the thread its beginning and subject.
fn count_mail(
    work: &WriteContext<'_>,
    thread: &mut ThreadRow,
    mail: &InboundMail,
    at: Timestamp,
) -> Result<(), DatabaseError> {
    thread.message_count += 1;
    thread.last_at = thread.last_at.max(at);
    if at < thread.created_at {
        thread.created_at = at;
        thread.subject.clone_from(&mail.subject);
        thread.topic = topics::topic(&mail.subject);
    }
    threads::update_filing(work.db, thread)
}

fn mark_headers(headers: &str) -> String {
    let mut headers: serde_json::Map<String, Value> = serde_json::from_str(headers).unwrap_or_default();
    headers.insert(EARLIER_KEY.to_owned(), Value::Bool(true));
    Value::Object(headers).to_string()
}
