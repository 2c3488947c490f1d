//! What the platforms that are asked over HTTP have in common: bodies of
//! requests, and what an answer means, or that there is none.

use serde_json::Value;
use url::Url;

use crate::carriers::{FileFetchError, OutboundFile, PlatformError, SendOutcome};
use connections::guard::{
    FetchError, FetchLimits, Fetched, Guard, HeaderError, Policy, Request, UrlRefusal, is_loopback_address,
};
use model::time::{MINUTE, SECOND};
use wire::errors::ErrorCode;

/// Between the parts of a body; a file in which it stands is none.
const BOUNDARY: &str = "frontdesk-6f1d9c52c3b04f6f9a31c8b0";

/// How often a file may be said to lie elsewhere.
const MAX_REDIRECTS: usize = 3;

/// Returns a guard for the requests of a platform. The admin who connects a
/// channel names its address; only where that is on this machine, as stand-ins
/// are, may its answers lead to this machine.
pub(super) fn guard_of(api: &str) -> Guard {
    Guard::system(Policy { allow_loopback_http: is_loopback_address(api) })
}

/// Reads a file wherever the platform says that it lies. The request is signed
/// for hosts of the platform itself, at the first address and at each that a
/// redirect names; every other host is asked without the token.
pub(super) async fn fetch_file(
    guard: &Guard,
    address: &str,
    max_bytes: usize,
    is_own: impl Fn(&Url) -> bool,
    sign: impl Fn(Request) -> Result<Request, FetchError>,
) -> Result<Vec<u8>, FileFetchError> {
    let no_address = || FileFetchError::transient("the platform tells an address that is none");
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
    Err(FileFetchError::transient("the platform says without end that a file lies elsewhere"))
}

/// True if two addresses have scheme, host and port in common.
pub(super) fn is_same_origin(address: &Url, api: &str) -> bool {
    Url::parse(api).is_ok_and(|api| api.origin() == address.origin())
}

/// A body of JSON.
pub(super) fn json_request(body: &Value) -> Result<Request, HeaderError> {
    Request::post(body.to_string().into_bytes()).header("content-type", "application/json")
}

/// A body of texts and a file.
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

/// What an answer says; null where it is no JSON.
pub(super) fn json_body(answer: &Fetched) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_default()
}

/// The bytes of a file that was asked for.
pub(super) fn file_bytes(answer: Fetched) -> Result<Vec<u8>, FileFetchError> {
    match answer.status {
        200 => Ok(answer.body),
        status => Err(file_error(status)),
    }
}

/// Explains the status with which a file was refused.
pub(super) fn file_error(status: u16) -> FileFetchError {
    match status {
        404 | 410 => FileFetchError::permanent("the platform does not have it any more"),
        status => FileFetchError::transient(format!("the platform answered {status}")),
    }
}

/// The pause the platform asks for, where it says how long.
pub(super) fn parse_retry_after(retry_after: Option<&str>) -> Option<i64> {
    let seconds: i64 = retry_after?.trim().parse().ok()?;
    Some(seconds.clamp(1, 3600) * SECOND)
}

impl PlatformError {
    /// What a person has to mend first.
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
            FetchError::TooLarge => Self::permanent("it is too large to be brought here"),
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

    /// Nobody knows whether it has left. What may be done `again` changes
    /// nothing a second time.
    pub(super) fn unknown(why: impl Into<String>, again: bool) -> Self {
        let why = why.into();
        if again { Self::Later { after: 5 * SECOND, why } } else { Self::Unknown { why } }
    }

    /// What it means that there was no answer: without a connection nothing has
    /// left.
    pub(super) fn from_fetch_error(why: &FetchError, again: bool) -> Self {
        let words = format!("the platform gave no answer: {why}");
        match why {
            FetchError::Unreachable(_) | FetchError::Tls | FetchError::Url(_) => {
                Self::Later { after: 3 * SECOND, why: words }
            }
            FetchError::TimedOut | FetchError::TooLarge | FetchError::Broken => Self::unknown(words, again),
        }
    }

    /// The pause that an answer asks for, in place of the usual one.
    pub(super) fn with_retry_after(self, retry_after: Option<&str>) -> Self {
        match (self, parse_retry_after(retry_after)) {
            (Self::Later { why, .. }, Some(after)) => Self::Later { after, why },
            (outcome, _) => outcome,
        }
    }

    /// The code of a refusal, or what else became of it.
    #[cfg(test)]
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Refused { code, .. } => code.word(),
            other => other.word(),
        }
    }
}
