//! Cause of a failed request, as commands report it in text, exit code and JSON.

use crate::errors::{ApiRefusal, NotSent, ReadError, WriteOutcome};
use crate::words;
use model::news::Health;
use model::outbox::StopReason;
use model::text::SafeText;
use model::time::SECOND;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestFailure {
    pub cause: FailureCause,
    /// Error code of the API, or a local code in the same form.
    pub code: SafeText,
    pub why: SafeText,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureCause {
    Offline,
    /// Connected, but no complete response before the timeout.
    NoAnswer,
    /// A response that does not follow the API.
    Trouble,
    /// The server's rate limit (429).
    RateLimited,
    /// The local rate budget is used up; nothing was sent.
    RateBudget,
    /// The API key is not accepted (401).
    KeyRefused,
    /// A person's sign-in token or session is not accepted (401).
    SignInRefused,
    /// The API key lacks the permission (403).
    Forbidden,
    NotFound,
    /// The server answered with a redirect, which is never followed.
    Redirected,
    Misconfigured,
    Refused,
    /// An outbox row waits for a user's decision.
    Undecided,
    /// The outcome is unknown: the server may have executed the request.
    Unclear,
    /// Local files cannot be read or written.
    Files,
}

/// Each cause with its word in JSON, its code if the server gave none, and the advice to the user.
const CAUSES: [(FailureCause, &str, &str, &str); 15] = [
    (
        FailureCause::Offline,
        "offline",
        "OFFLINE",
        "check the connection and the address (base_url), then try again",
    ),
    (FailureCause::NoAnswer, "no-answer", "NO_ANSWER", "try again, or give a longer --timeout"),
    (
        FailureCause::Trouble,
        "server-trouble",
        "SERVER_TROUBLE",
        "try again later; `frontdesk doctor` checks the server",
    ),
    (FailureCause::RateLimited, "rate-limited", "RATE_LIMIT_EXCEEDED", "wait, or give a longer --timeout"),
    (FailureCause::RateBudget, "rate-budget", "RATE_BUDGET_USED", "wait, or give a longer --timeout"),
    (
        FailureCause::KeyRefused,
        "key-refused",
        "KEY_REFUSED",
        "use another key: on your own service, `frontdesk admin key create` makes one, and `frontdesk channel test` \
         says where to put it",
    ),
    (
        FailureCause::SignInRefused,
        "sign-in-refused",
        "SIGN_IN_REFUSED",
        "ask the operator of the service for a new sign-in token",
    ),
    (FailureCause::Forbidden, "forbidden", "FORBIDDEN", "use a key with this permission"),
    (FailureCause::NotFound, "not-found", "NOT_FOUND", "check the id or number, and the address (base_url)"),
    (FailureCause::Redirected, "redirected", "REDIRECTED", "correct base_url in config.toml"),
    (
        FailureCause::Misconfigured,
        "misconfigured",
        "MISCONFIGURED",
        "check the configuration with `frontdesk doctor`",
    ),
    (FailureCause::Refused, "refused", "REFUSED", "correct the field or value that the server names"),
    (FailureCause::Undecided, "undecided", "UNDECIDED", "see it with `frontdesk outbox list`"),
    (FailureCause::Unclear, "unclear", "UNCLEAR", "see it with `frontdesk outbox list`"),
    (FailureCause::Files, "files", "FILES", "check the files of this desk with `frontdesk doctor`"),
];

impl FailureCause {
    fn row(self) -> (&'static str, &'static str, &'static str) {
        let found = CAUSES.iter().find(|cause| cause.0 == self);
        found.map_or(("failed", "FAILED", ""), |(_, word, code, advice)| (word, code, advice))
    }

    pub fn word(self) -> &'static str {
        self.row().0
    }

    pub fn advice(self) -> &'static str {
        self.row().2
    }
}

impl RequestFailure {
    /// True if the text ends with what to do: cause and remedy are separated by a semicolon.
    pub fn has_remedy(&self) -> bool {
        self.why.as_str().contains("; ")
    }

    /// Takes the code in parentheses at the end of `why`, or the default of the cause.
    pub fn new(cause: FailureCause, why: &str) -> Self {
        let code = find_code(why).unwrap_or(cause.row().1);
        // NOT_FOUND always has the cause `NotFound`, whichever path reported it.
        let is_absent = cause == FailureCause::Refused && code == FailureCause::NotFound.row().1;
        let cause = if is_absent { FailureCause::NotFound } else { cause };
        Self { cause, code: SafeText::line(code), why: SafeText::line(why) }
    }

    /// Converts a read error; `None` for [`ReadError::Same`].
    pub fn of_read(error: &ReadError) -> Option<Self> {
        Some(match error {
            ReadError::Same => return None,
            ReadError::Offline(why) => Self::offline(why),
            ReadError::Trouble(why) | ReadError::NoSuchPath(why) => {
                Self::new(FailureCause::Trouble, why.as_str())
            }
            ReadError::Limited(_) => Self::new(FailureCause::RateLimited, &error.to_string()),
            ReadError::Paced(_) => Self::new(FailureCause::RateBudget, &error.to_string()),
            ReadError::Refused { code, .. } => {
                let why = SafeText::line(&error.to_string());
                Self { cause: FailureCause::KeyRefused, code: code.clone(), why }
            }
            ReadError::Misconfigured(why) => Self::misconfigured(why),
            ReadError::Forbidden(why) => Self::new(FailureCause::Forbidden, why.as_str()),
            ReadError::NotFound(why) => Self::new(FailureCause::NotFound, why.as_str()),
            ReadError::Rejected(why) => Self::new(FailureCause::Refused, why.as_str()),
        })
    }

