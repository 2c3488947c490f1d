//! Classifies the response to a write by status, phase and operation.
//!
//! Every write carries an idempotency key. The server executes the first request under a key and
//! keeps its answer for 24 hours; a retry with the same bytes gets the kept answer, marked
//! `Idempotent-Replayed: true`, and executes nothing. After an unclear attempt (a lost connection,
//! a 5xx, a response the API does not define) the same bytes are therefore sent again under the
//! same key. If the response to the retry is also possible after the earlier attempt was executed,
//! the outcome stays unknown.
//!
//! | answer | first attempt | after an unclear attempt |
//! |---|---|---|
//! | 200, 201, 202, 203 with the body that the API defines | done | done |
//! | as above, with a status word such as `failed` | refused | refused |
//! | 200, 201, 203, 204, 205 without a body, if the operation sets a state | done | done |
//! | another 2xx, another body, an error in the body | unknown | unknown |
//! | 1xx, 3xx, 5xx and invalid statuses | unknown | unknown |
//! | 408, 421, 425, 452 and above | unknown | unknown |
//! | 409 with an idempotency code | unknown | unknown |
//! | 429 | not sent | not sent; the earlier attempt stays unclear |
//! | 400 or 402 with a code listed for the operation, or 409 `ANSWERED` | refused | refused |
//! | 404 to the removal of a contact or webhook | refused | done: it no longer exists |
//! | other 4xx with a code; 401 in JSON; any 413 | refused | unknown |
//! | kept answer, with a code listed for the operation | refused | refused |
//! | 4xx without a code | unknown | unknown |
//!
//! Reasons, row by row:
//!
//! - *Done* holds in every phase: one of the attempts was executed. 202 without a body confirms
//!   only that something was accepted, not that a state is set. 206, 207, 208 and 226 do not answer
//!   these requests.
//! - *Failed* in the defined body is the result of the only execution under the key.
//! - *3xx* may follow a completed operation (303 is meant for that), and following it would send
//!   the key to another address. The channel stops until `base_url` is corrected.
//! - *408, 421, 425* and proxy statuses above 451 concern the exchange, not the operation: a proxy
//!   that times out has already forwarded the request.
//! - *409 with an idempotency code*: another attempt is running, or the key was used with other
//!   bytes. Either way something was accepted under the key.
//! - *429* comes from the rate limiter in front of the server and proves nothing about earlier
//!   attempts.
//! - *400 and 402* with a code listed for the operation judge the bytes, which are the same in both
//!   attempts, or come from the operation itself, behind the idempotency store: had the earlier
//!   attempt been accepted, its kept answer would have been returned. A code not listed for the
//!   operation has another source.
//! - *409 `ANSWERED`* comes from behind the idempotency store as well.
//! - *401, 403, 404, 405, 413* and the rest can come from in front of the idempotency store:
//!   authentication, scopes, routes, proxies, a lagging replica. They show that this attempt was
//!   not executed and prove nothing about an earlier one.
//! - *A kept answer* with a listed code is the result of the only execution under the key, whatever
//!   its status.
//! - *Without a code* the response is not the API's. Exceptions are 413 and 429, which proxies send
//!   with pages of their own before they forward anything, and 401 in JSON.
//!
//! A failed connection is "not sent" and leaves an earlier unclear attempt unclear.

use crate::errors::{
    ApiRefusal, AttemptPhase, ErrorCode, NotSent, Unclear, WriteOutcome, describe_server_error, refusal,
};
use crate::receipt::{self, AcceptedAnswer, ReadReceipt, Receipt, ReceiptKind};
use crate::request::RawResponse;
use crate::words;
use model::outbox::Operation;
use model::text::SafeText;

pub(crate) fn classify(
    operation: &Operation,
    phase: AttemptPhase,
    raw: &RawResponse,
) -> WriteOutcome<Receipt> {
    match raw.status {
        200..=205 => classify_accepted(operation, raw),
        300..=399 => unknown(raw, SafeText::line(&words::redirect(&raw.facts, raw.status))),
        400..=499 => match refusal(raw.status, &raw.facts, &raw.body) {
            Some(refusal) => classify_refused(operation, phase, raw, refusal),
            None => unknown(raw, describe_unexpected(raw)),
        },
        500..=599 => unknown(raw, describe_server_error(raw.status, &raw.facts, &raw.body)),
        _ => unknown(raw, describe_unexpected(raw)),
    }
}

