//! Next steps for all outcomes.

use crate::errors::writes::classify;
use crate::errors::{ApiRefusal, AttemptPhase, NotSent, Unclear, WriteOutcome};
use crate::headers::{Rate, ResponseFacts};
use crate::request::RawResponse;
use crate::retry::{Attempt, MAX_IN_PROGRESS_TIME, RetryStep, decide, jittered_part};
use api::errors::ErrorCode;
use model::outbox::{MAX_KEY_AGE, Operation, RetryClass, StopReason};
use model::text::SafeText;
use model::time::SECOND;

fn refusal_with(code: Option<ErrorCode>, status: u16, retry_after: Option<i64>) -> ApiRefusal {
    ApiRefusal {
        code,
        word: SafeText::line(code.map_or("?", ErrorCode::word)),
        status,
        message: SafeText::line("no"),
        docs: None,
        retry_after,
    }
}

fn refusal(code: Option<ErrorCode>, status: u16) -> WriteOutcome<()> {
    WriteOutcome::Refused(refusal_with(code, status, None))
}

/// Returns a refusal that leaves the outcome unknown.
fn unsettled(code: ErrorCode, status: u16, retry_after: Option<i64>) -> WriteOutcome<()> {
    let refusal = Some(refusal_with(Some(code), status, retry_after));
    WriteOutcome::Unknown(Unclear { refusal, ..Unclear::new("no", Some(status)) })
}

fn unclear(replayed: bool) -> WriteOutcome<()> {
    WriteOutcome::Unknown(Unclear { replayed, ..Unclear::new("cut short", Some(500)) })
}

const FRESH: Attempt = Attempt {
    class: RetryClass::Send,
    is_idempotency_supported: false,
    failures: 0,
    age: SECOND,
    in_progress: SECOND,
    jitter: 0.5,
};

fn stops(next: &RetryStep) -> Option<StopReason> {
    match next {
        RetryStep::Stop(stop, _) => Some(*stop),
        _ => None,
    }
}

#[test]
fn what_was_not_executed_goes_back_to_the_queue() {
    let offline = WriteOutcome::<()>::NotSent(NotSent::Offline(SafeText::line("no route")));
    let old = Attempt { failures: 3, age: 99 * MAX_KEY_AGE, ..FRESH };
    for attempt in [FRESH, old] {
        assert_eq!(decide(&offline, attempt), RetryStep::Wait(5_250_000), "no limit while offline");
    }
    assert_eq!(decide(&WriteOutcome::<()>::NotSent(NotSent::Paced(7)), FRESH), RetryStep::Wait(7));
    let limited = |wait| WriteOutcome::<()>::NotSent(NotSent::Limited(refusal_with(None, 429, wait)));
    assert_eq!(decide(&limited(Some(20 * SECOND)), FRESH), RetryStep::Wait(21 * SECOND));
    assert_eq!(decide(&limited(None), FRESH), RetryStep::Wait(1_050_000));
    let why = SafeText::line("redirects");
    let halted = WriteOutcome::<()>::NotSent(NotSent::Misconfigured(why.clone()));
    assert_eq!(decide(&halted, FRESH), RetryStep::Halt(why));
}

#[test]
fn refusals_wait_for_a_person() {
    use ErrorCode::*;
    let cases = [
        (Some(ValidationError), 400, StopReason::Refused),
        (Some(InvalidRecipient), 400, StopReason::Refused),
        (Some(TemplateError), 400, StopReason::Refused),
        (Some(UnsupportedType), 400, StopReason::Refused),
        (Some(NotConfigured), 400, StopReason::Refused),
        (Some(NoRecipients), 400, StopReason::Refused),
        (Some(MediaFetchFailed), 400, StopReason::Refused),
        (Some(SessionExpired), 400, StopReason::Window),
        (Some(InvalidAuth), 401, StopReason::Auth),
        (Some(InvalidKey), 401, StopReason::Auth),
        (Some(RevokedKey), 401, StopReason::Auth),
        (Some(InsufficientCredits), 402, StopReason::Credits),
        (Some(Forbidden), 403, StopReason::Refused),
        (Some(Answered), 409, StopReason::ReplyConflict),
        (Some(NotFound), 404, StopReason::Refused),
        (Some(PayloadTooLarge), 413, StopReason::Refused),
        (None, 402, StopReason::Credits),
        (None, 418, StopReason::Refused),
    ];
    for (code, status, stop) in cases {
        assert_eq!(stops(&decide(&refusal(code, status), FRESH)), Some(stop), "{code:?} {status}");
    }
    // The server would repeat these refusals.
    let kept = [(RevokedKey, 401), (Forbidden, 403), (PayloadTooLarge, 413), (IdempotencyConflict, 409)];
    for (code, status) in kept {
        let next = decide(&unsettled(code, status, None), FRESH);
        assert_eq!(stops(&next), Some(StopReason::Unknown), "{status}");
    }
    for (code, status) in [(NotFound, 404), (MethodNotAllowed, 405)] {
        let next = decide(&unsettled(code, status, None), FRESH);
        assert!(matches!(next, RetryStep::AskAgain { counted: true, .. }), "{status}");
        let last = decide(&unsettled(code, status, None), Attempt { failures: 3, ..FRESH });
        assert_eq!(stops(&last), Some(StopReason::Unknown), "{status}");
    }
}

