//! Client of language models behind a chat completion API. Replies are data for the caller: nothing
//! here sends to a customer, and no error contains a key or a query.
//!
//! | file | content |
//! |---|---|
//! | `mod.rs` | requests and replies: deadline, limits, token counts |
//! | `prompts.rs` | prompts for drafts, briefs and translations, with fenced data |
//! | `rules.rs` | drafts and briefs without a model |
//! | `claims.rs` | finds sentences with unsupported claims |
//! | `voice.rs` | transcription of voice notes |
//! | `multipart.rs` | multipart form encoding |

pub mod claims;
mod multipart;
pub mod prompts;
pub mod rules;
#[cfg(test)]
mod tests;
mod voice;

pub use voice::{Transcript, VoiceFile};

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use thiserror::Error;

use crate::guard::{
    FetchError, FetchLimits, Fetched, Guard, OversizePolicy, Policy, Request, UrlRefusal, VettedUrl, vet,
};
use model::secret::{Secret, redact};

/// Assumed size of a token, if the endpoint does not report token counts.
const BYTES_PER_TOKEN: u64 = 4;
/// Endpoints may also be on loopback.
const ENDPOINT_POLICY: Policy = Policy { allow_loopback_http: true };
/// Path below the base URL of the endpoint.
const COMPLETIONS_PATH: &str = "/chat/completions";
/// Maximum number of requests per question to a busy endpoint.
const MAX_TRIES: u32 = 3;
/// Delay before a retry if a busy endpoint sends no `Retry-After`.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Values of `finish_reason` for an incomplete reply.
const CUT_REASONS: [&str; 4] = ["length", "max_tokens", "model_length", "content_filter"];
/// Allowance for reasoning tokens, added to the limit for the text.
const THINKING_TOKENS: u32 = 1_600;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Base URL including the version, such as `https://host.example/v1`: public https, or loopback
    /// over http.
    pub url: String,
    pub model: String,
    /// Sent as a bearer token.
    pub key: Option<Secret>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelLimits {
    /// Time until the last byte.
    pub time: Duration,
    /// In bytes.
    pub body: usize,
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self { time: Duration::from_secs(45), body: 256 * 1024 }
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum EndpointError {
    /// Address without user and query, and the reason.
    #[error("address {0}: {1}")]
    Address(String, UrlRefusal),
    #[error("key contains characters that cannot be sent; copy it again, whole")]
    Key,
}

#[derive(Debug, Error)]
pub enum ModelError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("its {0}")]
    Endpoint(#[from] EndpointError),
    #[error("it answered with status {0}")]
    Status(u16),
    #[error("its answer is not JSON")]
    NotJson,
    #[error("its answer contains no text")]
    NoText,
}

