//! Servers with correct but unusual answers, and lists that break off.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use frontdesk::model::ids::ConversationId;
use frontdesk::model::news::News;
use frontdesk::model::time::{SECOND, Timestamp};
use frontdesk::sync::PullOutcome;
use serde_json::{Value, json};

use crate::binary::{Binary, Ended};
use crate::hands::server::{Answer, Request, Server};
use crate::hands::{Hands, account, conversation, detail, message, page, quiet};
use crate::waiting::aside;

const MARK: &str = "\u{feff}";

fn marked(body: &Value) -> Answer {
    Answer::raw(200, "application/json; charset=utf-8", format!("{MARK}{body}").as_bytes())
}

#[tokio::test]
async fn send_answered_behind_a_byte_order_mark_is_posted_once() {
    let hands = Hands::on(|request| match request.route().as_str() {
        "GET /account" => marked(&account("WHATSAPP")),
        "GET /conversations" => marked(&page(&[conversation("c1", 1, 0)], None)),
        "GET /conversations/c1" => marked(&detail("c1", true)),
        "POST /messages/send" => marked(&json!({"messageId": "sent-1", "status": "sent", "creditsUsed": 1})),
        _ => marked(&page(&[], None)),
    })
    .await;
    hands.pull().await;
    assert_eq!(hands.list().rows.len(), 1);
    hands.pass(5);
    hands.server.seen();
    hands.queue_text("c1", "hello");
    for _ in 0..4 {
        hands.push().await;
        hands.pass(60);
    }
    assert_eq!(hands.server.posts().len(), 1);
    assert!(hands.history("c1").outbox.is_empty(), "it was sent");
}

#[tokio::test]
async fn long_ids_keep_their_digits_and_odd_times_are_read() {
    let at = Timestamp::parse("2026-11-20T09:59:00Z").expect("a time");
    let forms = [
        json!("2026-11-20T09:59:00"),
        json!("2026-11-20 09:59:00"),
        json!(at.seconds()),
        json!(at.micros() / 1_000),
        json!((at.micros() / 1_000).to_string()),
        json!("Fri, 20 Nov 2026 09:59:00 GMT"),
    ];
    for form in forms {
        let told = form.to_string();
        let mut row = conversation("c1", 1, 0);
        row["lastMessageAt"] = form.clone();
        let text =
            page(&[row], None).to_string().replace("\"id\":\"c1\"", "\"id\":123456789012345678901234567890");
        let hands = Hands::on(move |request| match request.route().as_str() {
            "GET /conversations" => Answer::raw(200, "application/json", text.as_bytes()),
            "GET /conversations/123456789012345678901234567890" => {
                let mut alone = detail("123456789012345678901234567890", true);
                alone["lastMessageAt"] = form.clone();
                Answer::ok(alone)
            }
            _ => quiet(request),
        })
        .await;
        hands.channel.pull_account().await;
        hands.pull_conversations().await;
        let routes = hands.server.routes();
        let asked = "GET /conversations/123456789012345678901234567890/messages";
        assert!(routes.iter().any(|route| route == asked), "{told}: {routes:?}");
        let rows = hands.list().rows;
        assert_eq!(rows[0].conversation.id.as_str(), "123456789012345678901234567890", "{told}");
        let read_at = rows[0].conversation.last_message_at;
        assert_eq!(read_at.map(Timestamp::seconds), Some(at.seconds()), "{told}");
    }
}

#[tokio::test]
async fn empty_list_written_as_null_is_no_trouble() {
    let hands = Hands::on(|request| match request.route().as_str() {
        "GET /conversations" => Answer::ok(json!({"data": null, "hasMore": false, "nextCursor": null})),
        _ => quiet(request),
    })
    .await;
    hands.channel.pull_account().await;
    assert_eq!(hands.pull_conversations().await, PullOutcome::Done);
    assert!(hands.list().rows.is_empty());
}

