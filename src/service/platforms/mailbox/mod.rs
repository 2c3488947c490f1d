//! A mailbox: read over IMAP, with mail that leaves over SMTP.
//!
//! | file | what |
//! |---|---|
//! | `server.rs` | the servers as they are named, and encrypted connections to them |
//! | `answer_guard.rs` | bounds on what a server says |
//! | `fetched.rs` | what is kept of an answer about a mail |
//! | `login.rs` | passwords and access tokens |
//! | `sending.rs` | a mail leaves, and what is known where that broke off |
//! | `imap.rs` | one connection to the mailbox |
//! | `folders.rs` | which of its folders is for what |
//! | `reading.rs` | what is new, and waiting for it |
//! | `earlier.rs` | mail from before the mailbox was connected |
//! | `pieces.rs` | what was read, as it is kept |
//! | `understanding/` | what a mail says, and who an answer goes to |
//! | `filing.rs` | marks and moves, and the copy of what was sent |

mod answer_guard;
mod earlier;
mod fetched;
mod filing;
#[cfg(test)]
mod flooding;
mod folders;
mod imap;
mod login;
mod parsing;
mod reading;
mod sending;
mod server;
mod updates;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32};

use rustls::ClientConfig;
use tokio::sync::Mutex;

use crate::carriers::{
    BoxFuture, FileFetchError, InboundUpdate, OutboundFile, OutboundMessage, PlatformError, PlatformEvent,
    PlatformSource, PollResult, SecretStore, SendOutcome, Transport, WebhookCall,
};
use imap::ImapLink;
use login::{MailLogin, TokenSource};
use model::secret::Secret;
use reading::MailboxReader;
use sending::SmtpPool;
use server::{MailProtocol, MailServer};
use wire::carriers::{
    MailEnvelope, MailFiling, MailUpdateKind, MailboxCursor, MailboxSecrets, MailboxSettings,
};
use wire::errors::ErrorCode;

pub use parsing::MailDirection;

/// The kind of a parcel that changes mails in the mailbox.
pub const FILING_KIND: &str = "filing";
/// The kind of a parcel that is a mail.
pub const MAIL_KIND: &str = "mail";

/// A mailbox with the server that sends for it.
pub struct MailboxPlatform {
    settings: MailboxSettings,
    imap_server: MailServer,
    smtp_server: MailServer,
    login: MailLogin,
    trust: Result<Arc<ClientConfig>, String>,
    pool: SmtpPool,
    reader: Mutex<Option<MailboxReader>>,
    /// A connection beside the one that reads.
    worker: Mutex<Option<ImapLink>>,
    /// Whether mails were changed over it since all were looked at.
    changed: AtomicBool,
    /// Readings in a row that failed.
    failures: AtomicU32,
}

impl MailboxPlatform {
    /// A mailbox as it is named.
    pub fn new(settings: MailboxSettings, secrets: &MailboxSecrets) -> Result<Self, String> {
        let login = match &settings.oauth {
            Some(oauth) => {
                let source = TokenSource::new(oauth.clone(), &secrets.reading, &secrets.sending);
                MailLogin::Tokens(Box::new(source))
            }
            None => MailLogin::Passwords {
                reading: Secret::new(&secrets.reading),
                sending: Secret::new(&secrets.sending),
            },
        };
        Ok(Self {
            imap_server: MailServer::read(&settings.imap, MailProtocol::Imap)?,
            smtp_server: MailServer::read(&settings.smtp, MailProtocol::Smtp)?,
            settings,
            login,
            trust: connections::guard::system_trust().map_err(|why| why.to_string()),
            pool: SmtpPool::default(),
            reader: Mutex::default(),
            worker: Mutex::default(),
            changed: AtomicBool::new(false),
            failures: AtomicU32::new(0),
        })
    }

    /// The same, from what is kept.
    pub fn open(settings: &str, secrets: &str) -> Result<Self, String> {
        let settings = serde_json::from_str(settings).map_err(|why| format!("its settings: {why}"))?;
        let secrets = serde_json::from_str(secrets).map_err(|_| "its secrets cannot be read".to_owned())?;
        Self::new(settings, &secrets)
    }

