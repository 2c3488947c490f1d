//! The client over real sockets.

mod lists;

use std::sync::Arc;
use std::time::Duration;

use wiremock::matchers::{any, body_bytes, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::connect::ClientTimeouts;
use crate::{AttemptPhase, Client, NotSent, ReadError, ReceiptKind, WriteOutcome};
use model::ids::{ConversationId, IdempotencyKey};
use model::outbox::{Operation, PreparedRequest, WriteMethod};
use model::secret::Secret;
use model::time::{Clock, MINUTE, Timestamp};

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(1_000_000 * MINUTE)
    }
}

fn client(server: &str, bounds: ClientTimeouts) -> Client {
    let key = Secret::new("svc_live_0123456789");
    Client::with_timeouts(&format!("{server}/v1"), &key, Arc::new(Still), bounds).unwrap()
}

fn text() -> (Operation, PreparedRequest, IdempotencyKey) {
    let operation = Operation::SendText { to: "+34600111222".into(), text: "hi".into(), reply_to: None };
    let body = br#"{"to":"+34600111222","type":"text","text":{"body":"hi"}}"#.to_vec();
    (operation, PreparedRequest::json(WriteMethod::Post, "/messages/send", body), "key-1".into())
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let elsewhere = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(200)).expect(0).mount(&elsewhere).await;
    for status in [301, 302, 303, 307, 308] {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(status).insert_header("location", elsewhere.uri());
        Mock::given(any()).respond_with(answer).expect(2).mount(&server).await;
        let client = client(&server.uri(), ClientTimeouts::default());
        let read = client.account().await;
        assert!(matches!(read, Err(ReadError::Misconfigured(_))), "{status}: {read:?}");
        let (operation, request, key) = text();
        let sent = client.send_write(&operation, &request, &key, AttemptPhase::First).await;
        let WriteOutcome::Unknown(unclear) = &sent else { panic!("{status}: {sent:?}") };
        assert!(unclear.is_redirect(), "it may follow work that was done: {status}");
    }
}

