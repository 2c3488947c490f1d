//! What the servers are told to believe who logs in: a password, or an access
//! token that is fetched with a refresh token and kept while it is good.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_imap::Authenticator;
use lettre::transport::smtp::authentication::Mechanism;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::carriers::{PlatformError, SecretStore};
use crate::platforms::web;
use connections::guard::{FetchLimits, Guard, OversizePolicy, Request};
use model::secret::Secret;
use model::text::SafeText;
use model::time::MINUTE;
use wire::carriers::{MailboxSecrets, OauthSettings};

/// For a token.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(15);
/// Bytes of an answer at most.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Before a token ends it is fetched anew.
const RENEW_MARGIN: Duration = Duration::from_secs(60);
/// How long a token is good where nobody says.
const DEFAULT_LIFETIME_SECONDS: u64 = 1800;

/// How a login is proved.
pub enum MailLogin {
    /// One password for reading, one for sending.
    Passwords {
        reading: Secret,
        sending: Secret,
    },
    Tokens(Box<TokenSource>),
}

/// What is said at a login.
pub struct LoginProof {
    pub mechanism: Mechanism,
    /// The password or the token.
    pub secret: Secret,
}

impl MailLogin {
    /// What is said to the server that is read.
    pub async fn imap_proof(&self) -> Result<LoginProof, PlatformError> {
        self.proof(|mail_login| match mail_login {
            Self::Passwords { reading, .. } => Some(reading),
            Self::Tokens(_) => None,
        })
        .await
    }

    /// What is said to the server that sends.
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

    /// A server did not take what was said: the next token is a new one.
    pub async fn discard_token(&self) {
        if let Self::Tokens(source) = self {
            source.held.lock().await.access = None;
        }
    }
}

/// Fetches access tokens.
pub struct TokenSource {
    guard: Guard,
    settings: OauthSettings,
    client: Secret,
    held: Mutex<OauthTokens>,
    /// Where the refresh token is kept, once that is known.
    store: OnceLock<Arc<dyn SecretStore>>,
}

/// What is known of an account just now.
struct OauthTokens {
    access: Option<(Secret, Instant)>,
    refresh: Secret,
    /// Whether the refresh token is another than is kept.
    is_unsaved: bool,
}

/// What a provider answers.
struct IssuedTokens {
    access: Secret,
    lasts: u64,
    /// In place of the refresh token, which is worth nothing from then on.
    refresh: Option<Secret>,
}

impl TokenSource {
    /// With a refresh token and the client's secret, which may be empty.
    pub fn new(settings: OauthSettings, refresh: &str, client: &str) -> Self {
        let guard = web::guard_of(&settings.token_url);
        let held = OauthTokens { access: None, refresh: Secret::new(refresh), is_unsaved: false };
        Self { guard, settings, client: Secret::new(client), held: Mutex::new(held), store: OnceLock::new() }
    }

    /// Has the refresh token read and kept there from now on.
    pub fn set_store(&self, store: Arc<dyn SecretStore>) {
        // Said once.
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

    /// Another process may have been given another refresh token.
    async fn reload_refresh_token(&self, held: &mut OauthTokens) {
        let Some(store) = self.store.get().filter(|_| !held.is_unsaved) else { return };
        match store.read().await {
            Ok(secrets) if !secrets.reading.is_empty() => held.refresh = Secret::new(&secrets.reading),
            Ok(_) => {}
            Err(why) => tracing::warn!(%why, "the refresh token of a mailbox could not be looked up"),
        }
    }

    /// Keeps the refresh token; it is tried again with the next one who needs a
    /// token.
    async fn store_refresh_token(&self, held: &mut OauthTokens) {
        let Some(store) = self.store.get() else { return };
        let kept = store.store(self.secrets_of(held)).await;
        if let Err(why) = &kept {
            tracing::error!(%why, "a new refresh token of a mailbox could not be kept yet");
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
            PlatformError::transient(format!("{} gives no access token: {why}", self.settings.token_url))
        };
        let request = Request::post(self.refresh_form(refresh).into_bytes())
            .header("content-type", "application/x-www-form-urlencoded")
            .and_then(|header| header.header("accept", "application/json"))
            .map_err(|why| unreachable(why.to_string()))?;
        let url = self.guard.vet(&self.settings.token_url).map_err(|why| unreachable(why.to_string()))?;
        let limits = FetchLimits {
            max_body: MAX_ANSWER_BYTES,
            oversize: OversizePolicy::Refuse,
            total: TOKEN_TIMEOUT,
        };
        let answer =
            self.guard.fetch(&url, request, limits).await.map_err(|why| unreachable(why.to_string()))?;
        let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        match told["access_token"].as_str().filter(|_| answer.status == 200) {
            Some(token) => Ok(IssuedTokens {
                access: Secret::new(token),
                lasts: told["expires_in"].as_u64().unwrap_or(DEFAULT_LIFETIME_SECONDS),
                refresh: told["refresh_token"].as_str().filter(|text| !text.is_empty()).map(Secret::new),
            }),
            None if answer.status >= 500 => Err(unreachable(format!("it answered {}", answer.status))),
            None => {
                let said = told["error_description"].as_str().or(told["error"].as_str()).unwrap_or_default();
                let said = SafeText::line(said);
                Err(PlatformError {
                    why: format!(
                        "the provider does not take the refresh token ({}: {said}): let the account's owner agree again and \
                         connect the channel anew",
                        answer.status
                    ),
                    pause: MINUTE,
                })
            }
        }
    }
}

/// The one thing that is said in XOAUTH2; what the server says to that is
/// answered with nothing, so that it says what is wrong.
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
