//! Consent of a mailbox's owner at an OAuth2 provider, which gives a refresh token.
//!
//! The owner types a code on the provider's page (RFC 8628, Microsoft), or the provider redirects the owner's
//! browser to this machine (RFC 8252 with PKCE, Google, which lets no mail be read with a typed code).

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::RngExt;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::mailbox::login::is_busy;
use crate::web;
use model::secret::Secret;
use model::text::SafeText;

const MAX_REQUEST_BYTES: u64 = 64 * 1024;
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause between two requests for the token, if the provider names none.
const DEFAULT_INTERVAL_SECONDS: u64 = 5;
/// Shortest pause, whatever the provider names.
const MIN_INTERVAL_SECONDS: u64 = 1;
/// Added to the pause when the provider asks for a longer one.
const SLOWER_SECONDS: u64 = 5;
/// Time for the owner to agree, if the provider names none.
const DEFAULT_LIFETIME_SECONDS: u64 = 900;
/// Longest time for the owner to agree, whatever the provider names.
const MAX_LIFETIME_SECONDS: u64 = 24 * 60 * 60;
const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Provider whose mailboxes take no password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailProvider {
    Google,
    Microsoft,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderAddresses {
    /// Page on which the owner agrees, or the address that returns a code to type.
    pub consent: String,
    pub token: String,
}

impl MailProvider {
    /// Returns the addresses under the provider's usual authority, or under another one such as
    /// `https://login.microsoftonline.com/TENANT`.
    pub fn addresses(self, authority: Option<&str>) -> ProviderAddresses {
        let authority = authority.map(|text| text.trim_end_matches('/'));
        match self {
            Self::Google => ProviderAddresses {
                consent: format!("{}/o/oauth2/v2/auth", authority.unwrap_or("https://accounts.google.com")),
                token: format!("{}/token", authority.unwrap_or("https://oauth2.googleapis.com")),
            },
            Self::Microsoft => {
                let authority = authority.unwrap_or("https://login.microsoftonline.com/organizations");
                ProviderAddresses {
                    consent: format!("{authority}/oauth2/v2.0/devicecode"),
                    token: format!("{authority}/oauth2/v2.0/token"),
                }
            }
        }
    }

    /// Returns the addresses of the IMAP and the SMTP server for a mailbox.
    pub fn servers(self, address: &str) -> (String, String) {
        match self {
            Self::Google => {
                (format!("imaps://{address}@imap.gmail.com"), format!("smtps://{address}@smtp.gmail.com"))
            }
            Self::Microsoft => (
                format!("imaps://{address}@outlook.office365.com"),
                format!("smtp://{address}@smtp.office365.com"),
            ),
        }
    }

    const fn scope(self) -> &'static str {
        match self {
            Self::Google => "https://mail.google.com/",
            Self::Microsoft => {
                "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send \
                 offline_access"
            }
        }
    }
}

/// This service as it is registered at the provider.
#[derive(Clone)]
pub struct RegisteredClient {
    pub id: String,
    /// Empty if the provider gave none.
    pub secret: Secret,
}

impl RegisteredClient {
    fn add_to(&self, form: &mut Serializer<'_, String>) {
        form.append_pair("client_id", &self.id);
        if !self.secret.expose().is_empty() {
            form.append_pair("client_secret", self.secret.expose());
        }
    }
}

/// A code that the owner types on the provider's page.
pub struct TypedCode {
    pub page: String,
    pub code: String,
    device_code: Secret,
    interval: Duration,
    ends: Instant,
}

