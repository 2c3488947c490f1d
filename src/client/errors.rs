//! Results of requests. Reads are classified here, writes by the table in [`writes`].

use serde_json::{Map, Value};

use crate::failure::seconds;
use crate::headers::ResponseFacts;
use crate::request::{RawResponse, ReadResponse};
use crate::words;
use api::errors::ErrorBody;
pub use api::errors::ErrorCode;
use model::text::SafeText;
use model::time::SECOND;

pub(crate) mod writes;

/// State of the earlier attempts at an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptPhase {
    /// No earlier attempt may have been executed.
    First,
    /// No attempt under this idempotency key, but one under another key, may have been executed.
    Anew,
    /// An attempt under this idempotency key may have been executed.
    AfterUnclear,
}

#[derive(Debug, Clone, PartialEq)]
pub enum WriteOutcome<T> {
    /// This attempt was not executed: it was never sent, or a rate limit stopped it. Proves nothing
    /// about earlier attempts.
    NotSent(NotSent),
    /// The server refused, and no attempt under this key was executed.
    Refused(ApiRefusal),
    /// The server confirmed the operation in the form that the API defines.
    Done(T),
    /// The operation may have been executed.
    Unknown(Unclear),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// No connection: no address, no route, refused, timed out.
    Offline(SafeText),
    /// Cannot work as configured, for example because of a certificate.
    Misconfigured(SafeText),
    /// The client-side rate budget is used up; free again after this many microseconds.
    Paced(i64),
    /// The server asks to wait (429).
    Limited(ApiRefusal),
}

/// A refusal in the API's error format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRefusal {
    /// `None` for a code that this version does not know.
    pub code: Option<ErrorCode>,
    /// Code as received, or `HTTP` and the status if there was none.
    pub word: SafeText,
    pub status: u16,
    pub message: SafeText,
    pub docs: Option<SafeText>,
    /// Wait that the server asks for, in microseconds.
    pub retry_after: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclear {
    pub why: SafeText,
    /// `None` if no response arrived.
    pub status: Option<u16>,
    /// True if the server replayed the answer kept under the idempotency key; a retry would
    /// return it again.
    pub replayed: bool,
    /// Wait that the server asks for, in microseconds.
    pub retry_after: Option<i64>,
    /// A refusal of this attempt that does not settle whether an earlier one was executed.
    pub refusal: Option<ApiRefusal>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("{0}")]
    Offline(SafeText),
    /// A response that the API does not define.
    #[error("{0}")]
    Trouble(SafeText),
    /// The server asks to wait this many microseconds.
    #[error("the server asks to wait {} s", seconds(*.0))]
    Limited(i64),
    /// The client-side rate budget is used up; free again after this many microseconds.
    #[error(
        "this desk's share of the key's rate limit is used up; the next request is possible in {} s",
        seconds(*.0)
    )]
    Paced(i64),
    /// 401: the key is not accepted.
    #[error("{why} ({code})")]
    Refused { code: SafeText, why: SafeText },
    #[error("{0}")]
    Misconfigured(SafeText),
    /// 403: not permitted for this key.
    #[error("{0}")]
    Forbidden(SafeText),
    /// 404 in the API's error format.
    #[error("{0}")]
    NotFound(SafeText),
    /// 404 outside the API's error format: the server lacks the path, or another server
    /// answers.
    #[error("{0}")]
    NoSuchPath(SafeText),
    /// The response equals the last one applied; see [`crate::Client::skipping_unchanged`].
    #[error("nothing has changed")]
    Same,
    /// Any other refusal, such as 400 for an expired cursor.
    #[error("{0}")]
    Rejected(SafeText),
}

impl ReadError {
    /// True if the server answered that it failed (5xx).
    pub fn is_server_failure(&self) -> bool {
        let Self::Trouble(why) = self else { return false };
        let status = why.as_str().strip_suffix(')').and_then(|text| text.rsplit_once('('));
        status.and_then(|(_, status)| status.parse::<u16>().ok()).is_some_and(|status| status >= 500)
    }

    /// True if the key may not read the list or the server does not have it; a retry is useless.
    pub fn is_inaccessible(&self) -> bool {
        matches!(self, Self::Forbidden(_) | Self::NotFound(_) | Self::NoSuchPath(_))
    }
}

impl<T> WriteOutcome<T> {
    /// Converts the result of a confirmed operation.
    pub fn map<R>(self, convert: impl FnOnce(T) -> R) -> WriteOutcome<R> {
        match self {
            Self::Done(result) => WriteOutcome::Done(convert(result)),
            Self::NotSent(why) => WriteOutcome::NotSent(why),
            Self::Refused(refusal) => WriteOutcome::Refused(refusal),
            Self::Unknown(unclear) => WriteOutcome::Unknown(unclear),
        }
    }

