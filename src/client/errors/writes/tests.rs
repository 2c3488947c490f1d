//! Checks the whole table against an independent second implementation: every status, phase and
//! operation.

use crate::errors::writes::classify;
use crate::errors::{AttemptPhase, ErrorCode, NotSent, WriteOutcome};
use crate::headers::{Rate, ResponseFacts};
use crate::receipt::tests::promised;
use crate::request::RawResponse;
use model::outbox::{Operation, RetryClass};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    NotSent,
    Refused,
    Done,
    Unknown,
}

const PHASES: [AttemptPhase; 3] = [AttemptPhase::First, AttemptPhase::Anew, AttemptPhase::AfterUnclear];

/// Returns all valid statuses and some invalid ones.
fn statuses() -> impl Iterator<Item = u16> {
    (100..=599).chain([0, 1, 99, 600, 666, 999, u16::MAX])
}

/// Codes that the API lists for each operation, after their status.
fn listed(operation: &Operation) -> &'static str {
    match operation.word() {
        "send" | "send-content" => {
            "400 VALIDATION_ERROR NOT_CONFIGURED SESSION_EXPIRED INVALID_RECIPIENT TEMPLATE_ERROR \
             UNSUPPORTED_TYPE MEDIA_FETCH_FAILED 402 INSUFFICIENT_CREDITS 409 ANSWERED"
        }
        "mail" => {
            "400 VALIDATION_ERROR NOT_CONFIGURED MEDIA_FETCH_FAILED 402 INSUFFICIENT_CREDITS 409 ANSWERED"
        }
        "sms" => {
            "400 VALIDATION_ERROR NOT_CONFIGURED INVALID_RECIPIENT 402 INSUFFICIENT_CREDITS 409 ANSWERED"
        }
        "call" => "400 VALIDATION_ERROR NOT_CONFIGURED INVALID_RECIPIENT 402 INSUFFICIENT_CREDITS",
        "broadcast" => {
            "400 VALIDATION_ERROR NOT_CONFIGURED NO_RECIPIENTS TEMPLATE_ERROR UNSUPPORTED_TYPE \
             MEDIA_FETCH_FAILED 402 INSUFFICIENT_CREDITS"
        }
        "webhook" => "400 VALIDATION_ERROR WEBHOOK_VERIFICATION_FAILED",
        "react" | "pause" | "resume" => "400 VALIDATION_ERROR NOT_CONFIGURED 404 NOT_FOUND",
        "thread" => "400 VALIDATION_ERROR 404 NOT_FOUND",
        "contact" | "upload" => "400 VALIDATION_ERROR",
        "close" | "contact-delete" | "webhook-delete" => "404 NOT_FOUND",
        word => panic!("{word} has no row"),
    }
}

fn is_listed(operation: &Operation, status: u16, code: &str) -> bool {
    let mut at = 0;
    listed(operation).split_whitespace().any(|word| {
        at = word.parse().unwrap_or(at);
        at == status && word == code
    }) || matches!((status, code), (401, "INVALID_AUTH" | "INVALID_KEY" | "REVOKED_KEY") | (403, "FORBIDDEN"))
}

/// Expected class of a response with an error body.
fn expected_error(
    operation: &Operation,
    phase: AttemptPhase,
    (status, code, kept): (u16, Option<&str>, bool),
) -> Class {
    let is_code = |word: &str| code == Some(word);
    // The API defines no response for these, so a success without a code is accepted.
    let is_untold = ["react", "thread", "webhook-delete"].contains(&operation.word());
    if is_untold && code.is_none() && [200, 201, 203, 204, 205].contains(&status) {
        return Class::Done;
    }
    if !(400..500).contains(&status) {
        return Class::Unknown;
    }
    // Only three statuses are accepted without a code.
    if code.is_none() && ![401, 413, 429].contains(&status) {
        return Class::Unknown;
    }
    if is_code("IDEMPOTENCY_CONFLICT") || is_code("IDEMPOTENCY_IN_PROGRESS") {
        return Class::Unknown;
    }
    if status == 429 || is_code("RATE_LIMIT_EXCEEDED") {
        return Class::NotSent;
    }
    if [408, 421, 425].contains(&status) || status > 451 {
        return Class::Unknown;
    }
    let is_removal = ["contact-delete", "webhook-delete"].contains(&operation.word());
    let is_gone = is_removal && status == 404 && is_code("NOT_FOUND");
    match phase {
        AttemptPhase::First => Class::Refused,
        _ if is_gone => Class::Done,
        AttemptPhase::Anew => Class::Refused,
        AttemptPhase::AfterUnclear => {
            let is_listed = code.is_some_and(|code| is_listed(operation, status, code));
            let is_own = status == 400 || status == 402 || is_code("ANSWERED");
            if is_listed && (is_own || kept) { Class::Refused } else { Class::Unknown }
        }
    }
}

