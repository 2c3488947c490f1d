//! Uploading: the consequence of each outcome.

use frontdesk::client::{Attachments, prepare_with};
use frontdesk::model::account::Platform;
use frontdesk::model::outbox::content::{FileToSend, MediaKind};
use frontdesk::model::outbox::{Lane, Operation, OutboxRow, RowState, StopReason};
use frontdesk::model::time::MINUTE;
use frontdesk::store::outbox::NewRow;
use frontdesk::sync::PushStep;
use serde_json::{Value, json};

use crate::hands::pushing::{chat, ready};
use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, id};

fn queue_file(hands: &Hands) -> OutboxRow {
    let bytes = b"not really a picture";
    let file = FileToSend {
        to: "+34600111222".to_owned(),
        path: "/home/agent/bill.png".into(),
        name: "bill.png".to_owned(),
        mime_type: "image/png".to_owned(),
        size: bytes.len() as u64,
        kind: MediaKind::Image,
        caption: None,
        markup: None,
        reply_to: None,
    };
    let operation = Operation::SendFile(Box::new(file));
    let lane = Lane::Conversation("c1".into());
    let enclosed = Attachments { files: &[bytes], ..Attachments::default() };
    let request = prepare_with(&Platform::Whatsapp, &lane, &operation, enclosed).expect("can be sent");
    let row =
        NewRow { channel: id(), lane, operation, request, hold_micros: 0, seen: None, planned_at: None };
    hands.store.enqueue(row, hands.now()).expect("queued")
}

fn stop(hands: &Hands) -> Option<StopReason> {
    match &hands.history("c1").outbox.first()?.state {
        RowState::Stopped(stop, _) => Some(*stop),
        _ => None,
    }
}

#[tokio::test]
async fn an_upload_in_progress_for_ever_is_given_up_after_ten_minutes() {
    let hands = ready().await;
    let row = queue_file(&hands);
    hands.server.now(|request| match request.method.as_str() {
        "POST" => Answer::refusal(409, "IDEMPOTENCY_IN_PROGRESS", "still at it"),
        _ => chat(request),
    });
    let began = hands.now();
    while stop(&hands).is_none() {
        assert!(hands.now().since(began) < 30 * MINUTE, "it asks without end");
        hands.upload().await;
        hands.pass(10);
    }
    assert_eq!(stop(&hands), Some(StopReason::Upload), "nobody was sent anything");
    assert!((10 * MINUTE..11 * MINUTE).contains(&hands.now().since(began)));
    assert!(hands.server.posts().iter().all(|post| post.key() == row.key.as_str()));
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_and_the_file_is_sent_by_its_address() {
    let hands = ready().await;
    let row = queue_file(&hands);
    hands.server.now(|request| if request.method == "POST" { Answer::Cut } else { chat(request) });
    hands.upload().await;
    assert_eq!(hands.history("c1").outbox[0].state, RowState::Uncertain);
    hands.server.now(|request| match request.route().as_str() {
        "POST /media" => Answer::ok(json!({"url": "https://files.example/bill.png", "creditsUsed": 1})),
        _ => chat(request),
    });
    hands.pass(30);
    assert_eq!(hands.upload().await, PushStep::Idle);
    assert_eq!(hands.push().await, PushStep::Idle);
    let posts = hands.server.posts();
    let routes: Vec<_> = posts.iter().map(Request::route).collect();
    assert_eq!(routes, ["POST /media", "POST /media", "POST /messages/send"]);
    assert_eq!((posts[0].key(), &posts[0].body), (posts[1].key(), &posts[1].body), "the same request");
    assert_eq!(posts[0].key(), row.key.as_str());
    assert_ne!(posts[2].key(), row.key.as_str(), "another request");
    let sent: Value = serde_json::from_slice(&posts[2].body).expect("JSON");
    assert_eq!(sent["image"]["link"], "https://files.example/bill.png");
}

#[tokio::test]
async fn an_upload_nothing_is_known_of_waits_for_a_person() {
    let hands = ready().await;
    queue_file(&hands);
    hands.server.now(|request| if request.method == "POST" { Answer::Cut } else { chat(request) });
    for _ in 0..40 {
        hands.upload().await;
        hands.pass(60);
    }
    assert_eq!(stop(&hands), Some(StopReason::Upload));
    let posts = hands.server.posts();
    assert!((2..=4).contains(&posts.len()), "{} tries", posts.len());
    assert!(posts.iter().all(|post| post.route() == "POST /media"));
}
