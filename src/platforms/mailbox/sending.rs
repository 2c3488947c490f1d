//! Sends mail over SMTP, step by step, so that the outcome is known when the connection breaks.
//!
//! Before the text is sent nothing has left. Afterwards only the server's answer settles the
//! outcome; without an answer it is unknown.

use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, timeout};

use crate::contract::{PlatformError, SendOutcome, SimulatedDelivery};
use crate::mailbox::MailboxPlatform;
use crate::mailbox::login::describe_refused_login;
use api::carriers::MailEnvelope;
use api::errors::ErrorCode;
use model::text::SafeText;
use model::time::{MINUTE, SECOND};

const MAX_CONNECTIONS: usize = 4;
const IDLE_TIMEOUT: Duration = Duration::from_secs(45);
const STEP_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit for the text of a mail and its answer.
const TEXT_TIMEOUT: Duration = Duration::from_secs(180);
/// Tag of the address by which the server is asked for tagged senders.
const PROBE_TAG: &str = "frontdesk";
/// EHLO name; the server sees the real address anyway.
const HELO_NAME: &str = "[127.0.0.1]";

pub struct SmtpPool {
    permits: Semaphore,
    idle: Mutex<Vec<(AsyncSmtpConnection, Instant)>>,
}

impl Default for SmtpPool {
    fn default() -> Self {
        Self { permits: Semaphore::new(MAX_CONNECTIONS), idle: Mutex::default() }
    }
}

/// Reason why a mail has certainly not left.
enum SendRejected {
    Later(i64, String),
    /// Permanent refusal.
    Refused(ErrorCode, String, bool),
}

/// Words with which servers refuse a sender that the login may not use, in lower case.
const FOREIGN_SENDER_WORDS: [&str; 5] =
    ["sendasdenied", "send as this sender", "not allowed to send as", "5.7.60", "not owned by user"];

impl SendRejected {
    /// Adds what to do if the server refuses the sender and not the mail.
    fn with_sender_remedy(self, user: &str, sender: &str) -> Self {
        match self {
            Self::Refused(_, why, broken) if is_foreign_sender(&why) => {
                let why = format!(
                    "{why}. Allow {user} to send as {sender} there, or write from another address of the mailbox"
                );
                Self::Refused(REFUSED, why, broken)
            }
            other => other,
        }
    }
}

fn is_foreign_sender(why: &str) -> bool {
    let why = why.to_ascii_lowercase();
    FOREIGN_SENDER_WORDS.iter().any(|words| why.contains(words))
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

/// Code of a refusal that is not one of the recipient.
const REFUSED: ErrorCode = ErrorCode::WhatsappError;

impl MailboxPlatform {
    /// Makes one attempt to send a mail.
    pub(super) async fn send(&self, envelope: &MailEnvelope, bytes: &[u8]) -> SendOutcome {
        // Fails only if the semaphore is closed, which it never is.
        let _place = self.pool.permits.acquire().await;
        let mut connection = match self.acquire_smtp().await {
            Ok(connection) => connection,
            Err(held) => return held.into(),
        };
        let user = &self.smtp_server.user;
        if let Err(held) = send_envelope(&mut connection, envelope, bytes).await {
            let held = held.with_sender_remedy(user, &envelope.from);
            // RSET, so that the next mail starts a new transaction.
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
                rejection(&why, "the mail", REFUSED).with_sender_remedy(user, &envelope.from).into()
            }
            Ok(Err(why)) => SendOutcome::Unknown {
                why: format!(
                    "the server closed the connection after the mail: {}",
                    describe_smtp_error(&why)
                ),
            },
            Err(_) => SendOutcome::Unknown {
                why: "the server did not report whether it accepted the mail".to_owned(),
            },
        }
    }

    /// Logs in at the SMTP server and asks whether it accepts mail from the mailbox's addresses, without sending.
    pub(super) async fn try_sending(&self) -> Result<(), PlatformError> {
        let mut connection = self.connect_for_questions().await?;
        let (place, user) = (self.smtp_server.describe(), &self.smtp_server.user);
        for address in self.settings.own_addresses() {
            let Some(why) = ask_for_sender(&mut connection, &address).await else { continue };
            let instead = match address == self.settings.address {
                true => "connect the channel with another --address",
                false => "connect the channel without this --alias",
            };
            let why = format!(
                "{place} accepts the login of {user}, but {why}. Allow {user} to send as {address} there, or {instead}"
            );
            return Err(PlatformError { why, pause: MINUTE });
        }
        self.release_connection(connection).await;
        Ok(())
    }

    /// Returns true if the server accepts mail from the mailbox's address with a `+` tag, and to it.
    pub async fn accepts_tagged_sender(&self) -> Result<bool, PlatformError> {
        let Some((local, domain)) = self.settings.address.rsplit_once('@') else { return Ok(false) };
        let tagged = format!("{local}+{PROBE_TAG}@{domain}");
        let mut connection = self.connect_for_questions().await?;
        let refusal = ask_for_sender(&mut connection, &tagged).await;
        self.release_connection(connection).await;
        Ok(refusal.is_none())
    }

    async fn connect_for_questions(&self) -> Result<AsyncSmtpConnection, PlatformError> {
        self.connect_smtp().await.map_err(|held| match held {
            SendRejected::Later(pause, why) => PlatformError { why, pause },
            SendRejected::Refused(_, why, _) => PlatformError { why, pause: MINUTE },
        })
    }

    async fn release_connection(&self, connection: AsyncSmtpConnection) {
        if !connection.has_broken() {
            self.pool.idle.lock().await.push((connection, Instant::now() + IDLE_TIMEOUT));
        }
    }

    /// Returns an idle or new connection that is logged in.
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
        let silent = || {
            SendRejected::Later(
                3 * SECOND,
                format!("{place} sent no greeting; check that it is an SMTP server"),
            )
        };
        let mut connection =
            greeted.map_err(|_| silent())?.map_err(|why| rejection(&why, &place, REFUSED))?;
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
                "{place} does not support this kind of login; check that it is the server for submitting \
                 mail (port 465 or 587)"
            );
            return Err(SendRejected::Refused(ErrorCode::NotConfigured, why, true));
        }
        let secret = Credentials::new(self.smtp_server.user.clone(), proof.secret.expose().to_owned());
        match timeout(STEP_TIMEOUT, connection.auth(mechanisms, &secret)).await {
            Ok(Ok(_)) => Ok(connection),
            Ok(Err(why)) if why.is_permanent() => {
                self.login.discard_token().await;
                let said = describe_smtp_error(&why);
                let why = describe_refused_login(&place, self.login.is_token(), "sending", "SMTP", &said);
                Err(SendRejected::Refused(ErrorCode::NotConfigured, why, true))
            }
            Ok(Err(why)) => Err(SendRejected::Later(
                10 * SECOND,
                format!("{place} refused the login: {}", describe_smtp_error(&why)),
            )),
            Err(_) => Err(silent()),
        }
    }
}

