//! Storing of a received mail: finds or creates its thread, emits `email.received`, and categorizes the
//! thread.

use serde_json::Value;

use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, connected, correspondents};
use crate::events;
use crate::mail::dates::MailDates;
use crate::mail::{categories, identities, invitations, naming};
use crate::sending::mail::SENT_NAME;
use crate::write::WriteContext;
use api::events::{EmailReceived, EmailThreadCategorized, EventData};
use model::bounds;
use model::time::{DAY, Timestamp};
use platforms::mail::InboundMail;
use platforms::mail::answer_target::AnswerTarget;
use platforms::mail::topics;

/// Time within which a mail without references joins a thread of the same topic, in microseconds.
pub const TOPIC_JOIN_WINDOW: i64 = 7 * DAY;

/// Directs the answer to a report to the customer of the reported mail's thread, since nobody reads mail to a
/// mail server.
fn answered_to_customer(mail: InboundMail, thread: &ThreadRow) -> InboundMail {
    if !bounds::is_email(&thread.contact_email) {
        return mail;
    }
    let (to, name) = (vec![thread.contact_email.clone()], thread.contact_name.clone());
    InboundMail { answers_go_to: AnswerTarget::Others { to, name }, ..mail }
}

/// Returns the checked dates of a mail received now.
fn dates_of(mail: &InboundMail, now: Timestamp) -> Option<MailDates> {
    let is_dated = mail.claimed_at.is_some() || mail.arrived_at.is_some();
    is_dated.then(|| MailDates::bounded(mail.claimed_at, mail.arrived_at, now))
}