/// A conversation unknown by its id; the list contains it while `named` is positive.
async fn lagging(named: Arc<AtomicUsize>) -> Hands {
    let hands = Hands::on(move |request| {
        let is_named = named.load(Ordering::SeqCst) > 0;
        match request.route().as_str() {
            "GET /conversations" if is_named => Answer::ok(page(&[conversation("c1", 1, 0)], None)),
            "GET /conversations/c1" | "GET /conversations/c1/messages" => {
                Answer::refusal(404, "NOT_FOUND", "no such conversation")
            }
            _ => quiet(request),
        }
    })
    .await;
    hands.channel.pull_account().await;
    hands
}

#[tokio::test]
async fn listed_conversation_that_is_not_found_by_its_id_stays() {
    let named = Arc::new(AtomicUsize::new(1));
    let hands = lagging(named.clone()).await;
    let c1 = ConversationId::from("c1");
    for _ in 0..3 {
        hands.pull_conversations().await;
        assert_eq!(hands.list().rows.len(), 1);
        hands.pass(60);
        assert_eq!(hands.channel.pull_history(&c1).await, PullOutcome::Failed);
        assert_eq!(hands.list().rows.len(), 1, "the list names it");
    }
    named.store(0, Ordering::SeqCst);
    hands.pass(60);
    assert_eq!(hands.channel.pull_history(&c1).await, PullOutcome::Paced(5 * SECOND));
    assert_eq!(hands.list().rows.len(), 1, "once is not enough");
    // The first failure is remembered across a restart.
    let hands = hands.reopen();
    hands.channel.pull_account().await;
    assert!(matches!(hands.channel.pull_history(&c1).await, PullOutcome::Paced(_)), "and not at once");
    hands.pass(6);
    assert_eq!(hands.channel.pull_history(&c1).await, PullOutcome::Done);
    assert!(hands.list().rows.is_empty());
}

#[tokio::test]
async fn conversation_that_is_listed_again_meanwhile_stays() {
    let named = Arc::new(AtomicUsize::new(1));
    let hands = lagging(named.clone()).await;
    let c1 = ConversationId::from("c1");
    hands.pull_conversations().await;
    for is_named in [0, 1, 0] {
        named.store(is_named, Ordering::SeqCst);
        hands.pass(60);
        hands.channel.pull_history(&c1).await;
        assert_eq!(hands.list().rows.len(), 1, "{is_named}");
    }
}

async fn script(
    answer: impl FnMut(&Request) -> Answer + Send + 'static,
    arguments: &'static [&'static str],
) -> (Ended, Vec<Value>) {
    let server = Server::start(answer).await;
    let mut binary = Binary::new();
    binary.set("KEY", "svc_live_0123456789");
    binary.configure(&format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"KEY\"\n",
        server.base_url
    ));
    let ended = aside(move || binary.run(arguments, "")).await;
    let rows = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{} {}", ended.out, ended.err));
    (ended, rows)
}

/// True if each row says that the list is incomplete.
fn is_marked(rows: &[Value]) -> bool {
    rows.iter().all(|row| row["listIsWhole"] == json!(false))
}

fn refused_cursor(items: &[Value], request: &Request) -> Answer {
    match request.cursor() {
        None => Answer::ok(page(items, Some("next"))),
        Some(_) => Answer::refusal(400, "VALIDATION_ERROR", "cursor is not valid"),
    }
}

