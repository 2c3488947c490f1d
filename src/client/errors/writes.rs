//! Classes the answer to a write: one table of status, phase and operation.
//!
//! A write leaves under an idempotency key. The server runs the first request
//! under a key and keeps its answer for 24 hours; a repetition with the same
//! bytes is told the kept answer, with `Idempotent-Replayed: true`, and runs
//! nothing. So after an unclear attempt (a lost connection, a 5xx, an answer
//! that is not the interface's) the same bytes are sent again under the same
//! key, and one question decides everything: could this answer have been given
//! although the earlier attempt was carried out? Where it could, the outcome
//! stays unknown, and nobody is told that nothing was sent.
//!
//! | answer | first attempt | after an unclear attempt |
//! |---|---|---|
//! | 200, 201, 202, 203 with what the interface promises | done | done |
//! | the same with a status such as `failed` | refused | refused |
//! | 200, 201, 203, 204, 205 without a body, where only a state is set | done | done |
//! | another 2xx, another body, an error in the body | unknown | unknown |
//! | 1xx, 3xx, 5xx and whatever is no status | unknown | unknown |
//! | 408, 421, 425, 452 and above | unknown | unknown |
//! | 409 about the key | unknown | unknown |
//! | 429 | not sent | not sent; what was unclear stays so |
//! | 400 or 402 with a code listed for the operation | refused | refused |
//! | 404 to the removal of a contact or webhook | refused | done: it is gone |
//! | other 4xx with a code; 401 in JSON; any 413 | refused | unknown |
//! | the same as kept answer, with a code listed for the operation | refused | refused |
//! | 4xx without a code | unknown | unknown |
//!
//! Reasons, row by row:
//!
//! - *Done* is believed in every phase: whichever attempt ran, one did.
//!   202 without a body says that something was accepted, not that a state
//!   holds. 206, 207, 208 and 226 answer other requests than these.
//! - *Failed* in a promised answer is the result of the only run under the key.
//! - *3xx* may follow work that was done (303 is meant for that), and the next
//!   address would be given the key. The tab stops until `base_url` is right.
//! - *408, 421, 425* and what proxies invent above 451 speak about the
//!   exchange and not about what was asked: a proxy that gives up waiting for
//!   an answer has passed the request on.
//! - *409 about the key*: another attempt is running, or the key was used with
//!   other bytes. Either way something was accepted under it.
//! - *429* comes from the limiter, which stands before everything else. It
//!   says nothing about attempts before it.
//! - *400 and 402* with a code of the interface's table judge the bytes, which
//!   are the same in both attempts, or come from the operation itself, behind
//!   the store of keys: had the earlier attempt been accepted, its answer would
//!   have come back. A code that the interface does not list for the operation
//!   comes from somewhere else.
//! - *401, 403, 404, 405, 413* and the rest are also said by what stands before
//!   the store of keys: authentication, scopes, routes, proxies, a replica that
//!   is behind. After an unclear attempt they say nothing about it; on a first
//!   attempt they say that this one went no further.
//! - *A kept answer* is the result of the only run under the key, whichever
//!   status it has, as long as the interface lists it for the operation.
//! - *Without a code* the answer is not the interface's. 413 and 429 are
//!   believed, because proxies send them with pages of their own before they
//!   pass anything on, and so is 401 in JSON.
//!
//! No connection at all is "not sent" as well, and leaves what was unclear
//! unclear.

use crate::errors::{
    ApiRefusal, AttemptPhase, ErrorCode, NotSent, Unclear, WriteOutcome, describe_server_error, refusal,
};
use crate::receipt::{self, AcceptedAnswer, ReadReceipt, Receipt, ReceiptKind};
use crate::request::RawResponse;
use crate::words;
use model::outbox::Operation;
use model::text::SafeText;

