//! Mail from before the mailbox was connected becomes threads without news: it
//! has the time at which it arrived, keeps its marks, tells no webhook, asks no
//! assistant and costs nothing.
//!
//! Mails are filed newest first, so that one usually comes after its answers. Each
//! joins the thread of a mail that names it (`naming.rs`), and becomes the
//! beginning of that thread. A thread is read and starred as its newest mail
//! that came in is in the mailbox.

use serde_json::Value;

use crate::carriers::ArrivedMail;
use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::media::{self, MediaRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, correspondents, egress, ingress};
use crate::errors::ApiError;
use crate::mail::arriving::INBOX;
use crate::mail::receive::{self, InboundMail, SAME_TOPIC};
use crate::mail::settle::{self, SENT};
use crate::mail::{categories, filing, naming, repeats, topics};
use crate::platforms::mailbox::MailDirection;
use crate::write::Work;
use model::bounds;
use model::time::Timestamp;

/// Key under which it is kept with the headers of a mail that it was there
/// before. No header has this name: spaces are not allowed in one.
pub const KEY: &str = "was there before";

/// How a mail lay in the mailbox before that was connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierArrival {
    /// When it arrived; before the mailbox was connected.
    pub at: Timestamp,
    pub is_read: bool,
    pub is_starred: bool,
}

/// Files a mail from before, once.
///
/// # Errors
/// When the database fails.
pub fn file(
    work: &Work<'_>,
    channel: &ChannelRow,
    arrived: ArrivedMail,
    arrival: EarlierArrival,
) -> Result<(), ApiError> {
    let ArrivedMail { mut mail, kept, direction, number, returned, .. } = arrived;
    let id = mail.header_id.clone().unwrap_or_default();
    if let Some((validity, uid)) = number {
        ingress::is_new(work.db, &channel.id, &filing::numbered(validity, uid), &id)?;
    }
    let place = match direction {
        MailDirection::SentToSelf => return Ok(()),
        MailDirection::Sent => SENT,
        MailDirection::Inbound => INBOX,
    };
    if !repeats::is_new(work, channel, place, &mail)? || is_from_here(work, channel, &id)? {
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
    naming::note(work.db, &channel.id, &filed, &mail)?;
    emails::insert(work.db, &filed)?;
    Ok(())
}

/// Returns true for a mail that was sent from here, which its thread holds already.
fn is_from_here(work: &Work<'_>, channel: &ChannelRow, header_id: &str) -> Result<bool, DatabaseError> {
    let id = header_id.trim_start_matches('<').split('@').next().unwrap_or_default();
    Ok(egress::read(work.db, id)?.is_some_and(|row| row.channel == channel.id))
}

/// Puts a mail that came in into its thread; its row.
fn file_inbound(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    arrival: EarlierArrival,
) -> Result<EmailRow, DatabaseError> {
    let EarlierArrival { at, is_read, is_starred } = arrival;
    let people = if mail.is_answerable() { vec![mail.customer()] } else { Vec::new() };
    let answered = receive::answered(work, channel, mail, &people)?;
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
        // A newer one was sent: somebody has read what it answers.
        thread.is_read = is_read || (was_there && thread.last_at > at);
        thread.is_starred = is_starred;
    }
    if thread.folder == SENT {
        "inbox".clone_into(&mut thread.folder);
    }
    if mail.is_answerable() && !mail.is_report {
        let is_contact = mail.customer().to_lowercase() == thread.contact;
        if thread.contact_name.is_none() && is_contact {
            thread.contact_name = mail.customer_name().map(str::to_owned);
        }
        correspondents::note(work.db, &channel.id, mail.customer(), mail.customer_name(), at)?;
    }
    if thread.category.is_none() {
        thread.category = Some(categories::category(&mail.subject, &mail.words()).to_owned());
    }
    count(work, &mut thread, mail, at)?;
    let answered = answered.map(|found| found.0.header_id);
    let row = receive::row_of(work.id("mail", at), &thread.id, channel, mail, answered, at);
    Ok(EmailRow { headers: marked(&row.headers), ..row })
}

/// Puts a mail that was sent into its thread; its row.
fn file_sent(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    at: Timestamp,
) -> Result<EmailRow, DatabaseError> {
    let people: Vec<&str> = mail.to.iter().chain(&mail.copies).map(String::as_str).collect();
    let related = match receive::answered(work, channel, mail, &people)? {
        Some((_, thread)) => Some(thread),
        None => naming::thread_of(work, channel, mail, &people)?,
    };
    let mut thread = match related {
        Some(thread) => thread,
        None => {
            let is_other = |address: &&&str| !address.eq_ignore_ascii_case(&mail.from);
            let contact = people.iter().find(is_other).copied().unwrap_or(mail.from.as_str());
            let made = begin_thread(work, channel, mail, contact, at)?;
            ThreadRow { folder: SENT.to_owned(), is_read: true, ..made }
        }
    };
    // An answer shows that somebody has read the mails before it.
    thread.is_read |= is_newest_inbound(work, &thread, at)?;
    count(work, &mut thread, mail, at)?;
    for address in settle::everybody([&mail.to, &mail.copies, &[]]) {
        correspondents::note(work.db, &channel.id, address, None, at)?;
    }
    let row = receive::sent_row(work.id("mail", at), &thread.id, channel, mail, at);
    Ok(EmailRow { headers: marked(&row.headers), ..row })
}

/// The thread of a mail that names it, or of its topic around its time.
fn find_related(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    people: &[&str],
    at: Timestamp,
) -> Result<Option<ThreadRow>, DatabaseError> {
    if let Some(thread) = naming::thread_of(work, channel, mail, people)? {
        return Ok(Some(thread));
    }
    let topic = topics::distinct_topic(&mail.subject);
    let contact = mail.customer().to_lowercase();
    if topic.is_empty() || !mail.is_answerable() || !bounds::is_email(&contact) {
        return Ok(None);
    }
    let around = (at.plus(-SAME_TOPIC), at.plus(SAME_TOPIC));
    match threads::of_topic_around(work.db, &channel.id, &contact, &topic, around)? {
        Some(thread) if receive::is_by_same_author(work, &thread, mail)? => Ok(Some(thread)),
        _ => Ok(None),
    }
}

fn begin_thread(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    contact: &str,
    at: Timestamp,
) -> Result<ThreadRow, DatabaseError> {
    let made = receive::fresh(work.id("thread", at), channel, &mail.subject, contact, at);
    threads::insert(work.db, &made)?;
    Ok(made)
}

/// True if nothing came into a thread after a time.
fn is_newest_inbound(work: &Work<'_>, thread: &ThreadRow, at: Timestamp) -> Result<bool, DatabaseError> {
    Ok(emails::newest_inbound_at(work.db, &thread.id)?.is_none_or(|newest| newest < at))
}

/// Counts a mail of a time in its thread, which begins with it if it is the
/// oldest.
fn count(
    work: &Work<'_>,
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
    threads::refile(work.db, thread)
}

/// Headers with the note that the mail was there before.
fn marked(headers: &str) -> String {
    let mut headers: serde_json::Map<String, Value> = serde_json::from_str(headers).unwrap_or_default();
    headers.insert(KEY.to_owned(), Value::Bool(true));
    Value::Object(headers).to_string()
}
