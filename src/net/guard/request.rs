//! Requests, limits and responses of the guard.

use std::time::Duration;

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::guard::urls::{ADDRESS_REFUSED, UrlRefusal};

/// Headers that the guard or the connection writes. If customers could set them, they could address
/// another host or smuggle a second request.
const RESERVED_HEADERS: [HeaderName; 12] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::CONNECTION,
    header::UPGRADE,
    header::EXPECT,
    header::ACCEPT_ENCODING,
    header::PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("keep-alive"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    #[error("this is not a valid header name")]
    Name,
    #[error("this is not a valid header value")]
    Value,
    #[error("this header cannot be set")]
    Reserved,
}

/// Validates a header given by a customer, so that it can be refused when it is saved.
pub fn vet_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), HeaderError> {
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| HeaderError::Name)?;
    if RESERVED_HEADERS.contains(&name) {
        return Err(HeaderError::Reserved);
    }
    let value = HeaderValue::from_str(value).map_err(|_| HeaderError::Value)?;
    Ok((name, value))
}

/// A request without the host, length and connection headers, which the guard adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Request {
    pub fn get() -> Self {
        Self { method: Method::GET, headers: HeaderMap::new(), body: Bytes::new() }
    }

    pub fn post(body: impl Into<Bytes>) -> Self {
        Self { method: Method::POST, headers: HeaderMap::new(), body: body.into() }
    }

    pub fn new(method: Method, body: impl Into<Bytes>) -> Self {
        Self { method, headers: HeaderMap::new(), body: body.into() }
    }

    /// Sets a header, replacing one of the same name.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, HeaderError> {
        let (name, value) = vet_header(name, value)?;
        self.headers.insert(name, value);
        Ok(self)
    }
}

impl Request {
    /// Sets a header whose value is hidden in logs, replacing one of the same name.
    pub fn secret_header(mut self, name: &str, value: &str) -> Result<Self, HeaderError> {
        let (name, mut value) = vet_header(name, value)?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }
}

/// Handling of a body longer than [`FetchLimits::max_body`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OversizePolicy {
    Refuse,
    /// Stop reading there; for responses of which only the status counts.
    Cut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// Maximum size of the response body as transferred, in bytes.
    pub max_body: usize,
    pub oversize: OversizePolicy,
    /// Time from the lookup to the last byte.
    pub total: Duration,
}

impl FetchLimits {
    /// For a webhook delivery: 10 s, and the first 64 KiB of the response.
    pub const DELIVERY: Self =
        Self { max_body: 64 * 1024, oversize: OversizePolicy::Cut, total: Duration::from_secs(10) };

    pub const CHALLENGE: Self =
        Self { max_body: 1024, oversize: OversizePolicy::Refuse, total: Duration::from_secs(5) };

    /// For a media link: 30 s, and `max_body` as the channel allows.
    pub const fn media(max_body: usize) -> Self {
        Self { max_body, oversize: OversizePolicy::Refuse, total: Duration::from_secs(30) }
    }
}

/// A response of any status; redirects are not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// 200 to 599.
    pub status: u16,
    /// `Retry-After` header: seconds or a date.
    pub retry_after: Option<String>,
    /// `Location` header, not vetted.
    pub location: Option<String>,
    /// `Content-Type` header, not verified.
    pub content_type: Option<String>,
    /// Body as transferred, not decompressed.
    pub body: Vec<u8>,
}

/// Reason why a host was not reached, for the log; the caller gets [`ADDRESS_REFUSED`] in every
/// case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreachable {
    /// The name has no address, or was not resolved in time.
    NoAddress,
    Forbidden,
    NoAnswer,
}

/// Reason why there is no response. The texts may be shown to the developer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// No connection; the text is the same for every reason.
    #[error("{ADDRESS_REFUSED}")]
    Unreachable(Unreachable),
    /// No TLS connection with a trusted certificate for the host.
    #[error("no trusted TLS connection could be made to the host")]
    Tls,
    #[error("the host did not answer in time")]
    TimedOut,
    #[error("the answer is too long")]
    TooLarge,
    /// Not HTTP, or incomplete.
    #[error("the answer is not valid HTTP")]
    Broken,
    #[error(transparent)]
    Url(#[from] UrlRefusal),
}

impl FetchError {
    /// Describes the cause for the operator of the service. Developers get [`ADDRESS_REFUSED`], so that they
    /// cannot probe the operator's network.
    pub fn describe_for_operator(&self) -> String {
        match self {
            Self::Unreachable(Unreachable::NoAddress) => "the host's name was not found".to_owned(),
            Self::Unreachable(Unreachable::NoAnswer) => {
                "the host refused the connection or did not answer".to_owned()
            }
            Self::Unreachable(Unreachable::Forbidden)
            | Self::Tls
            | Self::TimedOut
            | Self::TooLarge
            | Self::Broken
            | Self::Url(_) => self.to_string(),
        }
    }
}

impl From<Unreachable> for FetchError {
    fn from(reason: Unreachable) -> Self {
        Self::Unreachable(reason)
    }
}