#[tokio::test]
async fn an_answer_has_a_bound() {
    let server = MockServer::start().await;
    let large = ResponseTemplate::new(200).set_body_bytes(vec![b' '; (1 << 20) + 1]);
    Mock::given(any()).respond_with(large).mount(&server).await;
    let client = client(&server.uri(), ClientTimeouts { body: 1 << 20, ..ClientTimeouts::default() });
    let Err(ReadError::Trouble(why)) = client.account().await else { panic!("it was read") };
    assert_eq!(why.as_str(), "the server's answer is larger than 1 MiB and was not read");
    let (operation, request, key) = text();
    let sent = client.send_write(&operation, &request, &key, AttemptPhase::First).await;
    assert!(matches!(sent, WriteOutcome::Unknown(_)), "it may have been done: {sent:?}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let short = Duration::from_millis(50);
    let cases = [
        ClientTimeouts { read_total: short, write_total: short, ..ClientTimeouts::default() },
        ClientTimeouts { idle: short, write_total: 2 * short, ..ClientTimeouts::default() },
    ];
    for bounds in cases {
        let client = client(&address, bounds);
        let Err(ReadError::Offline(why)) = client.account().await else { panic!("it answered") };
        assert_eq!(why.as_str(), "the server did not answer in time");
        let (operation, request, key) = text();
        let sent = client.send_write(&operation, &request, &key, AttemptPhase::First).await;
        assert!(matches!(sent, WriteOutcome::Unknown(_)), "bytes may have left: {sent:?}");
    }
    drop(silent);
    let (operation, request, key) = text();
    let sent = client(&address, ClientTimeouts::default())
        .send_write(&operation, &request, &key, AttemptPhase::First)
        .await;
    assert!(matches!(sent, WriteOutcome::NotSent(NotSent::Offline(_))), "nothing can have left: {sent:?}");
}

/// A write or an upload may take its whole timeout until the response begins; the idle timeout
/// applies to reads and to pauses within a response.
#[tokio::test]
async fn a_write_has_all_its_time_before_the_answer_begins() {
    let server = MockServer::start().await;
    let answer = r#"{"messageId":"m1","status":"sent","creditsUsed":1,"creditsRemaining":9}"#;
    let late = ResponseTemplate::new(200).set_body_raw(answer, "application/json");
    Mock::given(any()).respond_with(late.set_delay(Duration::from_millis(300))).mount(&server).await;
    let bounds = ClientTimeouts { idle: Duration::from_millis(30), ..ClientTimeouts::default() };
    let client = client(&server.uri(), bounds);
    let (operation, request, key) = text();
    let sent = client.send_write(&operation, &request, &key, AttemptPhase::First).await;
    assert!(matches!(sent, WriteOutcome::Done(_)), "{sent:?}");
    assert!(matches!(client.account().await, Err(ReadError::Offline(_))), "a read is given up");
}

/// A proxy in front of the server may send JSON, but without codes.
#[tokio::test]
async fn a_refusal_without_a_code_is_not_the_interfaces_word() {
    for status in [400, 402, 403, 404, 409, 410, 422] {
        let server = MockServer::start().await;
        let answer =
            ResponseTemplate::new(status).set_body_raw(r#"{"message":"no Route"}"#, "application/json");
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let client = client(&server.uri(), ClientTimeouts::default());
        let (operation, request, key) = text();
        let sent = client.send_write(&operation, &request, &key, AttemptPhase::First).await;
        assert!(matches!(sent, WriteOutcome::Unknown(_)), "{status}: {sent:?}");
        let read = client.account().await;
        let is_classed = match status {
            404 => matches!(read, Err(ReadError::NoSuchPath(_))),
            _ => matches!(read, Err(ReadError::Trouble(_))),
        };
        assert!(is_classed, "{status}: {read:?}");
    }
}

#[tokio::test]
async fn a_send_leaves_with_its_exact_bytes_and_key() {
    let server = MockServer::start().await;
    let (operation, request, key) = text();
    let answer =
        r#"{"messageId":"m1","whatsappMessageId":"w1","status":"sent","creditsUsed":1,"creditsRemaining":9}"#;
    Mock::given(method("POST"))
        .and(path("/v1/messages/send"))
        .and(header("authorization", "Bearer svc_live_0123456789"))
        .and(header("idempotency-key", "key-1"))
        .and(header("content-type", "application/json"))
        .and(body_bytes(request.body.clone()))
        .respond_with(
            ResponseTemplate::new(200)
                .set_body_raw(answer, "application/json")
                .insert_header("idempotent-replayed", "true"),
        )
        .expect(1)
        .mount(&server)
        .await;
    let outcome = client(&server.uri(), ClientTimeouts::default())
        .send_write(&operation, &request, &key, AttemptPhase::First)
        .await;
    let WriteOutcome::Done(receipt) = outcome else { panic!("{outcome:?}") };
    assert!(receipt.replayed);
    assert_eq!((receipt.kind.created_id(), receipt.credits), (Some("m1"), Some(9.0)));
    assert!(matches!(receipt.kind, ReceiptKind::Sent { .. }));
}

#[tokio::test]
async fn a_success_of_another_shape_is_not_a_success() {
    let cases = ["", "{}", "<html>", r#"{"messageId":""}"#, r#"{"status":"sent"}"#, "[]"];
    for body in cases {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(200).set_body_raw(body, "application/json");
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let (operation, request, key) = text();
        let outcome = client(&server.uri(), ClientTimeouts::default())
            .send_write(&operation, &request, &key, AttemptPhase::First)
            .await;
        assert!(matches!(outcome, WriteOutcome::Unknown(_)), "{body}: {outcome:?}");
    }
}

#[tokio::test]
async fn refused_reads_are_told_apart() {
    type Is = fn(&ReadError) -> bool;
    let cases: [(u16, &str, Is); 7] = [
        (401, r#"{"code":"INVALID_KEY","message":"no"}"#, |error| matches!(error, ReadError::Refused { .. })),
        (403, r#"{"code":"FORBIDDEN","message":"no"}"#, |error| matches!(error, ReadError::Forbidden(_))),
        (404, r#"{"code":"NOT_FOUND","message":"no"}"#, |error| matches!(error, ReadError::NotFound(_))),
        (400, r#"{"code":"VALIDATION_ERROR","message":"no"}"#, |error| {
            matches!(error, ReadError::Rejected(_))
        }),
        (401, "<html>log in</html>", |error| matches!(error, ReadError::Trouble(_))),
        (429, "", |error| matches!(error, ReadError::Limited(_))),
        (500, r#"{"code":"INTERNAL_ERROR","message":"no"}"#, |entry| matches!(entry, ReadError::Trouble(_))),
    ];
    for (status, body, is) in cases {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(status).set_body_raw(body, "application/json");
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let read =
            client(&server.uri(), ClientTimeouts::default()).conversation(&ConversationId::from("c1")).await;
        assert!(read.as_ref().is_err_and(is), "{status} {body}: {read:?}");
    }
}
