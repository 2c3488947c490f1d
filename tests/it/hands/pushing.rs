//! Pushing: exact bytes with one key, and the consequence of each outcome.

use frontdesk::model::conversations::{Automation, ServiceWindow};
use frontdesk::model::news::{Health, News};
use frontdesk::model::outbox::{MAX_KEY_AGE, Operation, RowState, StopReason};
use frontdesk::model::time::{Clock, SECOND};
use frontdesk::sync::PushStep;
use serde_json::json;

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, conversation, detail, message, message_id, page, quiet};

pub fn sent(id: &str) -> Answer {
    Answer::ok(json!({
        "messageId": id, "whatsappMessageId": format!("wamid.{id}"), "status": "sent",
        "creditsUsed": 1, "creditsRemaining": 411
    }))
}

/// The AI of the conversation is off.
fn paused() -> Answer {
    Answer::ok(json!({"success": true, "id": "c1", "automationEnabled": false, "status": "active"}))
}

pub fn chat(request: &Request) -> Answer {
    match request.route().as_str() {
        "GET /conversations" => Answer::ok(page(&[conversation("c1", 1, 0)], None)),
        "GET /conversations/c1/messages" => Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None)),
        "POST /messages/send" => sent("sent-1"),
        _ => quiet(request),
    }
}

pub async fn ready() -> Hands {
    let hands = Hands::on(chat).await;
    hands.pull().await;
    hands.pass(5);
    hands.server.seen();
    hands.news();
    hands
}