#[test]
fn an_unclear_answer_asks_again_with_the_same_key() {
    let waits: Vec<_> =
        (0..4).map(|failures| decide(&unclear(false), Attempt { failures, ..FRESH })).collect();
    let again = |after| RetryStep::AskAgain { after, counted: true };
    assert_eq!(waits[..3], [again(250_000), again(500_000), again(1_000_000)]);
    assert_eq!(stops(&waits[3]), Some(StopReason::Unknown), "the fourth asks a person");
    assert_eq!(stops(&decide(&unclear(true), FRESH)), Some(StopReason::Unknown), "a kept failure stays");
    for age in [MAX_KEY_AGE, -1] {
        let spent = Attempt { age, ..FRESH };
        assert_eq!(stops(&decide(&unclear(false), spent)), Some(StopReason::Unknown), "{age}");
    }
}

#[test]
fn an_attempt_in_progress_is_waited_for() {
    let busy = |wait| unsettled(ErrorCode::IdempotencyInProgress, 409, wait);
    let cases =
        [(SECOND, None, 1_050_000), (10 * SECOND, None, 5_250_000), (SECOND, Some(SECOND), 1_050_000)];
    for (age, retry_after, after) in cases {
        let next = decide(
            &busy(retry_after),
            Attempt { in_progress: age, age: MAX_KEY_AGE / 2, failures: 9, ..FRESH },
        );
        assert_eq!(next, RetryStep::AskAgain { after, counted: false });
    }
    let long = Attempt { in_progress: MAX_IN_PROGRESS_TIME, ..FRESH };
    assert_eq!(stops(&decide(&busy(None), long)), Some(StopReason::Unknown));
}

#[test]
fn jitter_stays_within_its_span() {
    for jitter in [0.0, 0.001, 0.5, 0.9999] {
        assert!((0..1000).contains(&jittered_part(1000, jitter)));
    }
    assert_eq!(jittered_part(1000, 0.0), 0);
}

/// Classifies a response to the first attempt of a text.
fn answer(status: u16, body: &str, facts: ResponseFacts) -> WriteOutcome<()> {
    let text = Operation::SendText { to: "+34600111222".into(), text: "hi".into(), reply_to: None };
    let raw = RawResponse { status, facts, body: body.as_bytes().to_vec() };
    match classify(&text, AttemptPhase::First, &raw) {
        WriteOutcome::Done(_) => WriteOutcome::Done(()),
        WriteOutcome::NotSent(why) => WriteOutcome::NotSent(why),
        WriteOutcome::Refused(refusal) => WriteOutcome::Refused(refusal),
        WriteOutcome::Unknown(unclear) => WriteOutcome::Unknown(unclear),
    }
}

