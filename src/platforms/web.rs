//! Shared parts of the HTTP platforms: request bodies, and outcomes derived from answers or their
//! absence.

use std::time::Duration;

use serde_json::Value;
use url::Url;

use crate::contract::{FileFetchError, OutboundFile, PlatformError, SendOutcome};
use api::errors::ErrorCode;
use model::time::{MINUTE, SECOND};
use net::guard::{
    FetchError, FetchLimits, Fetched, Guard, HeaderError, OversizePolicy, Policy, Request, UrlRefusal,
    is_loopback_address,
};

const BOUNDARY: &str = "frontdesk-6f1d9c52c3b04f6f9a31c8b0";

/// Bounds of an answer to a form.
const FORM_TIMEOUT: Duration = Duration::from_secs(15);
const MAX_FORM_ANSWER_BYTES: usize = 64 * 1024;

const MAX_REDIRECTS: usize = 3;

/// Returns a guard for the requests of a platform. The admin who connects a channel names its
/// address; only if that is on this machine, as in tests, may redirects lead to this machine.
pub(super) fn guard_of(api: &str) -> Guard {
    Guard::system(Policy { allow_loopback_http: is_loopback_address(api) })
}

/// Downloads a file from the address that the platform gives. Only requests to the platform's own
/// hosts are signed, also after a redirect; other hosts never get the token.
pub(super) async fn fetch_file(
    guard: &Guard,
    address: &str,
    max_bytes: usize,
    is_own: impl Fn(&Url) -> bool,
    sign: impl Fn(Request) -> Result<Request, FetchError>,
) -> Result<Vec<u8>, FileFetchError> {
    let no_address = || FileFetchError::transient("the platform returned an invalid address");
    let mut address = Url::parse(address).map_err(|_| no_address())?;
    for _ in 0..=MAX_REDIRECTS {
        let vetted = guard.vet(address.as_str())?;
        let request = if is_own(&address) { sign(Request::get())? } else { Request::get() };
        let fetched = guard.fetch(&vetted, request, FetchLimits::media(max_bytes)).await?;
        match (fetched.status, &fetched.location) {
            (301 | 302 | 303 | 307 | 308, Some(location)) => {
                address = address.join(location).map_err(|_| no_address())?;
            }
            _ => return file_bytes(fetched),
        }
    }
    Err(FileFetchError::transient("the platform redirected too often for a file"))
}

/// Sends a form; returns the status and the JSON of the answer, null if it is none.
///
/// # Errors
/// With the reason, if there is no answer.
pub(super) async fn post_form(guard: &Guard, address: &str, form: String) -> Result<(u16, Value), String> {
    let request = Request::post(form.into_bytes())
        .header("content-type", "application/x-www-form-urlencoded")
        .and_then(|header| header.header("accept", "application/json"))
        .map_err(|why| why.to_string())?;
    let url = guard.vet(address).map_err(|why| why.to_string())?;
    let limits = FetchLimits {
        max_body: MAX_FORM_ANSWER_BYTES,
        oversize: OversizePolicy::Refuse,
        total: FORM_TIMEOUT,
    };
    let answer = guard.fetch(&url, request, limits).await.map_err(|why| why.to_string())?;
    Ok((answer.status, json_body(&answer)))
}

