//! Subscriptions: challenge, bounds, secrets, scopes, test keys.

use serde_json::{Value, json};

use super::receiver::Receiver;
use super::{Desk, texts};

const LIVE: &str = "whatsapp live";

#[tokio::test]
async fn a_subscription_is_made_listed_and_removed() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    let url = format!("{}?team=a%20b", receiver.url);
    let made = desk.post(LIVE, "/webhooks", json!({"url": url, "secret": "s3cret"})).await;
    let asked = receiver.take().remove(0);
    assert_eq!(asked.method, "GET");
    assert!(asked.target.starts_with("/hook?team=a%20b&challenge="), "{}", asked.target);
    assert_eq!(asked.challenge().map(str::len), Some(64));
    let chat = ["message.received", "message.sent", "message.delivered", "message.read", "message.failed"];
    let id = made["id"].as_str().expect("an id");
    assert_eq!(
        made,
        json!({"id": id, "url": url, "events": chat, "isActive": true, "createdAt": "2026-11-20T10:00:00.000Z"})
    );
    assert_eq!(desk.get(LIVE, "/webhooks").await, json!({"data": [made]}));
    let gone = desk.call(LIVE, "DELETE", &format!("/webhooks/{id}"), Value::Null).await.good(200);
    assert_eq!(gone, json!({"success": true, "deleted": id}));
    assert_eq!(desk.get(LIVE, "/webhooks").await, json!({"data": []}));
    desk.call(LIVE, "DELETE", &format!("/webhooks/{id}"), Value::Null).await.refused(404, "NOT_FOUND");
}

/// The start of a delivery outage is in the subscription, in the metrics and in `admin`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_webhook_shows_since_when() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    desk.post(LIVE, "/webhooks", json!({"url": receiver.url, "events": ["message.received"]})).await;
    let shown = async || desk.get(LIVE, "/webhooks").await["data"][0].clone();
    let counted = async |state: &str| {
        let root = desk.running.base_url.trim_end_matches("/v1");
        let page = desk.send("", "GET", &format!("{root}/metrics"), &[], Vec::new()).await;
        let page = String::from_utf8_lossy(&page.body).into_owned();
        let begins = format!("frontdesk_webhooks{{state=\"{state}\"}} ");
        page.lines().find_map(|line| line.strip_prefix(&begins)).expect(&page).to_owned()
    };
    let listed = async || {
        let (place, key) = (desk.place.clone(), desk.database.with_file_name("service.key"));
        let listing = tokio::task::spawn_blocking(move || {
            let admin = frontdesk::service::admin::Admin::open(&place, Some(&key)).expect("it opens");
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let mut all = runtime.block_on(admin.webhooks()).expect("listed");
            admin.close();
            all.remove(0).1
        });
        listing.await.expect("no panic")
    };
    desk.inbound("whatsapp", "+34600111222", "one").await;
    desk.advance(1.0).await;
    assert_eq!((shown().await.get("failingSince"), counted("well").await.as_str()), (None, "1"));
    receiver.answer(500, "");
    desk.inbound("whatsapp", "+34600111222", "two").await;
    desk.advance(1.0).await;
    assert!(shown().await["failingSince"].is_string());
    assert_eq!(shown().await["waiting"], json!(1));
    assert_eq!((shown().await["isActive"].as_bool(), counted("failing").await.as_str()), (Some(true), "1"));
    assert!(listed().await.failing_since.is_some());
    desk.advance(6.0 * 86_400.0).await;
    desk.inbound("whatsapp", "+34600111222", "three").await;
    desk.advance(1.0).await;
    assert_eq!((shown().await["isActive"].as_bool(), counted("given up").await.as_str()), (Some(false), "1"));
    assert!(!listed().await.active);
}

#[tokio::test]
async fn only_endpoints_that_return_the_value_pass() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    let mut messages = Vec::new();
    for (status, body) in [(200, "nonsense"), (200, ""), (404, "value"), (302, "value"), (500, "value")] {
        receiver.answer_by(move |receiver| {
            let value = receiver.challenge().unwrap_or("").as_bytes().to_vec();
            (status, "", if body == "value" { value } else { body.as_bytes().to_vec() })
        });
        let answer = desk.call(LIVE, "POST", "/webhooks", json!({"url": receiver.url})).await;
        messages.push(answer.refused(400, "WEBHOOK_VERIFICATION_FAILED"));
    }
    let nobody = json!({"url": "http://127.0.0.1:9/hook"});
    let answer = desk.call(LIVE, "POST", "/webhooks", nobody).await;
    messages.push(answer.refused(400, "WEBHOOK_VERIFICATION_FAILED"));
    messages.dedup();
    assert_eq!(messages.len(), 1, "one text for every reason: {messages:?}");
    assert_eq!(desk.get(LIVE, "/webhooks").await, json!({"data": []}));
}