fn repeated_cursor(items: &[Value], _: &Request) -> Answer {
    Answer::ok(page(items, Some("same")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_of_a_list_that_breaks_off_are_shown_and_marked() {
    for breaks in [refused_cursor, repeated_cursor] {
        let answer = move |request: &Request| match request.route().as_str() {
            "GET /conversations" => breaks(&[conversation("c1", 1, 0), conversation("c2", 1, -60)], request),
            "GET /conversations/c2" => Answer::ok(detail("c2", true)),
            _ => quiet(request),
        };
        let (ended, rows) = script(answer, &["list", "--json", "--timeout", "20"]).await;
        assert_eq!((ended.code, rows.len()), (Some(1), 2), "{}", ended.err);
        assert!(is_marked(&rows), "{rows:?}");
        assert!(
            ended.err.contains("refused or repeated a page") && ended.err.contains("\"exit\":1"),
            "{}",
            ended.err
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contacts_of_a_list_that_breaks_off_are_shown_and_marked() {
    for breaks in [refused_cursor, repeated_cursor] {
        let answer = move |request: &Request| match request.route().as_str() {
            "GET /contacts" => {
                breaks(&[json!({"id": "p1", "phone": "+34600111222", "name": "Ana"})], request)
            }
            _ => quiet(request),
        };
        let (ended, rows) = script(answer, &["contacts", "list", "--json", "--timeout", "20"]).await;
        assert_eq!((ended.code, rows.len()), (Some(1), 1), "{}", ended.err);
        assert!(is_marked(&rows), "{rows:?}");
        assert!(ended.err.contains("incomplete"), "{}", ended.err);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_in_hand_is_shown_when_no_call_is_left() {
    let answer = |request: &Request| match request.route().as_str() {
        "GET /conversations" => Answer::ok(page(&[conversation("c1", 1, 0)], Some("next")))
            .header("x-ratelimit-limit", "300")
            .header("x-ratelimit-remaining", "0")
            .header("x-ratelimit-reset", "60"),
        "GET /conversations/c1/messages" => Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None)),
        _ => quiet(request),
    };
    let (ended, rows) = script(answer, &["list", "--json", "--timeout", "20"]).await;
    assert_eq!((ended.code, rows.len()), (Some(1), 1), "{}", ended.err);
    assert!(is_marked(&rows), "{rows:?}");
    assert!(ended.err.contains("rate limit"), "{}", ended.err);
}

#[tokio::test]
async fn emptied_server_is_told_and_leaves_no_ghosts() {
    let emptied = Arc::new(AtomicUsize::new(0));
    let state = emptied.clone();
    let hands = Hands::on(move |request| match (request.route().as_str(), state.load(Ordering::SeqCst)) {
        ("GET /conversations", 0) => {
            Answer::ok(page(&[conversation("c1", 1, 0), conversation("c2", 1, -5)], None))
        }
        ("GET /conversations", 1) => Answer::ok(page(&[], None)),
        ("GET /conversations", _) => Answer::ok(page(&[conversation("c9", 1, 40)], None)),
        _ => quiet(request),
    })
    .await;
    let rows = |hands: &Hands| -> Vec<String> {
        hands.list().rows.iter().map(|row| row.conversation.id.to_string()).collect()
    };
    let told = |hands: &Hands, words: &str| {
        let is_told = |news: &News| matches!(news, News::Notice(_, _, text) if text.as_str().contains(words));
        hands.news().iter().any(is_told)
    };
    hands.channel.pull_account().await;
    hands.pull_conversations().await;
    assert_eq!(rows(&hands), ["c1", "c2"]);
    // One empty list may be a replica's: reported, and nothing is removed.
    emptied.store(1, Ordering::SeqCst);
    hands.pass(10);
    hands.pull_conversations().await;
    assert!(told(&hands, "no longer lists any of the 2 conversations"));
    hands.pass(10);
    hands.pull_conversations().await;
    assert_eq!(rows(&hands), ["c1", "c2"]);
    // A list with one of them ends it.
    emptied.store(0, Ordering::SeqCst);
    hands.pass(10);
    hands.pull_conversations().await;
    emptied.store(1, Ordering::SeqCst);
    hands.pass(20);
    hands.pull_conversations().await;
    assert_eq!(rows(&hands), ["c1", "c2"]);
    // Half a minute later it still has none of them, and a new one.
    emptied.store(2, Ordering::SeqCst);
    hands.pass(31);
    hands.pull_conversations().await;
    assert_eq!(rows(&hands), ["c9"]);
    assert!(told(&hands, "2 conversations were removed here"));
}
