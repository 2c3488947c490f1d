//! What to do with an attempt's outcome. Pure: age, failures and a random
//! value come in.
//!
//! The rule behind the table: what was certainly not executed goes back to
//! the queue; what may have been executed asks again under the same key while
//! the server still knows the key; everything else waits for a person.
//!
//! Knows nothing of rows or lanes. Interface: Errors, Idempotency.

use crate::client::errors::{ApiRefusal, NotSent, Outcome, Unclear};
use crate::model::outbox::{KEY_AGE, Stop};
use crate::model::text::SafeText;
use crate::model::time::{MINUTE, SECOND};
use crate::wire::errors::ErrorCode;

/// Unclear answers before a person is asked.
const FAILURES: u32 = 4;
/// The first wait after an unclear answer, doubled each time.
const BASE: i64 = SECOND / 2;
/// The longest wait after an unclear answer.
const CAP: i64 = 20 * SECOND;
/// Between two tries while there is no connection.
const OFFLINE: i64 = 5 * SECOND;
/// How long an earlier attempt may be "in progress".
const PROGRESS: i64 = 10 * MINUTE;

/// What is known of a row when an attempt ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// Unclear answers before this one.
    pub failures: u32,
    /// Since bytes first may have left under the key, in microseconds. The
    /// wall clock may have been set back: negative counts as old.
    pub age: i64,
    /// Whether an earlier attempt may have been executed.
    pub was_unclear: bool,
    /// A random number from 0 up to 1.
    pub jitter: f64,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// It was done.
    Done,
    /// Not executed: back to the queue for so many microseconds.
    Wait(i64),
    /// May have been executed: the same key asks again after so many
    /// microseconds.
    AskAgain {
        /// The wait.
        after: i64,
        /// Whether it counts as a failure.
        counted: bool,
    },
    /// A person must decide.
    Stop(Stop, SafeText),
    /// Nothing of this channel can work until it is configured anew; the row
    /// goes back unchanged.
    Halt(SafeText),
}

/// Decides what follows from an outcome.
pub fn decide<T>(outcome: &Outcome<T>, attempt: Attempt) -> Next {
    match outcome {
        Outcome::Done(_) => Next::Done,
        Outcome::NotSent(NotSent::Offline(_)) => Next::Wait(spread(OFFLINE, attempt.jitter)),
        Outcome::NotSent(NotSent::Paced(wait)) => Next::Wait(*wait),
        Outcome::NotSent(NotSent::Misconfigured(why)) => Next::Halt(why.clone()),
        Outcome::Refused(refusal) => refused(refusal, attempt),
        Outcome::Unknown(unclear) => unknown(unclear, attempt),
    }
}

/// Whether a key is too old to be tried by itself. A clock set back makes a
/// key old, never young.
pub fn is_spent(age: i64) -> bool {
    !(0..KEY_AGE).contains(&age)
}

fn refused(refusal: &ApiRefusal, attempt: Attempt) -> Next {
    let stop = |stop| Next::Stop(stop, refusal.words());
    match (refusal.code, refusal.status) {
        (Some(ErrorCode::IdempotencyInProgress), _) => in_progress(refusal, attempt),
        // The bytes or the key are not what this desk thinks: never again by
        // itself.
        (Some(ErrorCode::IdempotencyConflict), _) => stop(Stop::Unknown),
        (Some(ErrorCode::RateLimitExceeded), _) | (_, 429) => {
            Next::Wait(spread(refusal.retry_after.unwrap_or(SECOND), attempt.jitter))
        }
        // The request was not looked at, so what was unclear stays unclear.
        (_, 401) if attempt.was_unclear => stop(Stop::Unknown),
        (_, 401) => stop(Stop::Auth),
        (Some(ErrorCode::InsufficientCredits), _) | (_, 402) => stop(Stop::Credits),
        (Some(ErrorCode::SessionExpired), _) => stop(Stop::Window),
        // Had an earlier attempt succeeded, the same key would have brought
        // its success; so this refusal is definite.
        _ => stop(Stop::Refused),
    }
}

fn in_progress(refusal: &ApiRefusal, attempt: Attempt) -> Next {
    if !(0..PROGRESS).contains(&attempt.age) {
        let why = "an earlier attempt has been in progress on the server for ten minutes";
        return Next::Stop(Stop::Unknown, SafeText::line(why));
    }
    let grown = (attempt.age / 2).clamp(SECOND, 30 * SECOND);
    Next::AskAgain { after: spread(refusal.retry_after.unwrap_or(grown), attempt.jitter), counted: false }
}

fn unknown(unclear: &Unclear, attempt: Attempt) -> Next {
    if unclear.replayed {
        let why = format!("{}, and the server keeps that answer for this message", unclear.why);
        return Next::Stop(Stop::Unknown, SafeText::line(&why));
    }
    if attempt.failures + 1 >= FAILURES || is_spent(attempt.age) {
        return Next::Stop(Stop::Unknown, unclear.why.clone());
    }
    let ceiling = BASE.saturating_mul(1 << attempt.failures.min(16)).min(CAP);
    let wait =
        unclear.retry_after.map_or_else(|| part(ceiling, attempt.jitter), |it| spread(it, attempt.jitter));
    Next::AskAgain { after: wait, counted: true }
}

/// A part of a span, from none to all of it.
fn part(span: i64, jitter: f64) -> i64 {
    // Thousandths are exact enough and stay integers.
    let thousandths = (0..1000_i16).rev().find(|it| f64::from(*it) / 1000.0 <= jitter).unwrap_or(0);
    span / 1000 * i64::from(thousandths)
}

