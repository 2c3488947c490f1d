//! Sending: one conversation with the server for each mail, step by step, so
//! that it is known what had been said when one broke off.
//!
//! Until the text itself is sent nothing has left. After it only the server's
//! answer says what became of it; without one nobody knows.

use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, timeout};

use crate::carriers::{CarryOutcome, Fate, PlatformTrouble};
use crate::platforms::mailbox::MailboxPlatform;
use model::text::SafeText;
use model::time::{MINUTE, SECOND};
use wire::carriers::MailEnvelope;
use wire::errors::ErrorCode;

/// Connections at a time.
const CONNECTIONS: usize = 4;
/// How long one that nobody uses is kept.
const KEPT: Duration = Duration::from_secs(45);
/// For a step.
const STEP: Duration = Duration::from_secs(30);
/// For the text of a mail and the server's word on it.
const TEXT: Duration = Duration::from_secs(180);
/// What a server is told first; it knows the address anyway.
const HELLO: &str = "[127.0.0.1]";

/// Connections that can be used again.
pub struct SmtpPool {
    places: Semaphore,
    idle: Mutex<Vec<(AsyncSmtpConnection, Instant)>>,
}

impl Default for SmtpPool {
    fn default() -> Self {
        Self { places: Semaphore::new(CONNECTIONS), idle: Mutex::default() }
    }
}

/// Why a mail has certainly not left.
enum NotTaken {
    Later(i64, String),
    /// It will not.
    Refused(ErrorCode, String, bool),
}

impl From<NotTaken> for CarryOutcome {
    fn from(held: NotTaken) -> Self {
        match held {
            NotTaken::Later(after, why) => Self::Later { after, why },
            NotTaken::Refused(code, why, broken) => Self::Refused { code, why, broken },
        }
    }
}

impl From<PlatformTrouble> for NotTaken {
    fn from(trouble: PlatformTrouble) -> Self {
        Self::Later(trouble.pause, trouble.why)
    }
}

impl MailboxPlatform {
    /// Sends a mail once.
    pub(super) async fn send(&self, envelope: &MailEnvelope, bytes: &[u8]) -> CarryOutcome {
        // Fails only when the semaphore is closed, which it never is.
        let _place = self.pool.places.acquire().await;
        let mut connection = match self.smtp().await {
            Ok(connection) => connection,
            Err(held) => return held.into(),
        };
        if let Err(held) = begin(&mut connection, envelope, bytes).await {
            // What was begun is taken back, so that the next mail begins anew.
            if let Ok(Ok(_)) = timeout(STEP, connection.command(Rset)).await {
                self.keep(connection).await;
            }
            return held.into();
        }
        match timeout(TEXT, connection.message(bytes)).await {
            Ok(Ok(_)) => {
                self.keep(connection).await;
                CarryOutcome::Taken {
                    platform_id: envelope.header_id.clone(),
                    fate: Fate::Sent,
                    reached: None,
                }
            }
            Ok(Err(why)) if why.status().is_some() => {
                self.keep(connection).await;
                refusal(&why, "the mail", ErrorCode::WhatsappError).into()
            }
            Ok(Err(why)) => {
                CarryOutcome::Unknown { why: format!("the server broke off after the mail: {}", words(&why)) }
            }
            Err(_) => {
                CarryOutcome::Unknown { why: "the server did not say what became of the mail".to_owned() }
            }
        }
    }

    /// Logs in at the server that sends; nothing is sent.
    pub(super) async fn try_sending(&self) -> Result<(), PlatformTrouble> {
        match self.fresh_smtp().await {
            Ok(connection) => {
                self.keep(connection).await;
                Ok(())
            }
            Err(NotTaken::Later(pause, why)) => Err(PlatformTrouble { why, pause }),
            Err(NotTaken::Refused(_, why, _)) => Err(PlatformTrouble { why, pause: MINUTE }),
        }
    }

    async fn keep(&self, connection: AsyncSmtpConnection) {
        if !connection.has_broken() {
            self.pool.idle.lock().await.push((connection, Instant::now() + KEPT));
        }
    }

    /// A connection that is logged in.
    async fn smtp(&self) -> Result<AsyncSmtpConnection, NotTaken> {
        loop {
            let Some((mut connection, until)) = self.pool.idle.lock().await.pop() else {
                return self.fresh_smtp().await;
            };
            let answers =
                Instant::now() < until && timeout(STEP, connection.test_connected()).await.unwrap_or(false);
            if answers {
                return Ok(connection);
            }
        }
    }

