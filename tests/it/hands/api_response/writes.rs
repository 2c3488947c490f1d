//! Answers to writes with missing, extra or different content.

use frontdesk::model::conversations::Automation;
use frontdesk::model::news::News;
use frontdesk::model::outbox::{Operation, RowState, StopReason};
use frontdesk::sync::PushStep;
use serde_json::json;

use crate::hands::api_response::{chat, ready, sends, sent};
use crate::hands::server::Answer;
use crate::hands::{detail, page};

/// An answer that proves nothing: the request is repeated with the same key.
async fn asks_again(first: impl Fn() -> Answer + Send + 'static) {
    let hands = ready().await;
    hands.server.now(sends(move |count| match count {
        1 => first(),
        _ => sent("sent-1").header("idempotent-replayed", "true"),
    }));
    hands.queue_text("c1", "Only once");
    let step = hands.push().await;
    assert!(matches!(step, PushStep::Due(_)), "{step:?}");
    assert_eq!(hands.history("c1").outbox[0].state, RowState::Uncertain);
    hands.pass(30);
    assert_eq!(hands.push().await, PushStep::Idle);
    let posts = hands.server.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!((posts[0].key(), &posts[0].body), (posts[1].key(), &posts[1].body));
    assert_eq!(hands.messages("c1"), ["m1", "sent-1"]);
}

pub async fn html_200() {
    asks_again(|| Answer::raw(200, "text/html", b"<html><body>Log in to the hotel</body></html>")).await;
}

pub async fn empty_200() {
    asks_again(|| Answer::raw(200, "application/json", b"")).await;
}

pub async fn truncated_json() {
    asks_again(|| Answer::Short { status: 200, body: br#"{"messageId":"sent-1","status":"s"#.to_vec() })
        .await;
}

pub async fn code_against_status() {
    asks_again(|| Answer::ok(json!({"code": "INTERNAL_ERROR", "message": "no"}))).await;
    // Whatever else it holds.
    asks_again(|| Answer::ok(json!({"code": "INTERNAL_ERROR", "message": "no", "messageId": "m9"}))).await;
}

pub async fn failure_without_code() {
    asks_again(|| Answer::status(500, json!({}))).await;
    asks_again(|| Answer::raw(502, "text/html", b"<html>Bad gateway</html>")).await;
}

pub async fn replayed_failure() {
    let hands = ready().await;
    hands.server.now(sends(|_| {
        Answer::refusal(500, "INTERNAL_ERROR", "it broke").header("idempotent-replayed", "true")
    }));
    hands.queue_text("c1", "Hello");
    hands.push().await;
    hands.pass(50);
    hands.push().await;
    assert_eq!(hands.server.posts().len(), 1, "asking again brings the same");
    let state = hands.history("c1").outbox.remove(0).state;
    assert!(matches!(state, RowState::Stopped(StopReason::Unknown, _)), "{state:?}");
}

pub async fn no_content() {
    let hands = ready().await;
    hands.server.now(|request| match request.route().as_str() {
        "PATCH /conversations/c1" => Answer::raw(204, "application/json", b"").rated(),
        "GET /conversations/c1" => Answer::ok(detail("c1", false)),
        _ => chat(request),
    });
    hands.queue("c1", Operation::SetAutomation { enabled: false });
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(hands.list().rows[0].conversation.automation, Automation::Off);
    assert!(hands.history("c1").outbox.is_empty());
}

pub async fn credits_nobody_has() {
    let cases = [("1e308", None), ("-1", None), ("\"12\"", Some(12.0)), ("0.1", Some(0.1)), ("null", None)];
    for (told, credits) in cases {
        let hands = ready().await;
        hands.server.now(sends(move |_| {
            let body = format!(r#"{{"messageId":"sent-1","status":"sent","creditsRemaining":{told}}}"#);
            Answer::raw(200, "application/json", body.as_bytes())
        }));
        hands.queue_text("c1", "Hello");
        assert_eq!(hands.push().await, PushStep::Idle, "{told}: it was sent all the same");
        assert_eq!(hands.messages("c1"), ["m1", "sent-1"], "{told}");
        let balances: Vec<f64> = hands
            .news()
            .into_iter()
            .filter_map(|news| if let News::Credits(_, credits) = news { Some(credits) } else { None })
            .collect();
        assert_eq!(balances, credits.into_iter().collect::<Vec<_>>(), "{told}");
    }
    // The server decides if a send is paid for, not the local balance.
    let hands = ready().await;
    hands.server.now(|request| match request.route().as_str() {
        "GET /account" => {
            let mut account = crate::hands::account("WHATSAPP");
            account["creditsBalance"] = json!(-1);
            Answer::ok(account)
        }
        "GET /conversations" => Answer::ok(page(&[], None)),
        _ => chat(request),
    });
    hands.channel.pull_account().await;
    hands.queue_text("c1", "Hello");
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(hands.server.posts().len(), 1);
}