/// Reason why there is no refresh token.
#[derive(Debug, thiserror::Error)]
pub enum ConsentError {
    #[error("{address} cannot be reached: {why}")]
    Unreachable { address: String, why: String },
    /// The provider's words.
    #[error("the provider refused: {0}")]
    Refused(String),
    #[error("the account's owner did not give consent; start again")]
    Denied,
    #[error("nobody gave consent in time; start again")]
    Expired,
    #[error("the provider gave no refresh token; allow offline access for this client")]
    NoRefreshToken,
    #[error("this is not the address that the browser shows after consent; copy that one, whole")]
    ForeignAddress,
    #[error("could not open a local port for the browser: {0}")]
    NoListener(#[from] std::io::Error),
}

pub async fn request_code(
    provider: MailProvider,
    addresses: &ProviderAddresses,
    client: &RegisteredClient,
) -> Result<TypedCode, ConsentError> {
    let mut form = Serializer::new(String::new());
    form.append_pair("client_id", &client.id).append_pair("scope", provider.scope());
    let (status, body) = post(&addresses.consent, form.finish()).await?;
    let text = |name: &str| body[name].as_str().filter(|text| !text.is_empty());
    let page = text("verification_uri").or(text("verification_url"));
    let (Some(page), Some(code), Some(device_code)) = (page, text("user_code"), text("device_code")) else {
        return Err(refusal(status, &body));
    };
    let seconds = |name: &str, default| body[name].as_u64().unwrap_or(default);
    let interval = seconds("interval", DEFAULT_INTERVAL_SECONDS).max(MIN_INTERVAL_SECONDS);
    let lifetime = seconds("expires_in", DEFAULT_LIFETIME_SECONDS);
    Ok(TypedCode {
        page: SafeText::line(page).to_string(),
        code: SafeText::line(code).to_string(),
        device_code: Secret::new(device_code),
        interval: Duration::from_secs(interval),
        ends: Instant::now() + Duration::from_secs(lifetime.min(MAX_LIFETIME_SECONDS)),
    })
}

/// Waits until the owner has typed the code and agreed; returns the refresh token.
pub async fn wait_for_consent(
    addresses: &ProviderAddresses,
    client: &RegisteredClient,
    typed: &TypedCode,
) -> Result<Secret, ConsentError> {
    let mut interval = typed.interval;
    loop {
        sleep(interval).await;
        if Instant::now() >= typed.ends {
            return Err(ConsentError::Expired);
        }
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", DEVICE_GRANT).append_pair("device_code", typed.device_code.expose());
        client.add_to(&mut form);
        let (status, body) = match post(&addresses.token, form.finish()).await {
            Ok(answer) => answer,
            // The owner may still agree, so a network that fails for a moment ends nothing.
            Err(ConsentError::Unreachable { address, why }) => {
                tracing::warn!(address, why, "the provider could not be reached; next try soon");
                continue;
            }
            Err(other) => return Err(other),
        };
        match judge_poll(status, &body) {
            PollAnswer::Pending => {}
            PollAnswer::Slower => interval += Duration::from_secs(SLOWER_SECONDS),
            PollAnswer::Settled(settled) => return settled,
        }
    }
}

/// Answer to a request for the token.
enum PollAnswer {
    Pending,
    /// The provider asks for longer pauses.
    Slower,
    Settled(Result<Secret, ConsentError>),
}

fn judge_poll(status: u16, body: &Value) -> PollAnswer {
    match body["error"].as_str() {
        Some("authorization_pending") => PollAnswer::Pending,
        Some("slow_down") => PollAnswer::Slower,
        Some("access_denied" | "authorization_declined") => PollAnswer::Settled(Err(ConsentError::Denied)),
        Some("expired_token") => PollAnswer::Settled(Err(ConsentError::Expired)),
        _ if status == 429 => PollAnswer::Slower,
        error if is_busy(status, error) => PollAnswer::Pending,
        _ => PollAnswer::Settled(refresh_token(status, body)),
    }
}

/// Consent on the provider's page in the owner's browser, which the provider then redirects to this machine.
pub struct BrowserConsent {
    /// Address that the owner opens.
    pub page: String,
    listener: TcpListener,
    redirect: String,
    state: String,
    verifier: String,
}

impl BrowserConsent {
    /// Listens on this machine for the redirected browser.
    pub async fn start(
        provider: MailProvider,
        addresses: &ProviderAddresses,
        client: &RegisteredClient,
        mailbox: &str,
    ) -> Result<Self, ConsentError> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let redirect = format!("http://127.0.0.1:{}", listener.local_addr()?.port());
        let (state, verifier) = (random_text(), random_text());
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        let unreachable = |why: url::ParseError| ConsentError::Unreachable {
            address: addresses.consent.clone(),
            why: why.to_string(),
        };
        let mut page = Url::parse(&addresses.consent).map_err(unreachable)?;
        page.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &redirect)
            .append_pair("scope", provider.scope())
            .append_pair("state", &state)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            // Without these, a second consent gives no refresh token.
            .append_pair("access_type", "offline")
            .append_pair("prompt", "consent")
            .append_pair("login_hint", mailbox);
        Ok(Self { page: page.into(), listener, redirect, state, verifier })
    }

    /// Address to which the provider redirects the browser.
    pub fn redirect(&self) -> &str {
        &self.redirect
    }

    /// Waits for the redirected browser; returns the code in its address. Other requests are answered and
    /// ignored.
    pub async fn wait_for_browser(&self) -> Result<Secret, ConsentError> {
        loop {
            let Ok((stream, _)) = self.listener.accept().await else { continue };
            let Some((target, stream)) = read_target(stream).await else { continue };
            let read = self.code_in(&format!("{}{target}", self.redirect));
            let words = match &read {
                Ok(_) => "Consent was given. You can close this page.",
                Err(ConsentError::Denied) => "Consent was not given. You can close this page.",
                Err(_) => "Nothing to do here. You can close this page.",
            };
            answer(stream, words).await;
            if !matches!(read, Err(ConsentError::ForeignAddress)) {
                return read;
            }
        }
    }

    /// Returns the code in the address of the redirected browser, which the owner may have copied.
    pub fn code_in(&self, address: &str) -> Result<Secret, ConsentError> {
        let url = Url::parse(address.trim()).map_err(|_| ConsentError::ForeignAddress)?;
        let value = |wanted: &str| {
            let found = url.query_pairs().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.into_owned())
        };
        if value("state").as_deref() != Some(&self.state) {
            return Err(ConsentError::ForeignAddress);
        }
        match (value("code"), value("error")) {
            (Some(code), _) => Ok(Secret::new(&code)),
            (None, Some(error)) if error == "access_denied" => Err(ConsentError::Denied),
            (None, Some(error)) => Err(ConsentError::Refused(SafeText::line(&error).to_string())),
            (None, None) => Err(ConsentError::ForeignAddress),
        }
    }

    /// Exchanges the code for a refresh token.
    pub async fn exchange(
        &self,
        addresses: &ProviderAddresses,
        client: &RegisteredClient,
        code: &Secret,
    ) -> Result<Secret, ConsentError> {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code.expose())
            .append_pair("redirect_uri", &self.redirect)
            .append_pair("code_verifier", &self.verifier);
        client.add_to(&mut form);
        let (status, body) = post(&addresses.token, form.finish()).await?;
        refresh_token(status, &body)
    }
}