    /// Converts a failure of a request that a sign-in token or a session makes.
    #[must_use]
    pub fn of_sign_in(self) -> Self {
        let cause = match self.cause {
            FailureCause::KeyRefused => FailureCause::SignInRefused,
            other => other,
        };
        Self { cause, ..self }
    }

    /// Converts the outcome of a write; `None` if it was done.
    pub fn of_write<T>(outcome: &WriteOutcome<T>) -> Option<Self> {
        Some(match outcome {
            WriteOutcome::Done(_) => return None,
            WriteOutcome::NotSent(NotSent::Offline(why)) => Self::offline(why),
            WriteOutcome::NotSent(NotSent::Misconfigured(why)) => Self::misconfigured(why),
            WriteOutcome::NotSent(NotSent::Paced(wait)) => return Self::of_read(&ReadError::Paced(*wait)),
            WriteOutcome::NotSent(NotSent::Limited(refusal)) | WriteOutcome::Refused(refusal) => {
                Self::of_refusal(refusal, refusal.describe())
            }
            WriteOutcome::Unknown(unclear) => match (&unclear.refusal, unclear.status) {
                (Some(refusal), _) => Self::of_refusal(refusal, unclear.why.clone()),
                (None, None) => Self::offline(&unclear.why),
                (None, Some(_)) if unclear.is_redirect() => Self::misconfigured(&unclear.why),
                (None, Some(_)) => Self::new(FailureCause::Trouble, unclear.why.as_str()),
            },
        })
    }

    fn of_refusal(refusal: &ApiRefusal, why: SafeText) -> Self {
        let cause = match refusal.status {
            401 => FailureCause::KeyRefused,
            403 => FailureCause::Forbidden,
            404 => FailureCause::NotFound,
            429 => FailureCause::RateLimited,
            _ => FailureCause::Refused,
        };
        Self { cause, code: refusal.word.clone(), why }
    }

    /// Converts the connection state another process reports; `None` while connecting or live.
    pub fn of_health(health: &Health) -> Option<Self> {
        Some(match health {
            Health::Connecting | Health::Live { .. } => return None,
            Health::Silent { .. } => Self::new(FailureCause::NoAnswer, words::TIMEOUT_TEXT),
            Health::Offline { why, .. } => Self::offline(why),
            Health::Trouble { why, .. } => Self::new(FailureCause::Trouble, why.as_str()),
            Health::Limited { .. } => Self::new(FailureCause::RateLimited, "the server asks to wait"),
            Health::Refused { code, why } => {
                let why = SafeText::line(&format!("{why} ({code})"));
                Self { cause: FailureCause::KeyRefused, code: code.clone(), why }
            }
            Health::Misconfigured { why } => Self::misconfigured(why),
        })
    }

    /// Converts the reason why an outbox row waits for a user.
    pub fn of_stop(stop: StopReason, why: &SafeText) -> Self {
        let cause = match stop {
            StopReason::Refused | StopReason::Credits | StopReason::Window | StopReason::Upload => {
                FailureCause::Refused
            }
            StopReason::Auth => FailureCause::KeyRefused,
            StopReason::ReplyConflict | StopReason::Late | StopReason::Account => FailureCause::Undecided,
            StopReason::Unknown | StopReason::Expired | StopReason::KeyUnproven => FailureCause::Unclear,
        };
        Self::new(cause, why.as_str())
    }

    fn offline(why: &SafeText) -> Self {
        let is_late = why.as_str() == words::TIMEOUT_TEXT || why.as_str() == words::BROKEN_TEXT;
        Self::new(if is_late { FailureCause::NoAnswer } else { FailureCause::Offline }, why.as_str())
    }

    fn misconfigured(why: &SafeText) -> Self {
        let leads_away = why.as_str().starts_with(words::REDIRECT_PREFIX);
        Self::new(
            if leads_away { FailureCause::Redirected } else { FailureCause::Misconfigured },
            why.as_str(),
        )
    }
}

/// Returns the code in parentheses at the end of a refusal's text.
fn find_code(words: &str) -> Option<&str> {
    let (_, code) = words.strip_suffix(')')?.rsplit_once('(')?;
    let is_code = code.starts_with(|code: char| code.is_ascii_uppercase())
        && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit());
    is_code.then_some(code)
}

/// Converts microseconds to seconds, rounded up.
pub(crate) fn seconds(micros: i64) -> i64 {
    (micros.max(0) + SECOND - 1) / SECOND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_words_of_its_own() {
        let mut seen = std::collections::HashSet::new();
        for (cause, word, code, advice) in CAUSES {
            assert_eq!((cause.word(), cause.advice()), (word, advice));
            assert!(seen.insert(word) && seen.insert(code) && !advice.is_empty(), "{word}");
        }
    }

    #[test]
    fn codes_are_what_words_end_with() {
        let cases = [
            ("no such thread (NOT_FOUND_1)", Some("NOT_FOUND_1")),
            ("the server refused (HTTP 429)", None),
            ("the server failed (502)", None),
            ("(A) or (B) is wrong", None),
            ("plain", None),
        ];
        for (words, code) in cases {
            assert_eq!(find_code(words), code, "{words}");
        }
        let silent = ReadError::Offline(SafeText::line(words::TIMEOUT_TEXT));
        assert_eq!(
            RequestFailure::of_read(&silent).map(|request_failure| request_failure.cause),
            Some(FailureCause::NoAnswer)
        );
        assert_eq!(RequestFailure::of_read(&ReadError::Same), None);
    }
}