/// A span and up to a tenth more, so that desks do not come back together.
fn spread(span: i64, jitter: f64) -> i64 {
    span + part(span / 10, jitter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(code: Option<ErrorCode>, status: u16, retry_after: Option<i64>) -> Outcome<()> {
        Outcome::Refused(ApiRefusal {
            code,
            word: SafeText::line(code.map_or("?", ErrorCode::word)),
            status,
            message: SafeText::line("no"),
            docs: None,
            retry_after,
        })
    }

    fn unclear(replayed: bool) -> Outcome<()> {
        Outcome::Unknown(Unclear { replayed, ..Unclear::new("cut short", Some(500)) })
    }

    const FRESH: Attempt = Attempt { failures: 0, age: SECOND, was_unclear: false, jitter: 0.5 };

    fn stops(next: &Next) -> Option<Stop> {
        match next {
            Next::Stop(stop, _) => Some(*stop),
            _ => None,
        }
    }

    #[test]
    fn what_was_not_executed_goes_back_to_the_queue() {
        let offline = Outcome::<()>::NotSent(NotSent::Offline(SafeText::line("no route")));
        let old = Attempt { failures: 3, age: 99 * KEY_AGE, ..FRESH };
        for attempt in [FRESH, old] {
            assert_eq!(decide(&offline, attempt), Next::Wait(5_250_000), "no limit while offline");
        }
        assert_eq!(decide(&Outcome::<()>::NotSent(NotSent::Paced(7)), FRESH), Next::Wait(7));
        let limited = refusal(Some(ErrorCode::RateLimitExceeded), 429, Some(20 * SECOND));
        assert_eq!(decide(&limited, FRESH), Next::Wait(21 * SECOND));
        assert_eq!(decide(&refusal(None, 429, None), FRESH), Next::Wait(1_050_000));
        let why = SafeText::line("redirects");
        let halted = Outcome::<()>::NotSent(NotSent::Misconfigured(why.clone()));
        assert_eq!(decide(&halted, FRESH), Next::Halt(why));
    }

    #[test]
    fn refusals_wait_for_a_person() {
        use ErrorCode::*;
        let cases = [
            (Some(ValidationError), 400, Stop::Refused),
            (Some(InvalidRecipient), 400, Stop::Refused),
            (Some(TemplateError), 400, Stop::Refused),
            (Some(UnsupportedType), 400, Stop::Refused),
            (Some(NotConfigured), 400, Stop::Refused),
            (Some(NoRecipients), 400, Stop::Refused),
            (Some(MediaFetchFailed), 400, Stop::Refused),
            (Some(SessionExpired), 400, Stop::Window),
            (Some(InvalidAuth), 401, Stop::Auth),
            (Some(InvalidKey), 401, Stop::Auth),
            (Some(RevokedKey), 401, Stop::Auth),
            (Some(InsufficientCredits), 402, Stop::Credits),
            (Some(Forbidden), 403, Stop::Refused),
            (Some(NotFound), 404, Stop::Refused),
            (Some(IdempotencyConflict), 409, Stop::Unknown),
            (Some(PayloadTooLarge), 413, Stop::Refused),
            (None, 402, Stop::Credits),
            (None, 418, Stop::Refused),
        ];
        for (code, status, stop) in cases {
            assert_eq!(stops(&decide(&refusal(code, status, None), FRESH)), Some(stop), "{code:?} {status}");
        }
        let unclear_before = Attempt { was_unclear: true, ..FRESH };
        let revoked = refusal(Some(RevokedKey), 401, None);
        assert_eq!(stops(&decide(&revoked, unclear_before)), Some(Stop::Unknown));
    }

    #[test]
    fn an_unclear_answer_asks_again_with_the_same_key() {
        let waits: Vec<_> =
            (0..4).map(|failures| decide(&unclear(false), Attempt { failures, ..FRESH })).collect();
        let again = |after| Next::AskAgain { after, counted: true };
        assert_eq!(waits[..3], [again(250_000), again(500_000), again(1_000_000)]);
        assert_eq!(stops(&waits[3]), Some(Stop::Unknown), "the fourth asks a person");
        assert_eq!(stops(&decide(&unclear(true), FRESH)), Some(Stop::Unknown), "a kept failure stays");
        for age in [KEY_AGE, -1] {
            let spent = Attempt { age, ..FRESH };
            assert_eq!(stops(&decide(&unclear(false), spent)), Some(Stop::Unknown), "{age}");
        }
    }

    #[test]
    fn an_attempt_in_progress_is_waited_for() {
        let busy = |wait| refusal(Some(ErrorCode::IdempotencyInProgress), 409, wait);
        let cases =
            [(SECOND, None, 1_050_000), (10 * SECOND, None, 5_250_000), (SECOND, Some(SECOND), 1_050_000)];
        for (age, retry_after, after) in cases {
            let next = decide(&busy(retry_after), Attempt { age, failures: 9, ..FRESH });
            assert_eq!(next, Next::AskAgain { after, counted: false });
        }
        let long = Attempt { age: PROGRESS, ..FRESH };
        assert_eq!(stops(&decide(&busy(None), long)), Some(Stop::Unknown));
    }

    #[test]
    fn jitter_stays_within_its_span() {
        for jitter in [0.0, 0.001, 0.5, 0.9999] {
            assert!((0..1000).contains(&part(1000, jitter)));
        }
        assert_eq!(part(1000, 0.0), 0);
    }
}
