//! Templates: `GET /templates`, and their parameters in sends.

use super::*;

fn send(name: &str, language: &str, components: Value) -> Value {
    json!({"to": ANA, "type": "template",
           "template": {"name": name, "language": {"code": language}, "components": components}})
}

fn body(values: &[&str]) -> Value {
    let list: Vec<Value> = values.iter().map(|value| json!({"type": "text", "text": value})).collect();
    json!({"type": "body", "parameters": list})
}

#[tokio::test]
async fn the_approved_ones_are_listed() {
    let world = World::new().await;
    let listed = world.get("/templates").await.ok();
    let items = listed["data"].as_array().expect("a list");
    assert!(items.len() >= 3 && listed.get("nextCursor").is_none());
    for item in items {
        assert_eq!(item["status"], "APPROVED");
        for name in ["name", "language", "category"] {
            assert!(item[name].as_str().is_some_and(|item| !item.is_empty()), "{item}");
        }
        assert!(item["components"].as_array().is_some_and(|array| !array.is_empty()), "{item}");
    }
    assert!(items.iter().any(|item| !item["components"].to_string().contains("{{")), "one without variables");
}

#[tokio::test]
async fn variables_are_counted() {
    let world = World::new().await;
    let good = [
        (send("hello_again", "en", json!([])), "Hello again from"),
        (send("repair_ready", "es", json!([body(&["Ana"])])), "Hola, Ana."),
        (send("order_on_its_way", "en", json!([body(&["Ana", "1041"])])), "Hi Ana, order 1041 left"),
    ];
    for (request, text) in good {
        let id = world.post("/messages/send", request).await.ok()["messageId"].clone();
        let read = world.get(&format!("/messages/{}", id.as_str().expect("an id"))).await.ok();
        assert!(read["content"].as_str().expect("a text").starts_with(text), "{read}");
        assert_eq!((&read["contentType"], &read["creditsUsed"]), (&json!("template"), &json!(2)));
    }
    let before = world.balance().await;
    let bad = [
        send("nowhere", "en", json!([])),
        send("repair_ready", "en", json!([body(&["Ana"])])),
        send("repair_ready", "es", json!([])),
        send("repair_ready", "es", json!([body(&["Ana", "too many"])])),
        send("hello_again", "en", json!([body(&["none wanted"])])),
        send("hello_again", "en", json!([{"type": "header", "parameters": [{"type": "text", "text": "x"}]}])),
        send("repair_ready", "es", json!([body(&["Ana"]), body(&["Ana"])])),
    ];
    for request in bad {
        world.post("/messages/send", request.clone()).await.refused(400, "TEMPLATE_ERROR");
        // The operator's rules hold for test keys, too.
        let test = world.call("POST", "/messages/send").key(world.key("whatsapp", Environment::Test));
        test.json(&request).send().await.refused(400, "TEMPLATE_ERROR");
    }
    assert_eq!(world.balance().await, before);
}
