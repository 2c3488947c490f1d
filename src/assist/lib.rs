//! Suggest: asks a model behind an endpoint that speaks the common chat
//! completion form. Its answer is data for the caller: nothing here sends
//! anything to a customer, and no error tells a key or an address.
//!
//! | file | what |
//! |---|---|
//! | `lib.rs` | one question and its answer: deadline, bounds, tokens |
//! | `prompts.rs` | what a model is asked for a draft, a brief or a translation, its data fenced |
//! | `rules.rs` | drafts and briefs without a model |
//! | `claims.rs` | which sentences claim what nothing supports |
//! | `voice.rs` | the text of a voice note |
//! | `multipart.rs` | a file as a form carries it |

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

use connections::guard::{
    FetchError, FetchLimits, Fetched, Guard, OversizePolicy, Policy, Request, UrlRefusal, VettedUrl, vet,
};
use model::secret::{Secret, redact};

/// Bytes of one token, where an endpoint does not tell how many it took.
const BYTES_PER_TOKEN: u64 = 4;
/// What an endpoint may be besides a public https address.
const ENDPOINT_POLICY: Policy = Policy { allow_loopback_http: true };
/// What is asked below an endpoint's version.
const COMPLETIONS_PATH: &str = "/chat/completions";
/// Tries of a question at an endpoint that is busy.
const MAX_TRIES: u32 = 3;
/// How long one is left alone that does not say when it has time.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Reasons by which endpoints say that an answer breaks off.
const CUT_REASONS: [&str; 4] = ["length", "max_tokens", "model_length", "content_filter"];
/// Tokens of an answer where thinking counts too, beside those of its text.
const THINKING_TOKENS: u32 = 1_600;

/// Where a model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Up to and including its version, such as `https://host.example/v1`: a
    /// public https address, or loopback over http.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// Sent as a bearer key, where the endpoint wants one.
    pub key: Option<Secret>,
}

/// How long one answer may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelLimits {
    /// Until its last byte.
    pub time: Duration,
    /// Bytes of its body.
    pub body: usize,
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self { time: Duration::from_secs(45), body: 256 * 1024 }
    }
}

/// Why an endpoint cannot be asked at all.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum EndpointError {
    /// Its address, without what may be secret in it, and why.
    #[error("address {0}: {1}")]
    Address(String, UrlRefusal),
    #[error("key holds characters that cannot be sent; it may be cut or of another file")]
    Key,
}

/// Why a model did not answer.
#[derive(Debug, Error)]
pub enum ModelError {
    /// It was not reached, took too long or said too much.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// It cannot be asked.
    #[error("its {0}")]
    Endpoint(#[from] EndpointError),
    /// It refused, or failed.
    #[error("it answered with status {0}")]
    Status(u16),
    /// Its answer is no JSON.
    #[error("it did not answer with JSON")]
    NotJson,
    /// Its answer has not what was asked for.
    #[error("it did not answer with JSON that holds a text")]
    NoText,
}

impl ModelError {
    /// Whether the model may have worked for it, so that it may be charged.
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

/// How an endpoint told the tokens of a question and of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenCountSource {
    Apart,
    /// Only their sum.
    Together,
    /// Not at all: they are guessed by length.
    Not,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReply {
    /// The message of its first choice: `content`, `tool_calls`; null where
    /// there is none.
    pub message: Value,
    /// True if it breaks off: as long as it may be, or withheld from some word on.
    pub is_cut: bool,
    /// The tokens of the question, as told or else guessed by length.
    pub tokens_in: u64,
    /// Those of the answer.
    pub tokens_out: u64,
    pub token_count_source: TokenCountSource,
}

impl ModelReply {
    /// All tokens it took.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}

/// Asks one endpoint.
#[derive(Debug)]
pub struct ModelClient {
    url: VettedUrl,
    endpoint: Endpoint,
    limits: ModelLimits,
    /// Made for the first question: trusted certificates take their time.
    guard: OnceLock<Guard>,
    /// Whether the endpoint refused `max_tokens`.
    counts_thinking: AtomicBool,
}

impl ModelClient {
    /// Asks this endpoint from now on.
    pub fn new(endpoint: Endpoint, limits: ModelLimits) -> Result<Self, EndpointError> {
        let (url, counts_thinking) = (vet_endpoint(&endpoint.url)?, AtomicBool::new(false));
        let client = Self { url, endpoint, limits, guard: OnceLock::new(), counts_thinking };
        client.authorized(Request::get())?;
        Ok(client)
    }

    /// Asks once, with `messages` and perhaps `tools` in the body, for a text of so
    /// many tokens at most. Asked again at once where the endpoint refuses how its
    /// answer is bounded. No key that stands in the body leaves with it.
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

    /// Sends a request. Where the endpoint has no time for it, it goes again
    /// when that is said to be over, all within one deadline.
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

    /// The request with the headers of every question.
    fn authorized(&self, request: Request) -> Result<Request, EndpointError> {
        self.authorized_as(request, "application/json")
    }

    /// The same of a body of another type.
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

/// How long an endpoint that is busy wants to be left alone; `None` where it is
/// not busy, or names a date.
fn retry_delay(answer: &Fetched) -> Option<Duration> {
    if !matches!(answer.status, 429 | 503) {
        return None;
    }
    match &answer.retry_after {
        None => Some(RETRY_DELAY),
        Some(seconds) => seconds.trim().parse().ok().map(Duration::from_secs),
    }
}

/// The most tokens that an answer takes whose text is bounded so, with thinking.
pub fn max_tokens(text: u32) -> u32 {
    text.saturating_add(THINKING_TOKENS)
}

/// Cuts every key down that stands in a text of the value.
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

/// The tokens of a question and of its answer: as told, else of what was told
/// together, else by their bytes.
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

/// Says why an endpoint cannot be asked at an address.
pub fn check_address(url: &str) -> Result<(), EndpointError> {
    vet_endpoint(url).map(drop)
}

/// The tokens that so many bytes of a question and its answer are, about.
fn estimate_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_TOKEN
}

fn vet_endpoint(url: &str) -> Result<VettedUrl, EndpointError> {
    vet_exact(&completions_url(url))
}

fn vet_exact(whole: &str) -> Result<VettedUrl, EndpointError> {
    vet(whole, ENDPOINT_POLICY).map_err(|why| EndpointError::Address(display_url(whole), why))
}

/// Where questions go; what stands behind a `?` stays behind it.
fn completions_url(url: &str) -> String {
    let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let path =
        if path.ends_with(COMPLETIONS_PATH) { path.to_owned() } else { format!("{path}{COMPLETIONS_PATH}") };
    query.map_or(path.clone(), |query| format!("{path}?{query}"))
}

/// The address without user and query, which may hold a key.
fn display_url(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = path.split_once("://") else { return path.to_owned() };
    let (host, below) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}/{below}")
}
