//! The assistant answers until a person takes over, and one failure does not block others.

use frontdesk::service::AssistantChoice;

use super::*;

async fn scripted() -> World {
    World::with(|options| {
        options.unlimited = true;
        options.assistant = AssistantChoice::Scripted;
    })
    .await
}

async fn senders(world: &World, conversation: &str) -> Vec<String> {
    let body = world.get(&format!("/conversations/{conversation}/messages")).await.ok();
    let items = body["data"].as_array().expect("a list");
    items.iter().map(|item| item["senderType"].as_str().expect("a word").to_owned()).collect()
}

#[tokio::test]
async fn the_assistant_answers_until_it_is_paused() {
    let world = scripted().await;
    let (id, _) = world.inbound("whatsapp", ANA, "hello").await;
    world.advance(10).await;
    assert_eq!(senders(&world, &id).await, ["ai", "customer"]);
    let patch = world.call("PATCH", &format!("/conversations/{id}"));
    patch.json(&json!({"automationEnabled": false})).send().await.ok();
    world.inbound("whatsapp", ANA, "are you there?").await;
    world.advance(10).await;
    assert_eq!(senders(&world, &id).await, ["customer", "ai", "customer"]);
    assert_eq!(world.balance().await, 1000, "its answers are not this key's sends");
}

#[tokio::test]
async fn what_cannot_happen_holds_nothing_up() {
    let world = scripted().await;
    // The operator refuses sends to these two.
    world.inbound("whatsapp", "+34600110008", "hello").await;
    world.inbound("whatsapp", "+34600110006", "hello").await;
    let (id, _) = world.inbound("whatsapp", ANA, "hello").await;
    world.advance(10).await;
    assert_eq!(senders(&world, &id).await, ["ai", "customer"]);
    let sent = world.post("/messages/send", text_to(ANA, "x")).await.ok();
    world.advance(60).await;
    let read = world.get(&format!("/messages/{}", sent["messageId"].as_str().expect("an id"))).await.ok();
    assert_eq!(read["status"], "read");
}

#[tokio::test]
async fn lists_and_single_reads_agree() {
    let world = scripted().await;
    let told = json!({"channel": "whatsapp", "from": ANA, "name": "Ana \"é\u{7}", "text": "hi\n\"there\" \u{202e}",
                      "referral": {"source_type": "ad", "headline": "Sale"}});
    world.dev("/inbound", told).await.ok();
    world.inbound("whatsapp", "+34600333444", "hello").await;
    world.advance(10).await;
    let newest = ids(&world.get("/messages").await.ok())[0].clone();
    let mut quoting = text_to(ANA, "see above");
    let conversation = world.get("/conversations").await.ok()["data"]
        .as_array()
        .and_then(|list| list.iter().find(|entry| entry["customerPhone"] == ANA).cloned())
        .expect("Ana's");
    let path = format!("/conversations/{}/messages", conversation["id"].as_str().expect("an id"));
    quoting["replyTo"] = ids(&world.get(&path).await.ok())[0].clone().into();
    world.post("/messages/send", quoting).await.ok();
    world.post(&format!("/messages/{newest}/react"), json!({"emoji": "👍"})).await.ok();
    world.advance(60).await;
    for (list, one) in [("/messages", "/messages"), ("/conversations", "/conversations")] {
        let body = world.get(list).await.ok();
        let items = body["data"].as_array().expect("a list").clone();
        assert!(items.len() >= 2);
        for item in items {
            let mut alone = world.get(&format!("{one}/{}", item["id"].as_str().expect("an id"))).await.ok();
            for only in ["media", "creditsUsed", "automationEnabled", "escalation"] {
                alone.as_object_mut().expect("an object").remove(only);
            }
            assert_eq!(item, alone);
        }
    }
    let body = world.get("/triggers/new-message").await.ok();
    let listed = world.get("/messages?direction=inbound").await.ok();
    assert_eq!(body["data"], listed["data"]);
}