    /// Returns the refusal of the response, also if the outcome is unknown.
    pub fn refusal(&self) -> Option<&ApiRefusal> {
        match self {
            Self::Refused(refusal) | Self::NotSent(NotSent::Limited(refusal)) => Some(refusal),
            Self::Unknown(unclear) => unclear.refusal.as_ref(),
            Self::NotSent(_) | Self::Done(_) => None,
        }
    }
}

impl Unclear {
    /// Creates an unknown outcome without a refusal and without a kept answer.
    pub fn new(why: &str, status: Option<u16>) -> Self {
        Self { why: SafeText::line(why), status, replayed: false, retry_after: None, refusal: None }
    }

    /// True for a redirect, which a retry to the same address would only repeat.
    pub fn is_redirect(&self) -> bool {
        self.status.is_some_and(|status| (300..400).contains(&status))
    }
}

impl ApiRefusal {
    /// True if the refusal concerns the idempotency key and not the request itself.
    pub fn is_idempotency_error(&self) -> bool {
        matches!(self.code, Some(ErrorCode::IdempotencyConflict | ErrorCode::IdempotencyInProgress))
    }

    /// Formats the server's message and code for display.
    pub fn describe(&self) -> SafeText {
        if self.message.is_empty() {
            return SafeText::line(&format!("the server refused ({})", self.word));
        }
        SafeText::line(&format!("{} ({})", self.message, self.word))
    }
}

pub(crate) fn classify_read(raw: RawResponse) -> Result<ReadResponse, ReadError> {
    let RawResponse { status, facts, body } = raw;
    match status {
        200..=299 => Ok(ReadResponse { status, server_time: facts.date, facts, body }),
        300..=399 => Err(ReadError::Misconfigured(SafeText::line(&words::redirect(&facts, status)))),
        400..=499 => {
            let Some(refusal) = refusal(status, &facts, &body) else {
                let why = SafeText::line(&words::describe_not_json(&facts, &body, status));
                return Err(if status == 404 { ReadError::NoSuchPath(why) } else { ReadError::Trouble(why) });
            };
            let why = refusal.describe();
            Err(match status {
                401 => ReadError::Refused { code: refusal.word, why: refusal.message },
                403 => ReadError::Forbidden(why),
                404 => ReadError::NotFound(why),
                429 => ReadError::Limited(refusal.retry_after.unwrap_or(5 * SECOND)),
                _ => ReadError::Rejected(why),
            })
        }
        _ => Err(ReadError::Trouble(describe_server_error(status, &facts, &body))),
    }
}

/// Parses a refusal; `None` if the body has no code, as in a gateway's own JSON. 413 and 429
/// are accepted with any body because proxies send them with their own pages, and 401 with any
/// JSON object.
fn refusal(status: u16, facts: &ResponseFacts, body: &[u8]) -> Option<ApiRefusal> {
    let error = error_body(body);
    let is_object = error.is_some();
    let ErrorBody { code, message, docs } = error.unwrap_or_default();
    let word = Some(code).filter(|code| !code.is_empty());
    let believed = match status {
        413 | 429 => true,
        401 => is_object,
        _ => word.is_some(),
    };
    if !believed {
        return None;
    }
    Some(ApiRefusal {
        code: word.as_deref().and_then(ErrorCode::from_word),
        word: SafeText::line(word.as_deref().unwrap_or(&format!("HTTP {status}"))),
        status,
        message: SafeText::line(&message),
        docs: SafeText::optional_line(docs.as_deref().filter(|docs| !docs.is_empty())),
        retry_after: match (status, facts.rate.and_then(|rate| rate.reset_in)) {
            // `Retry-After` takes precedence over the rate limit counters.
            (429, Some(reset)) => Some(facts.retry_after.unwrap_or(reset).max(SECOND)),
            _ => facts.retry_after,
        },
    })
}

/// Describes a 5xx, with the server's message if there is one.
fn describe_server_error(status: u16, facts: &ResponseFacts, body: &[u8]) -> SafeText {
    match error_body(body) {
        Some(ErrorBody { message, .. }) if !message.is_empty() => {
            SafeText::line(&format!("the server failed: {message} ({status})"))
        }
        Some(_) => SafeText::line(&format!("the server failed ({status})")),
        None => SafeText::line(&words::describe_not_json(facts, body, status)),
    }
}

/// Reads the body of a refusal; `None` if it is not a JSON object.
pub(crate) fn error_body(body: &[u8]) -> Option<ErrorBody> {
    let fields: Map<String, Value> = serde_json::from_slice(body).ok()?;
    serde_json::from_value(Value::Object(fields)).ok()
}