impl ModelError {
    /// True if the model may have produced tokens, so that the request may be charged.
    pub fn may_be_charged(&self) -> bool {
        match self {
            Self::Fetch(FetchError::Unreachable(_) | FetchError::Tls | FetchError::Url(_))
            | Self::Endpoint(_)
            | Self::Status(_) => false,
            Self::Fetch(FetchError::TimedOut | FetchError::TooLarge | FetchError::Broken)
            | Self::NotJson
            | Self::NoText => true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenCountSource {
    Apart,
    /// The endpoint reports only the sum.
    Together,
    /// Estimated from the length.
    Not,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReply {
    /// `message` of the first choice, with `content` and `tool_calls`; null if missing.
    pub message: Value,
    /// True if the reply is incomplete: it reached its limit or was filtered.
    pub is_cut: bool,
    /// Tokens of the prompt, reported or estimated.
    pub tokens_in: u64,
    /// Tokens of the reply, reported or estimated.
    pub tokens_out: u64,
    pub token_count_source: TokenCountSource,
}

impl ModelReply {
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}

#[derive(Debug)]
pub struct ModelClient {
    url: VettedUrl,
    endpoint: Endpoint,
    limits: ModelLimits,
    /// Created at the first request, because loading the trusted certificates takes time.
    guard: OnceLock<Guard>,
    /// True if the endpoint refused `max_tokens`.
    counts_thinking: AtomicBool,
}

impl ModelClient {
    pub fn new(endpoint: Endpoint, limits: ModelLimits) -> Result<Self, EndpointError> {
        let (url, counts_thinking) = (vet_endpoint(&endpoint.url)?, AtomicBool::new(false));
        let client = Self { url, endpoint, limits, guard: OnceLock::new(), counts_thinking };
        client.authorized(Request::get())?;
        Ok(client)
    }

    /// Sends `body`, with `messages` and optional `tools`, and limits the reply to `tokens` tokens.
    /// If the endpoint refuses the name of the limit, the request is repeated once with the other
    /// name. Secrets in the body are redacted.
    pub async fn ask(&self, body: &mut Value, tokens: u32) -> Result<ModelReply, ModelError> {
        redact_secrets(body, self.endpoint.key.as_ref());
        let (mut answer, mut asked) = (self.post(body, tokens).await?, 1);
        if answer.status == 400 && String::from_utf8_lossy(&answer.body).contains("max_tokens") {
            self.counts_thinking.fetch_xor(true, Ordering::Relaxed);
            (answer, asked) = (self.post(body, tokens).await?, 2);
        }
        if answer.status != 200 {
            return Err(ModelError::Status(answer.status));
        }
        let mut told: Value = serde_json::from_slice(&answer.body).map_err(|_| ModelError::NotJson)?;
        let (tokens_in, tokens_out, counted) =
            used_tokens(&told["usage"], body.to_string().len() * asked, answer.body.len());
        let finish = told.pointer("/choices/0/finish_reason").and_then(Value::as_str).unwrap_or("");
        let is_cut = CUT_REASONS.iter().any(|reason| finish.eq_ignore_ascii_case(reason));
        let message = told.pointer_mut("/choices/0/message").map_or(Value::Null, Value::take);
        Ok(ModelReply { message, is_cut, tokens_in, tokens_out, token_count_source: counted })
    }

    async fn post(&self, body: &mut Value, tokens: u32) -> Result<Fetched, ModelError> {
        let bounds = [("max_tokens", tokens), ("max_completion_tokens", max_tokens(tokens))];
        let used = usize::from(self.counts_thinking.load(Ordering::Relaxed));
        if let Some(members) = body.as_object_mut() {
            members.remove(bounds[1 - used].0);
            members.insert(bounds[used].0.to_owned(), bounds[used].1.into());
            members.insert("model".to_owned(), json!(self.endpoint.model));
            members.insert("stream".to_owned(), false.into());
        }
        let request = self.authorized(Request::post(body.to_string()))?;
        self.send(&self.url, request).await
    }

    /// Sends a request; retries after the delay that a busy endpoint asks for, within one deadline.
    async fn send(&self, url: &VettedUrl, request: Request) -> Result<Fetched, ModelError> {
        let limits = FetchLimits {
            max_body: self.limits.body,
            oversize: OversizePolicy::Refuse,
            total: self.limits.time,
        };
        let guard = self.guard.get_or_init(|| Guard::system(ENDPOINT_POLICY));
        let tries = async {
            let mut patience = self.limits.time / 2;
            for _ in 1..MAX_TRIES {
                let answer = guard.fetch(url, request.clone(), limits).await?;
                let Some(pause) =
                    retry_delay(&answer).filter(|pause_before_another| *pause_before_another <= patience)
                else {
                    return Ok(answer);
                };
                patience -= pause;
                tokio::time::sleep(pause).await;
            }
            Ok(guard.fetch(url, request, limits).await?)
        };
        let ended = tokio::time::timeout(self.limits.time, tries).await;
        ended.unwrap_or(Err(ModelError::Fetch(FetchError::TimedOut)))
    }

    /// Adds the headers of every request, for a JSON body.
    fn authorized(&self, request: Request) -> Result<Request, EndpointError> {
        self.authorized_as(request, "application/json")
    }

    /// Adds the headers of every request, for a body of type `content_type`.
    fn authorized_as(&self, request: Request, content_type: &str) -> Result<Request, EndpointError> {
        let key = self.endpoint.key.as_ref().map(|key| ("authorization", format!("Bearer {}", key.expose())));
        let types = [("content-type", content_type), ("accept", "application/json")];
        let types = types.map(|(name, value)| (name, value.to_owned()));
        types
            .into_iter()
            .chain(key)
            .try_fold(request, |request, (name, value)| request.header(name, &value))
            .map_err(|_| EndpointError::Key)
    }
}

/// Returns the delay that a busy endpoint asks for; `None` if it is not busy or gives a date.
fn retry_delay(answer: &Fetched) -> Option<Duration> {
    if !matches!(answer.status, 429 | 503) {
        return None;
    }
    match &answer.retry_after {
        None => Some(RETRY_DELAY),
        Some(seconds) => seconds.trim().parse().ok().map(Duration::from_secs),
    }
}

/// Returns the token limit for a text of `text` tokens, with the allowance for reasoning.
pub fn max_tokens(text: u32) -> u32 {
    text.saturating_add(THINKING_TOKENS)
}

fn redact_secrets(value: &mut Value, key: Option<&Secret>) {
    match value {
        Value::String(text) => {
            if let Some(key) = key.filter(|key| !key.expose().is_empty() && text.contains(key.expose())) {
                *text = text.replace(key.expose(), &key.hint());
            }
            *text = redact(text);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact_secrets(item, key)),
        Value::Object(members) => members.values_mut().for_each(|member| redact_secrets(member, key)),
        Value::Null | Value::Bool(_) | Value::Number(_) => (),
    }
}

/// Returns the tokens of prompt and reply: as reported, else split from the reported sum, else
/// estimated from their bytes.
fn used_tokens(usage: &Value, question: usize, answer: usize) -> (u64, u64, TokenCountSource) {
    let told = |name: &str| usage[name].as_u64();
    match (told("prompt_tokens"), told("completion_tokens"), told("total_tokens")) {
        (Some(tokens_in), Some(tokens_out), _) => (tokens_in, tokens_out, TokenCountSource::Apart),
        (_, _, Some(all)) => {
            let tokens_in = estimate_tokens(question).min(all);
            (tokens_in, all - tokens_in, TokenCountSource::Together)
        }
        _ => (estimate_tokens(question), estimate_tokens(answer), TokenCountSource::Not),
    }
}

pub fn check_address(url: &str) -> Result<(), EndpointError> {
    vet_endpoint(url).map(drop)
}

fn estimate_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_TOKEN
}

fn vet_endpoint(url: &str) -> Result<VettedUrl, EndpointError> {
    vet_exact(&completions_url(url))
}

fn vet_exact(whole: &str) -> Result<VettedUrl, EndpointError> {
    vet(whole, ENDPOINT_POLICY).map_err(|why| EndpointError::Address(display_url(whole), why))
}

/// Returns the URL of the completions, with the query of `url`.
fn completions_url(url: &str) -> String {
    let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let path =
        if path.ends_with(COMPLETIONS_PATH) { path.to_owned() } else { format!("{path}{COMPLETIONS_PATH}") };
    query.map_or(path.clone(), |query| format!("{path}?{query}"))
}

/// Returns the address without user and query, which may hold a key.
fn display_url(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = path.split_once("://") else { return path.to_owned() };
    let (host, below) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}/{below}")
}
