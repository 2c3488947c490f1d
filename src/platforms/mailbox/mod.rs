//! A mailbox: mail is read over IMAP and sent over SMTP.
//!
//! | file | content |
//! |---|---|
//! | `server.rs` | server addresses and encrypted connections |
//! | `answer_guard.rs` | bounds on a server's answers |
//! | `fetched.rs` | fetched items of a mail |
//! | `login.rs` | passwords and access tokens |
//! | `consent.rs` | consent of the owner, which gives a refresh token |
//! | `sending.rs` | sends a mail and determines its outcome |
//! | `imap.rs` | one IMAP connection |
//! | `folders.rs` | uses of the folders, and which are read |
//! | `reading.rs` | reads new mail and waits for more |
//! | `large.rs` | takes large mails apart, and fetches their files when asked |
//! | `earlier.rs` | imports mail from before the mailbox was connected |
//! | `updates.rs` | inbound updates as stored |
//! | `parsing/` | parses mails and finds the target of answers |
//! | `filing.rs` | flags, moves, and the copy of sent mail |

mod answer_guard;
pub mod consent;
mod earlier;
mod fetched;
mod filing;
#[cfg(test)]
mod flooding;
mod folders;
mod imap;
mod large;
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

use crate::contract::{
    BoxFuture, FileFetchError, InboundUpdate, OutboundFile, OutboundMessage, PlatformError, PlatformEvent,
    PlatformSource, PollResult, SecretStore, SendOutcome, Transport, WebhookCall,
};
use api::carriers::{
    MailEnvelope, MailFiling, MailUpdateKind, MailboxCursor, MailboxSecrets, MailboxSettings,
};
use api::errors::ErrorCode;
use imap::ImapLink;
use login::{MailLogin, TokenSource};
use model::secret::Secret;
use reading::MailboxReader;
use sending::SmtpPool;
use server::{MailProtocol, MailServer};

pub use folders::{MailFolder, SpecialUse, choose_folders};
pub use parsing::{MailDirection, read_calendar};

/// Kind of an outbound message that changes mails in the mailbox.
pub const FILING_KIND: &str = "filing";
pub const MAIL_KIND: &str = "mail";

pub struct MailboxPlatform {
    settings: MailboxSettings,
    imap_server: MailServer,
    smtp_server: MailServer,
    login: MailLogin,
    trust: Result<Arc<ClientConfig>, String>,
    pool: SmtpPool,
    reader: Mutex<Option<MailboxReader>>,
    /// Second connection, beside the reader's.
    worker: Mutex<Option<ImapLink>>,
    /// True if mails were changed over it since the last full read of the flags.
    changed: AtomicBool,
    failures: AtomicU32,
    structure_failures: Arc<AtomicU32>,
}

impl MailboxPlatform {
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
            trust: net::guard::system_trust().map_err(|why| why.to_string()),
            pool: SmtpPool::default(),
            reader: Mutex::default(),
            worker: Mutex::default(),
            changed: AtomicBool::new(false),
            failures: AtomicU32::new(0),
            structure_failures: Arc::default(),
        })
    }

    pub fn open(settings: &str, secrets: &str) -> Result<Self, String> {
        let settings = serde_json::from_str(settings)
            .map_err(|why| format!("its settings cannot be read ({why}); connect the channel again"))?;
        let secrets = serde_json::from_str(secrets)
            .map_err(|_| "its secrets cannot be read; connect the channel again".to_owned())?;
        Self::new(settings, &secrets)
    }

    /// Returns the current secrets, as a provider may have issued another refresh token. `None` for
    /// passwords, which do not change.
    pub async fn changed_secrets(&self) -> Option<MailboxSecrets> {
        match &self.login {
            MailLogin::Tokens(source) => Some(source.secrets().await),
            MailLogin::Passwords { .. } => None,
        }
    }

    /// Logs in at both servers, asks whether the address may send, and returns the mark at which reading would begin.
    pub async fn test_login(&self, since: i64, name: String) -> Result<MailboxCursor, PlatformError> {
        let mark = self.initial_mark(since, name).await?;
        self.try_sending().await?;
        Ok(mark)
    }

    /// Asks whether the mailbox's addresses may send; returns true if addresses with a `+` tag may, too.
    pub async fn test_sending(&self) -> Result<bool, PlatformError> {
        self.try_sending().await?;
        self.accepts_tagged_sender().await
    }
}

impl MailboxPlatform {
    /// Describes a tested connection, line by line.
    pub fn describe_status(&self) -> Vec<String> {
        let MailboxSettings { address, auto_reply, .. } = &self.settings;
        let (reads, sends) = (self.imap_server.describe(), self.smtp_server.describe());
        let mut others = self.settings.aliases.clone();
        if self.settings.sends_tagged == Some(true) {
            others.extend(address.rsplit_once('@').map(|(local, domain)| format!("{local}+TAG@{domain}")));
        }
        let mut lines = vec![
            format!("{address}: {reads} accepts the login, and the inbox can be read"),
            format!("{sends} accepts the login and mail from this address"),
        ];
        if !others.is_empty() {
            lines.push(format!("mail to {} is answered from the address it reached", others.join(", ")));
        }
        if !self.settings.folders.is_empty() {
            let names: Vec<String> =
                self.settings.folders.iter().map(|name| imap::decode_modified_utf7(name)).collect();
            lines.push(format!("also read: {}", names.join(", ")));
        }
        lines.push(match auto_reply {
            true => "the assistant answers mail until a person does".to_owned(),
            false => "the assistant answers no mail".to_owned(),
        });
        lines
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
        let mail = parsing::read_mail(&head, raw, &self.settings.own_addresses());
        vec![PlatformEvent::Mail(Box::new(mail))]
    }

    fn fetch_media<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Vec<u8>, FileFetchError>> {
        Box::pin(self.fetch_part(reference))
    }

    fn set_secret_store(&self, store: Arc<dyn SecretStore>) {
        if let MailLogin::Tokens(source) = &self.login {
            source.set_store(store);
        }
    }

    fn display_name(&self) -> Option<String> {
        self.settings.name.clone()
    }

    fn other_addresses(&self) -> Vec<String> {
        self.settings.aliases.clone()
    }

    fn may_send_as(&self, address: &str) -> bool {
        self.settings.may_send_as(address)
    }

    fn complete_settings(&self) -> Option<BoxFuture<'_, Result<String, PlatformError>>> {
        self.settings.sends_tagged.is_none().then(|| {
            Box::pin(async {
                let sends_tagged = Some(self.accepts_tagged_sender().await?);
                let settings = MailboxSettings { sends_tagged, ..self.settings.clone() };
                serde_json::to_string(&settings).map_err(|why| PlatformError::transient(why.to_string()))
            }) as BoxFuture<'_, _>
        })
    }

    fn answers_mail(&self) -> bool {
        self.settings.auto_reply
    }
}
