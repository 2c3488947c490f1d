//! A request as handlers see it: who asks, path, query, a JSON body read
//! strictly. Every failure is already in the Error shape.
//!
//! Knows nothing of what is asked. The gate has put the caller in.

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use futures_util::StreamExt;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::service::auth::Caller;
use crate::service::errors::ApiError;
use crate::service::faults::Delay;
use crate::service::idempotency::{self, Fingerprint};
use crate::service::options::Patience;
use crate::service::query::Query;
use crate::service::state::Service;
use crate::wire::errors::ErrorCode;
use crate::wire::strict;

/// Bytes of a JSON body at most.
pub const JSON_BYTES: usize = 1024 * 1024;
/// Bytes of a refused body that are still taken in, so that the refusal can
/// be read by a caller who is busy writing.
const DRAINED_BYTES: usize = 64 * 1024 * 1024;
/// A GET: path and query.
pub struct Reading {
    /// Who asks.
    pub caller: Caller,
    /// The query parameters.
    pub query: Query,
    segments: Segments,
}

/// A write: path and body.
pub struct Writing {
    /// Who asks.
    pub caller: Caller,
    /// The body; null when there is none.
    pub body: Value,
    /// The idempotency key, if one was sent.
    pub key: Option<String>,
    /// What a retry under the key is compared by.
    pub fingerprint: Fingerprint,
    /// A delay that was asked for under `/dev/fault`.
    pub delay: Option<Delay>,
    segments: Segments,
}

impl Reading {
    /// A variable segment of the path.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is none, which the router does not let happen.
    pub fn segment(&self, name: &str) -> Result<String, ApiError> {
        self.segments.get(name)
    }
}

impl Writing {
    /// A variable segment of the path.
    ///
    /// # Errors
    /// As [`Reading::segment`].
    pub fn segment(&self, name: &str) -> Result<String, ApiError> {
        self.segments.get(name)
    }
}

/// The variable segments of a path.
struct Segments(Vec<(String, String)>);

impl Segments {
    async fn of(parts: &mut Parts) -> Result<Self, ApiError> {
        let read = RawPathParams::from_request_parts(parts, &()).await;
        let params = read.map_err(|_| ApiError::not_found("the path"))?;
        Ok(Self(params.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()))
    }

    fn get(&self, name: &str) -> Result<String, ApiError> {
        let found = self.0.iter().find(|(it, _)| it == name);
        found.map(|(_, text)| text.clone()).ok_or_else(|| ApiError::not_found("the path"))
    }
}

fn caller(parts: &Parts) -> Result<Caller, ApiError> {
    parts.extensions.get::<Caller>().cloned().ok_or_else(|| ApiError::internal(&"no caller on the request"))
}

impl FromRequestParts<Service> for Reading {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Service) -> Result<Self, ApiError> {
        Ok(Self {
            caller: caller(parts)?,
            query: Query::of(&parts.uri)?,
            segments: Segments::of(parts).await?,
        })
    }
}

impl FromRequest<Service> for Writing {
    type Rejection = ApiError;

    async fn from_request(request: Request, service: &Service) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let caller = caller(&parts)?;
        let segments = Segments::of(&mut parts).await?;
        let body = json_body(&parts.headers, body, service.options.patience).await?;
        let key = idempotency::read_key(&parts.headers)?;
        let fingerprint = idempotency::fingerprint(parts.method.as_str(), parts.uri.path(), &body);
        Ok(Self { caller, body, key, fingerprint, delay: parts.extensions.remove(), segments })
    }
}

/// The body of a `/dev` switch: JSON, without a caller.
pub struct Switch(pub Value);

impl FromRequest<Service> for Switch {
    type Rejection = ApiError;

    async fn from_request(request: Request, service: &Service) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        json_body(&parts.headers, body, service.options.patience).await.map(Self)
    }
}

/// Reads a body as JSON; null when it is empty.
async fn json_body(headers: &HeaderMap, body: Body, patience: Patience) -> Result<Value, ApiError> {
    let bytes = bounded_within(headers, body, JSON_BYTES, patience).await?;
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or("");
    let kind = kind.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    if kind != "application/json" && !(kind.starts_with("application/") && kind.ends_with("+json")) {
        return Err(ApiError::validation("the Content-Type header must be application/json"));
    }
    strict::read(&bytes).map_err(|what| ApiError::validation(format!("the body is not valid JSON: {what}")))
}

/// Takes in a body of at most `bound` bytes.
///
/// # Errors
/// As [`bounded_within`].
pub async fn bounded(headers: &HeaderMap, body: Body, bound: usize) -> Result<Vec<u8>, ApiError> {
    bounded_within(headers, body, bound, Patience::default()).await
}

/// Takes in a body of at most `bound` bytes, with so much patience.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE` over the bound, `VALIDATION_ERROR` when it breaks off,
/// pauses too long or does not end.
pub async fn bounded_within(
    headers: &HeaderMap,
    body: Body,
    bound: usize,
    patience: Patience,
) -> Result<Vec<u8>, ApiError> {
    let last = Instant::now() + patience.body;
    let announced =
        headers.get(header::CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse::<usize>().ok());
    let mut fits = announced.is_none_or(|bytes| bytes <= bound);
    let mut taken = Vec::with_capacity(announced.unwrap_or(0).min(bound));
    let mut seen = 0_usize;
    let mut chunks = body.into_data_stream();
    loop {
        let chunk = match timeout_at(last.min(Instant::now() + patience.idle), chunks.next()).await {
            Ok(None) => break,
            Ok(Some(Ok(chunk))) => chunk,
            Ok(Some(Err(_))) => return Err(ApiError::validation("the body broke off")),
            Err(_) => return Err(ApiError::validation("the body stopped arriving")),
        };
        seen = seen.saturating_add(chunk.len());
        fits = fits && seen <= bound;
        if fits {
            taken.extend_from_slice(&chunk);
        } else {
            taken = Vec::new();
            if seen > DRAINED_BYTES {
                break;
            }
        }
    }
    if fits {
        return Ok(taken);
    }
    Err(ApiError::new(ErrorCode::PayloadTooLarge, format!("the body is larger than {bound} bytes")))
}