    async fn fresh_smtp(&self) -> Result<AsyncSmtpConnection, NotTaken> {
        let place = self.smtp_server.place();
        let stream = self.smtp_server.connect(&self.trust).await;
        let stream = stream.map_err(|why| NotTaken::Later(3 * SECOND, why.to_string()))?;
        let hello = ClientId::Domain(HELLO.to_owned());
        let greeted =
            timeout(STEP, AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello)).await;
        let silent = || NotTaken::Later(3 * SECOND, format!("{place} says nothing: is it an SMTP server?"));
        let mut connection =
            greeted.map_err(|_| silent())?.map_err(|why| refusal(&why, &place, ErrorCode::WhatsappError))?;
        let proof = self.login.sending().await?;
        let mechanisms: &[Mechanism] = match proof.mechanism {
            Mechanism::Plain => &[Mechanism::Plain, Mechanism::Login],
            _ => &[Mechanism::Xoauth2],
        };
        if !mechanisms
            .iter()
            .any(|mechanism| connection.server_info().supports_feature(Extension::Authentication(*mechanism)))
        {
            let why = format!(
                "{place} offers no login of this kind: is it the server for submitting mail (port 465 or 587)?"
            );
            return Err(NotTaken::Refused(ErrorCode::NotConfigured, why, true));
        }
        let secret = Credentials::new(self.smtp_server.user.clone(), proof.secret.expose().to_owned());
        match timeout(STEP, connection.auth(mechanisms, &secret)).await {
            Ok(Ok(_)) => Ok(connection),
            Ok(Err(why)) if why.is_permanent() => {
                self.login.refused().await;
                let said = words(&why);
                let why = format!(
                    "{place} does not take the user name and password for sending ({said}): many providers want a password made \
                     for this program alone, and SMTP allowed in the account's settings; connect the channel again"
                );
                Err(NotTaken::Refused(ErrorCode::NotConfigured, why, true))
            }
            Ok(Err(why)) => {
                Err(NotTaken::Later(10 * SECOND, format!("{place} does not log in: {}", words(&why))))
            }
            Err(_) => Err(silent()),
        }
    }
}

/// All that comes before the text.
async fn begin(
    connection: &mut AsyncSmtpConnection,
    envelope: &MailEnvelope,
    bytes: &[u8],
) -> Result<(), NotTaken> {
    let address = |text: &str| {
        text.parse::<Address>()
            .map_err(|why| NotTaken::Refused(ErrorCode::InvalidRecipient, format!("{text}: {why}"), false))
    };
    let wide = !bytes.is_ascii() && connection.server_info().supports_feature(Extension::EightBitMime);
    let options = if wide { vec![MailParameter::Body(MailBodyParameter::EightBitMime)] } else { Vec::new() };
    step(
        connection,
        Mail::new(Some(address(&envelope.from)?), options),
        &envelope.from,
        ErrorCode::WhatsappError,
    )
    .await?;
    for to in &envelope.to {
        step(connection, Rcpt::new(address(to)?, Vec::new()), to, ErrorCode::InvalidRecipient).await?;
    }
    step(connection, Data, "the mail", ErrorCode::WhatsappError).await
}

async fn step(
    connection: &mut AsyncSmtpConnection,
    command: impl std::fmt::Display,
    what: &str,
    code: ErrorCode,
) -> Result<(), NotTaken> {
    match timeout(STEP, connection.command(command)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(why)) => Err(refusal(&why, what, code)),
        Err(_) => Err(NotTaken::Later(10 * SECOND, "the mail server takes too long".to_owned())),
    }
}

/// What it means that a server has said no, or broke off, before a mail was
/// its own.
fn refusal(why: &SmtpError, what: &str, code: ErrorCode) -> NotTaken {
    let said = words(why);
    if why.is_permanent() {
        return NotTaken::Refused(code, format!("the mail server refuses {what}: {said}"), false);
    }
    let pause = if why.is_transient() { 30 * SECOND } else { 3 * SECOND };
    NotTaken::Later(pause, format!("the mail server does not take {what} now: {said}"))
}

/// What a server said, in one line.
fn words(why: &SmtpError) -> String {
    SafeText::line(&why.to_string()).as_str().chars().take(300).collect()
}