#[tokio::test]
async fn a_bad_request_asks_nobody() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    let url = &receiver.url;
    let cases = [
        (json!({}), "url is required"),
        (json!({"url": 7}), "url must be a string"),
        (json!({"url": "ftp://127.0.0.1/x"}), "url cannot be used"),
        (json!({"url": "http://example.com/x"}), "url cannot be used"),
        (json!({"url": "https://10.0.0.1/x"}), "url cannot be used"),
        (json!({"url": "https://user@example.com/"}), "url cannot be used"),
        (json!({"url": format!("https://example.com/{}", "x".repeat(2048))}), "url must have at most 2048"),
        (json!({"url": url, "events": "message.read"}), "events must be an array"),
        (json!({"url": url, "events": []}), "events must name at least one"),
        (json!({"url": url, "events": ["message.read", "message.lost", 7]}), "events[2] must be a string"),
        (json!({"url": url, "events": ["email.received"]}), "events has events"),
        (json!({"url": url, "secret": ""}), "secret must not be empty"),
        (json!({"url": url, "secret": "x".repeat(257)}), "secret must have at most 256"),
    ];
    for (body, words) in cases {
        let answer = desk.call(LIVE, "POST", "/webhooks", body).await;
        let message = answer.refused(400, "VALIDATION_ERROR");
        assert!(message.starts_with(words), "{message}");
    }
    let both = json!({"url": url, "events": ["message.lost", "order.made"]});
    let message = desk.call(LIVE, "POST", "/webhooks", both).await.refused(400, "VALIDATION_ERROR");
    assert!(message.contains("message.lost, order.made"), "{message}");
    assert!(receiver.take().is_empty());
}

#[tokio::test]
async fn each_channel_has_its_own_events_and_subscriptions() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url});
    let mail = desk.post("email live", "/email/webhooks", body.clone()).await;
    assert_eq!(
        mail["events"],
        json!(["email.received", "email.sent", "email.opened", "email.thread.categorized"])
    );
    let twice = json!({"url": receiver.url, "events": ["message.read", "message.read"]});
    let bot = desk.post("telegram live", "/webhooks", twice).await;
    assert_eq!(bot["events"], json!(["message.read"]));
    assert_eq!(desk.get(LIVE, "/webhooks").await, json!({"data": []}));
    let id = bot["id"].as_str().expect("an id");
    desk.call(LIVE, "DELETE", &format!("/webhooks/{id}"), Value::Null).await.refused(404, "NOT_FOUND");
    for (key, path) in [
        (LIVE, "/email/webhooks"),
        ("email live", "/webhooks"),
        ("voip live", "/webhooks"),
        ("telegram test", "/email/webhooks"),
    ] {
        desk.call(key, "POST", path, body.clone()).await.refused(403, "FORBIDDEN");
    }
}

#[tokio::test]
async fn a_repetition_is_answered_without_asking_again() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url, "secret": "a"});
    let first = desk.keyed(LIVE, "POST", "/webhooks", body.clone(), Some("k-1")).await;
    assert_eq!((first.status, receiver.take().len()), (200, 1));
    let again = desk.keyed(LIVE, "POST", "/webhooks", body, Some("k-1")).await;
    assert_eq!(again.headers.get("idempotent-replayed").map(String::as_str), Some("true"));
    assert_eq!(again.body, first.body);
    let other = json!({"url": receiver.url, "secret": "b"});
    let answer = desk.keyed(LIVE, "POST", "/webhooks", other, Some("k-1")).await;
    answer.refused(409, "IDEMPOTENCY_CONFLICT");
    assert!(receiver.take().is_empty());
    assert_eq!(texts(&desk.get(LIVE, "/webhooks").await, "id").len(), 1);
    // An idempotency key stores a refusal, too.
    receiver.answer_by(|_| (200, "", b"no".to_vec()));
    for _ in 0..2 {
        let body = json!({"url": receiver.url});
        let answer = desk.keyed(LIVE, "POST", "/webhooks", body, Some("k-2")).await;
        answer.refused(400, "WEBHOOK_VERIFICATION_FAILED");
    }
    assert_eq!(receiver.take().len(), 1);
}

#[tokio::test]
async fn a_test_key_changes_nothing() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    let kept = desk.post(LIVE, "/webhooks", json!({"url": receiver.url})).await;
    receiver.take();
    let before = desk.dump();
    let mock = desk.post("whatsapp test", "/webhooks", json!({"url": receiver.url, "secret": "a"})).await;
    assert_eq!(mock["test"], true);
    assert!(mock["id"].as_str().is_some_and(|mock| mock.starts_with("test_")));
    let path = format!("/webhooks/{}", kept["id"].as_str().expect("an id"));
    let gone = desk.call("whatsapp test", "DELETE", &path, Value::Null).await.good(200);
    assert_eq!(gone["test"], true);
    assert_eq!(desk.dump(), before);
    assert!(receiver.take().is_empty(), "no challenge");
    let bad = desk.call("whatsapp test", "POST", "/webhooks", json!({"url": "http://10.0.0.1/"})).await;
    bad.refused(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn number_of_webhooks_is_limited() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    for _ in 0..20 {
        desk.post(LIVE, "/webhooks", json!({"url": receiver.url})).await;
    }
    let answer = desk.call(LIVE, "POST", "/webhooks", json!({"url": receiver.url})).await;
    answer.refused(400, "VALIDATION_ERROR");
    desk.post("telegram live", "/webhooks", json!({"url": receiver.url})).await;
}

#[tokio::test]
async fn database_alone_reveals_no_secret() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    let secret = "correct-horse-battery-staple";
    desk.post(LIVE, "/webhooks", json!({"url": receiver.url, "secret": secret})).await;
    let database = desk.database.clone();
    let _desk = desk.restart().await;
    let bytes = std::fs::read(database).expect("read");
    assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
}
