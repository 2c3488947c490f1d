//! Reconciling texts with unknown outcome against the history.

use frontdesk::model::outbox::{HistoryFinding, OutboxRow, RowState, StopReason};
use frontdesk::sync::PushStep;
use serde_json::{Value, json};

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, message, page, pushing, time};

fn sent(id: &str, text: &str, at: i64) -> Value {
    json!({
        "id": id, "conversationId": "c1", "direction": "outbound", "senderType": "api", "content": text,
        "contentType": "text", "status": "delivered", "createdAt": time(at)
    })
}

fn history(pages: Vec<Vec<Value>>) -> impl FnMut(&Request) -> Answer + Send + 'static {
    move |request| match request.route().as_str() {
        "GET /conversations/c1/messages" => {
            let number: usize = request.cursor().map_or(0, |cursor| cursor.parse().expect("a number"));
            let next = (number + 1 < pages.len()).then(|| (number + 1).to_string());
            Answer::ok(page(&pages[number], next.as_deref()))
        }
        "POST /messages/send" => Answer::refusal(409, "IDEMPOTENCY_CONFLICT", "another body"),
        _ => pushing::chat(request),
    }
}

async fn unknown(pages: Vec<Vec<Value>>) -> (Hands, OutboxRow) {
    let hands = pushing::ready().await;
    let row = hands.queue_text("c1", "See you\nat ten");
    hands.server.now(history(pages));
    (hands, row)
}

fn left(hands: &Hands) -> Option<OutboxRow> {
    hands.history("c1").outbox.into_iter().next()
}

/// Pushes for some minutes, every half minute.
async fn minutes(hands: &Hands, minutes: i64) {
    for _ in 0..2 * minutes {
        hands.push().await;
        hands.pass(30);
    }
}

#[tokio::test]
async fn one_message_with_its_words_is_it() {
    let older = vec![sent("sent-9", "See you\r\nat ten", 4), message("m1", "c1", "inbound", 0)];
    let (hands, _) = unknown(vec![vec![message("m3", "c1", "inbound", 9)], older]).await;
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(left(&hands), None, "it is settled");
    let shown = hands.history("c1").messages;
    let row = shown.iter().find(|message_row| message_row.message.id.as_str() == "sent-9").expect("shown");
    assert!(row.sent_here);
    assert_eq!(hands.server.posts().len(), 1, "and never sent again");
}

#[tokio::test]
async fn none_in_two_looks_is_said_and_never_sent_again() {
    let (hands, row) = unknown(vec![vec![message("m1", "c1", "inbound", 0)]]).await;
    minutes(&hands, 2).await;
    assert_eq!(left(&hands).expect("waits").finding, HistoryFinding::Nothing, "not twice yet");
    minutes(&hands, 3).await;
    let left = left(&hands).expect("waits");
    assert_eq!(left.finding, HistoryFinding::Absent);
    let RowState::Stopped(StopReason::Unknown, why) = &left.state else { panic!("{:?}", left.state) };
    assert!(why.as_str().contains("probably not sent"), "{why}");
    hands.server.seen();
    minutes(&hands, 60).await;
    assert!(hands.server.seen().is_empty(), "nothing more is asked, and nothing sent");
    hands.store.restart_history_search(&row.id).expect("asked");
    minutes(&hands, 1).await;
    assert_eq!(hands.server.routes(), ["GET /conversations/c1/messages"], "unless a person asks");
}

#[tokio::test]
async fn several_are_shown_to_a_person() {
    let twice = vec![sent("b", "See you\nat ten", 5), sent("a", "See you\nat ten", 4)];
    let (hands, row) = unknown(vec![twice]).await;
    hands.push().await;
    let found = left(&hands).expect("waits");
    assert_eq!(found.finding, HistoryFinding::Several(vec!["a".into(), "b".into()]));
    let adopt = frontdesk::model::outbox::StopVerdict::Adopt("b".into());
    hands.store.decide(&row.id, adopt, None, hands.now()).expect("decided").expect("allowed");
    assert_eq!(left(&hands), None);
    // The next one with the same text can only be the other.
    hands.queue_text("c1", "See you\nat ten");
    hands.push().await;
    assert_eq!(left(&hands), None, "one is left that no row claims");
    assert_eq!(hands.server.posts().len(), 2);
}

#[tokio::test]
async fn what_others_said_and_what_came_too_early_is_not_it() {
    let mut ai = sent("ai", "See you\nat ten", 4);
    ai["senderType"] = json!("ai");
    let page = vec![ai, sent("other", "See you at ten", 4), sent("early", "See you\nat ten", -700)];
    let (hands, _) = unknown(vec![page]).await;
    minutes(&hands, 5).await;
    assert_eq!(left(&hands).expect("waits").finding, HistoryFinding::Absent);
}

#[tokio::test]
async fn a_look_that_fails_is_tried_again_and_not_for_ever() {
    let (hands, _) = unknown(Vec::new()).await;
    hands.server.now(|request| match request.route().as_str() {
        "POST /messages/send" => Answer::refusal(409, "IDEMPOTENCY_CONFLICT", "another body"),
        _ => Answer::refusal(400, "VALIDATION_ERROR", "no such cursor"),
    });
    minutes(&hands, 600).await;
    let looks = hands.server.routes().iter().filter(|route| route.starts_with("GET")).count();
    assert_eq!(looks, 12);
    assert_eq!(left(&hands).expect("waits").finding, HistoryFinding::Nothing);
}

/// A machine restored with all its files.
#[tokio::test]
async fn an_answer_of_earlier_to_a_first_attempt_makes_older_rows_doubtful() {
    let hands = pushing::ready().await;
    hands.queue_text("c1", "See you at ten");
    hands.queue_text("c1", "Bring your helmet");
    let hands = hands.reopen();
    hands.queue_text("c2", "Written since");
    hands.server.now(|request| match request.route().as_str() {
        "POST /messages/send" => pushing::sent("sent-9").header("idempotent-replayed", "true"),
        _ => pushing::chat(request),
    });
    hands.push_once().await;
    let states: Vec<RowState> = hands.history("c1").outbox.into_iter().map(|row| row.state).collect();
    let [RowState::Stopped(StopReason::Unknown, why)] = states.as_slice() else { panic!("{states:?}") };
    assert!(why.as_str().contains("it may have been sent"), "{why}");
    assert_eq!(hands.history("c2").outbox[0].state, RowState::Queued);
}
