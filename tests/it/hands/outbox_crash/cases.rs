//! One desk that ends, restarts, and meets a failing server.

use std::collections::HashMap;

use frontdesk::model::account::Platform;
use frontdesk::model::ids::ConversationId;
use frontdesk::model::outbox::content::{Audience, BroadcastContent};
use frontdesk::model::outbox::{Lane, Operation, OutboxRow, RowState, StopReason, StopVerdict};
use frontdesk::model::queries::Draft;
use frontdesk::model::time::{Clock, HOUR, MINUTE, SECOND, Timestamp};
use frontdesk::store::outbox::NewRow;
use frontdesk::sync::PushStep;
use serde_json::json;

use crate::hands::outbox_crash::{Office, desk};
use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, id, pushing};

fn left(hands: &Hands) -> Vec<OutboxRow> {
    hands.history("c1").outbox
}

fn stop(hands: &Hands) -> Option<StopReason> {
    left(hands).first().and_then(|outbox_row| match outbox_row.state {
        RowState::Stopped(stop, _) => Some(stop),
        _ => None,
    })
}

#[tokio::test]
async fn an_end_before_the_commit() {
    let (hands, office) = desk().await;
    let draft = Some(Draft {
        text: "half a thought".to_owned(),
        reply_to: None,
        note: String::new(),
        attachments: Vec::new(),
    });
    let conversation = ConversationId::from("c1");
    hands.store.save_draft(&id(), &conversation, draft.clone()).expect("saved");
    let hands = hands.reopen();
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(office.count(), 0);
    assert_eq!(hands.store.reader().expect("a reader").draft(&id(), &conversation).expect("read"), draft);
}

#[tokio::test]
async fn an_end_around_the_request() {
    // (carried out by the server, description)
    for (done, name) in
        [(false, "before a byte, or in the middle of them"), (true, "after the server did it")]
    {
        let (hands, office) = desk().await;
        let row = hands.queue_text("c1", "Only once");
        let fence = hands.store.lane_rows(&id()).await.expect("rows")[0].fencing_token;
        let claim = hands.store.claim(&row.id, fence, hands.now(), hands.channel.credential());
        let claimed = claim.await.expect("claimed").expect("free");
        if done {
            let request = hands.store.request(&row.id).await.expect("read").expect("its bytes");
            let headers = HashMap::from([("idempotency-key".to_owned(), claimed.row.key.to_string())]);
            let (method, path, query) = ("POST".to_owned(), request.path, HashMap::new());
            office.work(&Request { method, path, query, headers, body: request.body });
        }
        let hands = hands.reopen();
        hands.server.now(office.open());
        hands.pass(1);
        assert_eq!(hands.push().await, PushStep::Idle, "{name}");
        assert_eq!((office.count(), left(&hands).len()), (1, 0), "{name}");
        let posts = hands.server.posts();
        assert_eq!((posts.len(), posts[0].key()), (1, row.key.as_str()), "{name}");
        assert_eq!(hands.messages("c1"), ["m1", "sent-1"], "{name}");
    }
}

#[tokio::test]
async fn a_restart_after_25_hours() {
    let (hands, _) = desk().await;
    hands.queue_text("c1", "Once, perhaps");
    hands.server.now(|_| Answer::Cut);
    hands.push().await;
    hands.pass(25 * HOUR / SECOND);
    let hands = hands.reopen();
    hands.server.seen();
    hands.server.now(pushing::chat);
    for _ in 0..10 {
        hands.push().await;
        hands.pass(30);
    }
    assert_eq!(stop(&hands), Some(StopReason::Expired));
    let asked = hands.server.routes();
    assert!(
        !asked.is_empty() && asked.iter().all(|text| text == "GET /conversations/c1/messages"),
        "{asked:?}"
    );
    let allowed =
        |verdict| hands.store.decide(&left(&hands)[0].id, verdict, None, hands.now()).expect("asked");
    assert_eq!(allowed(StopVerdict::SameKey), None, "the server may not recognise it");
    assert!(allowed(StopVerdict::NewKey).is_some(), "a person may");
}

