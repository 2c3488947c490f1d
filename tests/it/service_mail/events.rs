//! Events delivered to subscriptions of the email channel.

use serde_json::{Value, json};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::service_mail::World;

#[tokio::test]
async fn mail_events_are_delivered() {
    let world = World::new().await;
    let endpoint = MockServer::start().await;
    let echo = |request: &Request| {
        let value = request
            .url
            .query_pairs()
            .find(|(name, _)| name == "challenge")
            .map(|(_, text)| text.into_owned());
        ResponseTemplate::new(200).set_body_string(value.unwrap_or_default())
    };
    Mock::given(method("GET")).respond_with(echo).mount(&endpoint).await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(204)).mount(&endpoint).await;
    world.post("email", "/email/webhooks", json!({"url": endpoint.uri()})).await.good();
    let there = world.mail_from("maria@mail.example", "Invoice 7", "Please send it.").await;
    let body = json!({"to": "maria@mail.example", "subject": "Re: Invoice 7", "text": "Here it is.",
                      "threadId": there["threadId"]});
    let sent = world.post("email", "/email/send", body).await.good();
    world.advance(30.0).await;
    let posts = endpoint.received_requests().await.expect("kept");
    let mut told: Vec<Value> = posts
        .iter()
        .filter(|post| post.method.as_str() == "POST")
        .map(|post| serde_json::from_slice(&post.body).expect("JSON"))
        .collect();
    told.sort_by_key(|value| value["event"].to_string());
    let names: Vec<_> = told.iter().map(|entry| entry["event"].as_str().expect("a name")).collect();
    assert_eq!(names, ["email.opened", "email.received", "email.sent", "email.thread.categorized"]);
    assert_eq!(told[0]["data"]["messageId"], sent["messageId"]);
    assert_eq!(told[1]["data"]["messageId"], there["messageId"]);
    assert_eq!(
        (&told[1]["data"]["from"], &told[1]["data"]["content"]),
        (&json!("maria@mail.example"), &json!("Please send it."))
    );
    assert_eq!(told[2]["data"]["messageId"], sent["messageId"]);
    assert_eq!(
        told[3]["data"],
        json!({"threadId": there["threadId"], "subject": "Invoice 7", "category": "billing"})
    );
}
