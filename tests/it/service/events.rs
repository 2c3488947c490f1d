//! Deliveries of events: content, signature, retries and giving up.

use serde_json::{Value, json};

use super::receiver::{Receiver, hex_hmac};
use super::{Desk, texts};

const LIVE: &str = "whatsapp live";
const CUSTOMER: &str = "+34600111222";

async fn subscribed(desk: &Desk, receiver: &Receiver, events: Value) -> String {
    let body = json!({"url": receiver.url, "events": events, "secret": "s3cret"});
    let made = desk.post(LIVE, "/webhooks", body).await;
    receiver.take();
    made["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn message_events_cover_arrival_to_reading() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    subscribed(&desk, &receiver, Value::Null).await;
    let conversation = desk.inbound("whatsapp", CUSTOMER, "hello \"you\"\n\u{1F600}").await;
    let send = |to: &str| json!({"to": to, "type": "text", "text": {"body": "hi"}});
    let sent = desk.post(LIVE, "/messages/send", send(CUSTOMER)).await;
    desk.inbound("whatsapp", "+34600110009", "x").await;
    desk.post(LIVE, "/messages/send", send("+34600110009")).await;
    desk.advance(30.0).await;
    let told: Vec<Value> = receiver.deliveries().iter().map(|delivery| delivery.json()).collect();
    let named = |name: &str| told.iter().filter(|value| value["event"] == name).collect::<Vec<_>>();
    let counts = ["received", "sent", "delivered", "read", "failed"]
        .map(|text| named(&format!("message.{text}")).len());
    assert_eq!(counts, [2, 2, 1, 1, 1], "{told:?}");
    let mut received = named("message.received").into_iter();
    let received = received.find(|value| value["data"]["from"] == CUSTOMER).expect("told");
    assert_eq!(received["timestamp"], "2026-11-20T10:00:00.000Z");
    assert_eq!(received["data"]["conversationId"], conversation.as_str());
    assert_eq!(received["data"]["content"], "hello \"you\"\n\u{1F600}");
    assert!(received["data"]["messageId"].as_str().is_some_and(|text| text.starts_with("msg_")));
    for name in ["message.sent", "message.delivered", "message.read"] {
        let of_send = named(name).iter().any(|value| value["data"]["messageId"] == sent["messageId"]);
        assert!(of_send, "{name}: {told:?}");
    }
    assert!(named("message.read")[0]["data"]["readAt"].is_string());
    desk.advance(100.0).await;
    assert!(receiver.deliveries().is_empty());
}

#[tokio::test]
async fn webhook_gets_only_its_events_of_its_channel() {
    let desk = Desk::start().await;
    let (chat, bot) = (Receiver::start().await, Receiver::start().await);
    subscribed(&desk, &chat, json!(["message.sent"])).await;
    desk.post("telegram live", "/webhooks", json!({"url": bot.url})).await;
    bot.take();
    desk.inbound("whatsapp", CUSTOMER, "hello").await;
    desk.inbound("telegram", "4711", "hello").await;
    desk.post("telegram live", "/telegram/send", json!({"chatId": "4711", "text": "hi"})).await;
    desk.advance(10.0).await;
    assert!(chat.deliveries().is_empty());
    let mut told: Vec<String> = bot
        .deliveries()
        .iter()
        .map(|delivery| delivery.json()["event"].as_str().expect("a name").to_owned())
        .collect();
    told.sort();
    assert_eq!(told, ["message.delivered", "message.read", "message.received", "message.sent"]);
}

#[tokio::test]
async fn no_events_are_stored_without_a_webhook() {
    let desk = Desk::start().await;
    desk.inbound("whatsapp", CUSTOMER, "hello").await;
    let count: i64 = desk.sql().query_row("SELECT count(*) FROM events", [], |row| row.get(0)).expect("read");
    assert_eq!(count, 0);
}

#[tokio::test]
async fn receivers_can_verify_who_sent_it() {
    let desk = Desk::start().await;
    let (signed, unsigned) = (Receiver::start().await, Receiver::start().await);
    subscribed(&desk, &signed, json!(["message.received"])).await;
    desk.post(LIVE, "/webhooks", json!({"url": unsigned.url})).await;
    unsigned.take();
    desk.inbound("whatsapp", CUSTOMER, "hello").await;
    desk.advance(1.0).await;
    let delivery = signed.deliveries().remove(0);
    let header = |name: &str| delivery.headers.get(name).cloned().unwrap_or_default();
    assert_eq!(header("x-service-signature"), hex_hmac("s3cret", &delivery.body));
    assert_eq!(header("content-type"), "application/json");
    let id = header("webhook-id");
    assert!(id.starts_with("evt_"), "{id}");
    let seconds: i64 = header("webhook-timestamp").parse().expect("seconds");
    let covered = [id.as_bytes(), b".", seconds.to_string().as_bytes(), b".", &delivery.body].concat();
    let bare = header("webhook-signature");
    use base64::Engine;
    let tag = base64::engine::general_purpose::STANDARD
        .decode(bare.strip_prefix("v1,").expect("version 1"))
        .expect("base64");
    let hex: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, hex_hmac("s3cret", &covered));
    let delivery = unsigned.deliveries().remove(0);
    assert!(!delivery.headers.contains_key("x-service-signature"));
    assert_eq!(delivery.headers.get("webhook-id"), Some(&id), "one event, one id");
}