fn class(operation: &Operation, phase: AttemptPhase, status: u16, body: &str, facts: ResponseFacts) -> Class {
    let raw = RawResponse { status, facts, body: body.as_bytes().to_vec() };
    match classify(operation, phase, &raw) {
        WriteOutcome::NotSent(NotSent::Limited(_)) => Class::NotSent,
        WriteOutcome::NotSent(other) => panic!("{status}: an answer came, so {other:?} is wrong"),
        WriteOutcome::Refused(refusal) => {
            assert_eq!(refusal.status, status);
            Class::Refused
        }
        WriteOutcome::Done(_) => Class::Done,
        WriteOutcome::Unknown(unclear) => {
            assert_eq!(unclear.status, Some(status));
            assert!(!unclear.why.is_empty(), "{status} {body}");
            Class::Unknown
        }
    }
}

fn rated() -> ResponseFacts {
    let rate = Some(Rate { limit: 100, remaining: 9, reset_in: None });
    ResponseFacts { rate, content_type: "application/json".to_owned(), ..ResponseFacts::default() }
}

/// Returns each operation once.
fn operations() -> Vec<(Operation, &'static str)> {
    let mut all: Vec<_> = promised().into_iter().map(|(operation, body, _)| (operation, body)).collect();
    let pause = r#"{"success":true,"automationEnabled":false}"#;
    all.push((Operation::SetAutomation { enabled: false }, pause));
    all
}

