//! What the servers are told to believe who logs in: a password, or an access
//! token that is fetched with a refresh token and kept while it is good.

use std::time::Duration;

use async_imap::Authenticator;
use lettre::transport::smtp::authentication::Mechanism;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::carriers::PlatformTrouble;
use connections::guard::{FetchLimits, Guard, Longer, Policy, Request};
use model::secret::Secret;
use model::text::SafeText;
use model::time::MINUTE;
use wire::carriers::OauthSettings;

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
        /// For reading.
        reading: Secret,
        /// For sending.
        sending: Secret,
    },
    /// By tokens.
    Tokens(TokenSource),
}

/// What is said at a login.
pub struct LoginProof {
    /// How it is said.
    pub mechanism: Mechanism,
    /// The password or the token.
    pub secret: Secret,
}

impl MailLogin {
    /// What is said to the server that is read.
    ///
    /// # Errors
    /// Why there is no token.
    pub async fn reading(&self) -> Result<LoginProof, PlatformTrouble> {
        self.proof(|it| match it {
            Self::Passwords { reading, .. } => Some(reading),
            Self::Tokens(_) => None,
        })
        .await
    }

    /// What is said to the server that sends.
    ///
    /// # Errors
    /// As [`MailLogin::reading`].
    pub async fn sending(&self) -> Result<LoginProof, PlatformTrouble> {
        self.proof(|it| match it {
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
            *source.kept.lock().await = None;
        }
    }
}

/// Fetches access tokens.
pub struct TokenSource {
    guard: Guard,
    settings: OauthSettings,
    refresh: Secret,
    client: Secret,
    kept: Mutex<Option<(Secret, Instant)>>,
}

impl TokenSource {
    /// With a refresh token and the client's secret, which may be empty.
    pub fn new(settings: OauthSettings, refresh: &str, client: &str) -> Self {
        let guard = Guard::system(Policy { allow_loopback_http: true });
        let (refresh, client) = (Secret::new(refresh), Secret::new(client));
        Self { guard, settings, refresh, client, kept: Mutex::new(None) }
    }

    async fn token(&self) -> Result<Secret, PlatformTrouble> {
        let mut kept = self.kept.lock().await;
        if let Some((token, until)) = kept.as_ref()
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        let (token, lasts) = self.fetch().await?;
        let lasts = Duration::from_secs(lasts).saturating_sub(MARGIN);
        *kept = Some((token.clone(), Instant::now() + lasts));
        Ok(token)
    }

    fn form(&self) -> String {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "refresh_token")
            .append_pair("refresh_token", self.refresh.expose())
            .append_pair("client_id", &self.settings.client_id);
        if !self.client.expose().is_empty() {
            form.append_pair("client_secret", self.client.expose());
        }
        form.finish()
    }

    async fn fetch(&self) -> Result<(Secret, u64), PlatformTrouble> {
        let unreachable = |why: String| {
            PlatformTrouble::passing(format!("{} gives no access token: {why}", self.settings.token_url))
        };
        let request = Request::post(self.form().into_bytes())
            .header("content-type", "application/x-www-form-urlencoded")
            .and_then(|it| it.header("accept", "application/json"))
            .map_err(|why| unreachable(why.to_string()))?;
        let url = self.guard.vet(&self.settings.token_url).map_err(|why| unreachable(why.to_string()))?;
        let limits = FetchLimits { max_body: ANSWER, longer: Longer::Refuse, total: TIME };
        let answer =
            self.guard.fetch(&url, request, limits).await.map_err(|why| unreachable(why.to_string()))?;
        let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        match told["access_token"].as_str().filter(|_| answer.status == 200) {
            Some(token) => Ok((Secret::new(token), told["expires_in"].as_u64().unwrap_or(USUAL))),
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
    /// What is said.
    pub words: Option<String>,
}

impl BearerLogin {
    /// For a user and a token.
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