/// Returns true for a domain and the hosts below it, so that `evilfacebook.com` is not one of `facebook.com`.
pub(super) fn is_host_of(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

pub(super) fn is_same_origin(address: &Url, api: &str) -> bool {
    Url::parse(api).is_ok_and(|api| api.origin() == address.origin())
}

pub(super) fn json_request(body: &Value) -> Result<Request, HeaderError> {
    Request::post(body.to_string().into_bytes()).header("content-type", "application/json")
}

pub(super) fn multipart_request<'a>(
    texts: impl IntoIterator<Item = (&'a str, String)>,
    field: &str,
    file: &OutboundFile,
) -> Result<Request, HeaderError> {
    let mut bytes = Vec::with_capacity(file.bytes.len() + 1024);
    let mut part = |head: &str, content: &[u8]| {
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; {head}\r\n\r\n");
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(content);
        bytes.extend_from_slice(b"\r\n");
    };
    for (name, text) in texts {
        part(&format!("name=\"{name}\""), text.as_bytes());
    }
    let plain = |character: char| {
        if character.is_control() || matches!(character, '"' | '\\') { '_' } else { character }
    };
    let name: String = file.name.chars().map(plain).collect();
    let head = format!("name=\"{field}\"; filename=\"{name}\"\r\ncontent-type: {}", file.mime_type);
    part(&head, &file.bytes);
    bytes.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    Request::post(bytes).header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))
}

/// Parses an answer; null if it is not JSON.
pub(super) fn json_body(answer: &Fetched) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_default()
}

pub(super) fn file_bytes(answer: Fetched) -> Result<Vec<u8>, FileFetchError> {
    match answer.status {
        200 => Ok(answer.body),
        status => Err(file_error(status)),
    }
}

pub(super) fn file_error(status: u16) -> FileFetchError {
    match status {
        404 | 410 => FileFetchError::permanent("the platform no longer has the file"),
        status => FileFetchError::transient(format!("the platform answered {status}")),
    }
}

/// Parses the pause that the platform demands, in microseconds.
pub(super) fn parse_retry_after(retry_after: Option<&str>) -> Option<i64> {
    let seconds: i64 = retry_after?.trim().parse().ok()?;
    Some(seconds.clamp(1, 3600) * SECOND)
}

impl PlatformError {
    /// A problem that a person has to fix.
    pub(super) fn needs_person(why: impl Into<String>) -> Self {
        Self { why: why.into(), pause: MINUTE }
    }
}

impl From<FetchError> for PlatformError {
    fn from(why: FetchError) -> Self {
        Self::transient(format!("the platform cannot be reached: {why}"))
    }
}

impl From<UrlRefusal> for PlatformError {
    fn from(why: UrlRefusal) -> Self {
        FetchError::from(why).into()
    }
}

impl From<FetchError> for FileFetchError {
    fn from(why: FetchError) -> Self {
        match why {
            FetchError::TooLarge => Self::permanent("it is too large to be fetched"),
            why => PlatformError::from(why).into(),
        }
    }
}

impl From<UrlRefusal> for FileFetchError {
    fn from(why: UrlRefusal) -> Self {
        FetchError::from(why).into()
    }
}

impl SendOutcome {
    pub(super) fn refused(code: ErrorCode, why: impl Into<String>) -> Self {
        Self::Refused { code, why: why.into(), broken: false }
    }

    /// Outcome of a request that may have left. `again` marks requests without a second effect,
    /// which are retried.
    pub(super) fn unknown(why: impl Into<String>, again: bool) -> Self {
        let why = why.into();
        if again { Self::Later { after: 5 * SECOND, why } } else { Self::Unknown { why } }
    }

    /// Outcome of a request without an answer; without a connection nothing has left.
    pub(super) fn from_fetch_error(why: &FetchError, again: bool) -> Self {
        let words = format!("the platform did not answer: {why}");
        match why {
            FetchError::Unreachable(_) | FetchError::Tls | FetchError::Url(_) => {
                Self::Later { after: 3 * SECOND, why: words }
            }
            FetchError::TimedOut | FetchError::TooLarge | FetchError::Broken => Self::unknown(words, again),
        }
    }

    /// Replaces the usual pause by the one that the answer demands.
    pub(super) fn with_retry_after(self, retry_after: Option<&str>) -> Self {
        match (self, parse_retry_after(retry_after)) {
            (Self::Later { why, .. }, Some(after)) => Self::Later { after, why },
            (outcome, _) => outcome,
        }
    }

    #[cfg(test)]
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Refused { code, .. } => code.word(),
            other => other.word(),
        }
    }
}
