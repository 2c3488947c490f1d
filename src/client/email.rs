//! The email channel: account, threads and correspondents read; mails sent
//! and threads changed. Interface: Endpoints, Email.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::{query, read_one, read_page};
use crate::prepare::{PrepareError, json};
use model::bounds;
use model::conversations::Conversation;
use model::email::{Correspondent, MailAccount, MailMessage, Thread, ThreadFilter};
use model::ids::ThreadId;
use model::messages::Message;
use model::outbox::content::{Mail, MailAttachment, MailAttachmentSource, ThreadChange, ThreadPlace};
use model::outbox::{PreparedRequest, WriteMethod};
use wire::content::object;
use wire::conversations::unreadable_conversation;
use wire::email::{EmailAccountBody, EmailContactBody, SendAttachment, SendEmailBody, ThreadPatch};
use wire::{mails, paths, threads};

/// Rows of a page: the default of the interface.
const PAGE_SIZE: &str = "50";

impl Client {
    /// `GET /email/account`
    pub async fn email_account(&self) -> Result<MailAccount, ReadError> {
        let answer = self.get(paths::EMAIL_ACCOUNT, &[]).await?;
        let body: EmailAccountBody = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(threads::account_from_body(body))
    }

    /// `GET /email/threads`: a page, newest activity first.
    pub async fn email_threads(
        &self,
        only: &ThreadFilter,
        cursor: Option<&str>,
    ) -> Result<ListPage<Conversation>, ReadError> {
        let mut query = query(PAGE_SIZE, cursor);
        query.extend(only.folder.as_deref().map(|folder| ("folder", folder)));
        query.extend(only.category.as_deref().map(|category| ("category", category)));
        query.extend(only.is_read.map(|flag| ("isRead", if flag { "true" } else { "false" })));
        let answer = self.get(paths::EMAIL_THREADS, &query).await?;
        let page = read_page(&answer, |raw| threads::read_thread(raw).ok().map(|thread| thread.0))?;
        Ok(page.with_placeholders(unreadable_conversation))
    }

    /// `GET /email/threads/{id}`: with its mails. `own` is the account's
    /// address.
    pub async fn email_thread(&self, id: &ThreadId, own: Option<&str>) -> Result<ThreadWithMails, ReadError> {
        let answer = self.get(&paths::email_thread(id), &[]).await?;
        read_one(&answer, |raw| {
            let (conversation, thread) = threads::read_thread(raw).ok()?;
            let mails = mails::mails_of_thread(raw);
            let mut mails: Vec<ReadMail> = mails
                .iter()
                .enumerate()
                .map(|(place, raw_value)| {
                    let (message, letter) = mails::read_mail(raw_value, &conversation.id, own, place);
                    let is_imported = mails::is_imported(raw_value.get());
                    ReadMail { message, letter, html: mails::html(raw_value.get()), is_imported }
                })
                .collect();
            // Whichever way they come, the newest goes first from here on.
            mails.reverse();
            mails.sort_by_key(|mail| std::cmp::Reverse(mail.message.created_at));
            Some(ThreadWithMails { conversation, thread, mails })
        })
    }

    /// `GET /email/contacts`
    pub async fn email_contacts(
        &self,
        search: Option<&str>,
        cursor: Option<&str>,
    ) -> Result<ListPage<Correspondent>, ReadError> {
        let mut query = query(PAGE_SIZE, cursor);
        query.extend(search.map(|search| ("search", search)));
        let answer = self.get(paths::EMAIL_CONTACTS, &query).await?;
        read_page(&answer, |raw| {
            let body: EmailContactBody = serde_json::from_str(raw.get()).ok()?;
            Some(threads::correspondent_from_body(body))
        })
    }
}

/// A thread read alone.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadWithMails {
    pub conversation: Conversation,
    /// What only a thread of mails has.
    pub thread: Thread,
    /// Its mails, newest first.
    pub mails: Vec<ReadMail>,
}

/// A mail of a thread as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadMail {
    pub message: Message,
    /// What only a mail has; its HTML is no text yet.
    pub letter: MailMessage,
    /// Its HTML.
    pub html: Option<String>,
    /// True if it was in the mailbox before that was connected: it is no news.
    pub is_imported: bool,
}

/// What only a thread has, from the item a list told.
pub fn thread_of(item: &str) -> Thread {
    let raw: Option<&RawValue> = serde_json::from_str(item).ok();
    raw.and_then(|raw| threads::read_thread(raw).ok()).map_or_else(Thread::default, |pair| pair.1)
}

