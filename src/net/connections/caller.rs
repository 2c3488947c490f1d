//! Calls an endpoint of a connection: inserts values, applies the rate limit, adds the credential,
//! vets redirects, and produces the log line, all within the connection's time limit.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::Method as HttpMethod;
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::connections::answers::{self, MAX_BODY_BYTES, ResponseError};
use crate::connections::auth::{self, RequestCredential};
use crate::connections::tokens::{TokenClient, Tokens};
use crate::guard::{FetchError, FetchLimits, Fetched, Guard, OversizePolicy, Request, UrlRefusal};
use model::connections::limit::CallRateLimit;
use model::connections::parameters::{FilledParameter, ParameterPlace, ValueKind};
use model::connections::{
    Auth, CallLine, CallResult, Connection, ConnectionEndpoint, ContactFacts, EndpointMethod, MappedAnswer,
    target,
};
use model::secret::Secret;
use model::text::SafeText;
use model::time::{Clock, ClockReading, SECOND, Timestamp, Zone};

/// Maximum number of redirects followed; each is vetted.
const MAX_REDIRECTS: usize = 3;

const MICROS_PER_MILLISECOND: i64 = 1_000;

#[derive(Debug, Clone, Copy)]
pub struct EndpointRequest<'a> {
    pub connection: &'a Connection,
    pub endpoint: &'a ConnectionEndpoint,
    pub secret: Option<&'a Secret>,
    pub facts: &'a ContactFacts,
    pub answers: &'a [(String, String)],
    /// Contact id for the log.
    pub contact: &'a str,
    /// Idempotency key sent with a change; generated if `None`.
    pub key: Option<&'a str>,
}

#[derive(Debug)]
pub struct FinishedCall {
    pub line: CallLine,
    pub answer: Result<EndpointResponse, CallError>,
}

/// A response with a 2xx status.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointResponse {
    pub status: u16,
    pub body: Value,
    pub at: Timestamp,
}

impl EndpointResponse {
    pub fn mapped(&self, endpoint: &ConnectionEndpoint, zone: &Zone) -> MappedAnswer {
        answers::map(&self.body, &endpoint.fields, self.at, zone)
    }
}