/// Text of 256 random bits.
fn random_text() -> String {
    let random: [u8; 32] = rand::rng().random();
    URL_SAFE_NO_PAD.encode(random)
}

/// Reads the target of a request; `None` if it is no GET or takes too long.
async fn read_target(stream: TcpStream) -> Option<(String, TcpStream)> {
    let mut reader = BufReader::new(stream).take(MAX_REQUEST_BYTES);
    let (mut first, mut header) = (String::new(), String::new());
    let reading = async {
        reader.read_line(&mut first).await?;
        // Read to their end: a connection that is closed with unread bytes loses the answer.
        while reader.read_line(&mut header).await? > 2 {
            header.clear();
        }
        Ok::<_, std::io::Error>(())
    };
    tokio::time::timeout(REQUEST_TIMEOUT, reading).await.ok()?.ok()?;
    let target = first.strip_prefix("GET ")?.split(' ').next()?.to_owned();
    Some((target, reader.into_inner().into_inner()))
}

async fn answer(mut stream: TcpStream, words: &str) {
    let page = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{words}",
        words.len()
    );
    // The browser may be gone; the code was read.
    let _ = stream.write_all(page.as_bytes()).await;
    let _ = stream.shutdown().await;
}

async fn post(address: &str, form: String) -> Result<(u16, Value), ConsentError> {
    let guard = web::guard_of(address);
    web::post_form(&guard, address, form)
        .await
        .map_err(|why| ConsentError::Unreachable { address: address.to_owned(), why })
}

