//! Messages: listed, filtered, read, reacted to, and polled.

use super::*;

#[tokio::test]
async fn lists_are_newest_first_and_filters_hold() {
    let world = World::new().await;
    let (ana, _) = world.inbound("whatsapp", ANA, "one").await;
    let (bea, _) = world.inbound("whatsapp", "+34600110009", "two").await;
    world.post("/messages/send", text_to(ANA, "three")).await.ok();
    world.post("/messages/send", text_to("+34600110009", "four")).await.ok();
    world.inbound("telegram", "77", "elsewhere").await;
    let contents = |query: String| {
        let world = &world;
        async move {
            let body = world.get(&format!("/messages{query}")).await.ok();
            let items = body["data"].as_array().expect("a list");
            items.iter().map(|item| item["content"].as_str().expect("a text").to_owned()).collect::<Vec<_>>()
        }
    };
    let cases = [
        (String::new(), vec!["four", "three", "two", "one"]),
        ("?direction=inbound".into(), vec!["two", "one"]),
        ("?direction=outbound".into(), vec!["four", "three"]),
        (format!("?conversationId={ana}"), vec!["three", "one"]),
        (format!("?conversationId={bea}&direction=outbound"), vec!["four"]),
        ("?conversationId=conv_nowhere".into(), vec![]),
        ("?status=sent".into(), vec!["four", "three"]),
        ("?status=received".into(), vec!["two", "one"]),
        ("?direction=outbound&status=sent".into(), vec!["four", "three"]),
        ("?direction=inbound&status=received".into(), vec!["two", "one"]),
        ("?direction=inbound&status=sent".into(), vec![]),
        ("?direction=outbound&status=received".into(), vec![]),
        ("?limit=1".into(), vec!["four"]),
        ("?unknown=x".into(), vec!["four", "three", "two", "one"]),
    ];
    for (query, expected) in cases {
        assert_eq!(contents(query.clone()).await, expected, "{query}");
    }
    world.advance(60).await;
    assert_eq!(contents("?status=failed".into()).await, ["four"]);
    assert_eq!(contents(format!("?status=read&conversationId={ana}")).await, ["three"]);
    for query in [
        "?direction=up",
        "?status=gone",
        "?limit=0",
        "?limit=101",
        "?limit=x",
        "?limit=%2B5",
        "?limit=",
        "?limit=1&limit=1",
        "?cursor=x",
        "?limit=5&direction=",
        "?cursor=",
        "?%FF=1&direction=%FF",
    ] {
        world.get(&format!("/messages{query}")).await.refused(400, "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn one_is_read_by_either_id() {
    let world = World::new().await;
    let (conversation, id) = world.inbound("whatsapp", ANA, "a\u{7} \u{202e}b").await;
    let read = world.get(&format!("/messages/{id}")).await.ok();
    assert_eq!(read["content"], "a\u{7} \u{202e}b");
    assert_eq!((&read["senderType"], &read["status"]), (&json!("customer"), &json!("received")));
    assert_eq!((&read["conversationId"], &read["creditsUsed"]), (&json!(conversation), &json!(0)));
    assert_eq!(read["createdAt"], "2026-11-20T10:00:00.000Z");
    let platform = read["whatsappMessageId"].as_str().expect("an id");
    assert_eq!(world.get(&format!("/messages/{platform}")).await.ok()["id"], read["id"]);
    // A message of another channel is not found.
    let (_, foreign) = world.inbound("telegram", "77", "x").await;
    for id in [&foreign, "nowhere", "%00", "%F0%9F%91%8D", "..", "a%2Fb"] {
        world.get(&format!("/messages/{id}")).await.refused(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn reactions_are_free_and_can_be_taken_back() {
    let world = World::new().await;
    let (_, id) = world.inbound("whatsapp", ANA, "hello").await;
    let path = format!("/messages/{id}/react");
    let platform = world.get(&format!("/messages/{id}")).await.ok()["whatsappMessageId"].clone();
    let by_platform = format!("/messages/{}/react", platform.as_str().expect("an id"));
    for emoji in ["👍", "❤️", "👩🏽‍🚀", "🇪🇸", "1️⃣", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "❤", "👨‍👩‍👧‍👦", "©️"]
    {
        let done = world.post(&by_platform, json!({"emoji": emoji})).await.ok();
        assert_eq!((&done["success"], &done["messageId"]), (&json!(true), &json!(id)));
        assert_eq!(world.get(&format!("/messages/{id}")).await.ok()["reaction"], emoji);
    }
    world.post(&path, json!({"emoji": ""})).await.ok();
    assert!(world.get(&format!("/messages/{id}")).await.ok().get("reaction").is_none());
    let long = "👍".repeat(1_000);
    for emoji in [
        "ab",
        "a",
        "1",
        "#",
        "!",
        "👍👍",
        " ",
        "\u{200b}",
        "\u{202e}",
        "\u{301}",
        "\u{200d}",
        "\u{fe0f}",
        "\n",
        "👍\u{202e}",
        "🏽",
        &long,
    ] {
        world.post(&path, json!({"emoji": emoji})).await.refused(400, "VALIDATION_ERROR");
    }
    for body in [json!({}), json!({"emoji": null}), json!({"emoji": 1}), json!([])] {
        world.post(&path, body).await.refused(400, "VALIDATION_ERROR");
    }
    world.post("/messages/nowhere/react", json!({"emoji": "👍"})).await.refused(404, "NOT_FOUND");
    assert_eq!(world.balance().await, 1000);
}

#[tokio::test]
async fn the_trigger_tells_the_fifty_newest_inbound_messages() {
    let world = World::new().await;
    let mut written = Vec::new();
    for number in 0..60 {
        let from = format!("+346001110{:02}", number % 7 + 10);
        written.push(world.inbound("whatsapp", &from, &format!("n{number}")).await.1);
        if number % 5 == 0 {
            world.post("/messages/send", text_to(&from, "an answer")).await.ok();
        }
    }
    written.reverse();
    let body = world.get("/triggers/new-message").await.ok();
    assert_eq!(ids(&body), written[..50]);
    assert!(body["data"].as_array().expect("a list").iter().all(|entry| entry["direction"] == "inbound"));
    let bot = world.call("GET", "/triggers/new-message").key(world.live("telegram")).send().await.ok();
    assert!(ids(&bot).is_empty());
    world.inbound("telegram", "77", "hi").await;
    let bot = world.call("GET", "/triggers/new-message").key(world.live("telegram")).send().await.ok();
    assert_eq!(bot["data"][0]["content"], "hi");
}
