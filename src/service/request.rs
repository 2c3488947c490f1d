//! Extractors for handlers: caller, path, query and a strictly parsed JSON body, with failures as
//! [`ApiError`]. The gate has put the caller into the request.

use std::net::IpAddr;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use serde_json::Value;

use crate::auth::{Caller, Requester};
use crate::bodies::{BodyOwner, BodyReader, BodyReservation, BodyRules, LARGE_BODY_TIMEOUT};
use crate::client_info::{self, ClientInfo};
use crate::errors::ApiError;
use crate::faults::Delay;
use crate::idempotency::{self, Claim, Fingerprint};
use crate::query::Query;
use crate::state::Service;
use api::repair::without_byte_order_mark;
use api::request::RequestBody;
use api::strict;
use api::team::SEEN_HEADER;

/// Maximum size of a JSON body, in bytes, unless the route has a [`BodyBound`].
pub const MAX_JSON_BYTES: usize = 1024 * 1024;
/// Maximum size of a mail's JSON body, which contains its attachments, in bytes.
pub const MAX_MAIL_BYTES: BodyBound = BodyBound(40 * 1024 * 1024);

/// Maximum size of a route's body, in bytes; an extension of the request.
#[derive(Debug, Clone, Copy)]
pub struct BodyBound(pub usize);

/// GET request.
pub struct ReadRequest<C = Caller> {
    pub caller: C,
    pub query: Query,
    segments: Segments,
}

pub struct WriteRequest<C = Caller> {
    pub caller: C,
    /// `Value::Null` if empty.
    pub body: Value,
    pub key: Option<String>,
    /// Newest message that the writer has seen, if they say so.
    pub seen: Option<String>,
    /// Fingerprint that a retry under the key must match.
    pub fingerprint: Fingerprint,
    /// Claim on the idempotency key, once it is made.
    pub claim: Option<Claim>,
    /// Delay injected by `/dev/fault`.
    pub delay: Option<Delay>,
    segments: Segments,
    /// Memory reserved for a large body, held as long as the body.
    pub reservation: Option<BodyReservation>,
}

impl<C> ReadRequest<C> {
    /// Returns a variable segment of the path.
    ///
    /// # Errors
    /// `NOT_FOUND` if the route has no such segment.
    pub fn segment(&self, name: &str) -> Result<String, ApiError> {
        self.segments.get(name)
    }
}

impl<C: Requester> WriteRequest<C> {
    /// Creates a write from its parsed body. A retry is compared by `compared` instead of the body, if given.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a malformed idempotency key.
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
        let seen = parts.headers.get(SEEN_HEADER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Ok(Self { caller, body, key, seen, fingerprint, claim: None, delay, segments, reservation: None })
    }

    pub fn segment(&self, name: &str) -> Result<String, ApiError> {
        self.segments.get(name)
    }

    /// Takes the body and reads it into its type.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` that names the field.
    pub fn read_body<T: RequestBody>(&mut self) -> Result<T, ApiError> {
        Ok(T::read(std::mem::take(&mut self.body))?)
    }
}

struct Segments(Vec<(String, String)>);

impl Segments {
    async fn of(parts: &mut Parts) -> Result<Self, ApiError> {
        let read = RawPathParams::from_request_parts(parts, &()).await;
        let params = read.map_err(|_| ApiError::not_found("the path"))?;
        Ok(Self(params.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()))
    }

    fn get(&self, name: &str) -> Result<String, ApiError> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, text)| text.clone()).ok_or_else(|| ApiError::not_found("the path"))
    }
}

/// Returns the caller that the gate has put into the request.
pub fn caller<C: Requester>(parts: &Parts) -> Result<C, ApiError> {
    parts.extensions.get::<C>().cloned().ok_or_else(|| ApiError::internal(&"no caller on the request"))
}

impl<C: Requester> FromRequestParts<Service> for ReadRequest<C> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Service) -> Result<Self, ApiError> {
        Ok(Self {
            caller: caller(parts)?,
            query: Query::of(&parts.uri)?,
            segments: Segments::of(parts).await?,
        })
    }
}

impl<C: Requester> FromRequest<Service> for WriteRequest<C> {
    type Rejection = ApiError;

    async fn from_request(request: Request, service: &Service) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let bound = parts.extensions.get::<BodyBound>().map_or(MAX_JSON_BYTES, |bound| bound.0);
        let mut patience = service.options.timeouts;
        if bound > MAX_JSON_BYTES {
            patience.body = patience.body.max(LARGE_BODY_TIMEOUT);
        }
        let owner = BodyOwner::Key(caller::<C>(&parts)?.id().to_owned());
        let rules = BodyRules { owner, max_bytes: bound, timeouts: patience };
        let (bytes, room) = BodyReader::new(&parts.headers, body, &service.bodies, rules).read_all().await?;
        let body = json_body(&parts.headers, &bytes)?;
        drop(bytes);
        Ok(Self { reservation: room, ..Self::of_parts(&mut parts, body, None).await? })
    }
}

/// Body of a `/dev` switch: JSON, without a caller.
pub struct DevRequest(pub Value);

impl FromRequest<Service> for DevRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, service: &Service) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let (bytes, _room) = read_unauthenticated_body(&parts, body, MAX_JSON_BYTES, service).await?;
        check_is_json(&parts.headers, &bytes)?;
        if bytes.is_empty() {
            return Ok(Self(Value::Null));
        }
        // Parsed leniently: customers may write characters that callers may not, such as NUL.
        let read = serde_json::from_slice(without_byte_order_mark(&bytes));
        read.map(Self).map_err(|what| ApiError::validation(format!("the body is not valid JSON: {what}")))
    }
}

/// Request without a key, whose body is read strictly.
pub struct OpenRequest {
    /// `Value::Null` if empty.
    pub body: Value,
    /// Address by which failures are counted.
    pub address: IpAddr,
}

impl FromRequest<Service> for OpenRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, service: &Service) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let (bytes, _room) = read_unauthenticated_body(&parts, body, MAX_JSON_BYTES, service).await?;
        Ok(Self { body: json_body(&parts.headers, &bytes)?, address: client_address(&parts) })
    }
}

fn client_address(parts: &Parts) -> IpAddr {
    let client = parts.extensions.get::<ClientInfo>();
    client.map_or_else(|| client_info::peer(&parts.extensions), |client| client.address)
}

/// Reads the body of a request without a key, with the memory reserved for it.
///
/// # Errors
/// See [`BodyReader::next`].
pub async fn read_unauthenticated_body(
    parts: &Parts,
    body: Body,
    bound: usize,
    service: &Service,
) -> Result<(Vec<u8>, Option<BodyReservation>), ApiError> {
    let patience = service.options.timeouts;
    let rules =
        BodyRules { owner: BodyOwner::address(client_address(parts)), max_bytes: bound, timeouts: patience };
    BodyReader::new(&parts.headers, body, &service.bodies, rules).read_all().await
}

/// Parses a body as JSON; null if it is empty.
fn json_body(headers: &HeaderMap, bytes: &[u8]) -> Result<Value, ApiError> {
    check_is_json(headers, bytes)?;
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let read = strict::read(without_byte_order_mark(bytes));
    read.map_err(|what| ApiError::validation(format!("the body is not valid JSON: {what}")))
}

/// Checks that a non-empty body is declared as JSON.
fn check_is_json(headers: &HeaderMap, bytes: &[u8]) -> Result<(), ApiError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let kind = kind.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let is_json = kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"));
    if is_json || bytes.is_empty() {
        return Ok(());
    }
    Err(ApiError::validation("the Content-Type header must be application/json"))
}
