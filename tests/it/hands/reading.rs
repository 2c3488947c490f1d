//! Reading: failures are reported and end; the trigger misses nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use frontdesk::model::ids::ConversationId;
use frontdesk::model::news::{Health, News};
use frontdesk::sync::PullOutcome;
use serde_json::{Value, json};

use crate::hands::server::{Answer, Request, Server};
use crate::hands::{Hands, account, message, page, quiet};

fn trouble(health: &Option<Health>) -> Option<&str> {
    match health {
        Some(Health::Trouble { why, .. }) => Some(why.as_str()),
        _ => None,
    }
}

#[tokio::test]
async fn wrong_answers_are_said_in_words_and_end() {
    type Make = fn() -> Answer;
    let cases: [(&str, Make); 6] = [
        ("web page", || Answer::raw(200, "text/html", b"<html>Log in</html>")),
        ("incomplete", || Answer::raw(200, "application/json", br#"{"data":[{"id":"m1","conv"#)),
        ("incomplete", || Answer::Short { status: 200, body: br#"{"data":["#.to_vec() }),
        ("the server failed: boom (500)", || Answer::refusal(500, "INTERNAL_ERROR", "boom")),
        ("web page", || Answer::raw(502, "text/html", b"<html>Bad gateway</html>")),
        ("nothing", || Answer::raw(503, "text/plain", b"")),
    ];
    for (words, make) in cases {
        let hands = Hands::on(quiet).await;
        assert_eq!(hands.pull().await, [PullOutcome::Done; 3]);
        assert!(matches!(hands.health(), Some(Health::Live { .. })));
        hands.server.now(move |_| make());
        assert_eq!(hands.pull_trigger().await, PullOutcome::Failed, "{words}");
        assert_eq!(hands.health(), None, "it may be a flap");
        hands.pass(4);
        hands.pull_trigger().await;
        let health = hands.health();
        assert!(trouble(&health).is_some_and(|trouble| trouble.contains(words)), "{words}: {health:?}");
        hands.server.now(quiet);
        hands.pass(4);
        assert_eq!(hands.pull_trigger().await, PullOutcome::Done);
        assert!(matches!(hands.health(), Some(Health::Live { .. })), "{words}");
    }
}

#[tokio::test]
async fn no_answer_is_being_offline() {
    let hands = Hands::on(|_| Answer::Cut).await;
    assert_eq!(hands.pull().await, [PullOutcome::Failed, PullOutcome::Skipped, PullOutcome::Skipped]);
    assert!(matches!(hands.health(), Some(Health::Offline { .. })));
    hands.server.now(quiet);
    assert_eq!(hands.pull().await, [PullOutcome::Done; 3]);
    let news = hands.news();
    assert!(news.iter().any(|news| matches!(news, News::Health(_, Health::Live { .. }))));
    assert!(news.iter().any(|news| matches!(news, News::Account(..))));
}

#[tokio::test]
async fn a_step_that_asks_for_nothing_says_nothing_of_the_server() {
    let hands = Hands::on(quiet).await;
    hands.pull().await;
    hands.server.now(|_| Answer::Cut);
    for _ in 0..2 {
        hands.pull_trigger().await;
        hands.pass(4);
    }
    assert!(matches!(hands.health(), Some(Health::Offline { .. })));
    let mut steps = hands.steps.lock().await;
    let steps = &mut *steps;
    assert_eq!(hands.channel.pull_gap(&mut steps.trigger).await, PullOutcome::Done);
    assert_eq!(hands.channel.sweep_conversations(&mut steps.list).await, PullOutcome::Failed, "it asks");
    assert_eq!(hands.channel.pull_broadcasts(&mut steps.broadcasts).await, PullOutcome::Skipped);
    assert_eq!(hands.health(), None, "OFFLINE stands until something answers");
}

#[tokio::test]
async fn a_refused_key_stops_the_tab_until_a_person_asks_again() {
    let hands = Hands::on(quiet).await;
    hands.pull().await;
    hands.server.now(|_| Answer::refusal(401, "REVOKED_KEY", "the key was revoked"));
    assert_eq!(hands.pull_trigger().await, PullOutcome::Skipped);
    let Some(Health::Refused { code, why }) = hands.health() else { panic!("not refused") };
    assert_eq!((code.as_str(), why.as_str()), ("REVOKED_KEY", "the key was revoked"));
    hands.server.seen();
    assert_eq!(hands.pull().await, [PullOutcome::Skipped; 3]);
    assert!(hands.server.seen().is_empty(), "nothing is asked any more");
    hands.server.now(quiet);
    hands.channel.resume();
    assert_eq!(hands.pull().await, [PullOutcome::Done; 3]);
    assert!(matches!(hands.health(), Some(Health::Live { .. })));
}

#[tokio::test]
async fn what_is_not_for_the_key_is_a_note_and_never_asked_again() {
    let hands = Hands::on(|request| match request.route().as_str() {
        "GET /triggers/new-message" => Answer::refusal(403, "FORBIDDEN", "not for this key"),
        _ => quiet(request),
    })
    .await;
    assert_eq!(hands.pull().await, [PullOutcome::Done, PullOutcome::Done, PullOutcome::Skipped]);
    let notes = hands.news().into_iter().filter(|news| matches!(news, News::NotForThisKey(..))).count();
    assert_eq!(notes, 1);
    hands.server.seen();
    assert_eq!(hands.pull().await, [PullOutcome::Done, PullOutcome::Done, PullOutcome::Skipped]);
    assert!(!hands.server.routes().contains(&"GET /triggers/new-message".to_owned()));
    assert!(!hands.news().iter().any(|news| matches!(news, News::NotForThisKey(..))));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(quiet).await;
    let place = elsewhere.base_url.clone();
    let hands = Hands::on(move |_| Answer::raw(302, "text/html", b"").header("location", &place)).await;
    assert_eq!(hands.channel.pull_account().await, PullOutcome::Skipped);
    let Some(Health::Misconfigured { why }) = hands.health() else { panic!("not said") };
    assert!(why.as_str().contains("redirect"), "{why}");
    assert!(elsewhere.seen().is_empty());
    assert!(hands.channel.is_stopped());
}

#[tokio::test]
async fn the_budget_is_waited_for_and_is_no_failure() {
    let hands = Hands::on(quiet).await;
    hands.channel.pull_account().await;
    let mut paced = None;
    for _ in 0..20 {
        if let PullOutcome::Paced(wait) = hands.pull_trigger().await {
            paced = Some(wait);
            break;
        }
    }
    assert!(paced.is_some_and(|number| (1..=1_000_000).contains(&number)), "{paced:?}");
    hands.pass(1);
    assert_eq!(hands.pull_trigger().await, PullOutcome::Done);
    assert!(!hands.news().iter().any(|news| matches!(news, News::Health(_, Health::Trouble { .. }))));
    hands.server.now(|_| Answer::refusal(429, "RATE_LIMIT_EXCEEDED", "slow down").header("retry-after", "7"));
    hands.pass(1);
    assert_eq!(hands.pull_trigger().await, PullOutcome::Paced(7_000_000));
    assert!(matches!(hands.health(), Some(Health::Limited { .. })));
}

/// A server with inbound messages `1..=count` in three conversations, one a second.
fn inbox(
    count: Arc<AtomicI64>,
    first_cursor: impl Fn(i64) -> String + Send + 'static,
) -> impl FnMut(&Request) -> Answer {
    move |request| {
        let newest = count.load(Ordering::SeqCst);
        let some = |from: i64, many: i64| -> Vec<Value> {
            let down_to = (from - many + 1).max(1);
            let one =
                |number: i64| message(&format!("m{number}"), &format!("c{}", number % 3), "inbound", number);
            (down_to..=from).rev().map(one).collect()
        };
        match request.route().as_str() {
            "GET /account" => Answer::ok(account("WHATSAPP")),
            "GET /triggers/new-message" => Answer::ok(json!({"data": some(newest, 50)})),
            "GET /messages" => {
                let from = request.cursor().map_or(newest, |cursor| cursor.parse().unwrap_or(newest));
                let next = (from > 100).then(|| first_cursor(from - 100));
                Answer::ok(page(&some(from, 100), next.as_deref()))
            }
            _ => quiet(request),
        }
    }
}

fn stored(hands: &Hands) -> usize {
    ["c0", "c1", "c2"].iter().map(|text| hands.messages(text).len()).sum()
}

#[tokio::test]
async fn more_than_a_page_between_two_polls_is_found_by_the_backfill() {
    let count = Arc::new(AtomicI64::new(60));
    let hands = Hands::on(inbox(count.clone(), |number| number.to_string())).await;
    hands.channel.pull_account().await;
    assert_eq!(hands.pull_trigger().await, PullOutcome::Done);
    assert_eq!(stored(&hands), 50, "what was there before is read with the histories");
    assert!(hands.rings().is_empty(), "the first look rings nothing");
    // An overlap of ten: no gap.
    count.store(100, Ordering::SeqCst);
    hands.server.seen();
    hands.pass(3);
    assert_eq!(hands.pull_trigger().await, PullOutcome::Done);
    assert!(!hands.server.routes().contains(&"GET /messages".to_owned()));
    // No overlap, and more than the pages of one step.
    count.store(1100, Ordering::SeqCst);
    hands.news();
    hands.pass(3);
    let mut steps = 1;
    while hands.pull_trigger().await != PullOutcome::Done {
        hands.pass(3);
        steps += 1;
        assert!(steps < 20);
    }
    assert!(steps > 1, "a long way is walked in parts");
    assert_eq!(stored(&hands), 1100);
    let rings = hands.rings();
    assert!(["c0", "c1", "c2"].iter().all(|text| rings.contains(&(*text).to_owned())));
    hands.pass(3);
    assert_eq!(hands.pull_trigger().await, PullOutcome::Done);
    assert_eq!((stored(&hands), hands.rings().len()), (1100, 0), "each rings once");
}

#[tokio::test]
async fn an_album_in_several_answers_rings_once() {
    let count = Arc::new(AtomicI64::new(1));
    let newest = count.clone();
    let of_album = |number: i64| {
        let mut told = message(&format!("m{number}"), "c1", "inbound", number);
        told["album"] = if number < 5 { json!("a1") } else { json!("a2") };
        told
    };
    let hands = Hands::on(move |request: &Request| match request.route().as_str() {
        "GET /account" => Answer::ok(account("WHATSAPP")),
        "GET /triggers/new-message" => {
            let mut all: Vec<Value> = (2..=newest.load(Ordering::SeqCst)).rev().map(of_album).collect();
            all.push(message("m1", "c1", "inbound", 1));
            Answer::ok(json!({ "data": all }))
        }
        _ => quiet(request),
    })
    .await;
    hands.channel.pull_account().await;
    for (messages, rings) in [(1, 0), (2, 1), (4, 0), (6, 1), (6, 0)] {
        count.store(messages, Ordering::SeqCst);
        hands.pass(3);
        assert_eq!(hands.pull_trigger().await, PullOutcome::Done);
        assert_eq!(hands.rings().len(), rings, "{messages} messages");
    }
    assert_eq!(hands.messages("c1").len(), 6);
}

#[tokio::test]
async fn a_gap_over_a_restart_is_closed() {
    let count = Arc::new(AtomicI64::new(60));
    let hands = Hands::on(inbox(count.clone(), |number| number.to_string())).await;
    hands.pull().await;
    count.store(3000, Ordering::SeqCst);
    // The first part is stored, then the desk ends.
    hands.pass(3);
    assert_eq!(hands.pull_trigger().await, PullOutcome::Later(0));
    let hands = hands.reopen();
    hands.pass(60);
    hands.channel.pull_account().await;
    let mut steps = 0;
    while hands.pull_trigger().await != PullOutcome::Done {
        hands.pass(3);
        steps += 1;
        assert!(steps < 30);
    }
    assert_eq!(stored(&hands), 3000);
}

#[tokio::test]
async fn cursors_that_lead_nowhere_are_left_and_tried_again() {
    let count = Arc::new(AtomicI64::new(60));
    let hands = Hands::on(inbox(count.clone(), |_| "500".to_owned())).await;
    hands.channel.pull_account().await;
    hands.pull_trigger().await;
    count.store(1060, Ordering::SeqCst);
    hands.pass(3);
    hands.news();
    assert_eq!(hands.pull_trigger().await, PullOutcome::Done);
    assert!(hands.news().iter().any(|news| matches!(news, News::Notice(_, None, _))), "it is said");
    hands.server.now(inbox(count, |number| number.to_string()));
    hands.server.seen();
    hands.pass(30);
    hands.pull_trigger().await;
    assert!(!hands.server.routes().contains(&"GET /messages".to_owned()), "not at once");
    hands.pass(60);
    while hands.pull_trigger().await != PullOutcome::Done {
        hands.pass(3);
    }
    assert_eq!(stored(&hands), 1060, "a thousand new ones, and the sixty before them");
}

#[tokio::test]
async fn one_bad_item_does_not_hide_the_others() {
    let hands = Hands::on(|request| match request.route().as_str() {
        "GET /triggers/new-message" => {
            let bad = [json!(7), json!({"id": null}), json!("\u{1b}[2J")];
            let good = [message("m1", "c1", "inbound", 1), message("m2", "c1", "inbound", 2)];
            Answer::ok(json!([good[1], bad[0], bad[1], good[0], bad[2]]))
        }
        _ => quiet(request),
    })
    .await;
    hands.pull().await;
    assert_eq!(hands.messages("c1"), ["m1", "m2"]);
    let row = hands.history("c1").conversation.expect("read alone, since it was not known");
    assert_eq!(row.conversation.address.as_deref(), Some("+34600111222"));
}

#[tokio::test]
async fn a_history_is_read_down_to_what_was_known_and_older_on_demand() {
    let count = Arc::new(AtomicI64::new(120));
    let newest = count.clone();
    let hands = Hands::on(move |request| match request.route().as_str() {
        "GET /conversations/c1/messages" => {
            let newest = newest.load(Ordering::SeqCst);
            let from = request.cursor().map_or(newest, |cursor| cursor.parse().unwrap_or(newest));
            let down_to = (from - 49).max(1);
            let one = |number: i64| message(&format!("m{number:03}"), "c1", "outbound", number);
            let items: Vec<_> = (down_to..=from).rev().map(one).collect();
            let next = (down_to > 1).then(|| (down_to - 1).to_string());
            Answer::ok(page(&items, next.as_deref()))
        }
        _ => quiet(request),
    })
    .await;
    let c1 = ConversationId::from("c1");
    hands.channel.pull_account().await;
    assert_eq!(hands.channel.pull_history(&c1).await, PullOutcome::Done);
    assert_eq!(hands.messages("c1").len(), 50);
    assert!(hands.history("c1").more_on_server);
    count.store(240, Ordering::SeqCst);
    hands.pass(3);
    hands.channel.pull_history(&c1).await;
    assert_eq!(hands.messages("c1").len(), 170, "the walk met what was stored");
    hands.channel.pull_older(&c1).await;
    hands.pass(3);
    hands.channel.pull_older(&c1).await;
    let page = hands.history("c1");
    assert_eq!((page.messages.len(), page.more_on_server), (240, false));
    hands.server.seen();
    assert_eq!(hands.channel.pull_older(&c1).await, PullOutcome::Done);
    assert!(hands.server.seen().is_empty(), "the start was reached");
}

#[tokio::test]
async fn that_a_history_has_been_read_to_its_start_is_news() {
    // The trigger brings the message first, the history nothing new.
    let hands = Hands::on(|request| match request.route().as_str() {
        "GET /triggers/new-message" | "GET /conversations/c1/messages" => {
            Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None))
        }
        _ => quiet(request),
    })
    .await;
    let conversation = ConversationId::from("c1");
    let is_told =
        || hands.news().iter().any(|news| matches!(news, News::History(_, about) if *about == conversation));
    assert_eq!(hands.channel.pull_account().await, PullOutcome::Done);
    assert_eq!(hands.pull_trigger().await, PullOutcome::Done);
    assert!(is_told() && hands.history("c1").more_on_server);
    assert_eq!(hands.channel.pull_history(&conversation).await, PullOutcome::Done);
    assert!(!hands.history("c1").more_on_server);
    assert!(is_told(), "a screen that showed the message is to know");
    hands.pass(3);
    assert_eq!(hands.channel.pull_history(&conversation).await, PullOutcome::Done);
    assert!(!is_told(), "once");
}