fn headers_json(mail: &InboundMail, dates: Option<MailDates>) -> String {
    let mut headers = mail.headers.clone();
    mail.answers_go_to.write_to(&mut headers);
    if let Some(dates) = dates {
        dates.write_to(&mut headers);
    }
    invitations::write_event(mail, &mut headers);
    identities::write_delivery(mail, &mut headers);
    if let Some(address) = &mail.sent_by {
        headers.insert("Sender".to_owned(), Value::String(address.clone()));
    }
    Value::Object(headers).to_string()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMail {
    pub thread: String,
    pub message: String,
}

pub fn receive(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
) -> Result<ReceivedMail, DatabaseError> {
    let people = if mail.is_answerable() { vec![mail.customer()] } else { Vec::new() };
    let answered = find_answered_mail(work, channel, mail, &people)?;
    let mail = &with_answer_target(mail, answered.as_ref());
    let thread = find_or_create_thread(work, channel, mail, answered.as_ref().map(|found| &found.1))?;
    let stamp = work.stamp();
    let id = work.id("mail", stamp);
    let answered = answered.map(|found| found.0.header_id);
    let row = inbound_row(id.clone(), &thread.id, channel, mail, answered, stamp);
    emails::insert(work.db, &row)?;
    invitations::record_cancellation(work, channel, mail)?;
    if connected::is_importing(work.db, &channel.id)? {
        naming::record_references(work.db, &channel.id, &row, mail)?;
    }
    threads::touch(work.db, &thread.id, true, stamp)?;
    let customer = mail.customer();
    if mail.is_answerable() && !mail.is_report {
        let is_contact = customer.to_lowercase() == thread.contact;
        if let Some(name) = mail.customer_name().filter(|_| is_contact) {
            threads::name_contact(work.db, &thread.id, name)?;
        }
        correspondents::record_mail(work.db, &channel.id, customer, mail.customer_name(), stamp)?;
    }
    let data = EmailReceived {
        content: mail.readable_text().chars().take(bounds::MAX_TEXT_CHARS).collect(),
        from: mail.from.as_str().into(),
        message_id: id.as_str().into(),
        subject: mail.subject.as_str().into(),
        thread_id: thread.id.as_str().into(),
    };
    events::emit(work, &channel.id, &EventData::EmailReceived(data))?;
    if thread.category.is_none() {
        categorize(work, &thread, mail)?;
    }
    Ok(ReceivedMail { thread: thread.id, message: id })
}

/// Returns the mail with its answer directed to the customer, if it is a report about a mail to them.
pub fn with_answer_target(mail: &InboundMail, answered: Option<&(EmailRow, ThreadRow)>) -> InboundMail {
    match answered {
        Some((sent, thread)) if mail.is_report && sent.direction == "outbound" => {
            answered_to_customer(mail.clone(), thread)
        }
        _ => mail.clone(),
    }
}

/// Builds the row of a received mail; `answered` is the `Message-ID` of the known mail it answers.
pub fn inbound_row(
    id: String,
    thread: &str,
    channel: &ChannelRow,
    mail: &InboundMail,
    answered: Option<String>,
    at: Timestamp,
) -> EmailRow {
    let domain = mail.from.rsplit('@').next().unwrap_or("mail.example");
    let dates = dates_of(mail, at);
    EmailRow {
        header_id: mail.header_id.clone().unwrap_or_else(|| format!("<{id}@{domain}>")),
        id,
        thread: thread.to_owned(),
        channel: channel.id.clone(),
        direction: "inbound".to_owned(),
        sender: mail.from.clone(),
        sender_name: mail.name.clone(),
        recipients: match mail.to.is_empty() {
            true => channel.address.iter().cloned().collect(),
            false => mail.to.clone(),
        },
        copies: mail.copies.clone(),
        subject: mail.subject.clone(),
        text: mail.text.clone(),
        html: mail.html.clone(),
        attachments: mail.attachments.clone(),
        headers: headers_json(mail, dates),
        in_reply_to: answered.or_else(|| mail.in_reply_to.clone()),
        status: "received".to_owned(),
        created_at: at,
        sent_at: dates.map(|dates| dates.sent_at),
        ..EmailRow::default()
    }
}

/// Builds the row of a mail that another program sent from the mailbox.
pub fn sent_row(
    id: String,
    thread: &str,
    channel: &ChannelRow,
    mail: &InboundMail,
    at: Timestamp,
) -> EmailRow {
    let dates = dates_of(mail, at);
    let mut headers = mail.headers.clone();
    if let Some(dates) = dates {
        dates.write_to(&mut headers);
    }
    invitations::write_foreign_answer(mail, &mut headers);
    EmailRow {
        id,
        thread: thread.to_owned(),
        channel: channel.id.clone(),
        header_id: mail.header_id.clone().unwrap_or_default(),
        direction: "outbound".to_owned(),
        sender: mail.from.clone(),
        sender_name: mail.name.clone(),
        recipients: mail.to.clone(),
        copies: mail.copies.clone(),
        subject: mail.subject.clone(),
        text: mail.text.clone(),
        html: mail.html.clone(),
        attachments: mail.attachments.clone(),
        headers: Value::Object(headers).to_string(),
        in_reply_to: mail.in_reply_to.clone(),
        status: SENT_NAME.to_owned(),
        created_at: at,
        sent_at: dates.map(|dates| dates.sent_at),
        ..EmailRow::default()
    }
}

/// Finds the mail this one answers: the referenced one, else the newest known one before it, in a thread in
/// which one of `people` takes part. Knowledge of an id is not enough, since mail may be forwarded.
pub fn find_answered_mail(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    people: &[&str],
) -> Result<Option<(EmailRow, ThreadRow)>, DatabaseError> {
    for reference in mail.in_reply_to.iter().chain(mail.references.iter().rev()) {
        for found in emails::find_all(work.db, &channel.id, reference)? {
            let Some(thread) = threads::read(work.db, &channel.id, &found.thread)? else { continue };
            let is_reported = mail.is_report && found.direction == "outbound";
            if is_reported || is_participant(work, &thread, people)? {
                return Ok(Some((found, thread)));
            }
        }
    }
    Ok(None)
}

/// Returns true if one of `people` takes part in a thread: as its contact, as a recipient of mail sent from
/// here, or as a recipient of the contact's copies.
pub fn is_participant(
    work: &WriteContext<'_>,
    thread: &ThreadRow,
    people: &[&str],
) -> Result<bool, DatabaseError> {
    let people: Vec<String> = people.iter().map(|address| address.to_lowercase()).collect();
    if people.is_empty() || people.contains(&thread.contact) {
        return Ok(!people.is_empty());
    }
    let named = emails::list_participants(work.db, &thread.id)?;
    let trusted = named
        .iter()
        .filter(|mail| mail.direction == "outbound" || mail.sender.to_lowercase() == thread.contact);
    let mut all = trusted.flat_map(|mail| [&mail.recipients, &mail.copies, &mail.blind_copies]).flatten();
    Ok(all.any(|address| people.contains(&address.to_lowercase())))
}

/// Returns the thread of the answered mail, else one related by references or topic, else a new one.
fn find_or_create_thread(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    answered: Option<&ThreadRow>,
) -> Result<ThreadRow, DatabaseError> {
    if let Some(thread) = answered {
        return Ok(thread.clone());
    }
    let people = if mail.is_answerable() { vec![mail.customer()] } else { Vec::new() };
    if let Some(thread) = naming::find_thread(work, channel, mail, &people)? {
        return Ok(thread);
    }
    let topic = topics::distinct_topic(&mail.subject);
    if mail.is_answerable() && !topic.is_empty() {
        let since = work.now.plus(-TOPIC_JOIN_WINDOW);
        let contact = mail.customer().to_lowercase();
        let found = threads::find_by_topic(work.db, &channel.id, &contact, &topic, since)?;
        if let Some(thread) = found.filter(|_| bounds::is_email(&contact))
            && is_by_same_author(work, &thread, mail)?
        {
            return Ok(thread);
        }
    }
    let stamp = work.stamp();
    let fresh = new_thread(work.id("thread", stamp), channel, &mail.subject, mail.customer(), stamp);
    let fresh = ThreadRow { contact_name: mail.customer_name().map(str::to_owned), ..fresh };
    threads::insert(work.db, &fresh)?;
    Ok(fresh)
}

/// Returns true if the author of a mail is the thread's contact or has written in it. `Reply-To` alone gives
/// no access to another's thread.
pub fn is_by_same_author(
    work: &WriteContext<'_>,
    thread: &ThreadRow,
    mail: &InboundMail,
) -> Result<bool, DatabaseError> {
    let author = mail.from.to_lowercase();
    if author == thread.contact {
        return Ok(true);
    }
    let named = emails::list_participants(work.db, &thread.id)?;
    Ok(named.iter().any(|mail| mail.direction == "inbound" && mail.sender.to_lowercase() == author))
}

/// Builds a new thread in the inbox.
pub fn new_thread(
    id: String,
    channel: &ChannelRow,
    subject: &str,
    contact: &str,
    at: Timestamp,
) -> ThreadRow {
    ThreadRow {
        id,
        channel: channel.id.clone(),
        subject: subject.to_owned(),
        topic: topics::topic(subject),
        contact: contact.to_lowercase(),
        contact_email: contact.to_owned(),
        contact_name: None,
        folder: "inbox".to_owned(),
        category: None,
        priority: "normal".to_owned(),
        is_read: false,
        is_starred: false,
        message_count: 0,
        last_at: at,
        created_at: at,
    }
}

/// Sets a thread's category and emits `email.thread.categorized`.
fn categorize(work: &WriteContext<'_>, thread: &ThreadRow, mail: &InboundMail) -> Result<(), DatabaseError> {
    let category = categories::categorize(&mail.subject, &mail.readable_text());
    threads::categorize(work.db, &thread.id, category)?;
    let data = EmailThreadCategorized {
        category: category.into(),
        subject: thread.subject.as_str().into(),
        thread_id: thread.id.as_str().into(),
    };
    events::emit(work, &thread.channel, &EventData::EmailThreadCategorized(data))
}
