//! Calls and SMS: status, price, conversations.

use serde_json::{Value, json};

use crate::service_mail::World;

/// Status, type and preview of the only conversation.
async fn shown(world: &World) -> (String, String) {
    let list = world.get("voip", "/voip/conversations").await.good();
    let row = list["data"][0].clone();
    let word = |name: &str| row[name].as_str().expect("a word").to_owned();
    (word("type"), word("lastMessagePreview"))
}

#[tokio::test]
async fn a_call_takes_its_course_and_costs_its_minutes() {
    // Number, seconds until its end, final credits, text shown.
    let cases = [
        ("+34600110001", 60.0, 5, "Outgoing call, 0:"),
        ("+34600110005", 60.0, 0, "Outgoing call, not answered"),
        ("+34600110006", 60.0, 0, "Outgoing call, not answered"),
        ("+34600110009", 60.0, 5, "Outgoing call, 0:10, cut off"),
        ("+34600110010", 200.0, 15, "Outgoing call, 2:30"),
    ];
    for (to, seconds, credits, preview) in cases {
        let world = World::new().await;
        let before = world.balance().await;
        let body = json!({"to": to, "metadata": {"order": {"id": 1042}}});
        let placed = world.post("voip", "/voip/calls", body).await.good();
        assert_eq!(placed["status"], "queued");
        assert!(placed["callId"].as_str().is_some_and(|text| text.starts_with("call_")));
        // The first minute is charged at the start.
        assert_eq!(world.balance().await, before - 5, "{to}");
        assert_eq!(shown(&world).await, ("call".to_owned(), "Outgoing call".to_owned()));
        world.advance(seconds).await;
        assert_eq!(world.balance().await, before - credits, "{to}");
        let (kind, shown) = shown(&world).await;
        assert_eq!(kind, "call");
        assert!(shown.starts_with(preview), "{shown}");
        assert!(world.ledger_adds_up(), "{to}");
        assert_eq!(world.outbound().await.len(), 1);
    }
}

#[tokio::test]
async fn a_call_never_takes_more_than_there_is() {
    let world = World::new().await;
    world.dev("/credits", json!({"balance": 4})).await.good();
    let refused = world.post("voip", "/voip/calls", json!({"to": "+34600110001"})).await;
    let message = refused.refused(402, "INSUFFICIENT_CREDITS");
    assert!(message.contains("required 5") && message.contains("available 4"), "{message}");
    world.dev("/credits", json!({"balance": 7})).await.good();
    world.post("voip", "/voip/calls", json!({"to": "+34600110010"})).await.good();
    world.advance(200.0).await;
    assert_eq!(world.balance().await, 0);
    assert!(world.ledger_adds_up());
}

#[tokio::test]
async fn calls_and_sms_are_checked() {
    let world = World::new().await;
    let cases = [
        ("/voip/calls", json!({}), "to is required"),
        ("/voip/calls", json!({"to": "600"}), "to must be a phone number"),
        ("/voip/calls", json!({"to": "+34600110001", "metadata": [1]}), "metadata must be an object"),
        ("/voip/calls", json!({"to": "+34600110001", "channelId": "ch_email"}), "channelId must name"),
        ("/voip/calls", json!({"to": "+34600110001", "channelId": 5}), "channelId must be a string"),
        ("/voip/sms", json!({"to": "+34600110001"}), "body is required"),
        ("/voip/sms", json!({"to": "+34600110001", "body": ""}), "body must not be empty"),
        ("/voip/sms", json!({"to": "+34600110001", "body": "é".repeat(1601)}), "body must have at most 1600"),
        ("/voip/sms", json!({"body": "x"}), "to is required"),
        (
            "/voip/sms",
            json!({"to": "+34600110001", "body": "x", "channelId": "other"}),
            "channelId must name",
        ),
    ];
    for (path, body, words) in cases {
        let message = world.post("voip", path, body).await.refused(400, "VALIDATION_ERROR");
        assert!(message.starts_with(words), "{message}");
    }
    assert_eq!(world.get("voip", "/voip/conversations").await.good()["data"], json!([]));
    let sms = json!({"to": "+34600110001", "body": "x"});
    world.post("whatsapp", "/voip/sms", sms.clone()).await.refused(403, "FORBIDDEN");
    world.get("email", "/voip/conversations").await.refused(403, "FORBIDDEN");
    // The key's own channel may be named, also by the id in `GET /account`.
    let account = world.get("voip", "/account").await.good();
    for own in [json!("ch_voip"), account["assistantId"].clone(), Value::Null] {
        let body = json!({"to": "+34600110001", "body": "é".repeat(1600), "channelId": own});
        world.post("voip", "/voip/sms", body).await.good();
    }
}

