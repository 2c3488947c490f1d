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

use crate::carriers::{PlatformError, SendOutcome, SimulatedDelivery};
use crate::platforms::mailbox::MailboxPlatform;
use model::text::SafeText;
use model::time::{MINUTE, SECOND};
use wire::carriers::MailEnvelope;
use wire::errors::ErrorCode;

/// Connections at a time.
const MAX_CONNECTIONS: usize = 4;
/// How long one that nobody uses is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(45);
/// For a step.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);
/// For the text of a mail and the server's word on it.
const TEXT_TIMEOUT: Duration = Duration::from_secs(180);
/// What a server is told first; it knows the address anyway.
const HELO_NAME: &str = "[127.0.0.1]";

/// Connections that can be used again.
pub struct SmtpPool {
    permits: Semaphore,
    idle: Mutex<Vec<(AsyncSmtpConnection, Instant)>>,
}

impl Default for SmtpPool {
    fn default() -> Self {
        Self { permits: Semaphore::new(MAX_CONNECTIONS), idle: Mutex::default() }
    }
}

/// Why a mail has certainly not left.
enum SendRejected {
    Later(i64, String),
    /// It will not.
    Refused(ErrorCode, String, bool),
}

impl From<SendRejected> for SendOutcome {
    fn from(held: SendRejected) -> Self {
        match held {
            SendRejected::Later(after, why) => Self::Later { after, why },
            SendRejected::Refused(code, why, broken) => Self::Refused { code, why, broken },
        }
    }
}

impl From<PlatformError> for SendRejected {
    fn from(trouble: PlatformError) -> Self {
        Self::Later(trouble.pause, trouble.why)
    }
}

impl MailboxPlatform {
    /// Sends a mail once.
    pub(super) async fn send(&self, envelope: &MailEnvelope, bytes: &[u8]) -> SendOutcome {
        // Fails only when the semaphore is closed, which it never is.
        let _place = self.pool.permits.acquire().await;
        let mut connection = match self.acquire_smtp().await {
            Ok(connection) => connection,
            Err(held) => return held.into(),
        };
        if let Err(held) = send_envelope(&mut connection, envelope, bytes).await {
            // What was begun is taken back, so that the next mail begins anew.
            if let Ok(Ok(_)) = timeout(STEP_TIMEOUT, connection.command(Rset)).await {
                self.release_connection(connection).await;
            }
            return held.into();
        }
        match timeout(TEXT_TIMEOUT, connection.message(bytes)).await {
            Ok(Ok(_)) => {
                self.release_connection(connection).await;
                SendOutcome::Taken {
                    platform_id: envelope.header_id.clone(),
                    fate: SimulatedDelivery::Sent,
                    reached: None,
                }
            }
            Ok(Err(why)) if why.status().is_some() => {
                self.release_connection(connection).await;
                rejection(&why, "the mail", ErrorCode::WhatsappError).into()
            }
            Ok(Err(why)) => SendOutcome::Unknown {
                why: format!("the server broke off after the mail: {}", describe_smtp_error(&why)),
            },
            Err(_) => {
                SendOutcome::Unknown { why: "the server did not say what became of the mail".to_owned() }
            }
        }
    }

    /// Logs in at the server that sends; nothing is sent.
    pub(super) async fn try_sending(&self) -> Result<(), PlatformError> {
        match self.connect_smtp().await {
            Ok(connection) => {
                self.release_connection(connection).await;
                Ok(())
            }
            Err(SendRejected::Later(pause, why)) => Err(PlatformError { why, pause }),
            Err(SendRejected::Refused(_, why, _)) => Err(PlatformError { why, pause: MINUTE }),
        }
    }

    async fn release_connection(&self, connection: AsyncSmtpConnection) {
        if !connection.has_broken() {
            self.pool.idle.lock().await.push((connection, Instant::now() + IDLE_TIMEOUT));
        }
    }

    /// A connection that is logged in.
    async fn acquire_smtp(&self) -> Result<AsyncSmtpConnection, SendRejected> {
        loop {
            let Some((mut connection, until)) = self.pool.idle.lock().await.pop() else {
                return self.connect_smtp().await;
            };
            let answers = Instant::now() < until
                && timeout(STEP_TIMEOUT, connection.test_connected()).await.unwrap_or(false);
            if answers {
                return Ok(connection);
            }
        }
    }

