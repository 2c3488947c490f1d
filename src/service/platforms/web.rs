//! What the platforms that are asked over HTTP have in common: bodies of
//! requests, and what an answer means, or that there is none.

use serde_json::Value;

use crate::carriers::{CarryOutcome, ParcelFile, PlatformTrouble};
use connections::guard::{FetchError, Fetched, HeaderRefused, Refusal, Request};
use model::time::{MINUTE, SECOND};
use wire::errors::ErrorCode;

/// Between the parts of a body; a file in which it stands is none.
const BOUNDARY: &str = "frontdesk-6f1d9c52c3b04f6f9a31c8b0";

/// A body of JSON.
pub(super) fn json(body: &Value) -> Result<Request, HeaderRefused> {
    Request::post(body.to_string().into_bytes()).header("content-type", "application/json")
}

/// A body of texts and a file.
pub(super) fn multipart<'a>(
    texts: impl IntoIterator<Item = (&'a str, String)>,
    field: &str,
    file: &ParcelFile,
) -> Result<Request, HeaderRefused> {
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
    let plain = |it: char| if it.is_control() || matches!(it, '"' | '\\') { '_' } else { it };
    let name: String = file.name.chars().map(plain).collect();
    let head = format!("name=\"{field}\"; filename=\"{name}\"\r\ncontent-type: {}", file.mime_type);
    part(&head, &file.bytes);
    bytes.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    Request::post(bytes).header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))
}

/// What an answer says; null where it is no JSON.
pub(super) fn told(answer: &Fetched) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_default()
}

/// The bytes of a file that was asked for.
pub(super) fn file(answer: Fetched) -> Result<Vec<u8>, PlatformTrouble> {
    match answer.status {
        200 => Ok(answer.body),
        status => Err(PlatformTrouble::passing(format!("the platform answered {status} for a file"))),
    }
}

/// The pause the platform asks for, where it says how long.
pub(super) fn pause(retry_after: Option<&str>) -> Option<i64> {
    let seconds: i64 = retry_after?.trim().parse().ok()?;
    Some(seconds.clamp(1, 3600) * SECOND)
}

impl PlatformTrouble {
    /// What a person has to mend first.
    pub(super) fn long(why: impl Into<String>) -> Self {
        Self { why: why.into(), pause: MINUTE }
    }
}

impl From<FetchError> for PlatformTrouble {
    fn from(why: FetchError) -> Self {
        Self::passing(format!("the platform cannot be reached: {why}"))
    }
}

impl From<Refusal> for PlatformTrouble {
    fn from(why: Refusal) -> Self {
        FetchError::from(why).into()
    }
}

impl CarryOutcome {
    pub(super) fn refused(code: ErrorCode, why: impl Into<String>) -> Self {
        Self::Refused { code, why: why.into(), broken: false }
    }

    /// Nobody knows whether it has left. What may be done `again` changes
    /// nothing a second time.
    pub(super) fn unclear(why: impl Into<String>, again: bool) -> Self {
        let why = why.into();
        if again { Self::Later { after: 5 * SECOND, why } } else { Self::Unknown { why } }
    }

    /// What it means that there was no answer: without a connection nothing has
    /// left.
    pub(super) fn unanswered(why: &FetchError, again: bool) -> Self {
        let words = format!("the platform gave no answer: {why}");
        match why {
            FetchError::Unreachable(_) | FetchError::Tls | FetchError::Url(_) => {
                Self::Later { after: 3 * SECOND, why: words }
            }
            FetchError::TimedOut | FetchError::TooLarge | FetchError::Broken => Self::unclear(words, again),
        }
    }

    /// The pause that an answer asks for, in place of the usual one.
    pub(super) fn after(self, retry_after: Option<&str>) -> Self {
        match (self, pause(retry_after)) {
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
