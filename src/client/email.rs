//! The email channel: account, threads and correspondents read; mails sent
//! and threads changed. Interface: Endpoints, Email.
//!
//! Knows nothing of how mails are shown.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::client::checks;
use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::{Listed, query, read_one, read_page};
use crate::client::prepare::{PrepareError, json};
use crate::model::bounds;
use crate::model::ids::ThreadId;
use crate::model::outbox::content::{Attachment, Mail, Source, ThreadChange, ThreadPlace};
use crate::model::outbox::{Method, PreparedRequest};
use crate::wire::content::object;
use crate::wire::email::{
    EmailAccountBody, EmailContactBody, EmailThreadBody, SendAttachment, SendEmailBody, ThreadPatch,
};
use crate::wire::paths;

/// Rows of a page: the default of the interface.
const PAGE: &str = "50";

impl Client {
    /// `GET /email/account`
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn email_account(&self) -> Result<EmailAccountBody, ReadError> {
        let answer = self.get(paths::EMAIL_ACCOUNT, &[]).await?;
        read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }

    /// `GET /email/threads`: a page, newest activity first.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn email_threads(&self, cursor: Option<&str>) -> Result<Listed<EmailThreadBody>, ReadError> {
        let answer = self.get(paths::EMAIL_THREADS, &query(PAGE, cursor)).await?;
        read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }

    /// `GET /email/threads/{id}`: with its mails.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn email_thread(&self, id: &ThreadId) -> Result<EmailThreadBody, ReadError> {
        let answer = self.get(&paths::email_thread(id), &[]).await?;
        read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }

    /// `GET /email/contacts`
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn email_contacts(
        &self,
        search: Option<&str>,
        cursor: Option<&str>,
    ) -> Result<Listed<EmailContactBody>, ReadError> {
        let mut query = query(PAGE, cursor);
        query.extend(search.map(|it| ("search", it)));
        let answer = self.get(paths::EMAIL_CONTACTS, &query).await?;
        read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }
}

/// `POST /email/send`; the files are those of the enclosed attachments, in
/// their order.
pub(crate) fn prepare_mail(mail: &Mail, files: &[&[u8]]) -> Result<PreparedRequest, PrepareError> {
    check(mail)?;
    let shape = PrepareError::NotJson { what: "the headers", shape: "a JSON object" };
    let headers = match &mail.headers {
        None => None,
        Some(given) => Some(object(given).ok_or(shape)?),
    };
    let body = SendEmailBody {
        to: &mail.to,
        cc: &mail.cc,
        bcc: &mail.bcc,
        subject: &mail.subject,
        text: mail.text.as_deref(),
        html: mail.html.as_deref(),
        from: mail.from.as_deref(),
        reply_to: mail.reply_to.as_deref(),
        headers,
        in_reply_to: mail.in_reply_to.as_deref(),
        thread_id: mail.thread.as_ref().map(ThreadId::as_str),
        attachments: attachments(&mail.attachments, files)?,
    };
    json(Method::Post, paths::EMAIL_SEND, &body)
}

fn check(mail: &Mail) -> Result<(), PrepareError> {
    if mail.to.is_empty() {
        return Err(PrepareError::Empty("the list of recipients"));
    }
    let others = mail.cc.iter().chain(&mail.bcc).chain(&mail.reply_to);
    mail.to.iter().chain(others).try_for_each(|it| checks::mail_address(it))?;
    checks::wanted("the subject", &mail.subject, bounds::SUBJECT)?;
    checks::counted("attachments", mail.attachments.len(), bounds::ATTACHMENTS)?;
    let blank = |text: &Option<String>| text.as_deref().unwrap_or("").trim().is_empty();
    if blank(&mail.text) && blank(&mail.html) && mail.attachments.is_empty() {
        return Err(PrepareError::Empty("the mail"));
    }
    Ok(())
}

fn attachments<'a>(
    named: &'a [Attachment],
    files: &[&[u8]],
) -> Result<Vec<SendAttachment<'a>>, PrepareError> {
    let mut files = files.iter();
    let mut written = Vec::with_capacity(named.len());
    for attachment in named {
        let (content, url) = match &attachment.source {
            Source::Link(link) => {
                checks::link(link)?;
                (None, Some(link.as_str()))
            }
            Source::Enclosed(size) => {
                let file = files.next().filter(|it| u64::try_from(it.len()).ok() == Some(*size));
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
    json(Method::Patch, paths::email_thread(thread), &body)
}