/// Reason for a failed call. The texts may be shown to anyone: they contain no credential and
/// nothing from the other side.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// A value is missing or has the wrong kind.
    #[error("{0}")]
    Value(String),
    #[error("{0}")]
    Target(#[from] target::TargetError),
    #[error("it has no stored credential")]
    NoCredential,
    /// The connection's rate limit is reached; seconds until the next call.
    #[error("its limit of calls per minute is reached; the next call is possible in {0} s")]
    Limited(i64),
    #[error("{0}")]
    Token(String),
    #[error("{0}")]
    Fetch(#[from] FetchError),
    #[error("{0}")]
    Unusable(#[from] ResponseError),
    #[error("{}", status_words(*.0))]
    Status(u16),
    /// A redirect that is not followed.
    #[error("it answered with a redirect {0}")]
    Redirected(&'static str),
}

impl From<UrlRefusal> for CallError {
    fn from(refusal: UrlRefusal) -> Self {
        Self::Fetch(FetchError::Url(refusal))
    }
}

fn status_words(status: u16) -> String {
    match status {
        401 => "it does not accept the credential (status 401)".to_owned(),
        403 => "the credential has no permission for this (status 403)".to_owned(),
        404 => "it found nothing at this address (status 404)".to_owned(),
        429 => "it limits the rate of calls (status 429); try again later".to_owned(),
        other => format!("it answered with status {other}"),
    }
}

/// Calls endpoints. One instance serves all connections and holds their rate limits and tokens.
pub struct EndpointCaller {
    guard: Guard,
    clock: Arc<dyn Clock>,
    states: Mutex<HashMap<String, Arc<ConnectionState>>>,
}

#[derive(Default)]
struct ConnectionState {
    window: Mutex<CallRateLimit>,
    tokens: Tokens,
}

impl fmt::Debug for EndpointCaller {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Caller").field("guard", &self.guard).finish_non_exhaustive()
    }
}

impl EndpointCaller {
    pub fn new(guard: Guard, clock: Arc<dyn Clock>) -> Self {
        Self { guard, clock, states: Mutex::default() }
    }

    /// Calls an endpoint and returns within the connection's time limit.
    pub async fn call(&self, ask: EndpointRequest<'_>) -> FinishedCall {
        let ClockReading { now: at, moment: begun } = self.clock.times();
        let total = Duration::from_secs(u64::from(ask.connection.timeout_seconds));
        let mut bytes = 0;
        let asked = timeout(total, self.run(&ask, at, total, &mut bytes)).await;
        let answer = asked.unwrap_or(Err(CallError::Fetch(FetchError::TimedOut)));
        let result = match &answer {
            Ok(answer) => CallResult::Status(answer.status),
            Err(CallError::Status(status)) => CallResult::Status(*status),
            Err(why) => CallResult::Failed(SafeText::line(&why.to_string())),
        };
        let line = CallLine {
            at,
            connection: ask.connection.name.clone(),
            endpoint: ask.endpoint.name.clone(),
            contact: ask.contact.to_owned(),
            result,
            millis: u32::try_from(self.clock.moment().since(begun) / MICROS_PER_MILLISECOND).unwrap_or(0),
            bytes,
        };
        tracing::info!(
            connection = line.connection,
            endpoint = line.endpoint,
            result = ?line.result,
            millis = line.millis,
            "a connection was called"
        );
        FinishedCall { line, answer }
    }

    async fn run(
        &self,
        ask: &EndpointRequest<'_>,
        at: Timestamp,
        total: Duration,
        bytes: &mut u32,
    ) -> Result<EndpointResponse, CallError> {
        let EndpointRequest { connection, endpoint, .. } = *ask;
        let values = endpoint.fill_parameters(ask.facts, ask.answers).map_err(CallError::Value)?;
        let url = target::build_url(&connection.base_url, &endpoint.path, &values)?;
        let kept = self.connection_state(&connection.name);
        let guard = self.guard.allow_hosts(&connection.private_hosts);
        guard.vet(&url)?;
        let limits = FetchLimits { max_body: MAX_BODY_BYTES, oversize: OversizePolicy::Refuse, total };
        let nothing = Secret::new("");
        let secret = match (connection.auth.needs_secret(), ask.secret) {
            (true, None) => return Err(CallError::NoCredential),
            (_, secret) => secret.unwrap_or(&nothing),
        };
        let made = uuid::Uuid::new_v4().to_string();
        let key = ask.key.unwrap_or(&made);
        let mut refused: Option<Secret> = None;
        loop {
            let token = match &connection.auth {
                Auth::ClientCredentials { token_url, client_id, scope } => {
                    let client =
                        TokenClient { url: token_url, id: client_id, secret, scope: scope.as_deref() };
                    let clock = self.clock.as_ref();
                    let token = kept.tokens.get(&guard, clock, &client, limits, refused.as_ref()).await;
                    Some(token.map_err(CallError::Token)?)
                }
                _ => None,
            };
            let shown = token.as_ref().unwrap_or(secret);
            let proof = auth::proof(&connection.auth, shown);
            let errand =
                CallInProgress { caller: self, state: &kept, guard: &guard, connection, limits, key };
            let answer = errand.follow(endpoint.method, &url, &values, &proof).await?;
            *bytes = u32::try_from(answer.body.len()).unwrap_or(u32::MAX);
            match answer.status {
                // The token may have been revoked before it expired.
                401 if refused.is_none() && token.is_some() => refused = token,
                200..=299 => {
                    let spellings = auth::credential_spellings(&connection.auth, &[secret, shown]);
                    let body = answers::read(&auth::mask(answer.body, &spellings))?;
                    return Ok(EndpointResponse { status: answer.status, body, at });
                }
                status => return Err(CallError::Status(status)),
            }
        }
    }

    fn connection_state(&self, name: &str) -> Arc<ConnectionState> {
        let mut kept = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(kept.entry(name.to_owned()).or_default())
    }
}

/// A call and the redirects it follows.
struct CallInProgress<'a> {
    caller: &'a EndpointCaller,
    state: &'a ConnectionState,
    guard: &'a Guard,
    connection: &'a Connection,
    limits: FetchLimits,
    key: &'a str,
}

impl CallInProgress<'_> {
    /// Sends the request and follows redirects of reads through the guard, without the credential
    /// if the origin changes.
    async fn follow(
        &self,
        method: EndpointMethod,
        url: &str,
        values: &[FilledParameter],
        proof: &RequestCredential,
    ) -> Result<Fetched, CallError> {
        let mut at = self.guard.vet(&auth::add_to_url(url.to_owned(), proof))?;
        let home = at.origin();
        for _ in 0..=MAX_REDIRECTS {
            let is_home = at.origin() == home;
            let request = if is_home {
                auth::add_to_request(request(method, values, self.key)?, proof)
            } else {
                Ok(request(method, values, self.key)?)
            };
            let request = request.map_err(|why| CallError::Value(why.to_owned()))?;
            self.count()?;
            let answer = self.guard.fetch(&at, request, self.limits).await?;
            if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(answer);
            }
            if method != EndpointMethod::Get {
                return Err(CallError::Redirected("after a change, which is not sent a second time"));
            }
            let next = answer.location.as_deref().and_then(|location| at.resolve_redirect(location));
            let next = next.ok_or(CallError::Redirected("nowhere"))?;
            at = self.guard.vet(&next)?;
        }
        Err(CallError::Redirected("too often"))
    }

    /// Applies the rate limit; every request counts, also a redirected one.
    fn count(&self) -> Result<(), CallError> {
        let mut window = self.state.window.lock().unwrap_or_else(PoisonError::into_inner);
        window
            .admit(self.connection.per_minute, self.caller.clock.moment())
            .map_err(|wait| CallError::Limited((wait + SECOND - 1) / SECOND))
    }
}

