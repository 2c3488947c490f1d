//! The takeover guard: no text is sent beside an answer its writer has not seen, or too late.

use frontdesk::model::ids::MessageId;
use frontdesk::model::messages::HistoryPosition;
use frontdesk::model::outbox::{Operation, OutboxRow, RowState, StopReason};
use frontdesk::model::time::Timestamp;
use frontdesk::store::outbox::NewRow;
use frontdesk::sync::PushStep;
use serde_json::json;

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, message, page, pushing, time};

fn place(seconds: i64, id: &str) -> HistoryPosition {
    (Timestamp::parse(&time(seconds)).expect("a time"), MessageId::from(id))
}

/// Queues a text whose writer had this message on screen.
fn queue(hands: &Hands, text: &str, seen: HistoryPosition) -> OutboxRow {
    let operation = Operation::SendText { to: "+34600111222".into(), text: text.into(), reply_to: None };
    let row = crate::hands::new_row("c1", operation);
    hands.store.enqueue(NewRow { seen: Some(seen), ..row }, hands.now()).expect("queued")
}

fn stop(hands: &Hands) -> Option<StopReason> {
    hands.history("c1").outbox.first().and_then(|outbox_row| match outbox_row.state {
        RowState::Stopped(stop, _) => Some(stop),
        _ => None,
    })
}

fn serve_history(
    history: &'static [(&'static str, &'static str, i64)],
) -> impl FnMut(&Request) -> Answer + Send {
    move |request| match request.route().as_str() {
        "GET /conversations/c1/messages" => {
            let items: Vec<_> =
                history.iter().map(|(id, direction, at)| message(id, "c1", direction, *at)).collect();
            Answer::ok(page(&items, None))
        }
        "PATCH /conversations/c1" => Answer::ok(json!({
            "success": true, "id": "c1", "automationEnabled": false, "status": "active"
        })),
        _ => pushing::chat(request),
    }
}

#[tokio::test]
async fn an_answer_of_the_ai_while_it_was_paused_is_shown_before_the_text_leaves() {
    let hands = pushing::ready().await;
    hands.queue("c1", Operation::SetAutomation { enabled: false });
    let row = queue(&hands, "Ana here, a person.", place(0, "m1"));
    hands.server.now(serve_history(&[("ai-1", "outbound", 3), ("m1", "inbound", 0)]));
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(hands.server.routes(), ["PATCH /conversations/c1", "GET /conversations/c1/messages"]);
    assert_eq!(stop(&hands), Some(StopReason::ReplyConflict));
    assert_eq!(hands.messages("c1"), ["m1", "ai-1"], "it is on screen");
    // A further answer stops the row again, once.
    let after = hands.store.retry_stopped(&row.id, Some(place(3, "ai-1")), hands.now()).expect("decided");
    assert_eq!(
        after.and_then(|applied_decision| applied_decision.after).map(|outbox_row| outbox_row.key),
        Some(row.key.clone()),
        "no byte left under it"
    );
    let fresh = serve_history(&[("ai-2", "outbound", 4), ("ai-1", "outbound", 3), ("m1", "inbound", 0)]);
    hands.server.now(fresh);
    hands.channel.pull_history(&"c1".into()).await;
    hands.push().await;
    assert_eq!(stop(&hands), Some(StopReason::ReplyConflict));
    hands.store.retry_stopped(&row.id, None, hands.now()).expect("decided").expect("stopped");
    assert_eq!(hands.push().await, PushStep::Idle);
    let posts = hands.server.posts();
    assert_eq!((posts.len(), posts[0].key()), (1, row.key.as_str()));
    assert_eq!(hands.store.decisions(&row.id).expect("read"), ["send anyway", "send anyway"]);
}

#[tokio::test]
async fn what_this_desk_sent_and_what_the_customer_wrote_cross_nothing() {
    let hands = pushing::ready().await;
    queue(&hands, "one", place(0, "m1"));
    queue(&hands, "two", place(0, "m1"));
    hands.server.now(serve_history(&[("m2", "inbound", 2), ("m1", "inbound", 0)]));
    hands.channel.pull_history(&"c1".into()).await;
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(hands.server.posts().len(), 2);
}

#[tokio::test]
async fn a_colleagues_answer_crosses_without_a_pause() {
    let hands = pushing::ready().await;
    queue(&hands, "one", place(0, "m1"));
    hands.server.now(serve_history(&[("x", "outbound", 1), ("m1", "inbound", 0)]));
    hands.channel.pull_history(&"c1".into()).await;
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!((stop(&hands), hands.server.posts().len()), (Some(StopReason::ReplyConflict), 0));
}