/// Classifies the complete response to a write of the team. Such a write has no idempotency key and
/// is classified as a first attempt. `read` parses the body of an accepted answer, and of a 409
/// that names the present claim.
pub(crate) fn classify_shared<T>(raw: &RawResponse, read: impl Fn(&[u8]) -> Option<T>) -> WriteOutcome<T> {
    let refusal = refusal(raw.status, &raw.facts, &raw.body);
    match (raw.status, refusal) {
        (200..=205, _) => match read(&raw.body) {
            Some(done) => WriteOutcome::Done(done),
            None => unknown(raw, describe_unexpected(raw)),
        },
        (300..=399, _) => unknown(raw, SafeText::line(&words::redirect(&raw.facts, raw.status))),
        (409, Some(refusal)) => match read(&raw.body) {
            Some(stands) if refusal.code == Some(ErrorCode::Claimed) => WriteOutcome::Done(stands),
            _ => WriteOutcome::Refused(refusal),
        },
        (408 | 421 | 425 | 452..=499, Some(refusal)) => unsettled_outcome(raw, refusal.describe(), refusal),
        (429, Some(refusal)) => WriteOutcome::NotSent(NotSent::Limited(refusal)),
        (400..=499, Some(refusal)) => WriteOutcome::Refused(refusal),
        (500..=599, _) => unknown(raw, describe_server_error(raw.status, &raw.facts, &raw.body)),
        _ => unknown(raw, describe_unexpected(raw)),
    }
}

fn classify_accepted(operation: &Operation, raw: &RawResponse) -> WriteOutcome<Receipt> {
    let answer = AcceptedAnswer {
        status: raw.status,
        body: &raw.body,
        replayed: raw.facts.replayed,
        is_rated: raw.facts.rate.is_some(),
        server_time: raw.facts.date,
    };
    match receipt::read(operation, answer) {
        ReadReceipt::Promised(receipt) => WriteOutcome::Done(receipt),
        ReadReceipt::Failed(word) => WriteOutcome::Refused(ApiRefusal {
            code: None,
            word: SafeText::line(&word.to_ascii_uppercase()),
            status: raw.status,
            message: SafeText::line("the server accepted the request but reports that it failed"),
            docs: None,
            retry_after: None,
        }),
        ReadReceipt::Other => unknown(raw, describe_unexpected(raw)),
    }
}

fn classify_refused(
    operation: &Operation,
    phase: AttemptPhase,
    raw: &RawResponse,
    refusal: ApiRefusal,
) -> WriteOutcome<Receipt> {
    if refusal.is_idempotency_error() {
        return unsettled_outcome(raw, refusal.describe(), refusal);
    }
    let is_limit = refusal.code == Some(ErrorCode::RateLimitExceeded) || refusal.status == 429;
    if is_limit {
        return WriteOutcome::NotSent(NotSent::Limited(refusal));
    }
    if matches!(refusal.status, 408 | 421 | 425 | 452..) {
        return unsettled_outcome(raw, refusal.describe(), refusal);
    }
    let is_gone =
        receipt::is_removal(operation) && refusal.code == Some(ErrorCode::NotFound) && refusal.status == 404;
    match phase {
        AttemptPhase::First => WriteOutcome::Refused(refusal),
        AttemptPhase::Anew | AttemptPhase::AfterUnclear if is_gone => {
            WriteOutcome::Done(Receipt::from_kind(ReceiptKind::Deleted))
        }
        AttemptPhase::Anew => WriteOutcome::Refused(refusal),
        AttemptPhase::AfterUnclear if is_settling(operation, &refusal, raw.facts.replayed) => {
            WriteOutcome::Refused(refusal)
        }
        AttemptPhase::AfterUnclear => {
            let why = format!(
                "the response to an earlier attempt was lost; the latest response: {}",
                refusal.describe()
            );
            unsettled_outcome(raw, SafeText::line(&why), refusal)
        }
    }
}

/// True if a refusal proves that no attempt under the key was executed.
fn is_settling(operation: &Operation, refusal: &ApiRefusal, is_kept: bool) -> bool {
    let Some(code) = refusal.code.filter(|code| code.status() == refusal.status) else { return false };
    let is_judged = matches!(refusal.status, 400 | 402) || code == ErrorCode::Answered;
    receipt::is_listed_error(operation, code) && (is_kept || is_judged)
}

fn unsettled_outcome<T>(raw: &RawResponse, why: SafeText, refusal: ApiRefusal) -> WriteOutcome<T> {
    WriteOutcome::Unknown(Unclear {
        why,
        status: Some(raw.status),
        replayed: raw.facts.replayed,
        retry_after: refusal.retry_after,
        refusal: Some(refusal),
    })
}

fn unknown<T>(raw: &RawResponse, why: SafeText) -> WriteOutcome<T> {
    WriteOutcome::Unknown(Unclear {
        why,
        status: Some(raw.status),
        replayed: raw.facts.replayed,
        retry_after: raw.facts.retry_after,
        refusal: None,
    })
}

/// Describes a response that the API does not define.
fn describe_unexpected(raw: &RawResponse) -> SafeText {
    let is_object = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&raw.body).is_ok();
    if is_object || (raw.body.trim_ascii().is_empty() && (200..300).contains(&raw.status)) {
        return SafeText::line(&format!("the server's response does not follow the API ({})", raw.status));
    }
    SafeText::line(&words::describe_not_json(&raw.facts, &raw.body, raw.status))
}

#[cfg(test)]
mod tests;
