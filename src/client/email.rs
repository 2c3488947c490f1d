//! The email channel: account, threads, correspondents and sending.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::{query, read_one, read_page};
use crate::prepare::{PrepareError, json};
use api::conversations::unreadable_conversation;
use api::email::{EmailAccountBody, EmailContactBody, SendAttachment, SendEmail, ThreadPatch};
use api::fields::{Filled, JsonObject, MailAddress, Text};
use api::{mails, paths, threads};
use model::bounds;
use model::conversations::Conversation;
use model::email::{Correspondent, MailAccount, MailMessage, Thread, ThreadFilter};
use model::ids::ThreadId;
use model::messages::Message;
use model::outbox::content::{Mail, MailAttachment, MailAttachmentSource, ThreadChange, ThreadPlace};
use model::outbox::{PreparedRequest, WriteMethod};

/// Default page size of the API.
const PAGE_SIZE: &str = "50";

impl Client {
    pub async fn email_account(&self) -> Result<MailAccount, ReadError> {
        let answer = self.get(paths::EMAIL_ACCOUNT, &[]).await?;
        let body: EmailAccountBody = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(threads::account_from_body(body))
    }

    /// `GET /email/threads`, most recent activity first.
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

    /// `GET /email/threads/{threadId}`, with its mails. `own` is the account's address.
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
                    ReadMail { message, mail: letter, html: mails::html(raw_value.get()), is_imported }
                })
                .collect();
            // Servers order mails either way; from here on the newest is first.
            mails.reverse();
            mails.sort_by_key(|mail| std::cmp::Reverse(mail.message.created_at));
            Some(ThreadWithMails { conversation, thread, mails })
        })
    }

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

#[derive(Debug, Clone, PartialEq)]
pub struct ThreadWithMails {
    pub conversation: Conversation,
    pub thread: Thread,
    /// Newest first.
    pub mails: Vec<ReadMail>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ReadMail {
    pub message: Message,
    /// Fields of a mail only; without its HTML.
    pub mail: MailMessage,
    pub html: Option<String>,
    /// True if the mail was in the mailbox before it was connected, so that it is not news.
    pub is_imported: bool,
}

/// Reads the mail-specific fields of a thread from its raw list item.
pub fn thread_of(item: &str) -> Thread {
    let raw: Option<&RawValue> = serde_json::from_str(item).ok();
    raw.and_then(|raw| threads::read_thread(raw).ok()).map_or_else(Thread::default, |pair| pair.1)
}

pub fn html_of(item: &str) -> Option<String> {
    mails::html(item)
}

/// Returns the content of an attachment included in the raw item of a mail.
pub fn attachment_bytes(item: &str, place: usize) -> Option<Vec<u8>> {
    mails::attachment_bytes(item, place)
}

/// `POST /email/send`. `files` are the contents of the enclosed attachments, in their order.
pub(crate) fn prepare_mail(mail: &Mail, files: &[&[u8]]) -> Result<PreparedRequest, PrepareError> {
    check(mail)?;
    let (to, cc) = (checks::mail_addresses(&mail.to)?, checks::mail_addresses(&mail.cc)?);
    let bcc = checks::mail_addresses(&mail.bcc)?;
    let reply_to = mail.reply_to.as_deref().map(checks::mail_address).transpose()?;
    let shape = PrepareError::NotJson { what: "the headers", shape: "a JSON object" };
    let headers = match &mail.headers {
        None => None,
        Some(given) => Some(JsonObject::from_text(&given.0).ok_or(shape)?),
    };
    let addresses = |all: Vec<String>| all.into_iter().map(MailAddress::from).collect();
    let body = SendEmail {
        to: addresses(to),
        cc: addresses(cc),
        bcc: addresses(bcc),
        subject: mail.subject.as_str().into(),
        text: mail.text.as_deref().map(Text::from),
        html: mail.html.as_deref().map(Text::from),
        body_text: None,
        body_html: None,
        from: mail.from.as_deref().map(Text::from),
        reply_to: reply_to.map(MailAddress::from),
        headers,
        in_reply_to: mail.in_reply_to.as_deref().map(Text::from),
        thread_id: mail.thread.as_ref().map(|id| id.as_str().into()),
        attachments: attachments(&mail.attachments, files)?,
        invitation_response: mail.invitation_response,
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

fn attachments(named: &[MailAttachment], files: &[&[u8]]) -> Result<Vec<SendAttachment>, PrepareError> {
    let mut files = files.iter();
    let mut written = Vec::with_capacity(named.len());
    for attachment in named {
        let (content, url) = match &attachment.source {
            MailAttachmentSource::Link(link) => {
                checks::link(link)?;
                (None, Some(link.as_str().into()))
            }
            // Read before the operation is queued.
            MailAttachmentSource::File(_) | MailAttachmentSource::Received(..) => {
                return Err(PrepareError::NoFiles);
            }
            MailAttachmentSource::Enclosed(size) => {
                let file = files.next().filter(|file| u64::try_from(file.len()).ok() == Some(*size));
                (Some(STANDARD.encode(file.ok_or(PrepareError::NoFiles)?)), None)
            }
        };
        written.push(SendAttachment {
            filename: attachment.filename.as_str().into(),
            content_type: Some(attachment.content_type.as_str().into()),
            content,
            url,
        });
    }
    if files.next().is_some() { Err(PrepareError::NoFiles) } else { Ok(written) }
}

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
        Some(ThreadPlace::Folder(name)) => (None, Some(name.as_str().into())),
    };
    let body = ThreadPatch {
        is_read: change.is_read,
        is_starred: change.is_starred,
        archived,
        folder,
        category: change.category.as_deref().map(Filled::from),
        priority: change.priority.as_deref().map(Filled::from),
    };
    json(WriteMethod::Patch, paths::email_thread(thread), &body)
}