#[test]
fn the_table_row_by_row() {
    let plain = ResponseFacts::default;
    let json = |code: &str| format!(r#"{{"code":"{code}","message":"no"}}"#);
    let waits =
        |seconds: i64| ResponseFacts { retry_after: Some(seconds * SECOND), ..ResponseFacts::default() };
    let kept = || ResponseFacts { replayed: true, ..ResponseFacts::default() };
    let rate = Rate { limit: 100, remaining: 0, reset_in: Some(40 * SECOND) };
    let again = |after| RetryStep::AskAgain { after, counted: true };
    let cases = [
        ("typed", answer(200, r#"{"messageId":"m"}"#, plain()), RetryStep::Done),
        ("typed and given again", answer(200, r#"{"messageId":"m"}"#, kept()), RetryStep::Done),
        ("untyped", answer(200, "{}", plain()), again(250_000)),
        ("empty", answer(200, "", plain()), again(250_000)),
        ("a portal's page", answer(200, "<html>", plain()), again(250_000)),
        (
            "in progress",
            answer(409, &json("IDEMPOTENCY_IN_PROGRESS"), waits(2)),
            RetryStep::AskAgain { after: 2_100_000, counted: false },
        ),
        ("limited", answer(429, &json("RATE_LIMIT_EXCEEDED"), waits(20)), RetryStep::Wait(21 * SECOND)),
        (
            "what it asks for goes before its counters",
            answer(429, "", ResponseFacts { rate: Some(rate), ..waits(20) }),
            RetryStep::Wait(21 * SECOND),
        ),
        (
            "limited by its counters alone",
            answer(429, "", ResponseFacts { rate: Some(rate), ..plain() }),
            RetryStep::Wait(42 * SECOND),
        ),
        ("limited without a word", answer(429, "", plain()), RetryStep::Wait(1_050_000)),
        ("failed", answer(500, &json("INTERNAL_ERROR"), plain()), again(250_000)),
        ("failed without a word", answer(500, "{}", plain()), again(250_000)),
        ("a proxy's page", answer(502, "<html>", plain()), again(250_000)),
        ("the operator failed", answer(502, &json("WHATSAPP_ERROR"), plain()), again(250_000)),
        ("the operator refused bytes", answer(502, &json("MEDIA_UPLOAD_FAILED"), plain()), again(250_000)),
        ("busy", answer(503, "", waits(4)), again(4_200_000)),
        ("slow", answer(504, "", plain()), again(250_000)),
        ("a page instead of a refusal", answer(400, "<html>", plain()), again(250_000)),
    ];
    for (name, outcome, next) in cases {
        assert_eq!(decide(&outcome, FRESH), next, "{name}: {outcome:?}");
    }
    for status in [301, 302, 303, 307, 308] {
        let outcome =
            answer(status, "", ResponseFacts { location: Some("http://127.0.0.1:9/".into()), ..plain() });
        assert_eq!(stops(&decide(&outcome, FRESH)), Some(StopReason::Unknown), "{status}");
    }
    let stopped = [
        ("a kept failure", answer(500, &json("INTERNAL_ERROR"), kept()), StopReason::Unknown),
        ("a kept nonsense", answer(200, "{}", kept()), StopReason::Unknown),
        ("conflict", answer(409, &json("IDEMPOTENCY_CONFLICT"), plain()), StopReason::Unknown),
        ("no credits", answer(402, &json("INSUFFICIENT_CREDITS"), plain()), StopReason::Credits),
        ("window", answer(400, &json("SESSION_EXPIRED"), plain()), StopReason::Window),
        ("key", answer(401, &json("REVOKED_KEY"), plain()), StopReason::Auth),
        ("too large, from a proxy", answer(413, "<html>", plain()), StopReason::Refused),
        ("unknown word", answer(400, &json("NEW_WORD"), plain()), StopReason::Refused),
        ("unknown status", answer(451, &json("NEW_WORD"), plain()), StopReason::Refused),
    ];
    for (name, outcome, stop) in stopped {
        assert_eq!(stops(&decide(&outcome, FRESH)), Some(stop), "{name}: {outcome:?}");
    }
}

#[test]
fn each_class_repeats_in_its_own_way() {
    let asks =
        |attempt| matches!(decide(&unclear(false), attempt), RetryStep::AskAgain { counted: true, .. });
    let old = Attempt { age: MAX_KEY_AGE, ..FRESH };
    let cases = [
        (RetryClass::Send, true, false),
        (RetryClass::Guarded, false, false),
        (RetryClass::Upsert, true, true),
        (RetryClass::Webhook, true, false),
        (RetryClass::Media, true, true),
    ];
    for (class, fresh, spent) in cases {
        assert_eq!(asks(Attempt { class, ..FRESH }), fresh, "{class:?}");
        assert_eq!(asks(Attempt { class, ..old }), spent, "{class:?} with a spent key");
        let last = Attempt { class, is_idempotency_supported: true, failures: 3, ..FRESH };
        assert_eq!(stops(&decide(&unclear(false), last)), Some(StopReason::Unknown), "{class:?}: four times");
    }
    let guarded = Attempt { class: RetryClass::Guarded, is_idempotency_supported: true, ..FRESH };
    assert!(asks(guarded), "where the server recognises keys");
    assert!(!asks(Attempt { age: MAX_KEY_AGE, ..guarded }), "but not for ever");
    // Operations of every class are repeated if they were certainly not executed.
    let offline = WriteOutcome::<()>::NotSent(NotSent::Offline(SafeText::line("no route")));
    assert!(matches!(decide(&offline, Attempt { class: RetryClass::Guarded, ..FRESH }), RetryStep::Wait(_)));
}
