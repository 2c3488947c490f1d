//! Conversations: listed, read, paused, closed and reopened.

use super::*;

#[tokio::test]
async fn listed_by_activity_and_status() {
    let world = World::new().await;
    let (ana, _) = world.inbound("whatsapp", ANA, "one").await;
    let (bea, _) = world.inbound("whatsapp", "+34600333444", "two\nlines").await;
    world.inbound("telegram", "77", "elsewhere").await;
    let list = |query: &'static str| {
        let world = &world;
        async move { ids(&world.get(&format!("/conversations{query}")).await.ok()) }
    };
    assert_eq!(list("").await, [bea.as_str(), &ana]);
    world.post("/messages/send", text_to(ANA, "three")).await.ok();
    assert_eq!(list("").await, [ana.as_str(), &bea]);
    world.post(&format!("/conversations/{bea}/close"), json!({})).await.ok();
    assert_eq!(list("?status=open").await, [ana.as_str()]);
    assert_eq!(list("?status=closed").await, [bea.as_str()]);
    assert_eq!(list("?limit=1").await, [ana.as_str()]);
    for query in ["?status=active", "?status=", "?limit=0", "?cursor=zzz", "?status=open&status=open"] {
        world.get(&format!("/conversations{query}")).await.refused(400, "VALIDATION_ERROR");
    }
    let body = world.get("/conversations").await.ok();
    assert_eq!((&body["hasMore"], &body["nextCursor"]), (&json!(false), &Value::Null));
    let row = &body["data"][1];
    assert_eq!((&row["customerPhone"], &row["status"]), (&json!("+34600333444"), &json!("closed")));
    assert_eq!((&row["messageCount"], &row["lastMessagePreview"]), (&json!(1), &json!("two lines")));
    assert_eq!((&row["referral"], &row["serviceWindowOpen"]), (&Value::Null, &json!(true)));
    for name in ["customerName", "customerEmail", "customerAvatar"] {
        assert!(row.get(name).is_some_and(Value::is_null), "{row}");
    }
    for name in ["lastMessageAt", "firstMessageAt", "createdAt"] {
        assert!(row[name].as_str().is_some_and(|row| row.ends_with('Z')), "{row}");
    }
    assert!(row.get("automationEnabled").is_none(), "only single reads tell it: {row}");
}

#[tokio::test]
async fn read_alone_with_automation_and_referral() {
    let world = World::new().await;
    let told = json!({"channel": "whatsapp", "from": ANA, "name": "Ana", "text": "hi",
                      "referral": {"source_type": "ad", "source_id": "1", "headline": "Sale"}});
    let id = world.dev("/inbound", told).await.ok()["conversationId"].as_str().expect("an id").to_owned();
    let read = world.get(&format!("/conversations/{id}")).await.ok();
    assert_eq!((&read["automationEnabled"], &read["customerName"]), (&json!(true), &json!("Ana")));
    assert_eq!(read["referral"]["headline"], "Sale");
    assert!(read.get("escalation").is_some_and(Value::is_null));
    let (foreign, _) = world.inbound("telegram", "77", "x").await;
    for id in [foreign.as_str(), "nowhere", "%00"] {
        world.get(&format!("/conversations/{id}")).await.refused(404, "NOT_FOUND");
        world.get(&format!("/conversations/{id}/messages")).await.refused(404, "NOT_FOUND");
        world.post(&format!("/conversations/{id}/close"), json!({})).await.refused(404, "NOT_FOUND");
        let patch = world.call("PATCH", &format!("/conversations/{id}"));
        patch.json(&json!({"automationEnabled": true})).send().await.refused(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn paused_and_handed_back() {
    let world = World::new().await;
    let (id, _) = world.inbound("whatsapp", ANA, "hi").await;
    let path = format!("/conversations/{id}");
    for enabled in [false, false, true] {
        let done = world.call("PATCH", &path).json(&json!({"automationEnabled": enabled})).send().await.ok();
        assert_eq!(
            done,
            json!({"success": true, "id": id, "automationEnabled": enabled, "status": "active"})
        );
        assert_eq!(world.get(&path).await.ok()["automationEnabled"], enabled);
    }
    for body in [
        json!({}),
        json!({"automationEnabled": null}),
        json!({"automationEnabled": "false"}),
        json!({"automationEnabled": 0}),
        json!([false]),
    ] {
        world.call("PATCH", &path).json(&body).send().await.refused(400, "VALIDATION_ERROR");
    }
    world.call("PATCH", &path).send().await.refused(400, "VALIDATION_ERROR");
    world.post(&format!("{path}/close"), json!({})).await.ok();
    let done = world.call("PATCH", &path).json(&json!({"automationEnabled": false})).send().await.ok();
    assert_eq!(done["status"], "closed");
}

#[tokio::test]
async fn closed_twice_and_opened_by_the_customer() {
    let world = World::new().await;
    let (id, _) = world.inbound("whatsapp", ANA, "hi").await;
    let path = format!("/conversations/{id}");
    for _ in 0..2 {
        let done = world.call("POST", &format!("{path}/close")).send().await.ok();
        assert_eq!(done, json!({"success": true, "conversationId": id, "status": "closed"}));
    }
    world.post("/messages/send", text_to(ANA, "we may still write")).await.ok();
    assert_eq!(world.get(&path).await.ok()["status"], "closed");
    assert_eq!(world.inbound("whatsapp", ANA, "me again").await.0, id);
    let read = world.get(&path).await.ok();
    assert_eq!((&read["status"], &read["messageCount"]), (&json!("active"), &json!(3)));
}

/// Rows after a restart come after earlier ones, even if the clock does not move or is set back.
#[tokio::test]
async fn the_order_survives_a_restart_and_a_clock_set_back() {
    let world = World::new().await;
    let mut written = Vec::new();
    for number in 0..5 {
        written.push(world.inbound("whatsapp", ANA, &format!("{number}")).await.1);
    }
    let mut world = world.restarted(|options| options.unlimited = true).await;
    for step in [0, -3600] {
        world.clock.advance(step * 1_000_000);
        for number in 5..8 {
            written.push(world.inbound("whatsapp", ANA, &format!("{number}")).await.1);
        }
        world = world.restarted(|options| options.unlimited = true).await;
    }
    written.reverse();
    assert_eq!(ids(&world.get("/messages").await.ok()), written);
}