#[tokio::test]
async fn text_that_crosses_an_answer_says_who_gave_it_and_where() {
    let after = "after the last message you had on screen; read the answer first";
    let cases = [
        (json!({"senderType": "api", "agent": {"id": "ana", "name": "Ana"}}), "Ana answered"),
        (json!({"senderType": "api", "sentFrom": "phone"}), "someone answered on the phone"),
        (json!({"senderType": "ai"}), "the AI answered"),
        (json!({"senderType": "api"}), "someone answered"),
    ];
    for (fields, expected) in cases {
        let hands = pushing::ready().await;
        queue(&hands, "one", place(0, "m1"));
        let mut answer = message("x", "c1", "outbound", 1);
        for (name, value) in fields.as_object().expect("an object") {
            answer[name.as_str()] = value.clone();
        }
        let items = [answer, message("m1", "c1", "inbound", 0)];
        hands.server.now(move |request| match request.route().as_str() {
            "GET /conversations/c1/messages" => Answer::ok(page(&items, None)),
            _ => pushing::chat(request),
        });
        hands.channel.pull_history(&"c1".into()).await;
        assert_eq!(hands.push().await, PushStep::Idle);
        let why = hands.history("c1").outbox.first().and_then(|row| match &row.state {
            RowState::Stopped(StopReason::ReplyConflict, why) => Some(why.to_string()),
            _ => None,
        });
        assert_eq!(why, Some(format!("{expected} {after}")));
    }
}

#[tokio::test]
async fn after_a_desk_was_down_old_texts_ask() {
    let quiet: &[(&str, &str, i64)] = &[("m1", "inbound", 0)];
    let moved: &[(&str, &str, i64)] = &[("m2", "inbound", 9), ("m1", "inbound", 0)];
    let answered: &[(&str, &str, i64)] = &[("ai", "outbound", 9), ("m1", "inbound", 0)];
    let cases = [
        ("short and quiet", 60, quiet, None),
        ("short, the customer wrote on", 60, moved, Some(StopReason::Late)),
        ("short, answered", 60, answered, Some(StopReason::ReplyConflict)),
        ("long", 121, quiet, Some(StopReason::Late)),
        ("long, answered", 7200, answered, Some(StopReason::ReplyConflict)),
    ];
    for (name, seconds, history, expected) in cases {
        let hands = pushing::ready().await;
        queue(&hands, "one", place(0, "m1"));
        hands.pass(seconds);
        let hands = hands.reopen();
        hands.server.now(serve_history(history));
        hands.push().await;
        assert_eq!(stop(&hands), expected, "{name}");
        let asked = hands.server.routes();
        assert_eq!(asked[0], "GET /conversations/c1/messages", "{name}: read first");
        assert_eq!(asked.len(), 1 + usize::from(expected.is_none()), "{name}");
    }
}

#[tokio::test]
async fn while_the_history_cannot_be_read_a_held_up_text_waits() {
    let hands = pushing::ready().await;
    queue(&hands, "one", place(0, "m1"));
    hands.pass(60);
    let hands = hands.reopen();
    hands.server.now(|_| Answer::Cut);
    assert!(matches!(hands.push().await, PushStep::Due(_)));
    hands.pass(90);
    hands.server.now(serve_history(&[("m1", "inbound", 0)]));
    hands.push().await;
    assert_eq!(stop(&hands), Some(StopReason::Late), "it counts until the connection is back");
    assert!(hands.server.posts().is_empty());
}

#[tokio::test]
async fn a_tab_that_was_stopped_asks_too() {
    let hands = pushing::ready().await;
    hands.server.now(|_| Answer::refusal(401, "REVOKED_KEY", "revoked"));
    hands.channel.pull_account().await;
    queue(&hands, "one", place(0, "m1"));
    assert_eq!(hands.push().await, PushStep::Halted);
    hands.pass(600);
    hands.channel.resume();
    hands.server.now(serve_history(&[("m1", "inbound", 0)]));
    hands.channel.pull_account().await;
    hands.push().await;
    assert_eq!((stop(&hands), hands.server.posts().len()), (Some(StopReason::Late), 0));
}

#[tokio::test]
async fn waiting_for_ones_turn_is_not_being_late() {
    let hands = pushing::ready().await;
    queue(&hands, "one", place(0, "m1"));
    hands.server.now(|request| match request.method.as_str() {
        "POST" => Answer::refusal(429, "RATE_LIMIT_EXCEEDED", "slow").header("retry-after", "170"),
        _ => pushing::chat(request),
    });
    // The loop checks every half minute.
    for _ in 0..6 {
        hands.push().await;
        hands.pass(30);
    }
    hands.server.now(pushing::chat);
    hands.push().await;
    hands.pass(30);
    assert_eq!(hands.push().await, PushStep::Idle);
    assert!(hands.history("c1").outbox.is_empty(), "it left without a question");
}