/// The HTML of a mail, from its raw item.
pub fn html_of(item: &str) -> Option<String> {
    mails::html(item)
}

/// The bytes of an attachment that came with its mail, from its raw item.
pub fn attachment_bytes(item: &str, place: usize) -> Option<Vec<u8>> {
    mails::attachment_bytes(item, place)
}

/// `POST /email/send`; the files are those of the enclosed attachments, in
/// their order.
pub(crate) fn prepare_mail(mail: &Mail, files: &[&[u8]]) -> Result<PreparedRequest, PrepareError> {
    check(mail)?;
    let (to, cc) = (checks::mail_addresses(&mail.to)?, checks::mail_addresses(&mail.cc)?);
    let bcc = checks::mail_addresses(&mail.bcc)?;
    let reply_to = mail.reply_to.as_deref().map(checks::mail_address).transpose()?;
    let shape = PrepareError::NotJson { what: "the headers", shape: "a JSON object" };
    let headers = match &mail.headers {
        None => None,
        Some(given) => Some(object(given).ok_or(shape)?),
    };
    let body = SendEmailBody {
        to: &to,
        cc: &cc,
        bcc: &bcc,
        subject: &mail.subject,
        text: mail.text.as_deref(),
        html: mail.html.as_deref(),
        from: mail.from.as_deref(),
        reply_to: reply_to.as_deref(),
        headers,
        in_reply_to: mail.in_reply_to.as_deref(),
        thread_id: mail.thread.as_ref().map(ThreadId::as_str),
        attachments: attachments(&mail.attachments, files)?,
    };
    json(WriteMethod::Post, paths::EMAIL_SEND, &body)
}

fn check(mail: &Mail) -> Result<(), PrepareError> {
    if mail.to.is_empty() {
        return Err(PrepareError::Empty("the list of recipients"));
    }
    checks::check_required("the subject", &mail.subject, bounds::MAX_SUBJECT_CHARS)?;
    checks::check_count("attachments", mail.attachments.len(), bounds::MAX_ATTACHMENTS)?;
    let blank = |text: &Option<String>| text.as_deref().unwrap_or("").trim().is_empty();
    if blank(&mail.text) && blank(&mail.html) && mail.attachments.is_empty() {
        return Err(PrepareError::Empty("the mail"));
    }
    Ok(())
}

fn attachments<'a>(
    named: &'a [MailAttachment],
    files: &[&[u8]],
) -> Result<Vec<SendAttachment<'a>>, PrepareError> {
    let mut files = files.iter();
    let mut written = Vec::with_capacity(named.len());
    for attachment in named {
        let (content, url) = match &attachment.source {
            MailAttachmentSource::Link(link) => {
                checks::link(link)?;
                (None, Some(link.as_str()))
            }
            // Read before it is queued.
            MailAttachmentSource::File(_) | MailAttachmentSource::Received(..) => {
                return Err(PrepareError::NoFiles);
            }
            MailAttachmentSource::Enclosed(size) => {
                let file = files.next().filter(|file| u64::try_from(file.len()).ok() == Some(*size));
                (Some(STANDARD.encode(file.ok_or(PrepareError::NoFiles)?)), None)
            }
        };
        let (filename, content_type) = (attachment.filename.as_str(), attachment.content_type.as_str());
        written.push(SendAttachment { filename, content_type, content, url });
    }
    if files.next().is_some() { Err(PrepareError::NoFiles) } else { Ok(written) }
}

/// `PATCH /email/threads/{id}`
pub(crate) fn prepare_change(
    thread: &ThreadId,
    change: &ThreadChange,
) -> Result<PreparedRequest, PrepareError> {
    if *change == ThreadChange::default() {
        return Err(PrepareError::Empty("the change"));
    }
    let (archived, folder) = match &change.place {
        None => (None, None),
        Some(ThreadPlace::Archived(archived)) => (Some(*archived), None),
        Some(ThreadPlace::Folder(name)) => (None, Some(name.as_str())),
    };
    let body = ThreadPatch {
        is_read: change.is_read,
        is_starred: change.is_starred,
        archived,
        folder,
        category: change.category.as_deref(),
        priority: change.priority.as_deref(),
    };
    json(WriteMethod::Patch, paths::email_thread(thread), &body)
}