fn stops(hands: &Hands) -> Vec<Option<StopReason>> {
    let rows = hands.history("c1").outbox.into_iter();
    rows.map(|row| if let RowState::Stopped(stop, _) = row.state { Some(stop) } else { None }).collect()
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_with_the_same_key_and_bytes() {
    let hands = ready().await;
    let row = hands.queue_text("c1", "Only once ✓");
    let request = hands.store.request(&row.id).await.expect("read").expect("queued");
    hands.server.now(|request| if request.method == "POST" { Answer::Cut } else { chat(request) });
    let step = hands.push().await;
    assert!(matches!(step, PushStep::Due(_)), "{step:?}");
    assert_eq!(hands.history("c1").outbox[0].state, RowState::Uncertain);
    hands.server.now(|request| match request.method.as_str() {
        "POST" => sent("sent-1").header("idempotent-replayed", "true"),
        _ => chat(request),
    });
    hands.pass(30);
    assert_eq!(hands.push().await, PushStep::Idle);
    let posts = hands.server.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!((posts[0].key(), &posts[0].body), (posts[1].key(), &posts[1].body));
    assert_eq!((posts[0].key(), posts[0].body.as_slice()), (row.key.as_str(), request.body.as_slice()));
    assert_eq!(hands.messages("c1"), ["m1", "sent-1"], "one message");
    let last = hands.history("c1").messages.pop().expect("a message");
    assert!(last.sent_here);
    assert!(hands.history("c1").outbox.is_empty());
    assert!(hands.news().contains(&News::Credits(crate::hands::id(), 411.0)));
}

#[tokio::test]
async fn a_desk_that_ended_while_sending_asks_again_with_the_same_key() {
    let hands = ready().await;
    let row = hands.queue_text("c1", "Only once");
    let fence = hands.store.lane_rows(&crate::hands::id()).await.expect("rows")[0].fencing_token;
    hands.store.claim(&row.id, fence, hands.clock.now(), hands.channel.credential()).await.expect("claimed");
    let hands = hands.reopen();
    hands.pass(1);
    assert_eq!(hands.push().await, PushStep::Idle);
    let posts = hands.server.seen();
    assert_eq!((posts.len(), posts[0].key()), (1, row.key.as_str()));
}

#[tokio::test]
async fn what_the_server_refuses_waits_for_a_person() {
    let cases = [
        (400, "VALIDATION_ERROR", StopReason::Refused),
        (400, "SESSION_EXPIRED", StopReason::Window),
        (402, "INSUFFICIENT_CREDITS", StopReason::Credits),
        (409, "IDEMPOTENCY_CONFLICT", StopReason::Unknown),
        (413, "PAYLOAD_TOO_LARGE", StopReason::Refused),
    ];
    for (status, code, stop) in cases {
        let hands = ready().await;
        hands.queue_text("c1", "Hello");
        hands.server.now(move |request| match request.method.as_str() {
            "POST" => Answer::refusal(status, code, "no"),
            _ => chat(request),
        });
        hands.push().await;
        hands.pass(3600);
        hands.push().await;
        assert_eq!(hands.server.posts().len(), 1, "{code}: never again by itself");
        assert_eq!(stops(&hands), [Some(stop)]);
        assert!(hands.news().iter().any(|news| matches!(news, News::Stopped(..))), "{code}");
        let window = hands.list().rows[0].conversation.window;
        assert_eq!(window == ServiceWindow::Closed, stop == StopReason::Window, "{code}");
        assert!(!hands.channel.is_stopped());
    }
}

#[tokio::test]
async fn a_revoked_key_stops_every_lane_after_one_call_and_keeps_the_rows() {
    let hands = ready().await;
    for lane in 0..20 {
        hands.queue_text(&format!("c{lane}"), "Hello");
    }
    hands.server.now(|_| Answer::refusal(401, "REVOKED_KEY", "revoked"));
    assert_eq!(hands.push().await, PushStep::Halted);
    assert_eq!(hands.push().await, PushStep::Halted);
    assert_eq!(hands.server.seen().len(), 1);
    assert!(matches!(hands.health(), Some(Health::Refused { .. })));
    assert_eq!(hands.store.lane_rows(&crate::hands::id()).await.expect("rows").len(), 20);
    hands.channel.resume();
    assert_eq!(hands.push().await, PushStep::Halted, "not before a read was answered");
    hands.server.now(chat);
    hands.channel.pull_account().await;
    hands.pass(1);
    while hands.push().await != PushStep::Idle {
        hands.pass(1);
    }
    let left = hands.store.lane_rows(&crate::hands::id()).await.expect("rows");
    assert_eq!(left.len(), 1, "the one that was refused waits for a person");
}

#[tokio::test]
async fn what_only_met_a_refused_key_leaves_with_another_one() {
    let hands = ready().await;
    hands.queue_text("c1", "Hello");
    hands.server.now(|_| Answer::refusal(401, "REVOKED_KEY", "revoked"));
    assert_eq!(hands.push().await, PushStep::Halted);
    assert_eq!(stops(&hands), [Some(StopReason::Auth)]);
    let row = hands.history("c1").outbox.remove(0);
    assert_eq!((row.attempts, row.first_attempt_at), (0, None), "nothing was executed");
    hands.store.retry_stopped(&row.id, None, hands.clock.now()).expect("written");
    let woken = hands.history("c1").outbox.remove(0);
    assert_eq!((woken.state, woken.key), (RowState::Queued, row.key), "whatever key it leaves with");
}

#[tokio::test]
async fn what_was_accepted_is_done_also_where_the_cache_cannot_be_written() {
    let hands = ready().await;
    hands.queue_text("c1", "Hello");
    let cache = rusqlite::Connection::open(hands.folder().join("cache.db")).expect("opens");
    cache
        .execute_batch(
            "CREATE TRIGGER no_message BEFORE INSERT ON message BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
        .expect("made");
    hands.push().await;
    assert_eq!(hands.server.posts().len(), 1);
    assert!(hands.store.lane_rows(&crate::hands::id()).await.expect("rows").is_empty(), "it is done");
}

#[tokio::test]
async fn whatever_reaches_people_asks_when_it_had_to_wait_for_long() {
    let hands = ready().await;
    let call = Operation::Call { to: "+34600111222".into(), via: None, context: None };
    hands.queue("c1", call);
    hands.pass(600);
    let hands = hands.reopen();
    hands.server.now(chat);
    hands.push().await;
    assert_eq!(stops(&hands), [Some(StopReason::Late)]);
    assert!(hands.server.posts().is_empty(), "no phone rings");
}

#[tokio::test]
async fn a_redirect_halts_and_the_row_asks_a_person() {
    let hands = ready().await;
    hands.queue_text("c1", "Hello");
    hands.server.now(|_| Answer::raw(307, "text/html", b"").header("location", "http://127.0.0.1:9/v1"));
    assert_eq!(hands.push().await, PushStep::Halted);
    let Some(Health::Misconfigured { why }) = hands.health() else { panic!("not said") };
    assert!(why.as_str().contains("redirect"));
    assert_eq!(stops(&hands), [Some(StopReason::Unknown)], "it may follow work that was done");
}

#[tokio::test]
async fn limits_and_lost_connections_wait_without_counting() {
    let hands = ready().await;
    hands.queue_text("c1", "Hello");
    hands.server.now(|_| Answer::refusal(429, "RATE_LIMIT_EXCEEDED", "slow").header("retry-after", "20"));
    let PushStep::Due(until) = hands.push().await else { panic!("not waiting") };
    assert!((20 * SECOND..=22 * SECOND).contains(&until.since(hands.clock.now())));
    let row = hands.history("c1").outbox.remove(0);
    assert_eq!((row.state, row.attempts), (RowState::Queued, 0));
    hands.server.now(chat);
    hands.pass(70);
    assert_eq!(hands.push().await, PushStep::Idle);
}

#[tokio::test]
async fn an_unclear_answer_is_tried_four_times_and_never_after_a_day() {
    let hands = ready().await;
    hands.queue_text("c1", "Hello");
    hands.queue_text("c1", "And more");
    hands.server.now(|request| match request.method.as_str() {
        "POST" => Answer::raw(200, "text/html", b"<html>portal</html>"),
        _ => chat(request),
    });
    for _ in 0..10 {
        hands.push().await;
        hands.pass(60);
    }
    assert_eq!(hands.server.posts().len(), 4);
    assert_eq!(stops(&hands), [Some(StopReason::Unknown), None], "the lane waits behind it");
    let hands = ready().await;
    hands.queue_text("c1", "Hello");
    hands.server.now(|_| Answer::Cut);
    hands.push().await;
    hands.server.seen();
    hands.pass(MAX_KEY_AGE / SECOND);
    hands.push().await;
    assert_eq!(stops(&hands), [Some(StopReason::Expired)]);
    assert!(hands.server.posts().is_empty());
}

#[tokio::test]
async fn after_a_pause_the_history_is_read_before_the_text_leaves() {
    let hands = ready().await;
    hands.queue("c1", Operation::SetAutomation { enabled: false });
    hands.queue_text("c1", "Ana here, a person.");
    hands.server.now(|request| match request.route().as_str() {
        "PATCH /conversations/c1" => paused(),
        "GET /conversations/c1/messages" => {
            let said = message("ai-1", "c1", "outbound", 3);
            Answer::ok(page(&[said, message("m1", "c1", "inbound", 0)], None))
        }
        _ => chat(request),
    });
    assert_eq!(hands.push().await, PushStep::Idle);
    let order = ["PATCH /conversations/c1", "GET /conversations/c1/messages", "POST /messages/send"];
    assert_eq!(hands.server.routes(), order);
    assert_eq!(hands.messages("c1"), ["m1", "ai-1", "sent-1"]);
    let row = &hands.list().rows[0];
    assert!(row.paused_here && row.conversation.automation == Automation::Off);
    hands.queue_text("c1", "And more");
    hands.push().await;
    assert_eq!(hands.server.routes(), ["POST /messages/send"], "once is enough");
}

#[tokio::test]
async fn a_history_that_cannot_be_read_holds_the_text_back() {
    let hands = ready().await;
    hands.queue("c1", Operation::SetAutomation { enabled: false });
    hands.queue_text("c1", "Ana here");
    hands.server.now(|request| match request.route().as_str() {
        "PATCH /conversations/c1" => paused(),
        _ => Answer::refusal(500, "INTERNAL_ERROR", "boom"),
    });
    assert!(matches!(hands.push().await, PushStep::Due(_)));
    assert!(!hands.server.routes().contains(&"POST /messages/send".to_owned()));
    hands.server.now(chat);
    hands.pass(2);
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(hands.server.routes(), ["GET /conversations/c1/messages", "POST /messages/send"]);
}

#[tokio::test]
async fn success_of_a_pause_is_what_the_server_tells() {
    let silent = |enabled: bool| {
        move |request: &Request| match request.route().as_str() {
            "PATCH /conversations/c1" => Answer::raw(200, "application/json", b""),
            "GET /conversations/c1" => Answer::ok(detail("c1", enabled)),
            _ => chat(request),
        }
    };
    let hands = ready().await;
    hands.queue("c1", Operation::SetAutomation { enabled: false });
    hands.server.now(silent(false));
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(hands.server.routes(), ["PATCH /conversations/c1", "GET /conversations/c1"]);
    assert!(hands.list().rows[0].paused_here);
    let hands = ready().await;
    hands.queue("c1", Operation::SetAutomation { enabled: false });
    hands.queue_text("c1", "Ana here");
    hands.server.now(silent(true));
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(
        stops(&hands),
        [Some(StopReason::Refused), None],
        "the text does not leave while the AI answers"
    );
    assert!(!hands.server.routes().contains(&"POST /messages/send".to_owned()));
    assert!(!hands.list().rows[0].paused_here);
}

#[tokio::test]
async fn closing_and_reacting_are_remembered() {
    let hands = ready().await;
    hands.queue("c1", Operation::React { message: message_id("m1"), emoji: "👍".into() });
    hands.queue("c1", Operation::Close);
    hands.server.now(|request| match request.route().as_str() {
        "POST /messages/m1/react" => Answer::ok(json!({})).rated(),
        "POST /conversations/c1/close" => {
            Answer::ok(json!({"success": true, "conversationId": "c1", "status": "closed"}))
        }
        _ => chat(request),
    });
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(hands.history("c1").messages[0].reaction.as_deref(), Some("👍"));
    assert_eq!(hands.list().rows[0].conversation.status.word(), "closed");
}

#[tokio::test]
async fn a_read_only_tab_never_sends() {
    let hands = Hands::with(chat, |spec| spec.read_only = true).await;
    hands.pull().await;
    hands.queue_text("c1", "Hello");
    hands.server.seen();
    assert_eq!(hands.push().await, PushStep::Halted);
    assert!(hands.server.seen().is_empty());
}

#[tokio::test]
async fn a_text_that_found_no_connection_leaves_with_the_first_answer_and_ends_being_offline() {
    let hands = ready().await;
    hands.queue("c1", Operation::SetAutomation { enabled: false });
    hands.queue_text("c1", "Ana here");
    hands.server.now(|request| match request.route().as_str() {
        "PATCH /conversations/c1" => paused(),
        _ => Answer::Cut,
    });
    // Its history is read before a retry, with growing delays.
    for seconds in [6, 11, 21] {
        hands.push().await;
        hands.pull_trigger().await;
        hands.pass(seconds);
    }
    hands.push().await;
    assert!(matches!(hands.health(), Some(Health::Offline { .. })));
    hands.server.seen();
    hands.server.now(chat);
    assert!(matches!(hands.push().await, PushStep::Due(_)), "nothing has answered");
    hands.pass(1);
    hands.pull_trigger().await;
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(hands.server.posts().len(), 1, "it waits for no time of its own");
    // Without polling, an answer to a write proves the connection.
    hands.server.now(|_| Answer::Cut);
    for _ in 0..3 {
        hands.pull_trigger().await;
        hands.pass(5);
    }
    assert!(matches!(hands.health(), Some(Health::Offline { .. })));
    hands.server.now(chat);
    hands.queue_text("c1", "And again");
    hands.push().await;
    assert_eq!(hands.server.posts().len(), 1);
    assert!(matches!(hands.health(), Some(Health::Live { .. })));
}