#[tokio::test]
async fn a_conflict_keeps_its_key() {
    let hands = pushing::ready().await;
    let row = hands.queue_text("c1", "Hello");
    hands.server.now(|request| match request.method.as_str() {
        "POST" => Answer::refusal(409, "IDEMPOTENCY_CONFLICT", "another body"),
        _ => pushing::chat(request),
    });
    for _ in 0..20 {
        hands.push().await;
        hands.pass(30);
    }
    assert_eq!(hands.server.posts().len(), 1);
    assert_eq!((stop(&hands), &left(&hands)[0].key), (Some(StopReason::Unknown), &row.key));
}

#[tokio::test]
async fn in_progress_for_ever() {
    let hands = pushing::ready().await;
    let row = hands.queue_text("c1", "Hello");
    hands.server.now(|request| match request.method.as_str() {
        "POST" => Answer::refusal(409, "IDEMPOTENCY_IN_PROGRESS", "still at it"),
        _ => pushing::chat(request),
    });
    let began = hands.now();
    let mut given_up = None;
    while hands.now().since(began) < 30 * MINUTE {
        hands.push().await;
        if given_up.is_none() && stop(&hands).is_some() {
            given_up = Some(hands.now().since(began));
        }
        hands.pass(10);
    }
    assert_eq!(stop(&hands), Some(StopReason::Unknown));
    let after = given_up.expect("given up");
    assert!((10 * MINUTE..11 * MINUTE).contains(&after), "{after}");
    assert!(hands.server.posts().iter().all(|post| post.key() == row.key.as_str()));
}

#[tokio::test]
async fn a_flood_keeps_its_order_and_the_limit() {
    let (hands, office) = desk().await;
    for number in 0..200 {
        hands.queue_text(&format!("c{}", number % 4), &format!("{number}"));
    }
    let mut sent: Vec<(Timestamp, usize)> = Vec::new();
    loop {
        let step = hands.push_once().await;
        let texts = hands.server.posts().into_iter().map(|post| {
            let body: serde_json::Value = serde_json::from_slice(&post.body).expect("JSON");
            body["text"]["body"].as_str().expect("a text").parse().expect("a number")
        });
        sent.extend(texts.map(|text| (hands.now(), text)));
        match step {
            PushStep::Idle => break,
            PushStep::Due(until) => hands.pass(until.since(hands.now()) / SECOND + 1),
            PushStep::Moved => {}
            PushStep::Halted => panic!("halted"),
        }
    }
    assert_eq!((office.count(), sent.len()), (200, 200));
    for lane in 0..4 {
        let of_lane: Vec<_> = sent.iter().map(|pair| pair.1).filter(|number| number % 4 == lane).collect();
        assert!(of_lane.is_sorted(), "{of_lane:?}");
    }
    for (index, (at, _)) in sent.iter().enumerate() {
        let within = sent[..=index].iter().filter(|pair| at.since(pair.0) < MINUTE).count();
        assert!(within <= 100, "{within} in a minute");
    }
}

#[tokio::test]
async fn an_edit_after_queueing() {
    let (hands, office) = desk().await;
    let row = hands.queue_text("c1", "Tpyo");
    assert!(hands.store.recall(&row.id).expect("asked").is_some());
    let conversation = ConversationId::from("c1");
    let draft = hands.store.reader().expect("a reader").draft(&id(), &conversation).expect("read");
    assert_eq!(draft.map(|draft| draft.text).as_deref(), Some("Tpyo"), "the text is back");
    let row = hands.queue_text("c1", "Typo");
    hands.server.now(|request| if request.method == "POST" { Answer::Cut } else { pushing::chat(request) });
    hands.push().await;
    assert_eq!(hands.store.recall(&row.id).expect("asked"), None, "too late: bytes may have left");
    hands.server.now(office.open());
    hands.pass(30);
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(office.count(), 1);
}

/// Queues a change outside a conversation.
fn queue(hands: &Hands, platform: &Platform, lane: Lane, operation: Operation) -> OutboxRow {
    let request = frontdesk::client::prepare(platform, &lane, &operation).expect("can be sent");
    let row =
        NewRow { channel: id(), lane, operation, request, hold_micros: 0, seen: None, planned_at: None };
    hands.store.enqueue(row, hands.clock.now()).expect("queued")
}