/// Builds a request; only a change carries the idempotency key.
fn request(method: EndpointMethod, values: &[FilledParameter], key: &str) -> Result<Request, CallError> {
    let json = |_| CallError::Value("a header cannot be sent".to_owned());
    let mut members = Map::new();
    for value in values.iter().filter(|value| value.place == ParameterPlace::Body) {
        members.insert(value.name.clone(), typed(value));
    }
    let method = match method {
        EndpointMethod::Get => HttpMethod::GET,
        EndpointMethod::Post => HttpMethod::POST,
        EndpointMethod::Put => HttpMethod::PUT,
        EndpointMethod::Patch => HttpMethod::PATCH,
        EndpointMethod::Delete => HttpMethod::DELETE,
    };
    let has_body = !matches!(method, HttpMethod::GET | HttpMethod::DELETE);
    let body = if has_body { Value::Object(members).to_string() } else { String::new() };
    let changes = method != HttpMethod::GET;
    let mut request = Request::new(method, body).header("accept", "application/json").map_err(json)?;
    if changes {
        request = request.header("idempotency-key", key).map_err(json)?;
    }
    if has_body { request.header("content-type", "application/json").map_err(json) } else { Ok(request) }
}

/// Converts a value to JSON of its kind.
fn typed(filled: &FilledParameter) -> Value {
    let text = || Value::String(filled.value.clone());
    match filled.kind {
        ValueKind::Text | ValueKind::Date => text(),
        ValueKind::Boolean => Value::Bool(filled.value == "true"),
        ValueKind::Integer | ValueKind::Number => {
            serde_json::from_str(&filled.value).unwrap_or_else(|_| text())
        }
    }
}
