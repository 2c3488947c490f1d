//! What the servers are told to believe who logs in: a password, or an access
//! token that is fetched with a refresh token and kept while it is good.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_imap::Authenticator;
use lettre::transport::smtp::authentication::Mechanism;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::carriers::{PlatformTrouble, SecretStore};
use crate::platforms::web;
use connections::guard::{FetchLimits, Guard, Longer, Request};
use model::secret::Secret;
use model::text::SafeText;
use model::time::MINUTE;
use wire::carriers::{MailboxSecrets, OauthSettings};

/// For a token.
const TIME: Duration = Duration::from_secs(15);
/// Bytes of an answer at most.
const ANSWER: usize = 64 * 1024;
/// Before a token ends it is fetched anew.
const MARGIN: Duration = Duration::from_secs(60);
/// How long a token is good where nobody says.
const USUAL: u64 = 1800;

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
    pub async fn reading(&self) -> Result<LoginProof, PlatformTrouble> {
        self.proof(|mail_login| match mail_login {
            Self::Passwords { reading, .. } => Some(reading),
            Self::Tokens(_) => None,
        })
        .await
    }

    /// What is said to the server that sends.
    pub async fn sending(&self) -> Result<LoginProof, PlatformTrouble> {
        self.proof(|mail_login| match mail_login {
            Self::Passwords { sending, .. } => Some(sending),
            Self::Tokens(_) => None,
        })
        .await
    }

    async fn proof(&self, password: fn(&Self) -> Option<&Secret>) -> Result<LoginProof, PlatformTrouble> {
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
    pub async fn refused(&self) {
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
    held: Mutex<HeldTokens>,
    /// Where the refresh token is kept, once that is known.
    store: OnceLock<Arc<dyn SecretStore>>,
}

/// What is known of an account just now.
struct HeldTokens {
    access: Option<(Secret, Instant)>,
    refresh: Secret,
    /// Whether the refresh token is another than is kept.
    is_unkept: bool,
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
        let held = HeldTokens { access: None, refresh: Secret::new(refresh), is_unkept: false };
        Self { guard, settings, client: Secret::new(client), held: Mutex::new(held), store: OnceLock::new() }
    }

    /// Has the refresh token read and kept there from now on.
    pub fn keep_in(&self, store: Arc<dyn SecretStore>) {
        // Said once.
        let _ = self.store.set(store);
    }

    pub async fn secrets(&self) -> MailboxSecrets {
        self.secrets_of(&*self.held.lock().await)
    }

    fn secrets_of(&self, held: &HeldTokens) -> MailboxSecrets {
        MailboxSecrets { reading: held.refresh.expose().to_owned(), sending: self.client.expose().to_owned() }
    }

    async fn token(&self) -> Result<Secret, PlatformTrouble> {
        let mut held = self.held.lock().await;
        if held.is_unkept {
            self.keep(&mut held).await;
        }
        if let Some((token, until)) = held.access.as_ref()
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        self.look(&mut held).await;
        let issued = self.fetch(&held.refresh).await?;
        let lasts = Duration::from_secs(issued.lasts).saturating_sub(MARGIN);
        held.access = Some((issued.access.clone(), Instant::now() + lasts));
        if let Some(next) = issued.refresh.filter(|refresh| refresh.expose() != held.refresh.expose()) {
            held.refresh = next;
            self.keep(&mut held).await;
        }
        Ok(issued.access)
    }

    /// Another process may have been given another refresh token.
    async fn look(&self, held: &mut HeldTokens) {
        let Some(store) = self.store.get().filter(|_| !held.is_unkept) else { return };
        match store.read().await {
            Ok(secrets) if !secrets.reading.is_empty() => held.refresh = Secret::new(&secrets.reading),
            Ok(_) => {}
            Err(why) => tracing::warn!(%why, "the refresh token of a mailbox could not be looked up"),
        }
    }

    /// Keeps the refresh token; it is tried again with the next one who needs a
    /// token.
    async fn keep(&self, held: &mut HeldTokens) {
        let Some(store) = self.store.get() else { return };
        let kept = store.keep(self.secrets_of(held)).await;
        if let Err(why) = &kept {
            tracing::error!(%why, "a new refresh token of a mailbox could not be kept yet");
        }
        held.is_unkept = kept.is_err();
    }

    fn form(&self, refresh: &Secret) -> String {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "refresh_token")
            .append_pair("refresh_token", refresh.expose())
            .append_pair("client_id", &self.settings.client_id);
        if !self.client.expose().is_empty() {
            form.append_pair("client_secret", self.client.expose());
        }
        form.finish()
    }

    async fn fetch(&self, refresh: &Secret) -> Result<IssuedTokens, PlatformTrouble> {
        let unreachable = |why: String| {
            PlatformTrouble::passing(format!("{} gives no access token: {why}", self.settings.token_url))
        };
        let request = Request::post(self.form(refresh).into_bytes())
            .header("content-type", "application/x-www-form-urlencoded")
            .and_then(|header| header.header("accept", "application/json"))
            .map_err(|why| unreachable(why.to_string()))?;
        let url = self.guard.vet(&self.settings.token_url).map_err(|why| unreachable(why.to_string()))?;
        let limits = FetchLimits { max_body: ANSWER, longer: Longer::Refuse, total: TIME };
        let answer =
            self.guard.fetch(&url, request, limits).await.map_err(|why| unreachable(why.to_string()))?;
        let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        match told["access_token"].as_str().filter(|_| answer.status == 200) {
            Some(token) => Ok(IssuedTokens {
                access: Secret::new(token),
                lasts: told["expires_in"].as_u64().unwrap_or(USUAL),
                refresh: told["refresh_token"].as_str().filter(|text| !text.is_empty()).map(Secret::new),
            }),
            None if answer.status >= 500 => Err(unreachable(format!("it answered {}", answer.status))),
            None => {
                let said = told["error_description"].as_str().or(told["error"].as_str()).unwrap_or_default();
                let said = SafeText::line(said);
                Err(PlatformTrouble {
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
    pub words: Option<String>,
}

impl BearerLogin {
    pub fn new(user: &str, token: &Secret) -> Self {
        Self { words: Some(format!("user={user}\u{1}auth=Bearer {}\u{1}\u{1}", token.expose())) }
    }
}

impl Authenticator for BearerLogin {
    type Response = String;

    fn process(&mut self, _: &[u8]) -> String {
        self.words.take().unwrap_or_default()
    }
}
