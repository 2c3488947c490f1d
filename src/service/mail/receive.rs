//! A mail comes in: its thread is found or made, it is stored, and the thread
//! gets a category. Interface: Events, email.received and
//! email.thread.categorized.
//!
//! Whether the assistant answers it is decided in `answering.rs`.

use serde_json::json;

use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, correspondents};
use crate::events::{self, Event};
use crate::mail::{categories, plain, topics};
use crate::write::Work;
use model::bounds;
use model::time::{DAY, Timestamp};
use wire::email::AttachmentBody;

/// How long a mail without a reference joins the thread of its topic.
const SAME_TOPIC: i64 = 7 * DAY;

/// A mail as it came.
#[derive(Debug, Clone, Default)]
pub struct InboundMail {
    pub from: String,
    pub name: Option<String>,
    /// The subject; may be empty.
    pub subject: String,
    pub text: Option<String>,
    /// The HTML.
    pub html: Option<String>,
    /// The mail it answers: a service id or a `Message-ID`.
    pub in_reply_to: Option<String>,
    pub attachments: Vec<AttachmentBody>,
    /// Its `Message-ID`; one is made where it has none.
    pub header_id: Option<String>,
    /// The mails before it, oldest first.
    pub references: Vec<String>,
    /// The recipient; the account, where nothing is said.
    pub to: Vec<String>,
    pub copies: Vec<String>,
    /// A JSON object: what shows that a program has written it.
    pub headers: String,
    /// Whether one has: nobody answers it by themselves.
    pub is_automatic: bool,
}

impl InboundMail {
    /// What a person would read.
    pub fn words(&self) -> String {
        words(self.text.as_deref(), self.html.as_deref())
    }
}

/// Where a mail went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMail {
    pub thread: String,
    pub message: String,
}

/// The text of a mail, or the text of its HTML.
pub fn words(text: Option<&str>, html: Option<&str>) -> String {
    match (text, html) {
        (Some(text), _) => text.to_owned(),
        (None, Some(html)) => plain::plain(html),
        (None, None) => String::new(),
    }
}

/// Takes in a mail.
pub fn receive(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
) -> Result<ReceivedMail, DatabaseError> {
    let answered = answered(work, channel, mail)?;
    let thread = find_or_make(work, channel, mail, answered.as_ref())?;
    let stamp = work.stamp();
    let id = work.id("mail", stamp);
    let domain = mail.from.rsplit('@').next().unwrap_or("mail.example");
    emails::insert(
        work.db,
        &EmailRow {
            header_id: mail.header_id.clone().unwrap_or_else(|| format!("<{id}@{domain}>")),
            id: id.clone(),
            thread: thread.id.clone(),
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
            headers: if mail.headers.is_empty() { "{}".to_owned() } else { mail.headers.clone() },
            in_reply_to: answered.map(|it| it.header_id).or_else(|| mail.in_reply_to.clone()),
            status: "received".to_owned(),
            created_at: stamp,
            ..EmailRow::default()
        },
    )?;
    threads::touch(work.db, &thread.id, true, stamp)?;
    if let Some(name) = &mail.name {
        threads::name_contact(work.db, &thread.id, name)?;
    }
    correspondents::note(work.db, &channel.id, &mail.from, mail.name.as_deref(), stamp)?;
    let told = json!({
        "threadId": thread.id, "messageId": id, "from": mail.from, "subject": mail.subject,
        "content": mail.words().chars().take(bounds::TEXT).collect::<String>(),
    });
    events::emit(work, &channel.id, Event::EmailReceived, told)?;
    if thread.category.is_none() {
        categorize(work, &thread, mail)?;
    }
    Ok(ReceivedMail { thread: thread.id, message: id })
}

/// The mail it answers: the one it names, or the newest of those before it
/// that is known.
pub fn answered(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
) -> Result<Option<EmailRow>, DatabaseError> {
    for reference in mail.in_reply_to.iter().chain(mail.references.iter().rev()) {
        let found = emails::find(work.db, &channel.id, reference)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The thread of the mail it answers, or of its topic, or a new one.
fn find_or_make(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    answered: Option<&EmailRow>,
) -> Result<ThreadRow, DatabaseError> {
    if let Some(answered) = answered
        && let Some(thread) = threads::read(work.db, &channel.id, &answered.thread)?
    {
        return Ok(thread);
    }
    let (contact, topic) = (mail.from.to_lowercase(), topics::topic(&mail.subject));
    let since = work.now.plus(-SAME_TOPIC);
    if let Some(thread) = threads::of_topic(work.db, &channel.id, &contact, &topic, since)? {
        return Ok(thread);
    }
    let stamp = work.stamp();
    let fresh = fresh(work.id("thread", stamp), channel, &mail.subject, &mail.from, stamp);
    let fresh = ThreadRow { contact_name: mail.name.clone(), ..fresh };
    threads::insert(work.db, &fresh)?;
    Ok(fresh)
}

/// A thread with a contact that begins in the inbox.
pub fn fresh(id: String, channel: &ChannelRow, subject: &str, contact: &str, at: Timestamp) -> ThreadRow {
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

/// Gives a thread the category of a mail.
fn categorize(work: &Work<'_>, thread: &ThreadRow, mail: &InboundMail) -> Result<(), DatabaseError> {
    let category = categories::category(&mail.subject, &mail.words());
    threads::categorize(work.db, &thread.id, category)?;
    let told = json!({"threadId": thread.id, "subject": thread.subject, "category": category});
    events::emit(work, &thread.channel, Event::EmailThreadCategorized, told)
}
