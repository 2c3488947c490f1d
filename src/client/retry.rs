//! Decides the next step after the outcome of an attempt. Pure: age, failures and a random number
//! are arguments.
//!
//! - Certainly not executed: the row goes back to the queue.
//! - Possibly executed: the same request is sent again under the same key, if its class allows it
//!   and while the server still knows the key.
//! - Everything else waits for a person.
//!
//! The classification is made in [`crate::errors`].

use crate::errors::{ApiRefusal, NotSent, Unclear, WriteOutcome};
use api::errors::ErrorCode;
use model::outbox::{MAX_KEY_AGE, RetryClass, StopReason};
use model::text::SafeText;
use model::time::{MINUTE, SECOND};

/// Unclear answers until a person must decide.
const MAX_FAILURES: u32 = 4;
/// First delay after an unclear answer; doubles each time.
const BASE_DELAY: i64 = SECOND / 2;
/// Minimum delay after an unclear answer, after jitter.
const MIN_DELAY: i64 = SECOND / 20;
const MAX_DELAY: i64 = 20 * SECOND;
const OFFLINE_DELAY: i64 = 5 * SECOND;
/// Maximum time for which an earlier attempt may be reported as in progress.
const MAX_IN_PROGRESS_TIME: i64 = 10 * MINUTE;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    pub class: RetryClass,
    /// True if the server has replayed a kept answer at this path before.
    pub is_idempotency_supported: bool,
    pub failures: u32,
    /// Microseconds since bytes may first have left under the key, see
    /// [`key_age`](model::outbox::key_age); negative counts as old.
    pub age: i64,
    /// Microseconds since the server first reported an earlier attempt as in progress.
    pub in_progress: i64,
    /// Random number in 0..1.
    pub jitter: f64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryStep {
    Done,
    /// Not executed: back to the queue for this many microseconds.
    Wait(i64),
    /// Possibly executed: the same key is sent again after `after` microseconds.
    AskAgain {
        after: i64,
        /// True if the attempt counts as a failure.
        counted: bool,
    },
    Stop(StopReason, SafeText),
    /// The channel cannot work until it is reconfigured; the row goes back unchanged.
    Halt(SafeText),
}

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

/// True if a key is too old for an automatic retry. A clock set back makes a key old, never young.
pub fn is_key_expired(age: i64) -> bool {
    !(0..MAX_KEY_AGE).contains(&age)
}

fn step_after_refusal(refusal: &ApiRefusal) -> RetryStep {
    if refusal.code == Some(ErrorCode::Answered) {
        return RetryStep::Stop(StopReason::ReplyConflict, refusal.message.clone());
    }
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
            // Never retried automatically: the bytes or the key are not what this desk assumes, or
            // the answer would not change.
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
        let why = format!("{}; the server returns this stored answer to every retry", unclear.why);
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

/// True if an operation that may have been executed may be retried automatically. A guarded one (it
/// reaches many people or rings a phone) only if the server is known to support idempotency keys.
pub fn is_repeatable(class: RetryClass, recognised: bool) -> bool {
    class != RetryClass::Guarded || recognised
}

/// Explains to the person who decides why there is no automatic retry.
pub fn describe_not_repeated(why: &str) -> SafeText {
    SafeText::line(&format!(
        "{why}; not retried automatically because this server is not known to recognise retries"
    ))
}

/// Returns a random part of `span`.
fn jittered_part(span: i64, jitter: f64) -> i64 {
    // Thousandths are precise enough and stay integers.
    let thousandths = (0..1000_i16).rev().find(|number| f64::from(*number) / 1000.0 <= jitter).unwrap_or(0);
    span / 1000 * i64::from(thousandths)
}

/// Returns `span` plus up to a tenth, so that desks do not retry at the same time.
fn jittered_span(span: i64, jitter: f64) -> i64 {
    span + jittered_part(span / 10, jitter)
}

#[cfg(test)]
mod tests;
