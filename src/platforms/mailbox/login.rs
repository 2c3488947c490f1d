//! Credentials for a login: a password, or an access token that is fetched with a refresh token and
//! cached until it expires.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_imap::Authenticator;
use lettre::transport::smtp::authentication::Mechanism;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::contract::{PlatformError, SecretStore};
use crate::web;
use api::carriers::{MailboxSecrets, OauthSettings};
use model::secret::Secret;
use model::text::SafeText;
use net::guard::Guard;

/// Time before its expiry at which a token is renewed.
const RENEW_MARGIN: Duration = Duration::from_secs(60);
/// Lifetime of a token if the provider names none.
const DEFAULT_LIFETIME_SECONDS: u64 = 1800;

pub enum MailLogin {
    /// One password for reading, one for sending.
    Passwords {
        reading: Secret,
        sending: Secret,
    },
    Tokens(Box<TokenSource>),
}

pub struct LoginProof {
    pub mechanism: Mechanism,
    pub secret: Secret,
}

impl MailLogin {
    pub async fn imap_proof(&self) -> Result<LoginProof, PlatformError> {
        self.proof(|mail_login| match mail_login {
            Self::Passwords { reading, .. } => Some(reading),
            Self::Tokens(_) => None,
        })
        .await
    }

    pub async fn smtp_proof(&self) -> Result<LoginProof, PlatformError> {
        self.proof(|mail_login| match mail_login {
            Self::Passwords { sending, .. } => Some(sending),
            Self::Tokens(_) => None,
        })
        .await
    }

    async fn proof(&self, password: fn(&Self) -> Option<&Secret>) -> Result<LoginProof, PlatformError> {
        match (password(self), self) {
            (None, Self::Tokens(source)) => {
                Ok(LoginProof { mechanism: Mechanism::Xoauth2, secret: source.token().await? })
            }
            (password, _) => {
                let secret = password.cloned().unwrap_or_else(|| Secret::new(""));
                Ok(LoginProof { mechanism: Mechanism::Plain, secret })
            }
        }
    }

    pub const fn is_token(&self) -> bool {
        matches!(self, Self::Tokens(_))
    }

    /// Discards the access token after a server refused it.
    pub async fn discard_token(&self) {
        if let Self::Tokens(source) = self {
            source.held.lock().await.access = None;
        }
    }
}

pub struct TokenSource {
    guard: Guard,
    settings: OauthSettings,
    client: Secret,
    held: Mutex<OauthTokens>,
    /// Storage of the refresh token, once it is set.
    store: OnceLock<Arc<dyn SecretStore>>,
}

struct OauthTokens {
    access: Option<(Secret, Instant)>,
    refresh: Secret,
    /// True if the refresh token differs from the stored one.
    is_unsaved: bool,
}

struct IssuedTokens {
    access: Secret,
    lasts: u64,
    /// Replaces the refresh token, which becomes invalid.
    refresh: Option<Secret>,
}

impl TokenSource {
    /// `client` is the client's secret, which may be empty.
    pub fn new(settings: OauthSettings, refresh: &str, client: &str) -> Self {
        let guard = web::guard_of(&settings.token_url);
        let held = OauthTokens { access: None, refresh: Secret::new(refresh), is_unsaved: false };
        Self { guard, settings, client: Secret::new(client), held: Mutex::new(held), store: OnceLock::new() }
    }

    pub fn set_store(&self, store: Arc<dyn SecretStore>) {
        let _ = self.store.set(store);
    }

    pub async fn secrets(&self) -> MailboxSecrets {
        self.secrets_of(&*self.held.lock().await)
    }

    fn secrets_of(&self, held: &OauthTokens) -> MailboxSecrets {
        MailboxSecrets { reading: held.refresh.expose().to_owned(), sending: self.client.expose().to_owned() }
    }

    async fn token(&self) -> Result<Secret, PlatformError> {
        let mut held = self.held.lock().await;
        if held.is_unsaved {
            self.store_refresh_token(&mut held).await;
        }
        if let Some((token, until)) = held.access.as_ref()
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        self.reload_refresh_token(&mut held).await;
        let issued = self.fetch(&held.refresh).await?;
        let lasts = Duration::from_secs(issued.lasts).saturating_sub(RENEW_MARGIN);
        held.access = Some((issued.access.clone(), Instant::now() + lasts));
        if let Some(next) = issued.refresh.filter(|refresh| refresh.expose() != held.refresh.expose()) {
            held.refresh = next;
            self.store_refresh_token(&mut held).await;
        }
        Ok(issued.access)
    }

    /// Reads the stored refresh token, which another process may have replaced.
    async fn reload_refresh_token(&self, held: &mut OauthTokens) {
        let Some(store) = self.store.get().filter(|_| !held.is_unsaved) else { return };
        match store.read().await {
            Ok(secrets) if !secrets.reading.is_empty() => held.refresh = Secret::new(&secrets.reading),
            Ok(_) => {}
            Err(why) => tracing::warn!(%why, "the refresh token of a mailbox could not be read"),
        }
    }

    /// Stores the refresh token; a failure is retried with the next token request.
    async fn store_refresh_token(&self, held: &mut OauthTokens) {
        let Some(store) = self.store.get() else { return };
        let kept = store.store(self.secrets_of(held)).await;
        if let Err(why) = &kept {
            tracing::error!(%why, "a new refresh token of a mailbox could not be stored; next try soon");
        }
        held.is_unsaved = kept.is_err();
    }