/// Pushes a paid operation whose answer is lost, and follows it to its end.
async fn dear(hands: &Hands, row: &OutboxRow, office: &Office, answer: fn(&str) -> Answer) {
    let lost = office.clone();
    hands.server.now(move |request| {
        if request.method == "POST" {
            lost.work(request);
            return Answer::Cut;
        }
        pushing::chat(request)
    });
    hands.push().await;
    let rows = || async { hands.store.lane_rows(&id()).await.expect("rows") };
    let RowState::Stopped(StopReason::KeyUnproven, why) = &rows().await[0].row.state else {
        panic!("{:?}", rows().await[0].row.state);
    };
    assert!(why.as_str().contains("credits"), "{why}: the balance is told");
    hands.pass(3600);
    hands.push().await;
    assert_eq!(hands.server.posts().len(), 1, "nothing proved that the key is recognised");
    // A person decides to try again once.
    let asked = hands.store.retry_stopped(&row.id, None, hands.now()).expect("decided");
    assert_eq!(
        asked.and_then(|applied_decision| applied_decision.after).map(|outbox_row| outbox_row.key),
        Some(row.key.clone())
    );
    let told = office.clone();
    hands.server.now(move |request| {
        if request.method != "POST" {
            return pushing::chat(request);
        }
        told.work(request);
        answer(request.key()).header("idempotent-replayed", "true")
    });
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!((office.count(), rows().await.len()), (1, 0), "once");
    let posts = hands.server.posts();
    assert_eq!((posts.len(), posts[0].key()), (1, row.key.as_str()));
    // Now the server is known to honour keys, and the same key is retried automatically.
    let lane = row.lane.clone();
    let again = queue(hands, &platform_of(row), lane, row.operation.clone());
    let mut cut = false;
    let told = office.clone();
    hands.server.now(move |request| {
        if request.method != "POST" {
            return pushing::chat(request);
        }
        told.work(request);
        if std::mem::replace(&mut cut, true) { answer(request.key()) } else { Answer::Cut }
    });
    hands.push().await;
    hands.pass(60);
    assert_eq!(hands.push().await, PushStep::Idle);
    let posts = hands.server.posts();
    assert_eq!((posts.len(), office.count()), (2, 2));
    assert!(posts.iter().all(|post| post.key() == again.key.as_str()));
    // After a day only a person decides.
    let spent = queue(hands, &platform_of(row), row.lane.clone(), row.operation.clone());
    hands.server.now(|_| Answer::Cut);
    hands.push().await;
    hands.pass(24 * HOUR / SECOND);
    hands.server.seen();
    hands.push().await;
    assert!(matches!(rows().await[0].row.state, RowState::Stopped(StopReason::Expired, _)));
    assert_eq!((rows().await[0].row.id.clone(), hands.server.posts().len()), (spent.id, 0));
}

fn platform_of(row: &OutboxRow) -> Platform {
    if matches!(row.operation, Operation::Call { .. }) { Platform::Voip } else { Platform::Whatsapp }
}

#[tokio::test]
async fn a_broadcast_of_which_nothing_is_known() {
    let (hands, office) = desk().await;
    let content = BroadcastContent::Text("The office is closed on Friday.".to_owned());
    let operation = Operation::Broadcast { to: Audience::Everyone, content };
    let row = queue(&hands, &Platform::Whatsapp, Lane::Broadcasts, operation);
    dear(&hands, &row, &office, |key| {
        Answer::status(
            202,
            json!({"broadcastId": format!("b-{key}"), "totalRecipients": 1000, "creditsUsed": 1000, "status": "sending"}),
        )
    })
    .await;
}

#[tokio::test]
async fn a_call_of_which_nothing_is_known() {
    let (hands, office) = desk().await;
    let operation = Operation::Call { to: "+34600111222".to_owned(), via: None, context: None };
    let row = queue(&hands, &Platform::Voip, Lane::Number("+34600111222".to_owned()), operation);
    dear(&hands, &row, &office, |key| {
        Answer::ok(json!({"callId": format!("call-{key}"), "status": "queued"}))
    })
    .await;
}
