//! The schema lens: what the server tells that the interface does not name.

use serde_json::{Value, json};
use wiremock::matchers::path_regex;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::desk::{Desk, utc};

/// A server that tells more of its conversations than the interface names.
fn tells(runtime: &tokio::runtime::Runtime, server: &MockServer, points: &Value, minute: u32) {
    let conversation = |id: &str, name: &str, plan: &str| {
        json!({"id": id, "customerPhone": format!("+3460011122{}", plan.len()), "customerName": name, "status": "active",
            "messageCount": minute, "lastMessagePreview": "Hello", "serviceWindowOpen": true, "plan": plan,
            "loyalty": {"points": points}, "lastMessageAt": utc(&format!("2026-11-20T09:{minute:02}:00"))})
    };
    let all = [conversation("c1", "Maria Lopez", "gold"), conversation("c2", "João Pereira", "basic")];
    let message = json!({"id": format!("m{minute}"), "conversationId": "c1", "direction": "outbound",
        "senderType": "wizard", "content": "Hello", "contentType": "text", "status": "sent",
        "createdAt": utc(&format!("2026-11-20T09:{minute:02}:00"))});
    let account = json!({"id": "a", "assistantId": "s", "keyId": "k", "workspace": {"id": "w"},
        "assistant": {"id": "s", "platform": "WHATSAPP"}, "creditsBalance": 10, "environment": "live"});
    let page = |items: Vec<Value>| json!({"data": items, "hasMore": false, "nextCursor": null});
    let answers = [
        ("/v1/account$", account),
        ("/v1/conversations$", page(all.to_vec())),
        ("/v1/conversations/c1$", all[0].clone()),
        ("/v1/conversations/c2$", all[1].clone()),
        ("/v1/conversations/c1/messages$", page(vec![message])),
        ("/v1/conversations/c2/messages$", page(Vec::new())),
        ("/v1/triggers/new-message$", json!({"data": []})),
        ("/v1/contacts$", page(Vec::new())),
    ];
    runtime.block_on(async {
        server.reset().await;
        for (path, body) in answers {
            let answer = ResponseTemplate::new(200).set_body_raw(body.to_string(), "application/json");
            Mock::given(path_regex(path)).respond_with(answer).mount(server).await;
        }
    });
}

fn desk(runtime: &tokio::runtime::Runtime) -> (MockServer, Desk) {
    let server = runtime.block_on(MockServer::start());
    tells(runtime, &server, &json!(12), 10);
    let mut desk = Desk::on_server(&format!("{}/v1", server.uri()), "svc_live_0123456789");
    desk.resize((120, 40));
    desk.settle().settle();
    (server, desk)
}

#[test]
fn what_is_not_named_is_listed_and_filters_the_list() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (_server, mut desk) = desk(&runtime);
    desk.keys("gX")
        .settle()
        .shows("Conversation.plan")
        .shows("Conversation.loyalty.points")
        .shows("number · 12");
    desk.shows("Message.senderType").shows("unknown word \"wizard\"");
    photographs!(desk, "seen", Overlay);
    desk.keys("<Esc>:filter x.plan:gold<Enter>").settle().shows("Maria Lopez").hides("João Pereira");
    desk.keys(":filter -x.plan:gold<Enter>").settle().shows("João Pereira").hides("Maria Lopez · ");
    desk.keys(":filter x.loyalty.points:*<Enter>").settle().shows("Maria Lopez").shows("João Pereira");
    desk.keys(":filter x.loyalty.points:13<Enter>").settle().hides("Maria Lopez · ");
}

#[test]
fn the_card_tells_them_on_request() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (_server, mut desk) = desk(&runtime);
    desk.resize((160, 40));
    desk.keys("gg").settle().hides("Not named by the interface");
    desk.keys("gI").settle().shows("Not named by the interface").shows("plan").shows("12");
    desk.keys("gI").settle().hides("Not named by the interface");
}

#[test]
fn a_field_that_becomes_something_else_is_told_once() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (server, mut desk) = desk(&runtime);
    tells(&runtime, &server, &json!("twelve"), 20);
    desk.keys("<Ctrl-R>").settle();
    for _ in 0..3 {
        desk.wait(20_000_000);
        desk.settle();
    }
    let told = "the server changed a field: Conversation.loyalty.points was a number, now also a text";
    desk.keys(":said<Enter>").shows(told);
    assert_eq!(desk.picture().matches("changed a field").count(), 1);
    desk.keys("<Esc>gX").settle().shows("number 2, text");
}

#[test]
fn the_schema_is_written_without_anybodys_values() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (_server, mut desk) = desk(&runtime);
    let file = desk.folder().join("schema.json");
    desk.keys(":export-schema ").types(&file.display().to_string()).keys("<Enter>").settle();
    let schema: Value = serde_json::from_slice(&std::fs::read(&file).expect("it is written")).expect("JSON");
    let seen = &schema["$defs"]["Conversation"]["properties"];
    assert_eq!(seen["plan"]["type"], "string");
    assert_eq!(seen["loyalty"]["properties"]["points"]["type"], "number");
    assert_eq!(schema["$defs"]["Message"]["properties"]["senderType"]["enum"], json!(["wizard"]));
    assert!(!schema.to_string().contains("gold"), "{schema}");
}