    fn refresh_form(&self, refresh: &Secret) -> String {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "refresh_token")
            .append_pair("refresh_token", refresh.expose())
            .append_pair("client_id", &self.settings.client_id);
        if !self.client.expose().is_empty() {
            form.append_pair("client_secret", self.client.expose());
        }
        form.finish()
    }

    async fn fetch(&self, refresh: &Secret) -> Result<IssuedTokens, PlatformError> {
        let unreachable = |why: String| {
            PlatformError::transient(format!("{} returned no access token: {why}", self.settings.token_url))
        };
        let form = self.refresh_form(refresh);
        let (status, told) =
            web::post_form(&self.guard, &self.settings.token_url, form).await.map_err(unreachable)?;
        read_tokens(status, &told).map_err(|error| match error {
            TokenError::Busy(why) => unreachable(why),
            TokenError::Refused(why) => PlatformError::needs_person(why),
        })
    }
}

enum TokenError {
    /// Says nothing about the refresh token.
    Busy(String),
    /// With the remedy.
    Refused(String),
}

fn read_tokens(status: u16, told: &Value) -> Result<IssuedTokens, TokenError> {
    if let Some(token) = told["access_token"].as_str().filter(|_| status == 200) {
        return Ok(IssuedTokens {
            access: Secret::new(token),
            lasts: told["expires_in"].as_u64().unwrap_or(DEFAULT_LIFETIME_SECONDS),
            refresh: told["refresh_token"].as_str().filter(|text| !text.is_empty()).map(Secret::new),
        });
    }
    if is_busy(status, told["error"].as_str()) {
        return Err(TokenError::Busy(format!("it answered {status}")));
    }
    let said = told["error_description"].as_str().or(told["error"].as_str()).unwrap_or_default();
    Err(TokenError::Refused(format!(
        "the provider does not accept the refresh token ({status}: {}); get consent of the account's owner \
         again, then connect the channel again",
        SafeText::line(said)
    )))
}

/// Returns true if a provider refuses a request only for the moment.
pub fn is_busy(status: u16, error: Option<&str>) -> bool {
    matches!(status, 408 | 425 | 429 | 500..)
        || matches!(error, Some("temporarily_unavailable" | "server_error"))
}

/// Explains a refused login, for reading or sending.
pub fn describe_refused_login(
    place: &str,
    is_token: bool,
    purpose: &str,
    protocol: &str,
    said: &str,
) -> String {
    match is_token {
        true => format!(
            "{place} does not accept the consent of the mailbox's owner for {purpose} ({said}). Enable \
             {protocol} in the account's settings, and give consent with the mailbox's own account; then \
             connect the channel again"
        ),
        false => format!(
            "{place} does not accept the user name and password for {purpose} ({said}). Many providers require an \
             app password, and {protocol} enabled in the account's settings; then connect the channel again"
        ),
    }
}

/// SASL XOAUTH2: sends one response, and an empty one to a challenge, so that the server reports
/// its error.
pub struct BearerLogin {
    pub response: Option<String>,
}

impl BearerLogin {
    pub fn new(user: &str, token: &Secret) -> Self {
        Self { response: Some(format!("user={user}\u{1}auth=Bearer {}\u{1}\u{1}", token.expose())) }
    }
}

impl Authenticator for BearerLogin {
    type Response = String;

    fn process(&mut self, _: &[u8]) -> String {
        self.response.take().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_refusal_asks_the_owner_to_agree_again() {
        let cases = [
            (
                400,
                json!({"error": "invalid_grant", "error_description": "it was revoked"}),
                Some("it was revoked"),
            ),
            (401, json!({"error": "invalid_client"}), Some("invalid_client")),
            (200, json!({"error": "invalid_grant"}), Some("consent of the account's owner again")),
            (429, json!({"error": "rate_limited"}), None),
            (408, json!(null), None),
            (503, json!(null), None),
            (400, json!({"error": "temporarily_unavailable"}), None),
        ];
        for (status, told, refusal) in cases {
            match (read_tokens(status, &told), refusal) {
                (Err(TokenError::Busy(_)), None) => {}
                (Err(TokenError::Refused(why)), Some(words)) => assert!(why.contains(words), "{why}"),
                _ => panic!("{status} {told}"),
            }
        }
        // Some providers write the lifetime as a text.
        let issued = json!({"access_token": "a", "expires_in": "3599", "refresh_token": ""});
        let Ok(issued) = read_tokens(200, &issued) else { panic!("tokens") };
        assert_eq!((issued.lasts, issued.refresh.is_none()), (DEFAULT_LIFETIME_SECONDS, true));
    }

    #[test]
    fn refused_login_names_the_remedy_of_its_kind() {
        let said =
            describe_refused_login("imap.example:993", true, "reading", "IMAP", "AUTHENTICATE failed.");
        assert!(said.contains("consent") && !said.contains("password"), "{said}");
        let said = describe_refused_login("imap.example:993", false, "reading", "IMAP", "LOGIN failed.");
        assert!(said.contains("user name and password") && said.contains("app password"), "{said}");
    }
}
