//! The list: a new desk reads it in parts, finds changes, and removes deleted rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frontdesk::model::conversations::Automation;
use frontdesk::model::ids::ConversationId;
use frontdesk::sync::PullOutcome;
use serde_json::{Value, json};

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, account, conversation, detail, message, page, quiet};

/// A list of `count` conversations in pages of 50, newest activity first.
fn listed(request: &Request, count: i64) -> Answer {
    let from: i64 = request.cursor().map_or(0, |cursor| cursor.parse().unwrap_or(0));
    let to = (from + 50).min(count);
    let rows: Vec<Value> =
        (from..to).map(|entry| conversation(&format!("k{entry:03}"), 1, -60 * entry)).collect();
    let next = (to < count).then(|| to.to_string());
    Answer::ok(page(&rows, next.as_deref()))
}

/// A single read of one of them.
fn alone(path: &str) -> Answer {
    let id = path.trim_start_matches("GET /conversations/");
    let place: i64 = id.trim_start_matches('k').parse().expect("a number");
    let mut read = conversation(id, 1, -60 * place);
    read["automationEnabled"] = json!(true);
    Answer::ok(read)
}

#[tokio::test]
async fn a_new_desk_reads_a_long_list_in_parts_and_goes_on_after_a_restart() {
    let hands = Hands::on(|request| match request.route().as_str() {
        "GET /conversations" => listed(request, 430),
        path if path.ends_with("/messages") => Answer::ok(page(&[], None)),
        path if path.starts_with("GET /conversations/k") => alone(path),
        _ => quiet(request),
    })
    .await;
    hands.channel.pull_account().await;
    hands.pass(2);
    assert_eq!(hands.pull_conversations().await, PullOutcome::Later(1_000_000), "a burst is spread");
    let first = hands.list().rows.len();
    assert!((50..430).contains(&first), "the top is there at once: {first}");
    hands.pass(2);
    hands.pull_conversations().await;
    let hands = hands.reopen();
    let (mut steps, mut late) = (0, 0);
    loop {
        hands.pass(2);
        steps += 1;
        assert!(steps < 600, "{} rows", hands.list().rows.len());
        let polled = hands.pull_trigger().await;
        assert!(matches!(polled, PullOutcome::Done | PullOutcome::Paced(_)), "{polled:?}");
        late = if polled == PullOutcome::Done { 0 } else { late + 1 };
        assert!(late < 3, "the bulk does not starve the trigger");
        if hands.pull_conversations().await == PullOutcome::Done {
            break;
        }
    }
    assert_eq!(hands.list().rows.len(), 430);
    let histories = hands.store.lagging_conversations(&crate::hands::id(), 1000).await.expect("read");
    assert!(histories.is_empty(), "every history was read once");
    hands.server.seen();
    hands.pass(60);
    hands.pull_conversations().await;
    assert_eq!(hands.server.routes(), ["GET /conversations"], "an idle desk reads one page");
}

#[tokio::test]
async fn a_change_in_the_list_brings_the_history_and_rings() {
    let busy = Arc::new(AtomicBool::new(false));
    let (is_busy, platform) = (busy.clone(), "TELEGRAM");
    let hands = Hands::on(move |request| {
        let busy = is_busy.load(Ordering::SeqCst);
        let row = |count: u64, at: i64| {
            json!({
                "id": "t1", "telegramChatId": "48211", "telegramUsername": "maria", "customerName": "Maria",
                "status": "active", "messageCount": count, "lastMessagePreview": "hi",
                "lastMessageAt": crate::hands::time(at)
            })
        };
        match request.route().as_str() {
            "GET /account" => Answer::ok(account(platform)),
            "GET /telegram/conversations" => {
                Answer::ok(page(&[if busy { row(2, 50) } else { row(1, 10) }], None))
            }
            "GET /telegram/conversations/t1/messages" => {
                let mut items = vec![message("m1", "t1", "inbound", 10)];
                if busy {
                    items.insert(0, message("m2", "t1", "inbound", 50));
                }
                Answer::ok(page(&items, None))
            }
            _ => Answer::refusal(403, "FORBIDDEN", "not for this key"),
        }
    })
    .await;
    assert_eq!(hands.pull().await, [PullOutcome::Done, PullOutcome::Done, PullOutcome::Skipped]);
    assert_eq!(hands.messages("t1"), ["m1"]);
    assert!(hands.rings().is_empty(), "it was there before this desk");
    busy.store(true, Ordering::SeqCst);
    hands.pass(5);
    hands.pull().await;
    assert_eq!(hands.messages("t1"), ["m1", "m2"]);
    assert_eq!(hands.rings(), ["t1"]);
    hands.server.seen();
    hands.pass(5);
    hands.pull().await;
    assert_eq!(hands.server.routes(), ["GET /account", "GET /telegram/conversations"]);
}

#[tokio::test]
async fn the_ais_state_is_read_alone_and_what_is_gone_goes() {
    let gone = Arc::new(AtomicBool::new(false));
    let is_gone = gone.clone();
    let hands = Hands::on(move |request| {
        let gone = is_gone.load(Ordering::SeqCst);
        match request.route().as_str() {
            "GET /conversations" if !gone => Answer::ok(page(&[conversation("c1", 1, 0)], None)),
            "GET /conversations/c1" if !gone => Answer::ok(detail("c1", false)),
            path if gone && path.starts_with("GET /conversations/c1") => {
                Answer::refusal(404, "NOT_FOUND", "no such conversation")
            }
            _ => quiet(request),
        }
    })
    .await;
    hands.pull().await;
    assert_eq!(hands.list().rows[0].conversation.automation, Automation::Off);
    gone.store(true, Ordering::SeqCst);
    // The list must lack it twice.
    for pulled in [PullOutcome::Paced(5_000_000), PullOutcome::Done] {
        hands.pass(60);
        assert_eq!(hands.channel.pull_history(&ConversationId::from("c1")).await, pulled);
    }
    assert!(hands.list().rows.is_empty());
}

#[tokio::test]
async fn one_history_that_fails_does_not_hold_up_the_others() {
    let hands = Hands::on(|request| match request.route().as_str() {
        "GET /conversations" => listed(request, 3),
        "GET /conversations/k000/messages" => Answer::refusal(500, "INTERNAL_ERROR", "poisoned"),
        path if path.ends_with("/messages") => Answer::ok(page(&[message("m1", "k001", "inbound", 5)], None)),
        path if path.starts_with("GET /conversations/k") => alone(path),
        _ => quiet(request),
    })
    .await;
    hands.channel.pull_account().await;
    hands.pull_conversations().await;
    assert_eq!(hands.messages("k001"), ["m1"]);
    let behind = hands.store.lagging_conversations(&crate::hands::id(), 9).await.expect("read");
    assert_eq!(behind, [ConversationId::from("k000")], "it stays behind and is tried again later");
}
