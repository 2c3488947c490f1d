//! Every way a request can end, classed once. Ambiguity is a value.
//!
//! Reads are classed here, writes by the table in [`writes`].

use crate::failure::seconds;
use crate::headers::ResponseFacts;
use crate::request::{RawResponse, ReadResponse};
use crate::words;
use model::text::SafeText;
use model::time::SECOND;
pub use wire::errors::ErrorCode;

pub(crate) mod writes;

/// Attempts at the same wish before the one that was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptPhase {
    /// None that may have been carried out.
    First,
    /// None under this idempotency key, but one under another key may have been carried out.
    Anew,
    /// One under this idempotency key may have been carried out.
    AfterUnclear,
}

/// How a write ended. "Done" holds whatever the answer was read as.
#[derive(Debug, Clone, PartialEq)]
pub enum WriteOutcome<T> {
    /// This attempt was not carried out: it never left, or a limit in front of the server
    /// stopped it. Says nothing of attempts before it.
    NotSent(NotSent),
    /// The server refused, and no attempt under this key was carried out.
    Refused(ApiRefusal),
    /// The server did it and said so in the shape the interface promises.
    Done(T),
    /// It may have been done.
    Unknown(Unclear),
}

/// Why nothing left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// No connection: no name, no route, refused, timed out.
    Offline(SafeText),
    /// Cannot work as configured: a redirect, a certificate.
    Misconfigured(SafeText),
    /// This desk's own budget is used up; free again after so many
    /// microseconds.
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
    /// How long the server asks to wait, in microseconds.
    pub retry_after: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclear {
    /// Description for display.
    pub why: SafeText,
    /// `None` if no response arrived.
    pub status: Option<u16>,
    /// True if the server replayed the answer kept under the idempotency key; a retry would
    /// return it again.
    pub replayed: bool,
    /// How long the server asks to wait, in microseconds.
    pub retry_after: Option<i64>,
    /// A refusal of this attempt that does not settle whether an earlier one was carried out.
    pub refusal: Option<ApiRefusal>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No answer.
    #[error("{0}")]
    Offline(SafeText),
    /// An answer, but not what the interface promises.
    #[error("{0}")]
    Trouble(SafeText),
    /// The server asks to wait this many microseconds.
    #[error("the server asks to wait {} s", seconds(*.0))]
    Limited(i64),
    /// This desk's own budget is used up; free again after so many
    /// microseconds.
    #[error("this desk's share of the key's rate limit is used up; free again in {} s", seconds(*.0))]
    Paced(i64),
    /// The key is not taken (401).
    #[error("{why} ({code})")]
    Refused { code: SafeText, why: SafeText },
    /// Cannot work as configured.
    #[error("{0}")]
    Misconfigured(SafeText),
    /// Not for this key (403).
    #[error("{0}")]
    Forbidden(SafeText),
    /// Does not exist (404), in the interface's own words.
    #[error("{0}")]
    NotFound(SafeText),
    /// 404 outside the API's error format: the server lacks the path, or another server
    /// answers.
    #[error("{0}")]
    NoSuchPath(SafeText),
    /// The response equals the last one applied; see [`crate::Client::unless_same`].
    #[error("nothing is new")]
    Same,
    /// Any other refusal, such as 400 for an expired cursor.
    #[error("{0}")]
    Rejected(SafeText),
}

impl ReadError {
    /// True if the key may not read the list or the server does not have it; a retry is useless.
    pub fn is_inaccessible(&self) -> bool {
        matches!(self, Self::Forbidden(_) | Self::NotFound(_) | Self::NoSuchPath(_))
    }
}

impl<T> WriteOutcome<T> {
    /// The refusal in the answer, also one that leaves the outcome unknown.
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

/// Classes the answer to a read.
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
    let object = json_object(body);
    let field =
        |name: &str| object.as_ref()?.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let word = field("code");
    let believed = match status {
        413 | 429 => true,
        401 => object.is_some(),
        _ => word.is_some(),
    };
    if !believed {
        return None;
    }
    Some(ApiRefusal {
        code: word.as_deref().and_then(ErrorCode::from_word),
        word: SafeText::line(word.as_deref().unwrap_or(&format!("HTTP {status}"))),
        status,
        message: SafeText::line(field("message").as_deref().unwrap_or("")),
        docs: SafeText::optional_line(field("docs").as_deref()),
        retry_after: match (status, facts.rate.and_then(|rate| rate.reset_in)) {
            // `Retry-After` takes precedence over the rate limit counters.
            (429, Some(reset)) => Some(facts.retry_after.unwrap_or(reset).max(SECOND)),
            _ => facts.retry_after,
        },
    })
}

/// Describes a 5xx, with the server's message if there is one.
fn describe_server_error(status: u16, facts: &ResponseFacts, body: &[u8]) -> SafeText {
    let said =
        json_object(body).and_then(|json_object| json_object.get("message")?.as_str().map(str::to_owned));
    match said.filter(|entry| !entry.is_empty()) {
        Some(said) => SafeText::line(&format!("the server failed: {said} ({status})")),
        None if json_object(body).is_some() => SafeText::line(&format!("the server failed ({status})")),
        None => SafeText::line(&words::describe_not_json(facts, body, status)),
    }
}

fn json_object(body: &[u8]) -> Option<serde_json::Map<String, serde_json::Value>> {
    serde_json::from_slice(body).ok()
}
