//! A request as handlers see it: who asks, path, query, a JSON body read
//! strictly. Every failure is already in the Error shape.
//!
//! The gate has put the caller in.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use futures_util::StreamExt;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::auth::Caller;
use crate::body_memory::Room;
use crate::errors::ApiError;
use crate::faults::Delay;
use crate::idempotency::{self, Claim, Fingerprint};
use crate::options::Patience;
use crate::query::Query;
use crate::state::Service;
use wire::errors::ErrorCode;
use wire::strict;

/// Bytes of a JSON body at most, where the route does not say otherwise.
pub const JSON_BYTES: usize = 1024 * 1024;
/// Bytes of a mail's JSON body at most: its attachments are in it.
pub const MAIL_BYTES: BodyBound = BodyBound(40 * 1024 * 1024);
/// Bytes of a refused body that are still taken in, so that the refusal can
/// be read by a caller who is busy writing.
const DRAINED_BYTES: usize = 64 * 1024 * 1024;
/// For the whole body of a route that takes large ones.
const LARGE: Duration = Duration::from_secs(120);

/// A route's own bound of a body, in bytes; an extension of the request.
#[derive(Debug, Clone, Copy)]
pub struct BodyBound(pub usize);

/// A GET: path and query.
pub struct Reading {
    pub caller: Caller,
    pub query: Query,
    segments: Segments,
}

/// A write: path and body.
pub struct Writing {
    pub caller: Caller,
    /// The body; null when there is none.
    pub body: Value,
    /// The idempotency key, if one was sent.
    pub key: Option<String>,
    /// What a retry under the key is compared by.
    pub fingerprint: Fingerprint,
    /// The claim on that key, once it is made.
    pub claim: Option<Claim>,
    /// A delay that was asked for under `/dev/fault`.
    pub delay: Option<Delay>,
    segments: Segments,
    /// Held while a large body is: bounds the memory they take together.
    pub room: Room,
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
    /// A write whose body was read. A retry is compared by its body, or by
    /// something in its stead.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for an idempotency key out of form.
    pub async fn of_parts(
        parts: &mut Parts,
        body: Value,
        compared: Option<&Value>,
    ) -> Result<Self, ApiError> {
        let caller = caller(parts)?;
        let segments = Segments::of(parts).await?;
        let key = idempotency::read_key(&parts.headers)?;
        let compared = compared.unwrap_or(&body);
        let fingerprint = idempotency::fingerprint(parts.method.as_str(), parts.uri.path(), compared);
        let delay = parts.extensions.remove();
        Ok(Self { caller, body, key, fingerprint, claim: None, delay, segments, room: None })
    }

    /// A variable segment of the path.
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
        let bound = parts.extensions.get::<BodyBound>().map_or(JSON_BYTES, |it| it.0);
        let mut patience = service.options.patience;
        if bound > JSON_BYTES {
            patience.body = patience.body.max(LARGE);
        }
        let room = service.body_memory.reserve(expected(&parts.headers, bound), patience.body).await?;
        let body = json_body(&parts.headers, body, bound, patience).await?;
        Ok(Self { room, ..Self::of_parts(&mut parts, body, None).await? })
    }
}

/// The body of a `/dev` switch: JSON, without a caller.
pub struct Switch(pub Value);

impl FromRequest<Service> for Switch {
    type Rejection = ApiError;

    async fn from_request(request: Request, service: &Service) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let patience = service.options.patience;
        let _room = service.body_memory.reserve(expected(&parts.headers, JSON_BYTES), patience.body).await?;
        let bytes = json_bytes(&parts.headers, body, JSON_BYTES, patience).await?;
        if bytes.is_empty() {
            return Ok(Self(Value::Null));
        }
        // Read loosely: a customer may write what no caller may, such as NUL.
        let read = serde_json::from_slice(&bytes);
        read.map(Self).map_err(|what| ApiError::validation(format!("the body is not valid JSON: {what}")))
    }
}

/// Reads a body as JSON; null when it is empty.
async fn json_body(
    headers: &HeaderMap,
    body: Body,
    bound: usize,
    patience: Patience,
) -> Result<Value, ApiError> {
    let bytes = json_bytes(headers, body, bound, patience).await?;
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    strict::read(&bytes).map_err(|what| ApiError::validation(format!("the body is not valid JSON: {what}")))
}

/// The bytes of a body that says it is JSON.
async fn json_bytes(
    headers: &HeaderMap,
    body: Body,
    bound: usize,
    patience: Patience,
) -> Result<Vec<u8>, ApiError> {
    let bytes = bounded_within(headers, body, bound, patience).await?;
    if bytes.is_empty() {
        return Ok(bytes);
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or("");
    let kind = kind.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    if kind != "application/json" && !(kind.starts_with("application/") && kind.ends_with("+json")) {
        return Err(ApiError::validation("the Content-Type header must be application/json"));
    }
    Ok(bytes)
}

/// The memory a body will take: what it is said to have, at most its bound.
/// One that is too large is not kept.
pub fn expected(headers: &HeaderMap, bound: usize) -> usize {
    match announced(headers) {
        Some(bytes) if bytes > bound => 0,
        Some(bytes) => bytes,
        None => bound,
    }
}

/// The bytes a body is said to have.
fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse().ok())
}

/// Takes in a body of at most `bound` bytes.
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
    let announced = announced(headers);
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