/// Returns the reason why the server accepts no mail from an address; `None` if it does, or does not say.
/// Ends the begun mail.
async fn ask_for_sender(connection: &mut AsyncSmtpConnection, address: &str) -> Option<String> {
    let sender: Address = address.parse().ok()?;
    let mut steps = run_step(connection, Mail::new(Some(sender.clone()), Vec::new()), address, REFUSED).await;
    if steps.is_ok() {
        steps = run_step(connection, Rcpt::new(sender, Vec::new()), address, REFUSED).await;
    }
    if !matches!(timeout(STEP_TIMEOUT, connection.command(Rset)).await, Ok(Ok(_))) {
        connection.abort().await;
    }
    match steps {
        Err(SendRejected::Refused(_, why, _)) => Some(why),
        Ok(()) | Err(SendRejected::Later(..)) => None,
    }
}

/// Sends everything before the text.
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
    run_step(connection, Mail::new(Some(address(&envelope.from)?), options), &envelope.from, REFUSED).await?;
    for to in &envelope.to {
        run_step(connection, Rcpt::new(address(to)?, Vec::new()), to, ErrorCode::InvalidRecipient).await?;
    }
    run_step(connection, Data, "the mail", REFUSED).await
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
        Err(_) => Err(SendRejected::Later(10 * SECOND, "the mail server did not answer in time".to_owned())),
    }
}

/// Classifies a refusal or broken connection before the server accepted the mail.
fn rejection(why: &SmtpError, what: &str, code: ErrorCode) -> SendRejected {
    let said = describe_smtp_error(why);
    if why.is_permanent() {
        return SendRejected::Refused(code, format!("the mail server refused {what}: {said}"), false);
    }
    let pause = if why.is_transient() { 30 * SECOND } else { 3 * SECOND };
    SendRejected::Later(pause, format!("the mail server does not accept {what} right now: {said}"))
}

fn describe_smtp_error(why: &SmtpError) -> String {
    SafeText::line(&why.to_string()).as_str().chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_sender_is_told_apart_from_a_refused_mail() {
        let cases = [
            ("554 5.2.252 SendAsDenied; a@x.example not allowed to send as b@x.example", true),
            ("550 5.7.60 SMTP; Client does not have permissions to send as this sender", true),
            ("550 5.7.1 Client does not have permissions to send as this sender", true),
            ("553 5.7.1 <b@x.example>: Sender address rejected: not owned by user a@x.example", true),
            ("554 5.7.1 this looks like nothing we take", false),
            ("550 5.1.1 no such person here", false),
        ];
        for (said, is_foreign) in cases {
            // Some servers refuse the sender only once they know the recipient.
            let refused = SendRejected::Refused(ErrorCode::InvalidRecipient, said.to_owned(), false);
            let SendRejected::Refused(code, why, _) =
                refused.with_sender_remedy("a@x.example", "b@x.example")
            else {
                panic!("refused for good");
            };
            assert_eq!(why.contains("Allow a@x.example to send as b@x.example"), is_foreign, "{why}");
            assert_eq!(code == REFUSED, is_foreign, "{said}");
        }
        let later = SendRejected::Later(1, "451 5.7.60".to_owned()).with_sender_remedy("a", "b");
        assert!(matches!(later, SendRejected::Later(1, why) if why == "451 5.7.60"));
    }
}
