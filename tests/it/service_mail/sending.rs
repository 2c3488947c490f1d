//! `POST /email/send` and `GET /email/account`.

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::service_mail::World;

fn hello() -> Value {
    json!({"to": "maria@mail.example", "subject": "Your order", "text": "It is on its way."})
}

fn with(more: Value) -> Value {
    let mut body = hello();
    body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    body
}

#[tokio::test]
async fn the_account_has_the_fields_of_the_interface() {
    let world = World::new().await;
    let account = world.get("email", "/email/account").await.good();
    assert_eq!(
        account,
        json!({
            "emailAddress": "hello@harborbicycles.example", "displayName": "Harbor Bicycles",
            "provider": "simulated", "syncStatus": "active", "lastSyncAt": "2026-11-20T10:00:00.000Z",
            "aiAutoReply": false,
        })
    );
    world.get("whatsapp", "/email/account").await.refused(403, "FORBIDDEN");
    world.get("voip", "/email/threads").await.refused(403, "FORBIDDEN");
    world.post("telegram", "/email/send", hello()).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn a_mail_costs_one_credit_and_begins_a_thread() {
    let world = World::new().await;
    let before = world.balance().await;
    let sent = world
        .post(
            "email",
            "/email/send",
            with(json!({
                "to": ["maria@mail.example", "luis@mail.example"], "cc": ["office@mail.example"],
                "bcc": ["boss@harborbicycles.example"], "from": "Workshop <other@elsewhere.example>",
                "replyTo": "workshop@harborbicycles.example", "headers": {"X-Order": "1042"},
                "html": "<p>It is on its way.</p>",
                "attachments": [{"filename": "label.pdf", "contentType": "application/pdf", "content": "aGVsbG8="}],
            })),
        )
        .await
        .good();
    assert_eq!(sent["status"], "sent");
    assert_eq!(
        (sent["creditsUsed"].as_i64(), sent["creditsRemaining"].as_i64()),
        (Some(1), Some(before - 1))
    );
    assert_eq!(world.balance().await, before - 1);
    let id = sent["threadId"].as_str().expect("an id");
    let thread = world.get("email", &format!("/email/threads/{id}")).await.good();
    assert_eq!(thread["contactEmail"], "maria@mail.example");
    assert_eq!(thread["messageCount"], 1);
    assert_eq!((&thread["folder"], &thread["isRead"]), (&json!("sent"), &json!(true)));
    let mail = &thread["messages"][0];
    assert_eq!(mail["id"], sent["messageId"]);
    assert_eq!(mail["to"], json!(["maria@mail.example", "luis@mail.example"]));
    assert_eq!(mail["bcc"], json!(["boss@harborbicycles.example"]));
    assert_eq!(
        (&mail["from"], &mail["fromName"]),
        (&json!("hello@harborbicycles.example"), &json!("Workshop"))
    );
    assert_eq!(
        mail["attachments"],
        json!([{"filename": "label.pdf", "contentType": "application/pdf", "size": 5}])
    );
    let reached = world.outbound().await;
    assert_eq!(reached.len(), 1);
    assert_eq!(
        reached[0]["to"],
        "maria@mail.example, luis@mail.example, office@mail.example, boss@harborbicycles.example"
    );
    assert_eq!(reached[0]["content"], "Your order\n\nIt is on its way.");
    assert!(world.ledger_adds_up());
}

#[tokio::test]
async fn what_is_not_valid_is_refused_by_name_and_free() {
    let world = World::new().await;
    let before = world.balance().await;
    let cases = [
        (json!({"to": null}), "to is required"),
        (json!({"to": "Maria <maria@mail.example>"}), "to must be a mail address"),
        (json!({"to": "maria@mail.example\r\nBcc: x@mail.example"}), "to must be a mail address"),
        (json!({"subject": null}), "subject is required"),
        (json!({"subject": "é".repeat(999)}), "subject must have at most 998"),
        (json!({"subject": "a\nb"}), "subject must not contain control"),
        (json!({"text": null}), "text or html is required"),
        (json!({"bodyText": "another"}), "text and bodyText are the same"),
        (json!({"html": "a", "bodyHtml": "b"}), "html and bodyHtml are the same"),
        (json!({"headers": {"Subject": "x"}}), "headers: `Subject`"),
        (json!({"headers": {"X-A": "b\r\nBcc: c@d.example"}}), "headers: `X-A`"),
        (
            json!({"attachments": vec![json!({"filename": "a", "content": "YQ=="}); 21]}),
            "attachments must have",
        ),
        (json!({"attachments": [{"filename": "a"}]}), "attachments[0].content or url"),
    ];
    for (more, words) in cases {
        let message = world.post("email", "/email/send", with(more)).await.refused(400, "VALIDATION_ERROR");
        assert!(message.starts_with(words), "{message}");
    }
    world.post("email", "/email/send", json!([])).await.refused(400, "VALIDATION_ERROR");
    world.post("email", "/email/send", with(json!({"threadId": "thread_x"}))).await.refused(404, "NOT_FOUND");
    assert_eq!(world.balance().await, before);
    assert!(world.outbound().await.is_empty());
    for fine in [
        json!({"subject": "é".repeat(998)}),
        json!({"text": null, "bodyText": "x"}),
        json!({"text": null, "bodyHtml": "<p>x</p>"}),
        json!({"html": "<p>x</p>", "bodyHtml": "<p>x</p>"}),
        json!({"to": ["maria@mail.example"], "headers": {}, "attachments": [], "cc": [], "unknown": {"x": 1}}),
        json!({"attachments": vec![json!({"filename": "a", "content": "YQ=="}); 20]}),
    ] {
        world.post("email", "/email/send", with(fine)).await.good();
    }
}

#[tokio::test]
async fn large_attachments_fit_and_larger_ones_do_not() {
    let world = World::new().await;
    let content =
        |bytes: usize| json!({"attachments": [{"filename": "a.bin", "content": "AAAA".repeat(bytes / 3)}]});
    let sent = world.post("email", "/email/send", with(content(6 * 1024 * 1024))).await.good();
    let thread = world.thread_of(&sent).await;
    assert_eq!(thread["messages"][0]["attachments"][0]["size"], 6 * 1024 * 1024);
    let refused = world.post("email", "/email/send", with(content(31 * 1024 * 1024))).await;
    refused.refused(413, "PAYLOAD_TOO_LARGE");
    // The larger bound is for that route only.
    let long = json!({"isRead": true, "note": "x".repeat(1024 * 1024)});
    world.patch("/email/threads/x", long).await.refused(413, "PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn attached_addresses_are_looked_at_first() {
    let world = World::new().await;
    let files = MockServer::start().await;
    let fine = ResponseTemplate::new(200).set_body_raw("hello", "application/pdf");
    Mock::given(path("/a.pdf")).respond_with(fine).expect(1).mount(&files).await;
    Mock::given(path("/gone")).respond_with(ResponseTemplate::new(404)).expect(1).mount(&files).await;
    let attached = |path: &str| {
        with(json!({"attachments": [{"filename": "a.pdf", "url": format!("{}{path}", files.uri())}]}))
    };
    let sent = world.ask("email", "POST", "/email/send", Some(attached("/a.pdf")), "once").await.good();
    // A replay fetches nothing.
    assert_eq!(
        world.ask("email", "POST", "/email/send", Some(attached("/a.pdf")), "once").await.good(),
        sent
    );
    let thread = world.thread_of(&sent).await;
    assert_eq!(
        thread["messages"][0]["attachments"],
        json!([{"filename": "a.pdf", "contentType": "application/pdf", "size": 5}])
    );
    world.post("email", "/email/send", attached("/gone")).await.refused(400, "MEDIA_FETCH_FAILED");
    let inside = with(json!({"attachments": [{"filename": "a", "url": "https://10.0.0.1/a"}]}));
    world.post("email", "/email/send", inside.clone()).await.refused(400, "MEDIA_FETCH_FAILED");
    world.post("email test", "/email/send", inside).await.refused(400, "MEDIA_FETCH_FAILED");
    world.post("email test", "/email/send", attached("/never-asked")).await.good();
}

#[tokio::test]
async fn a_retry_sends_once() {
    let world = World::new().await;
    let send = |body: Value| world.ask("email", "POST", "/email/send", Some(body), "key-1");
    let first = send(hello()).await;
    let again = send(hello()).await;
    assert!(!first.replayed && again.replayed);
    assert_eq!(first.body, again.body);
    send(with(json!({"subject": "Other"}))).await.refused(409, "IDEMPOTENCY_CONFLICT");
    assert_eq!(world.outbound().await.len(), 1);
    assert_eq!(world.outbound().await[0]["idempotencyKey"], "key-1");
}

#[tokio::test]
async fn without_credits_nothing_leaves() {
    let world = World::new().await;
    world.dev("/credits", json!({"balance": 0})).await.good();
    let message = world.post("email", "/email/send", hello()).await.refused(402, "INSUFFICIENT_CREDITS");
    assert!(message.contains("required 1") && message.contains("available 0"), "{message}");
    assert!(world.outbound().await.is_empty());
    assert_eq!(world.get("email", "/email/threads").await.good()["data"], json!([]));
    assert_eq!(world.get("email", "/email/contacts").await.good()["data"], json!([]));
}

#[tokio::test]
async fn a_test_key_changes_nothing() {
    let world = World::new().await;
    let there = world.mail_from("maria@mail.example", "Order 1042", "Where is it?").await;
    let thread = there["threadId"].as_str().expect("an id");
    let before = world.get("email", &format!("/email/threads/{thread}")).await.good();
    let balance = world.balance().await;
    let sent = world.post("email test", "/email/send", with(json!({"threadId": thread}))).await.good();
    assert_eq!(
        (&sent["test"], &sent["creditsUsed"], &sent["threadId"]),
        (&json!(true), &json!(0), &json!(thread))
    );
    assert!(sent["messageId"].as_str().is_some_and(|sent| sent.starts_with("test_")));
    world.post("email test", "/email/send", with(json!({"threadId": "x"}))).await.refused(404, "NOT_FOUND");
    world.post("email test", "/email/send", with(json!({"to": "x"}))).await.refused(400, "VALIDATION_ERROR");
    let path = format!("/email/threads/{thread}");
    let patched = world.ask("email test", "PATCH", &path, Some(json!({"isStarred": true})), "").await.good();
    assert_eq!((&patched["test"], &patched["isStarred"]), (&json!(true), &json!(true)));
    assert_eq!(world.get("email", &path).await.good(), before);
    assert_eq!(world.balance().await, balance);
    assert!(world.outbound().await.is_empty());
}

#[tokio::test]
async fn a_mail_is_opened_or_comes_back() {
    let world = World::new().await;
    let cases = [
        (json!("maria@mail.example"), "opened"),
        (json!("nobody@bounce.example"), "failed"),
        (json!(["nobody@bounce.example", "maria@mail.example"]), "opened"),
        (json!("silent@quiet.example"), "sent"),
    ];
    for (to, status) in cases {
        let sent = world.post("email", "/email/send", with(json!({ "to": to }))).await.good();
        let path = format!("/email/threads/{}", sent["threadId"].as_str().expect("an id"));
        assert_eq!(world.get("email", &path).await.good()["messages"][0]["status"], "sent");
        world.advance(30.0).await;
        let mail = world.get("email", &path).await.good()["messages"][0].clone();
        assert_eq!(mail["status"], status, "{to}");
        assert_eq!(mail["openedAt"].is_string(), status == "opened");
    }
}
