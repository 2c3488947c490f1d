//! Storing of a received mail: finds or creates its thread, emits `email.received`, and categorizes the
//! thread.

use serde_json::{Map, Value, json};

use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, connected, correspondents};
use crate::events::{self, Event};
use crate::mail::answer_target::AnswerTarget;
use crate::mail::dates::MailDates;
use crate::mail::settle::SENT_NAME;
use crate::mail::{categories, naming, plain, topics};
use crate::write::WriteContext;
use model::bounds;
use model::time::{DAY, Timestamp};
use wire::email::AttachmentBody;

/// Time within which a mail without references joins a thread of the same topic, in microseconds.
pub const TOPIC_JOIN_WINDOW: i64 = 7 * DAY;

/// Received mail.
#[derive(Debug, Clone, Default)]
pub struct InboundMail {
    /// Author's address; the whole `From` header if it contains none.
    pub from: String,
    pub name: Option<String>,
    pub answers_go_to: AnswerTarget,
    /// Address in `Sender`, if it is not the author's.
    pub sent_by: Option<String>,
    /// May be empty.
    pub subject: String,
    pub text: Option<String>,
    pub html: Option<String>,
    /// Mail it answers: a service id or a `Message-ID`.
    pub in_reply_to: Option<String>,
    pub attachments: Vec<AttachmentBody>,
    /// Own `Message-ID`; `None` lets the service create one.
    pub header_id: Option<String>,
    /// Ids of the mails before it, oldest first.
    pub references: Vec<String>,
    /// Recipients; empty for the account itself.
    pub to: Vec<String>,
    pub copies: Vec<String>,
    /// Headers that mark automatic mail.
    pub headers: Map<String, Value>,
    /// True for automatic mail, which the assistant does not answer.
    pub is_automatic: bool,
    /// True for a server's report about a mail of this service, which is then the mail it answers.
    pub is_report: bool,
    /// Unchecked `Date` header.
    pub claimed_at: Option<Timestamp>,
    /// Arrival time by the mailbox's server; `None` without a mailbox.
    pub arrived_at: Option<Timestamp>,
}

impl InboundMail {
    /// Returns the visible text.
    pub fn readable_text(&self) -> String {
        readable_text(self.text.as_deref(), self.html.as_deref())
    }

    /// Returns the customer's address, to which an answer goes; the header as received if no address can be
    /// parsed.
    pub fn customer(&self) -> &str {
        match &self.answers_go_to {
            AnswerTarget::Author => &self.from,
            AnswerTarget::Others { to, .. } => to.first().map_or("", String::as_str),
            AnswerTarget::Nobody { shown } => shown,
        }
    }

    pub fn customer_name(&self) -> Option<&str> {
        match &self.answers_go_to {
            AnswerTarget::Author => self.name.as_deref(),
            AnswerTarget::Others { name, .. } => name.as_deref(),
            AnswerTarget::Nobody { .. } => None,
        }
    }

    /// Returns true if the customer's address is valid.
    pub fn is_answerable(&self) -> bool {
        !matches!(self.answers_go_to, AnswerTarget::Nobody { .. }) && bounds::is_email(self.customer())
    }

    /// Directs the answer to a report to the customer of the reported mail's thread, since nobody reads mail
    /// to a mail server.
    fn answered_to_customer(self, thread: &ThreadRow) -> Self {
        if !bounds::is_email(&thread.contact_email) {
            return self;
        }
        let (to, name) = (vec![thread.contact_email.clone()], thread.contact_name.clone());
        Self { answers_go_to: AnswerTarget::Others { to, name }, ..self }
    }

    /// Returns the checked dates of a mail received now.
    pub fn dates(&self, now: Timestamp) -> Option<MailDates> {
        let is_dated = self.claimed_at.is_some() || self.arrived_at.is_some();
        is_dated.then(|| MailDates::bounded(self.claimed_at, self.arrived_at, now))
    }

    /// Returns the headers to store, as JSON.
    fn headers_json(&self, dates: Option<MailDates>) -> String {
        let mut headers = self.headers.clone();
        self.answers_go_to.write_to(&mut headers);
        if let Some(dates) = dates {
            dates.write_to(&mut headers);
        }
        if let Some(address) = &self.sent_by {
            headers.insert("Sender".to_owned(), Value::String(address.clone()));
        }
        Value::Object(headers).to_string()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMail {
    pub thread: String,
    pub message: String,
}

/// Returns the text of a mail, else the text of its HTML.
pub fn readable_text(text: Option<&str>, html: Option<&str>) -> String {
    match (text, html) {
        (Some(text), _) => text.to_owned(),
        (None, Some(html)) => plain::html_to_text(html),
        (None, None) => String::new(),
    }
}

/// Stores a received mail.
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
    let told = json!({
        "threadId": thread.id, "messageId": id, "from": mail.from, "subject": mail.subject,
        "content": mail.readable_text().chars().take(bounds::MAX_TEXT_CHARS).collect::<String>(),
    });
    events::emit(work, &channel.id, Event::EmailReceived, told)?;
    if thread.category.is_none() {
        categorize(work, &thread, mail)?;
    }
    Ok(ReceivedMail { thread: thread.id, message: id })
}

/// Returns the mail with its answer directed to the customer, if it is a report about a mail to them.
pub fn with_answer_target(mail: &InboundMail, answered: Option<&(EmailRow, ThreadRow)>) -> InboundMail {
    match answered {
        Some((sent, thread)) if mail.is_report && sent.direction == "outbound" => {
            mail.clone().answered_to_customer(thread)
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
    let dates = mail.dates(at);
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
        headers: mail.headers_json(dates),
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
    let dates = mail.dates(at);
    let mut headers = mail.headers.clone();
    if let Some(dates) = dates {
        dates.write_to(&mut headers);
    }
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
    let told = json!({"threadId": thread.id, "subject": thread.subject, "category": category});
    events::emit(work, &thread.channel, Event::EmailThreadCategorized, told)
}