#[test]
fn every_status_with_an_error_body() {
    let mut codes: Vec<Option<&str>> = ErrorCode::ALL.iter().map(|code| Some(code.word())).collect();
    codes.extend([None, Some("A_NEW_CODE"), Some("not_found")]);
    for code in codes {
        let body = match code {
            Some(code) => format!(r#"{{"code":"{code}","message":"no"}}"#),
            None => r#"{"message":"no"}"#.to_owned(),
        };
        for (operation, _) in operations() {
            for (phase, kept) in PHASES.into_iter().flat_map(|phase| [(phase, false), (phase, true)]) {
                for status in statuses() {
                    let facts = ResponseFacts { replayed: kept, ..rated() };
                    let expected = expected_error(&operation, phase, (status, code, kept));
                    let found = class(&operation, phase, status, &body, facts);
                    let word = operation.word();
                    assert_eq!(found, expected, "{word} {phase:?} {status} {code:?} kept: {kept}");
                }
            }
        }
    }
}

#[test]
fn every_status_with_a_promised_body() {
    for (operation, body) in operations() {
        let failed = format!(r#"{{"status":"failed",{}"#, body.trim_start_matches('{'));
        let sets = operation.retry_class() == RetryClass::Upsert && operation.word() != "contact";
        for phase in PHASES {
            for status in statuses() {
                for kept in [false, true] {
                    let facts = || ResponseFacts { replayed: kept, ..rated() };
                    let name = format!("{} {phase:?} {status} kept: {kept}", operation.word());
                    // 204 and 205 have no body.
                    let is_success = (200..=205).contains(&status);
                    let told = class(&operation, phase, status, body, facts());
                    let without_code = expected_error(&operation, phase, (status, None, kept));
                    match status {
                        202 if ["react", "thread", "webhook-delete"].contains(&operation.word()) => {
                            assert_eq!(told, Class::Unknown, "{name}: only accepted");
                        }
                        _ if is_success => assert_eq!(told, Class::Done, "{name}"),
                        _ => assert_eq!(told, without_code, "{name}"),
                    }
                    if is_success {
                        let told = class(&operation, phase, status, &failed_once(body, &failed), facts());
                        let is_made = operation.retry_class() != RetryClass::Upsert;
                        let expected =
                            if is_made { [Class::Refused; 2] } else { [Class::Refused, Class::Unknown] };
                        assert!(expected.contains(&told), "{name}: {told:?}");
                    }
                    let empty = class(&operation, phase, status, " ", facts());
                    match status {
                        202 => assert_eq!(empty, Class::Unknown, "{name}"),
                        _ if is_success && sets => assert_eq!(empty, Class::Done, "{name}"),
                        _ if is_success => assert_eq!(empty, Class::Unknown, "{name}"),
                        413 if phase != AttemptPhase::AfterUnclear => {
                            assert_eq!(empty, Class::Refused, "{name}");
                        }
                        429 => assert_eq!(empty, Class::NotSent, "{name}"),
                        _ => assert_eq!(empty, Class::Unknown, "{name}"),
                    }
                }
            }
        }
    }
}

/// Returns the defined body with a status word for failure.
fn failed_once(body: &str, failed: &str) -> String {
    match body.split_once(r#""status":""#) {
        Some((before, rest)) => {
            let after = rest.split_once('"').map_or("", |(_, after)| after);
            format!(r#"{before}"status":"failed"{after}"#)
        }
        None => failed.to_owned(),
    }
}

#[test]
fn a_page_of_a_proxy_is_no_answer_of_the_interface() {
    let html = "<html><h1>Gateway</h1></html>";
    for (operation, _) in operations() {
        for phase in PHASES {
            for status in statuses() {
                let facts =
                    ResponseFacts { content_type: "text/html".to_owned(), ..ResponseFacts::default() };
                let expected = match status {
                    429 => Class::NotSent,
                    413 if phase != AttemptPhase::AfterUnclear => Class::Refused,
                    _ => Class::Unknown,
                };
                let name = format!("{} {phase:?} {status}", operation.word());
                assert_eq!(class(&operation, phase, status, html, facts), expected, "{name}");
            }
        }
    }
}

/// Responses of other services to sends: an outcome is only inferred from a named message or from a
/// refusal that rules out a send.
#[test]
fn foreign_shapes_claim_neither_success_nor_failure() {
    use AttemptPhase::{AfterUnclear, First};
    use Class::{Refused, Unknown};
    let cases = [
        // An error beside a success status, or inside the message.
        (First, 200, r#"{"ErrorCode":1101,"Message":"the template does not exist"}"#, Unknown),
        (First, 200, r#"{"status":200,"message":"sent","error":{"type":"iMessage"}}"#, Unknown),
        (First, 200, r#"{"success":false,"status":"ok"}"#, Unknown),
        (First, 200, r#"{"success":true}"#, Unknown),
        (First, 200, r#""delivery failed: the endpoint answered 429""#, Unknown),
        (First, 200, r#"{"messageId":"m1","status":"FAILED"}"#, Refused),
        // A retry while the first attempt runs, or after it, in another server's format.
        (
            AfterUnclear,
            409,
            r#"{"error":"used","code":"IDEMPOTENCY_KEY_REUSED","originalStatusCode":null}"#,
            Unknown,
        ),
        (AfterUnclear, 409, r#"{"errors":[{"code":"1601","message":"in progress"}]}"#, Unknown),
        (
            AfterUnclear,
            422,
            r#"{"error":"the key was used with another payload","code":"CONFLICT"}"#,
            Unknown,
        ),
        // A gateway that timed out after forwarding the request.
        (First, 408, r#"{"error":"request timed out","code":"VALIDATION_ERROR"}"#, Unknown),
        (First, 504, r#"{"error":"upstream timed out","code":"INVALID_RECIPIENT"}"#, Unknown),
        (First, 499, "", Unknown),
    ];
    let (send, _) = operations().into_iter().find(|(operation, _)| operation.word() == "send").expect("one");
    for (phase, status, body, expected) in cases {
        assert_eq!(class(&send, phase, status, body, rated()), expected, "{status} {body}");
    }
}