#[tokio::test]
async fn failures_are_tried_again_on_a_schedule_and_then_given_up() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    subscribed(&desk, &receiver, json!(["message.received"])).await;
    receiver.answer(500, "");
    desk.inbound("whatsapp", CUSTOMER, "hello").await;
    desk.advance(0.0).await;
    let mut bodies = receiver.deliveries();
    let mut passed = 0.0;
    let minute = 60.0;
    let hour = 60.0 * minute;
    let spans =
        [5.0, 5.0 * minute, hour / 2.0, 2.0 * hour, 5.0 * hour, 10.0 * hour, 14.0 * hour, 20.0 * hour];
    for (number, span) in spans.into_iter().chain([24.0 * hour]).enumerate() {
        let wait = next_attempt(&desk) - passed;
        assert!((0.8 * span..=1.2 * span).contains(&wait), "{wait} is not about {span}");
        desk.advance(wait - 0.5).await;
        assert!(receiver.take().is_empty(), "attempt {number} came early");
        desk.advance(1.0).await;
        passed += wait + 0.5;
        bodies.extend(receiver.deliveries());
        assert_eq!(bodies.len(), number + 2, "attempt {number} did not come");
    }
    assert!(bodies.iter().all(|body| body.body == bodies[0].body));
    let same_id = bodies.iter().all(|body| body.headers["webhook-id"] == bodies[0].headers["webhook-id"]);
    assert!(same_id, "receivers can tell a repetition");
    desk.advance(40.0 * hour).await;
    assert!(receiver.deliveries().is_empty(), "ten attempts are all");
    // Three days without a success end the subscription, too.
    receiver.answer(204, "");
    assert_eq!(desk.get(LIVE, "/webhooks").await["data"][0]["isActive"], false);
    desk.inbound("whatsapp", CUSTOMER, "again").await;
    desk.advance(0.0).await;
    assert!(receiver.deliveries().is_empty());
}

#[tokio::test]
async fn event_is_given_up_alone_if_others_arrive() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    subscribed(&desk, &receiver, json!(["message.received"])).await;
    receiver.answer_by(|delivery| {
        let is_bad = String::from_utf8_lossy(&delivery.body).contains("poison");
        (if is_bad { 500 } else { 200 }, "", Vec::new())
    });
    desk.inbound("whatsapp", CUSTOMER, "poison").await;
    for _ in 0..8 {
        desk.advance(43_200.0).await;
        desk.inbound("whatsapp", CUSTOMER, "well").await;
    }
    desk.advance(0.0).await;
    assert_eq!(receiver.deliveries().len(), 10 + 8);
    assert_eq!(desk.get(LIVE, "/webhooks").await["data"][0]["isActive"], true);
}