    /// The secrets as they are now: a provider may have given another refresh
    /// token. None where they are passwords, which do not change.
    pub async fn changed_secrets(&self) -> Option<MailboxSecrets> {
        match &self.login {
            MailLogin::Tokens(source) => Some(source.secrets().await),
            MailLogin::Passwords { .. } => None,
        }
    }

    /// Logs in at both servers, and looks where reading would begin.
    pub async fn test_login(&self, since: i64, name: String) -> Result<MailboxCursor, PlatformError> {
        let mark = self.initial_mark(since, name).await?;
        self.try_sending().await?;
        Ok(mark)
    }
}

impl MailboxPlatform {
    /// How it stands once both servers have let it in, line by line.
    pub fn describe_status(&self) -> Vec<String> {
        let MailboxSettings { address, auto_reply, .. } = &self.settings;
        let (reads, sends) = (self.imap_server.describe(), self.smtp_server.describe());
        vec![
            format!("{address}: {reads} lets it in, and its inbox can be read"),
            format!("{sends} lets it in, and takes its mail"),
            match auto_reply {
                true => "the assistant answers mail until a person does".to_owned(),
                false => "the assistant answers no mail".to_owned(),
            },
        ]
    }
}

impl Transport for MailboxPlatform {
    fn send_message<'a>(
        &'a self,
        parcel: &'a OutboundMessage,
        file: Option<&'a OutboundFile>,
    ) -> BoxFuture<'a, SendOutcome> {
        Box::pin(async move {
            let content = parcel.content.clone().unwrap_or_default();
            let refuse =
                |why: String| SendOutcome::Refused { code: ErrorCode::InternalError, why, broken: false };
            if parcel.kind == FILING_KIND {
                return match serde_json::from_value::<MailFiling>(content) {
                    Ok(filing) => self.file(&filing).await,
                    Err(why) => refuse(why.to_string()),
                };
            }
            match (serde_json::from_value::<MailEnvelope>(content), file) {
                (Ok(envelope), Some(file)) => {
                    let outcome = self.send(&envelope, &file.bytes).await;
                    if matches!(outcome, SendOutcome::Taken { .. }) {
                        self.store_sent_copy(&envelope, &file.bytes).await;
                    }
                    outcome
                }
                (Err(why), _) => refuse(why.to_string()),
                (Ok(_), None) => refuse("the mail has no text".to_owned()),
            }
        })
    }
}

impl PlatformSource for MailboxPlatform {
    fn needs_polling(&self) -> bool {
        true
    }

    fn poll_updates<'a>(&'a self, mark: &'a str) -> BoxFuture<'a, Result<PollResult, PlatformError>> {
        Box::pin(self.read_from_mark(mark))
    }

    fn subscribe<'a>(&'a self, _: Option<&'a str>) -> BoxFuture<'a, Result<(), PlatformError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn is_genuine(&self, _: &WebhookCall<'_>) -> bool {
        false
    }

    fn split_updates(&self, _: &WebhookCall<'_>) -> Vec<InboundUpdate> {
        Vec::new()
    }

    fn parse_updates(&self, body: &[u8]) -> Vec<PlatformEvent> {
        let Some((head, raw)) = updates::split_update(body) else { return Vec::new() };
        if head.kind == MailUpdateKind::Flags {
            return head.facts.into_iter().map(PlatformEvent::Filed).collect();
        }
        let mail = parsing::read_mail(&head, raw, &self.settings.address);
        vec![PlatformEvent::Mail(Box::new(mail))]
    }

    fn fetch_media<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<u8>, FileFetchError>> {
        // The bytes of a mail come with it.
        Box::pin(std::future::ready(Err(FileFetchError::permanent("there is nothing to fetch"))))
    }

    fn set_secret_store(&self, store: Arc<dyn SecretStore>) {
        if let MailLogin::Tokens(source) = &self.login {
            source.set_store(store);
        }
    }

    fn display_name(&self) -> Option<String> {
        self.settings.name.clone()
    }

    fn answers_mail(&self) -> bool {
        self.settings.auto_reply
    }
}
