//! Broadcasts: recipients, costs, and outcomes.

use serde_json::{Value, json};

use super::receiver::Receiver;
use super::{Desk, texts};

const LIVE: &str = "whatsapp live";

fn text(body: &str) -> Value {
    json!({"type": "text", "text": {"body": body}})
}

/// Customers who have just written: their contact ids, in order.
async fn customers(desk: &Desk, numbers: &[&str]) -> Vec<String> {
    let mut ids = Vec::new();
    for number in numbers {
        desk.inbound("whatsapp", number, "hi").await;
        let found = desk.get(LIVE, &format!("/contacts?search={}", &number[1..])).await;
        ids.extend(texts(&found, "id"));
    }
    assert_eq!(ids.len(), numbers.len());
    ids
}

async fn begin(desk: &Desk, body: Value) -> Value {
    desk.call(LIVE, "POST", "/broadcast", body).await.good(202)
}

async fn status(desk: &Desk, begun: &Value) -> Value {
    desk.get(LIVE, &format!("/broadcast/{}", begun["broadcastId"].as_str().expect("an id"))).await
}

/// The counters: sent, failed, delivered, failed again, pending.
fn counters(status: &Value) -> Vec<i64> {
    let names = ["sentCount", "failedCount", "delivered", "failed", "pending"];
    names.iter().map(|name| status[*name].as_i64().expect("a number")).collect()
}

#[tokio::test]
async fn broadcast_is_sent_over_time_and_outcomes_are_counted() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    desk.post(LIVE, "/webhooks", json!({"url": receiver.url, "events": ["message.sent"]})).await;
    let numbers = [
        "+34600110001",
        "+34600110002",
        "+34600110003",
        "+34600110004",
        "+34600110005",
        "+34600110006",
        "+34600110008",
        "+34600110009",
    ];
    let ids = customers(&desk, &numbers).await;
    let begun = begin(&desk, json!({"contactIds": ids, "message": text("sale")})).await;
    let id = begun["broadcastId"].as_str().expect("an id");
    assert_eq!(
        begun,
        json!({"broadcastId": id, "totalRecipients": 8, "creditsUsed": 8.0, "status": "sending"})
    );
    assert_eq!(desk.balance().await, 992.0, "all are paid up front");
    let before = status(&desk, &begun).await;
    assert_eq!(counters(&before), [0, 0, 0, 0, 8]);
    assert_eq!((&before["status"], &before["completedAt"]), (&json!("sending"), &Value::Null));
    assert_eq!((&before["message"], &before["totalRecipients"]), (&json!("sale"), &json!(8)));
    desk.advance(1.0).await;
    assert_eq!(counters(&status(&desk, &begun).await), [5, 0, 0, 0, 8], "a few at a time");
    desk.advance(1.0).await;
    let tried = status(&desk, &begun).await;
    assert_eq!(tried["status"], "completed");
    assert_eq!(tried["completedAt"], "2026-11-20T10:00:02.000Z");
    assert_eq!((counters(&tried)[0], counters(&tried)[1]), (6, 2), "two were refused");
    desk.advance(30.0).await;
    assert_eq!(counters(&status(&desk, &begun).await), [5, 3, 5, 3, 0], "one was lost later");
    // Failures are refunded once, in the ledger, too.
    assert_eq!(desk.balance().await, 995.0);
    desk.check_ledger();
    let reached = desk.switch("/outbound", json!({})).await;
    let sale =
        reached["data"].as_array().expect("a list").iter().filter(|value| value["content"] == "sale").count();
    assert_eq!(sale, 6);
    let sent = desk.get(LIVE, "/messages?direction=outbound").await;
    assert!(texts(&sent, "senderType").iter().all(|text| text == "api"));
    assert_eq!(receiver.deliveries().len(), 6, "each is a message like others");
    let codes: Vec<(String, Option<String>)> = {
        let db = desk.sql();
        let mut statement =
            db.prepare("SELECT status, code FROM recipients ORDER BY position").expect("prepared");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("read");
        rows.map(|row| row.expect("a row")).collect()
    };
    let codes: Vec<String> = codes
        .into_iter()
        .map(|(status, code)| code.map_or(status.clone(), |code| format!("{status} {code}")))
        .collect();
    assert_eq!(
        codes,
        [
            "read",
            "read",
            "read",
            "read",
            "delivered",
            "failed WHATSAPP_ERROR",
            "failed INVALID_RECIPIENT",
            "failed"
        ]
    );
}