/// Seconds from the beginning to the next attempt.
fn next_attempt(desk: &Desk) -> f64 {
    let sql = "SELECT (due_at - at) / 1e6 FROM deliveries JOIN events ON events.id = event";
    desk.sql().query_row(sql, [], |row| row.get(0)).expect("one is due")
}

#[tokio::test]
async fn moving_the_clock_far_makes_all_attempts_of_that_time() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    let id = subscribed(&desk, &receiver, json!(["message.received"])).await;
    receiver.answer(302, "location: /elsewhere\r\n");
    desk.inbound("whatsapp", CUSTOMER, "hello").await;
    desk.advance(4.5 * 86_400.0).await;
    assert_eq!(receiver.take().len(), 10, "redirects are failures and are not followed");
    // Three days after the first failure the subscription is given up.
    desk.inbound("whatsapp", CUSTOMER, "anyone?").await;
    desk.advance(86_400.0).await;
    assert!(receiver.take().is_empty());
    let listed = desk.get(LIVE, "/webhooks").await;
    assert_eq!((texts(&listed, "id"), &listed["data"][0]["isActive"]), (vec![id], &json!(false)));
    desk.inbound("whatsapp", CUSTOMER, "no one").await;
    desk.advance(86_400.0).await;
    assert!(receiver.take().is_empty());
}

#[tokio::test]
async fn a_success_ends_a_row_of_failures() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    subscribed(&desk, &receiver, json!(["message.received"])).await;
    let mut calls = 0;
    receiver.answer_by(move |_| {
        calls += 1;
        (if calls < 3 { 500 } else { 200 }, "", Vec::new())
    });
    desk.inbound("whatsapp", CUSTOMER, "hello").await;
    desk.advance(86_400.0).await;
    assert_eq!(receiver.take().len(), 3);
    let failing: Option<i64> =
        desk.sql().query_row("SELECT failing_since FROM webhooks", [], |row| row.get(0)).expect("read");
    assert_eq!(failing, None);
}

#[tokio::test]
async fn endpoint_that_answers_gone_gets_no_more_deliveries() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    subscribed(&desk, &receiver, json!(["message.received"])).await;
    receiver.answer(410, "");
    desk.inbound("whatsapp", CUSTOMER, "one").await;
    desk.advance(0.0).await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(desk.get(LIVE, "/webhooks").await["data"][0]["isActive"], false);
    desk.inbound("whatsapp", CUSTOMER, "two").await;
    desk.advance(86_400.0).await;
    assert!(receiver.take().is_empty());
}

#[tokio::test]
async fn an_endpoint_may_ask_for_a_little_patience() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    subscribed(&desk, &receiver, json!(["message.received"])).await;
    receiver.answer(503, "retry-after: 120\r\n");
    desk.inbound("whatsapp", CUSTOMER, "one").await;
    desk.advance(0.0).await;
    assert_eq!(receiver.take().len(), 1);
    receiver.answer(200, "");
    desk.advance(119.0).await;
    assert!(receiver.take().is_empty());
    desk.advance(1.0).await;
    assert_eq!(receiver.take().len(), 1);
}

#[tokio::test]
async fn undelivered_events_survive_a_restart() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    subscribed(&desk, &receiver, json!(["message.received"])).await;
    desk.inbound("whatsapp", CUSTOMER, "one").await;
    let desk = desk.restart().await;
    desk.advance(0.0).await;
    let delivery = receiver.deliveries().remove(0);
    assert_eq!(delivery.headers["x-service-signature"], hex_hmac("s3cret", &delivery.body));
}

#[tokio::test]
async fn many_events_are_all_delivered_a_few_at_a_time() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    subscribed(&desk, &receiver, json!(["message.received"])).await;
    for number in 0..60 {
        desk.inbound("whatsapp", CUSTOMER, &format!("message {number}")).await;
    }
    desk.advance(0.0).await;
    let mut told: Vec<String> =
        receiver.deliveries().iter().map(|delivery| delivery.json()["data"]["content"].to_string()).collect();
    assert_eq!(told.len(), 60);
    told.sort();
    told.dedup();
    assert_eq!(told.len(), 60);
}