/// Classes an answer that came whole.
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
            message: SafeText::line("the server took it, and says that it failed"),
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
    let is_gone = is_removal(operation) && refusal.code == Some(ErrorCode::NotFound) && refusal.status == 404;
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
            let why = format!("the answer to an earlier attempt was lost, and now: {}", refusal.describe());
            unsettled_outcome(raw, SafeText::line(&why), refusal)
        }
    }
}

/// True if a refusal says that no attempt under the key was carried out.
fn is_settling(operation: &Operation, refusal: &ApiRefusal, is_kept: bool) -> bool {
    let Some(code) = refusal.code.filter(|code| code.status() == refusal.status) else { return false };
    is_listed_error(operation, code) && (is_kept || matches!(refusal.status, 400 | 402))
}

/// True if the interface lists a code among the answers to an operation.
fn is_listed_error(operation: &Operation, code: ErrorCode) -> bool {
    use ErrorCode::*;
    if matches!(code, InvalidAuth | InvalidKey | RevokedKey | Forbidden) {
        return true;
    }
    match operation {
        Operation::SendText { .. } | Operation::SendContent { .. } => matches!(
            code,
            ValidationError
                | NotConfigured
                | SessionExpired
                | InvalidRecipient
                | TemplateError
                | UnsupportedType
                | MediaFetchFailed
                | InsufficientCredits
        ),
        Operation::SendMail(_) => {
            matches!(code, ValidationError | NotConfigured | MediaFetchFailed | InsufficientCredits)
        }
        Operation::SendSms { .. } | Operation::Call { .. } => {
            matches!(code, ValidationError | NotConfigured | InvalidRecipient | InsufficientCredits)
        }
        Operation::Broadcast { .. } => matches!(
            code,
            ValidationError
                | NotConfigured
                | NoRecipients
                | TemplateError
                | UnsupportedType
                | MediaFetchFailed
                | InsufficientCredits
        ),
        Operation::AddWebhook { .. } => matches!(code, ValidationError | WebhookVerificationFailed),
        Operation::React { .. } | Operation::SetAutomation { .. } => {
            matches!(code, ValidationError | NotConfigured | NotFound)
        }
        Operation::ChangeThread { .. } => matches!(code, ValidationError | NotFound),
        Operation::SaveContact(_)
        | Operation::ChangeTags { .. }
        | Operation::ChangeContact(_)
        | Operation::SendFile(_)
        | Operation::Upload { .. } => code == ValidationError,
        Operation::Close | Operation::DeleteContact { .. } | Operation::RemoveWebhook { .. } => {
            code == NotFound
        }
    }
}

/// True if it is done once the thing does not exist.
fn is_removal(operation: &Operation) -> bool {
    matches!(operation, Operation::DeleteContact { .. } | Operation::RemoveWebhook { .. })
}

fn unsettled_outcome(raw: &RawResponse, why: SafeText, refusal: ApiRefusal) -> WriteOutcome<Receipt> {
    WriteOutcome::Unknown(Unclear {
        why,
        status: Some(raw.status),
        replayed: raw.facts.replayed,
        retry_after: refusal.retry_after,
        refusal: Some(refusal),
    })
}

fn unknown(raw: &RawResponse, why: SafeText) -> WriteOutcome<Receipt> {
    WriteOutcome::Unknown(Unclear {
        why,
        status: Some(raw.status),
        replayed: raw.facts.replayed,
        retry_after: raw.facts.retry_after,
        refusal: None,
    })
}

/// Says what came where the interface promises something else.
fn describe_unexpected(raw: &RawResponse) -> SafeText {
    let is_object = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&raw.body).is_ok();
    if is_object || (raw.body.trim_ascii().is_empty() && (200..300).contains(&raw.status)) {
        return SafeText::line(&format!(
            "the server answered, but not with what was promised ({})",
            raw.status
        ));
    }
    SafeText::line(&words::describe_not_json(&raw.facts, &raw.body, raw.status))
}

#[cfg(test)]
mod tests;