    async fn connect_smtp(&self) -> Result<AsyncSmtpConnection, SendRejected> {
        let place = self.smtp_server.describe();
        let stream = self.smtp_server.connect(&self.trust).await;
        let stream = stream.map_err(|why| SendRejected::Later(3 * SECOND, why.to_string()))?;
        let hello = ClientId::Domain(HELO_NAME.to_owned());
        let greeted =
            timeout(STEP_TIMEOUT, AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello))
                .await;
        let silent =
            || SendRejected::Later(3 * SECOND, format!("{place} says nothing: is it an SMTP server?"));
        let mut connection = greeted
            .map_err(|_| silent())?
            .map_err(|why| rejection(&why, &place, ErrorCode::WhatsappError))?;
        let proof = self.login.smtp_proof().await?;
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
            return Err(SendRejected::Refused(ErrorCode::NotConfigured, why, true));
        }
        let secret = Credentials::new(self.smtp_server.user.clone(), proof.secret.expose().to_owned());
        match timeout(STEP_TIMEOUT, connection.auth(mechanisms, &secret)).await {
            Ok(Ok(_)) => Ok(connection),
            Ok(Err(why)) if why.is_permanent() => {
                self.login.discard_token().await;
                let said = describe_smtp_error(&why);
                let why = format!(
                    "{place} does not take the user name and password for sending ({said}): many providers want a password made \
                     for this program alone, and SMTP allowed in the account's settings; connect the channel again"
                );
                Err(SendRejected::Refused(ErrorCode::NotConfigured, why, true))
            }
            Ok(Err(why)) => Err(SendRejected::Later(
                10 * SECOND,
                format!("{place} does not log in: {}", describe_smtp_error(&why)),
            )),
            Err(_) => Err(silent()),
        }
    }
}

/// All that comes before the text.
async fn send_envelope(
    connection: &mut AsyncSmtpConnection,
    envelope: &MailEnvelope,
    bytes: &[u8],
) -> Result<(), SendRejected> {
    let address = |text: &str| {
        text.parse::<Address>().map_err(|why| {
            SendRejected::Refused(ErrorCode::InvalidRecipient, format!("{text}: {why}"), false)
        })
    };
    let wide = !bytes.is_ascii() && connection.server_info().supports_feature(Extension::EightBitMime);
    let options = if wide { vec![MailParameter::Body(MailBodyParameter::EightBitMime)] } else { Vec::new() };
    run_step(
        connection,
        Mail::new(Some(address(&envelope.from)?), options),
        &envelope.from,
        ErrorCode::WhatsappError,
    )
    .await?;
    for to in &envelope.to {
        run_step(connection, Rcpt::new(address(to)?, Vec::new()), to, ErrorCode::InvalidRecipient).await?;
    }
    run_step(connection, Data, "the mail", ErrorCode::WhatsappError).await
}

async fn run_step(
    connection: &mut AsyncSmtpConnection,
    command: impl std::fmt::Display,
    what: &str,
    code: ErrorCode,
) -> Result<(), SendRejected> {
    match timeout(STEP_TIMEOUT, connection.command(command)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(why)) => Err(rejection(&why, what, code)),
        Err(_) => Err(SendRejected::Later(10 * SECOND, "the mail server takes too long".to_owned())),
    }
}

/// What it means that a server has said no, or broke off, before a mail was
/// its own.
fn rejection(why: &SmtpError, what: &str, code: ErrorCode) -> SendRejected {
    let said = describe_smtp_error(why);
    if why.is_permanent() {
        return SendRejected::Refused(code, format!("the mail server refuses {what}: {said}"), false);
    }
    let pause = if why.is_transient() { 30 * SECOND } else { 3 * SECOND };
    SendRejected::Later(pause, format!("the mail server does not take {what} now: {said}"))
}

/// What a server said, in one line.
fn describe_smtp_error(why: &SmtpError) -> String {
    SafeText::line(&why.to_string()).as_str().chars().take(300).collect()
}