#[tokio::test]
async fn an_sms_is_sent_once_and_answered() {
    let world = World::new().await;
    let before = world.balance().await;
    let sms = json!({"to": "+34600110001", "body": "Your bike is ready."});
    let send = |body: Value| world.ask("voip", "POST", "/voip/sms", Some(body), "sms-1");
    let sent = send(sms.clone()).await.good();
    assert_eq!(sent["status"], "sent");
    assert_eq!(
        (sent["creditsUsed"].as_i64(), sent["creditsRemaining"].as_i64()),
        (Some(1), Some(before - 1))
    );
    assert!(send(sms).await.replayed);
    send(json!({"to": "+34600110001", "body": "Other"})).await.refused(409, "IDEMPOTENCY_CONFLICT");
    assert_eq!(world.balance().await, before - 1);
    let reached = world.outbound().await;
    assert_eq!(reached.len(), 1);
    assert_eq!((&reached[0]["channel"], &reached[0]["to"]), (&json!("voip"), &json!("+34600110001")));
    world.advance(5.0).await;
    let body = json!({"channel": "voip", "from": "+34600110001", "name": "Rosa Marín", "text": "On my way"});
    world.dev("/inbound", body).await.good();
    let list = world.get("voip", "/voip/conversations").await.good();
    let mut row = list["data"][0].clone();
    row.as_object_mut().expect("a row").remove("id");
    assert_eq!(
        row,
        json!({
            "customerPhone": "+34600110001", "customerName": "Rosa Marín", "type": "sms", "status": "active",
            "messageCount": 2, "lastMessagePreview": "On my way", "lastMessageAt": "2026-11-20T10:00:05.000Z",
        })
    );
    let trigger = world.get("voip", "/triggers/new-message").await.good();
    assert_eq!(trigger["data"][0]["content"], "On my way");
}

#[tokio::test]
async fn a_call_is_placed_once() {
    let world = World::new().await;
    let before = world.balance().await;
    let call = || world.ask("voip", "POST", "/voip/calls", Some(json!({"to": "+34600110006"})), "call-1");
    let first = call().await;
    let again = call().await;
    assert!(again.replayed);
    assert_eq!(first.body, again.body);
    assert_eq!(world.balance().await, before - 5);
    world.advance(5.0).await;
    assert_eq!(world.balance().await, before);
}

#[tokio::test]
async fn test_keys_ring_nowhere() {
    let world = World::new().await;
    let before = world.balance().await;
    let call = world.post("voip test", "/voip/calls", json!({"to": "+34600110001"})).await.good();
    assert_eq!(
        (&call["test"], &call["creditsUsed"], &call["status"]),
        (&json!(true), &json!(0), &json!("queued"))
    );
    assert!(call["callId"].as_str().is_some_and(|call| call.starts_with("test_")));
    let sms = world.post("voip test", "/voip/sms", json!({"to": "+34600110001", "body": "x"})).await.good();
    assert_eq!((&sms["test"], &sms["creditsUsed"]), (&json!(true), &json!(0)));
    world.advance(120.0).await;
    assert_eq!(world.balance().await, before);
    assert_eq!(world.get("voip", "/voip/conversations").await.good()["data"], json!([]));
    assert!(world.outbound().await.is_empty());
}

#[tokio::test]
async fn conversations_come_in_pages() {
    let world = World::new().await;
    for number in 0..5 {
        world.advance(1.0).await;
        let to = format!("+3460011100{number}");
        world.post("voip", "/voip/sms", json!({"to": to, "body": "x"})).await.good();
    }
    let found = world.walk("voip", "/voip/conversations", 2, "customerPhone").await;
    let expected: Vec<String> = (0..5).rev().map(|entry| format!("+3460011100{entry}")).collect();
    assert_eq!(found, expected);
    world.get("voip", "/voip/conversations?limit=0").await.refused(400, "VALIDATION_ERROR");
    world.get("voip", "/voip/conversations?cursor=x").await.refused(400, "VALIDATION_ERROR");
}
