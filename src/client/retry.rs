//! What to do with an attempt's outcome. Pure: age, failures and a random
//! value come in.
//!
//! The rule: what was certainly not executed goes back to the queue; what may
//! have been executed asks again under the same key, as its class allows,
//! while the server still knows the key; everything else waits for a person.
//! Which of these an answer is has been decided by then, in
//! [`crate::errors`].

use crate::errors::{ApiRefusal, NotSent, Unclear, WriteOutcome};
use model::outbox::{MAX_KEY_AGE, RetryClass, StopReason};
use model::text::SafeText;
use model::time::{MINUTE, SECOND};
use wire::errors::ErrorCode;

/// Unclear answers before a person is asked.
const MAX_FAILURES: u32 = 4;
/// The first wait after an unclear answer, doubled each time.
const BASE_DELAY: i64 = SECOND / 2;
/// The shortest wait after an unclear answer, however the dice fall.
const MIN_DELAY: i64 = SECOND / 20;
/// The longest wait after an unclear answer.
const MAX_DELAY: i64 = 20 * SECOND;
/// Between two tries while there is no connection.
const OFFLINE_DELAY: i64 = 5 * SECOND;
/// How long an earlier attempt may be "in progress".
const MAX_IN_PROGRESS_TIME: i64 = 10 * MINUTE;

/// What is known of a row when an attempt ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// How the operation may be repeated.
    pub class: RetryClass,
    /// Whether this server was seen to recognise a key at this path.
    pub is_idempotency_supported: bool,
    /// Unclear answers before this one.
    pub failures: u32,
    /// Since bytes first may have left under the key, in microseconds: what
    /// [`key_age`](model::outbox::key_age) makes of all clocks.
    /// Negative counts as old.
    pub age: i64,
    /// Since the server first said that an earlier attempt is in progress, in
    /// microseconds.
    pub in_progress: i64,
    /// A random number from 0 up to 1.
    pub jitter: f64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryStep {
    Done,
    /// Not executed: back to the queue for so many microseconds.
    Wait(i64),
    /// May have been executed: the same key asks again after so many
    /// microseconds.
    AskAgain {
        after: i64,
        /// Whether it counts as a failure.
        counted: bool,
    },
    /// A person must decide.
    Stop(StopReason, SafeText),
    /// Nothing of this channel can work until it is configured anew; the row
    /// goes back unchanged.
    Halt(SafeText),
}

/// Decides what follows from an outcome.
pub fn decide<T>(outcome: &WriteOutcome<T>, attempt: Attempt) -> RetryStep {
    match outcome {
        WriteOutcome::Done(_) => RetryStep::Done,
        WriteOutcome::NotSent(NotSent::Offline(_)) => {
            RetryStep::Wait(jittered_span(OFFLINE_DELAY, attempt.jitter))
        }
        WriteOutcome::NotSent(NotSent::Paced(wait)) => RetryStep::Wait(*wait),
        WriteOutcome::NotSent(NotSent::Limited(refusal)) => {
            RetryStep::Wait(jittered_span(refusal.retry_after.unwrap_or(SECOND), attempt.jitter))
        }
        WriteOutcome::NotSent(NotSent::Misconfigured(why)) => RetryStep::Halt(why.clone()),
        WriteOutcome::Refused(refusal) => step_after_refusal(refusal),
        WriteOutcome::Unknown(unclear) => unknown(unclear, attempt),
    }
}

/// Whether a key is too old to be tried by itself. A clock set back makes a
/// key old, never young.
pub fn is_key_expired(age: i64) -> bool {
    !(0..MAX_KEY_AGE).contains(&age)
}

fn step_after_refusal(refusal: &ApiRefusal) -> RetryStep {
    let stop = match (refusal.code, refusal.status) {
        (_, 401) => StopReason::Auth,
        (Some(ErrorCode::InsufficientCredits), _) | (_, 402) => StopReason::Credits,
        (Some(ErrorCode::SessionExpired), _) => StopReason::Window,
        _ => StopReason::Refused,
    };
    RetryStep::Stop(stop, refusal.describe())
}

fn step_in_progress(refusal: &ApiRefusal, attempt: Attempt) -> RetryStep {
    if !(0..MAX_IN_PROGRESS_TIME).contains(&attempt.in_progress) {
        let why = "an earlier attempt has been in progress on the server for ten minutes";
        return RetryStep::Stop(StopReason::Unknown, SafeText::line(why));
    }
    let grown = (attempt.in_progress / 2).clamp(SECOND, 30 * SECOND);
    RetryStep::AskAgain {
        after: jittered_span(refusal.retry_after.unwrap_or(grown), attempt.jitter),
        counted: false,
    }
}

fn unknown(unclear: &Unclear, attempt: Attempt) -> RetryStep {
    if let Some(refusal) = &unclear.refusal {
        match (refusal.code, refusal.status) {
            (Some(ErrorCode::IdempotencyInProgress), _) => return step_in_progress(refusal, attempt),
            // The bytes or the key are not what this desk thinks: never again by itself.
            // The others would be said again.
            (Some(ErrorCode::IdempotencyConflict), _) | (_, 401 | 403 | 413) => {
                return RetryStep::Stop(StopReason::Unknown, unclear.why.clone());
            }
            _ => {}
        }
    }
    if unclear.is_redirect() {
        return RetryStep::Stop(StopReason::Unknown, unclear.why.clone());
    }
    if unclear.replayed {
        let why = format!("{}, and the server keeps that answer for this row", unclear.why);
        return RetryStep::Stop(StopReason::Unknown, SafeText::line(&why));
    }
    if !is_repeatable(attempt.class, attempt.is_idempotency_supported) {
        return RetryStep::Stop(StopReason::KeyUnproven, describe_not_repeated(unclear.why.as_str()));
    }
    let spent = attempt.class.relies_on_key() && is_key_expired(attempt.age);
    if attempt.failures + 1 >= MAX_FAILURES || spent {
        return RetryStep::Stop(StopReason::Unknown, unclear.why.clone());
    }
    let ceiling = BASE_DELAY.saturating_mul(1 << attempt.failures.min(16)).min(MAX_DELAY);
    let wait = unclear.retry_after.map_or_else(
        || jittered_part(ceiling, attempt.jitter).max(MIN_DELAY),
        |retry_after| jittered_span(retry_after, attempt.jitter),
    );
    RetryStep::AskAgain { after: wait, counted: true }
}

/// Whether what may have been done may be asked again by itself. What reaches
/// many or rings a phone may only where the server was seen to recognise keys.
pub fn is_repeatable(class: RetryClass, recognised: bool) -> bool {
    class != RetryClass::Guarded || recognised
}

/// Why it is not asked again, for the person who decides.
pub fn describe_not_repeated(why: &str) -> SafeText {
    SafeText::line(&format!(
        "{why}; it is not asked again by itself, because this server has not been seen to recognise repetitions"
    ))
}

/// A part of a span, from none to all of it.
fn jittered_part(span: i64, jitter: f64) -> i64 {
    // Thousandths are exact enough and stay integers.
    let thousandths = (0..1000_i16).rev().find(|number| f64::from(*number) / 1000.0 <= jitter).unwrap_or(0);
    span / 1000 * i64::from(thousandths)
}

/// A span and up to a tenth more, so that desks do not come back together.
fn jittered_span(span: i64, jitter: f64) -> i64 {
    span + jittered_part(span / 10, jitter)
}

#[cfg(test)]
mod tests;
