//! A server that carried out the request, lost its answer, and answers differently on a retry.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use frontdesk::model::news::Health;
use frontdesk::model::outbox::{RowState, StopReason};
use serde_json::json;

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, conversation, message, page, quiet};

async fn chat(answer: impl Fn(usize, &Request) -> Answer + Send + 'static) -> (Hands, Arc<AtomicUsize>) {
    let done = Arc::new(AtomicUsize::new(0));
    let count = done.clone();
    let hands = Hands::on(move |request| match request.route().as_str() {
        "GET /conversations" => Answer::ok(page(&[conversation("c1", 1, 0)], None)),
        "GET /conversations/c1/messages" => Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None)),
        _ if request.method == "GET" => quiet(request),
        _ => answer(count.fetch_add(1, Ordering::SeqCst), request),
    })
    .await;
    hands.pull().await;
    hands.pass(5);
    (hands, done)
}

fn html(status: u16) -> Answer {
    let headers = "content-type: text/html\r\n".to_owned();
    Answer::Full { status, headers, body: b"<html><h1>Gateway</h1></html>".to_vec() }
}

/// Sends one text until nothing is due; returns the reason of a stop.
async fn ends(hands: &Hands) -> Option<StopReason> {
    hands.queue_text("c1", "Only once");
    for _ in 0..12 {
        hands.push().await;
        hands.pass(25);
    }
    let rows = hands.store.lane_rows(&crate::hands::id()).await.expect("rows");
    rows.first().map(|row| match row.row.state {
        RowState::Stopped(stop, _) => stop,
        ref other => panic!("{other:?}"),
    })
}

#[tokio::test]
async fn a_refusal_after_a_lost_answer_does_not_say_that_nothing_was_sent() {
    let cases = [
        (401, "REVOKED_KEY"),
        (403, "FORBIDDEN"),
        (404, "NOT_FOUND"),
        (405, "METHOD_NOT_ALLOWED"),
        (408, "REQUEST_TIMEOUT"),
        (409, "CONFLICT"),
        (409, "IDEMPOTENCY_CONFLICT"),
        (410, "GONE"),
        (413, "PAYLOAD_TOO_LARGE"),
        (421, "MISDIRECTED_REQUEST"),
        (422, "UNPROCESSABLE"),
        (425, "TOO_EARLY"),
        (400, "BAD_REQUEST"),
        (400, "NO_RECIPIENTS"),
    ];
    for (status, code) in cases {
        // Carried out, and the connection is lost.
        let (hands, asked) = chat(move |attempt, _| match attempt {
            0 => Answer::Cut,
            _ => Answer::refusal(status, code, "no"),
        })
        .await;
        let stop = ends(&hands).await;
        assert_eq!(stop, Some(StopReason::Unknown), "{status} {code}");
        assert!(asked.load(Ordering::SeqCst) > 1, "{status} {code}: it was asked again");
        let keys: std::collections::BTreeSet<_> =
            hands.server.posts().iter().map(|post| post.key().to_owned()).collect();
        assert_eq!(keys.len(), 1, "{status} {code}: never under another key by itself");
    }
}

#[tokio::test]
async fn a_refusal_of_the_operation_itself_settles_a_lost_answer() {
    for (status, code, stop) in [
        (400, "VALIDATION_ERROR", StopReason::Refused),
        (400, "SESSION_EXPIRED", StopReason::Window),
        (402, "INSUFFICIENT_CREDITS", StopReason::Credits),
    ] {
        let (hands, _) = chat(move |attempt, _| match attempt {
            0 => Answer::Cut,
            _ => Answer::refusal(status, code, "no"),
        })
        .await;
        assert_eq!(ends(&hands).await, Some(stop), "{status} {code}");
    }
}

#[tokio::test]
async fn what_is_no_answer_of_the_interface_is_asked_again() {
    let sent = || Answer::ok(json!({"messageId": "m2", "status": "sent"}));
    for first in [408, 421, 425, 500, 502, 400, 403, 404, 204, 206, 207, 200] {
        let (hands, asked) = chat(move |attempt, _| match attempt {
            0 => html(first),
            _ => sent().header("idempotent-replayed", "true"),
        })
        .await;
        assert_eq!(ends(&hands).await, None, "{first}");
        assert_eq!(asked.load(Ordering::SeqCst), 2, "{first}");
    }
}

#[tokio::test]
async fn a_redirect_may_follow_work_that_was_done() {
    for status in [301, 302, 303, 307, 308] {
        let (hands, asked) = chat(move |_, _| {
            let headers = "location: https://elsewhere.example/v1\r\n".to_owned();
            Answer::Full { status, headers, body: Vec::new() }
        })
        .await;
        assert_eq!(ends(&hands).await, Some(StopReason::Unknown), "{status}");
        assert_eq!(asked.load(Ordering::SeqCst), 1, "{status}: never followed, never repeated");
        assert!(hands.channel.is_stopped(), "{status}");
        assert!(matches!(hands.health(), Some(Health::Misconfigured { .. })), "{status}");
    }
}

#[tokio::test]
async fn a_message_that_the_server_says_failed_is_not_sent() {
    let (hands, asked) =
        chat(|_, _| Answer::ok(json!({"messageId": "m2", "status": "failed", "creditsUsed": 0}))).await;
    assert_eq!(ends(&hands).await, Some(StopReason::Refused));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}