#[tokio::test]
async fn free_text_reaches_only_open_windows_and_templates_all() {
    let desk = Desk::start().await;
    let mut ids = customers(&desk, &["+34600110001"]).await;
    desk.advance(24.0 * 3600.0).await;
    ids.extend(customers(&desk, &["+34600110002"]).await);
    let never = desk.call(LIVE, "POST", "/contacts", json!({"phone": "+34600110003"})).await.good(201);
    ids.push(never["id"].as_str().expect("an id").to_owned());
    let begun = begin(&desk, json!({"contactIds": ids, "message": text("hello")})).await;
    desk.advance(30.0).await;
    assert_eq!(counters(&status(&desk, &begun).await), [1, 2, 1, 2, 0]);
    assert_eq!(desk.balance().await, 999.0);
    assert_eq!(
        texts(&desk.get(LIVE, "/conversations").await, "customerPhone").len(),
        2,
        "who was not sent anything has no conversation"
    );
    let templates = desk.get(LIVE, "/templates").await;
    let plain = templates["data"].as_array().expect("a list").iter();
    let plain = plain
        .clone()
        .find(|plain| !plain["components"].to_string().contains("{{"))
        .expect("one without variables");
    let template = json!({"name": plain["name"], "language": {"code": plain["language"]}});
    // Without a list, all contacts.
    let begun = begin(&desk, json!({"message": {"type": "template", "template": template}})).await;
    assert_eq!((&begun["totalRecipients"], &begun["creditsUsed"]), (&json!(3), &json!(6.0)));
    desk.advance(30.0).await;
    assert_eq!(counters(&status(&desk, &begun).await), [3, 0, 3, 0, 0]);
    assert_eq!(desk.balance().await, 993.0);
    desk.check_ledger();
}

#[tokio::test]
async fn broadcast_reaches_only_existing_contacts_and_each_once() {
    let desk = Desk::start().await;
    let none = desk.call(LIVE, "POST", "/broadcast", json!({"message": text("x")})).await;
    none.refused(400, "NO_RECIPIENTS");
    let ids = customers(&desk, &["+34600110001"]).await;
    let unknown = json!({"contactIds": ["ct_none", ""], "message": text("x")});
    desk.call(LIVE, "POST", "/broadcast", unknown).await.refused(400, "NO_RECIPIENTS");
    let mixed = json!({"contactIds": [ids[0], "ct_none", ids[0]], "message": text("x")});
    let begun = begin(&desk, mixed).await;
    assert_eq!((&begun["totalRecipients"], &begun["creditsUsed"]), (&json!(1), &json!(1.0)));
    // A removed contact gets nothing.
    desk.call(LIVE, "DELETE", &format!("/contacts/{}", ids[0]), Value::Null).await.good(200);
    desk.advance(5.0).await;
    assert_eq!(counters(&status(&desk, &begun).await), [0, 1, 0, 1, 0]);
    assert_eq!(desk.balance().await, 1000.0);
    assert_eq!(desk.get(LIVE, "/conversations").await["data"], json!([]));
}

#[tokio::test]
async fn bounds_and_scopes() {
    let desk = Desk::start().await;
    let ids = customers(&desk, &["+34600110001"]).await;
    let many: Vec<String> = (0..1001).map(|number| format!("ct_{number}")).collect();
    let cases = [
        (json!({"contactIds": ids}), "message is required"),
        (json!({"message": "x"}), "message must be an object"),
        (json!({"message": {"text": {"body": "x"}}}), "message.type is required"),
        (
            json!({"message": {"type": "video", "video": {"link": "x"}}}),
            "message.type must be one of text, image, template",
        ),
        (json!({"message": {"type": "text"}}), "message.text is required"),
        (json!({"message": text("")}), "message.text.body must not be empty"),
        (json!({"message": text(&"x".repeat(4097))}), "message.text.body must have at most 4096"),
        (json!({"message": {"type": "image", "image": {}}}), "message.image.link is required"),
        (
            json!({"message": {"type": "image", "image": {"link": "x", "caption": "x".repeat(1025)}}}),
            "message.image.caption must have at most 1024",
        ),
        (json!({"contactIds": [], "message": text("x")}), "contactIds must hold 1 to 1000"),
        (json!({"contactIds": many, "message": text("x")}), "contactIds must hold 1 to 1000"),
        (json!({"contactIds": "all", "message": text("x")}), "contactIds must be an array"),
        (json!({"contactIds": [7], "message": text("x")}), "contactIds[0] must be a string"),
    ];
    for (body, words) in cases {
        let message = desk.call(LIVE, "POST", "/broadcast", body).await.refused(400, "VALIDATION_ERROR");
        assert!(message.starts_with(words), "{message}");
    }
    let unfilled = json!({"type": "template", "template": {"name": "none", "language": {"code": "en"}}});
    desk.call(LIVE, "POST", "/broadcast", json!({"message": unfilled})).await.refused(400, "TEMPLATE_ERROR");
    let private = json!({"type": "image", "image": {"link": "https://10.0.0.1/a.png"}});
    desk.call(LIVE, "POST", "/broadcast", json!({"message": private}))
        .await
        .refused(400, "MEDIA_FETCH_FAILED");
    desk.call(LIVE, "GET", "/broadcast/bc_none", Value::Null).await.refused(404, "NOT_FOUND");
    for key in ["telegram live", "email live", "voip test"] {
        desk.call(key, "POST", "/broadcast", json!({"message": text("x")})).await.refused(403, "FORBIDDEN");
    }
    assert_eq!(desk.balance().await, 1000.0);
}

