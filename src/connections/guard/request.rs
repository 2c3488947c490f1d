//! What is asked through the guard, within which limits, and what comes back.

use std::time::Duration;

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::guard::urls::{ADDRESS_REFUSED, UrlRefusal};

/// Headers that the guard or the connection writes. A customer who could set
/// them could speak to another host, or smuggle a second request.
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

/// A header that may not be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// Not the name of a header.
    #[error("this is not a valid header name")]
    Name,
    /// A value with a line break or another character that headers exclude.
    #[error("this is not a valid header value")]
    Value,
    /// One that the connection writes itself.
    #[error("this header cannot be set")]
    Reserved,
}

/// Judges a header that a customer gave, so that it can be refused when it is
/// saved and not first when it is sent.
///
/// # Errors
/// See [`HeaderError`].
pub fn vet_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), HeaderError> {
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| HeaderError::Name)?;
    if RESERVED_HEADERS.contains(&name) {
        return Err(HeaderError::Reserved);
    }
    let value = HeaderValue::from_str(value).map_err(|_| HeaderError::Value)?;
    Ok((name, value))
}

/// One request. Host, length and connection headers are the guard's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Request {
    /// A GET.
    pub fn get() -> Self {
        Self { method: Method::GET, headers: HeaderMap::new(), body: Bytes::new() }
    }

    /// A POST of these bytes, sent as they are.
    pub fn post(body: impl Into<Bytes>) -> Self {
        Self { method: Method::POST, headers: HeaderMap::new(), body: body.into() }
    }

    /// A request of any method; the body is sent as it is.
    pub fn new(method: Method, body: impl Into<Bytes>) -> Self {
        Self { method, headers: HeaderMap::new(), body: body.into() }
    }

    /// With one more header, replacing one of the same name.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, HeaderError> {
        let (name, value) = vet_header(name, value)?;
        self.headers.insert(name, value);
        Ok(self)
    }
}

impl Request {
    /// With a header whose value no log shows, replacing one of the same
    /// name.
    pub fn secret_header(mut self, name: &str, value: &str) -> Result<Self, HeaderError> {
        let (name, mut value) = vet_header(name, value)?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }
}

/// What to do about a body longer than [`FetchLimits::max_body`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OversizePolicy {
    /// Fail with [`FetchError::TooLarge`].
    Refuse,
    /// Stop reading there; for answers of which only the status counts.
    Cut,
}

/// How much a fetch may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// Bytes of the answer's body that are read, as they come over the wire.
    pub max_body: usize,
    /// What to do about more.
    pub oversize: OversizePolicy,
    /// From the lookup to the last byte.
    pub total: Duration,
}

impl FetchLimits {
    /// For a webhook delivery: 10 s, and the first 64 KiB of the answer.
    pub const DELIVERY: Self =
        Self { max_body: 64 * 1024, oversize: OversizePolicy::Cut, total: Duration::from_secs(10) };

    /// For the challenge of a new webhook: 5 s and 1 KiB.
    pub const CHALLENGE: Self =
        Self { max_body: 1024, oversize: OversizePolicy::Refuse, total: Duration::from_secs(5) };

    /// For a media link: 30 s, and as many bytes as the channel allows.
    pub const fn media(max_body: usize) -> Self {
        Self { max_body, oversize: OversizePolicy::Refuse, total: Duration::from_secs(30) }
    }
}

/// An answer, of any status: redirects are not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The status, 200 to 599.
    pub status: u16,
    /// The Retry-After header as it came, seconds or a date.
    pub retry_after: Option<String>,
    /// The Location header as it came; nobody has judged it.
    pub location: Option<String>,
    /// The Content-Type header as it came; a claim, not a fact.
    pub content_type: Option<String>,
    /// The body as it came, not decompressed.
    pub body: Vec<u8>,
}

/// Why an address was not reached. For the log; who asked is told
/// [`ADDRESS_REFUSED`] in each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreachable {
    /// The name stands for no address, or did not resolve in time.
    NoAddress,
    /// An address that may not be connected to.
    Forbidden,
    /// No connection came about.
    NoAnswer,
}

/// Why there is no answer. The texts may be shown to the developer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// No connection; the same text for every reason.
    #[error("{ADDRESS_REFUSED}")]
    Unreachable(Unreachable),
    /// No TLS connection with a trusted certificate for the host.
    #[error("no trusted TLS connection could be made to the host")]
    Tls,
    /// The answer was not there in time.
    #[error("the host did not answer in time")]
    TimedOut,
    /// The answer is longer than allowed.
    #[error("the answer is too long")]
    TooLarge,
    /// The answer is not HTTP, or ended early.
    #[error("the answer is not valid HTTP")]
    Broken,
    /// The URL cannot be asked for.
    #[error(transparent)]
    Url(#[from] UrlRefusal),
}

impl From<Unreachable> for FetchError {
    fn from(reason: Unreachable) -> Self {
        Self::Unreachable(reason)
    }
}