fn refresh_token(status: u16, body: &Value) -> Result<Secret, ConsentError> {
    if status != 200 {
        return Err(refusal(status, body));
    }
    let text = body["refresh_token"].as_str().filter(|text| !text.is_empty());
    text.map(Secret::new).ok_or(ConsentError::NoRefreshToken)
}

fn refusal(status: u16, body: &Value) -> ConsentError {
    let words = body["error_description"].as_str().or(body["error"].as_str()).unwrap_or_default();
    // Providers append ids of the request in further lines.
    let words = words.lines().next().unwrap_or_default();
    ConsentError::Refused(format!("{} ({status})", SafeText::line(words)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn only_the_address_of_this_consent_holds_its_code() {
        let addresses = MailProvider::Google.addresses(None);
        let client = RegisteredClient { id: "desk".to_owned(), secret: Secret::new("s") };
        let consent = BrowserConsent::start(MailProvider::Google, &addresses, &client, "desk@shop.example")
            .await
            .expect("an address");
        let (redirect, state) = (consent.redirect().to_owned(), consent.state.clone());
        let code =
            consent.code_in(&format!(" {redirect}/?state={state}&code=4%2F0Ab&scope=mail ")).expect("a code");
        assert_eq!(code.expose(), "4/0Ab");
        let denied = consent.code_in(&format!("{redirect}/?error=access_denied&state={state}"));
        assert!(matches!(denied, Err(ConsentError::Denied)));
        for foreign in
            ["", "no address", &format!("{redirect}/?code=1"), &format!("{redirect}/?code=1&state=x")]
        {
            assert!(matches!(consent.code_in(foreign), Err(ConsentError::ForeignAddress)), "{foreign}");
        }
        assert!(consent.page.starts_with("https://accounts.google.com/o/oauth2/v2/auth?response_type=code"));
        assert!(!consent.page.contains(&consent.verifier));
    }

    #[test]
    fn only_an_answer_about_the_owner_ends_the_waiting() {
        let word = |status: u16, body: Value| match judge_poll(status, &body) {
            PollAnswer::Pending => "pending".to_owned(),
            PollAnswer::Slower => "slower".to_owned(),
            PollAnswer::Settled(Ok(token)) => token.expose().to_owned(),
            PollAnswer::Settled(Err(error)) => error.to_string(),
        };
        let error = |name: &str| json!({ "error": name });
        let cases = [
            (400, error("authorization_pending"), "pending"),
            // Some providers answer with success, or with a status of their own.
            (200, error("authorization_pending"), "pending"),
            (428, error("authorization_pending"), "pending"),
            (400, error("slow_down"), "slower"),
            (403, error("slow_down"), "slower"),
            (429, json!(null), "slower"),
            (503, json!(null), "pending"),
            (400, error("temporarily_unavailable"), "pending"),
            (400, error("authorization_declined"), "did not give consent"),
            (400, error("expired_token"), "in time"),
            (400, error("invalid_grant"), "invalid_grant (400)"),
            (200, json!({"refresh_token": "r"}), "r"),
            (200, json!({"access_token": "a"}), "no refresh token"),
        ];
        for (status, body, wanted) in cases {
            let said = word(status, body.clone());
            assert!(said.contains(wanted), "{status} {body}: {said}");
        }
    }

    #[test]
    fn tenant_replaces_the_authority() {
        let addresses = MailProvider::Microsoft.addresses(Some("https://login.example/contoso/"));
        assert_eq!(addresses.token, "https://login.example/contoso/oauth2/v2.0/token");
        assert_eq!(addresses.consent, "https://login.example/contoso/oauth2/v2.0/devicecode");
    }

    #[test]
    fn refusal_says_the_first_line_of_the_provider() {
        let body =
            json!({"error": "invalid_client", "error_description": "AADSTS7000218: wrong\r\nTrace ID: 1"});
        assert_eq!(refusal(401, &body).to_string(), "the provider refused: AADSTS7000218: wrong (401)");
    }
}