#[tokio::test]
async fn all_or_nothing_is_paid() {
    let desk = Desk::start().await;
    let numbers: Vec<String> = (0..4).map(|number| format!("+3460011000{number}")).collect();
    customers(&desk, &numbers.iter().map(String::as_str).collect::<Vec<_>>()).await;
    desk.switch("/credits", json!({"balance": 3})).await;
    let body = json!({"message": text("x")});
    let message =
        desk.call(LIVE, "POST", "/broadcast", body.clone()).await.refused(402, "INSUFFICIENT_CREDITS");
    assert!(message.contains("required 4") && message.contains("available 3"), "{message}");
    desk.advance(10.0).await;
    assert_eq!(desk.get(LIVE, "/messages?direction=outbound").await["data"], json!([]));
    desk.switch("/credits", json!({"balance": 4})).await;
    begin(&desk, body).await;
    assert_eq!(desk.balance().await, 0.0);
    desk.check_ledger();
}

#[tokio::test]
async fn an_uploaded_image_costs_more() {
    let desk = Desk::start().await;
    let ids = customers(&desk, &["+34600110001", "+34600110007"]).await;
    let url = format!("{}/media", desk.running.base_url);
    let body = "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n\u{89}PNG\r\n--b--\r\n";
    let kind = [("content-type", "multipart/form-data; boundary=b")];
    let made = desk.send(LIVE, "POST", &url, &kind, body.as_bytes().to_vec()).await.good(200);
    let image = json!({"type": "image", "image": {"link": made["url"], "caption": "new"}});
    let begun = begin(&desk, json!({"contactIds": ids, "message": image})).await;
    assert_eq!(begun["creditsUsed"], 4.0);
    desk.advance(30.0).await;
    let standing = status(&desk, &begun).await;
    assert_eq!((counters(&standing), &standing["message"]), (vec![1, 1, 1, 1, 0], &json!("new")));
    assert_eq!(desk.balance().await, 998.0, "who cannot be sent images is given back");
}

#[tokio::test]
async fn repetitions_restarts_and_test_keys() {
    let desk = Desk::start().await;
    let numbers: Vec<String> = (10..22).map(|number| format!("+346001100{number}")).collect();
    customers(&desk, &numbers.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let before = desk.dump();
    let mock =
        desk.call("whatsapp test", "POST", "/broadcast", json!({"message": text("x")})).await.good(202);
    assert_eq!(
        (&mock["test"], &mock["creditsUsed"], &mock["totalRecipients"]),
        (&json!(true), &json!(0.0), &json!(12))
    );
    assert!(mock["broadcastId"].as_str().is_some_and(|mock| mock.starts_with("test_")));
    assert_eq!(desk.dump(), before);
    let body = json!({"message": text("x")});
    let first = desk.keyed(LIVE, "POST", "/broadcast", body.clone(), Some("k")).await;
    let again = desk.keyed(LIVE, "POST", "/broadcast", body, Some("k")).await;
    assert_eq!((first.status, again.status, &first.body), (202, 202, &again.body));
    assert!(again.headers.contains_key("idempotent-replayed"));
    let other = desk.keyed(LIVE, "POST", "/broadcast", json!({"message": text("y")}), Some("k")).await;
    other.refused(409, "IDEMPOTENCY_CONFLICT");
    assert_eq!(desk.balance().await, 988.0);
    // Half is sent when the service ends; the rest afterwards, once.
    desk.advance(1.0).await;
    let desk = desk.restart().await;
    desk.advance(60.0).await;
    let standing = status(&desk, &first.json()).await;
    assert_eq!(counters(&standing), [12, 0, 12, 0, 0]);
    let reached = desk.switch("/outbound", json!({})).await;
    let reached = reached["data"].as_array().expect("a list");
    assert_eq!(reached.len(), 12);
    assert!(reached.iter().all(|value| value["idempotencyKey"] == "k"));
}
