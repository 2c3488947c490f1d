//! `POST /messages/send`: all eight types, bounds, quotes, the service window, refusals.

use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

async fn media(kind: &str, bytes: &[u8]) -> MockServer {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_raw(bytes.to_vec(), kind);
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

#[tokio::test]
async fn all_eight_types_go_out_and_are_listed() {
    let world = World::new().await;
    let (conversation, _) = world.inbound("whatsapp", ANA, "hello").await;
    let server = media("image/png", b"png").await;
    let link = format!("{}/a.mp3", server.uri());
    let cases = [
        ("text", json!({"body": "hi"}), "hi", 1),
        ("image", json!({"link": link, "caption": "a picture"}), "a picture", 1),
        ("audio", json!({"link": link}), "", 1),
        ("video", json!({"link": link, "caption": ""}), "", 1),
        ("document", json!({"link": link, "filename": "f.pdf"}), "f.pdf", 1),
        ("template", json!({"name": "hello_again", "language": {"code": "en"}}), "Hello again from", 2),
        ("interactive", json!({"type": "button", "body": {"text": "choose"}}), "choose", 1),
        ("location", json!({"latitude": 41.4, "longitude": 2.17, "name": "Shop"}), "Shop", 1),
    ];
    let mut balance = 1000;
    for (kind, object, content, cost) in cases {
        let mut body = json!({"to": ANA, "type": kind});
        body[kind] = object;
        let sent = world.post("/messages/send", body).await.ok();
        balance -= cost;
        assert_eq!((&sent["status"], &sent["creditsUsed"]), (&json!("sent"), &json!(cost)), "{kind}");
        assert_eq!(sent["creditsRemaining"], balance);
        assert!(sent.get("test").is_none() && sent.get("telegramMessageId").is_none(), "{sent}");
        assert!(sent["whatsappMessageId"].as_str().is_some_and(|sent| sent.starts_with("wamid.")), "{sent}");
        let id = sent["messageId"].as_str().expect("an id");
        let read = world.get(&format!("/messages/{id}")).await.ok();
        assert_eq!((&read["contentType"], &read["direction"]), (&json!(kind), &json!("outbound")));
        assert_eq!((&read["senderType"], &read["creditsUsed"]), (&json!("api"), &json!(cost)));
        assert_eq!(read["conversationId"], conversation);
        assert!(read["content"].as_str().expect("a text").starts_with(content), "{read}");
        let media = ["image", "audio", "video", "document"].contains(&kind);
        assert_eq!(read["mediaUrl"].is_string(), media, "{read}");
        assert!(!media || read["media"]["size"] == 3, "{read}");
    }
    assert_eq!(world.balance().await, balance);
    let listed = world.get(&format!("/conversations/{conversation}/messages")).await.ok();
    assert_eq!(listed["data"].as_array().expect("a list").len(), 9);
    assert_eq!(world.outbound().await.len(), 8);
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let world = World::new().await;
    world.inbound("whatsapp", ANA, "hello").await;
    let long = |count: usize| "é".repeat(count);
    let link = "https://shop.example/a";
    let cases = [
        (json!([]), "the body"),
        (json!("x"), "the body"),
        (json!({"type": "text", "text": {"body": "x"}}), "to "),
        (json!({"to": 34600111222_i64, "type": "text", "text": {"body": "x"}}), "to "),
        (json!({"to": "34600111222", "type": "text", "text": {"body": "x"}}), "to "),
        (json!({"to": "+34 600 111 222", "type": "text", "text": {"body": "x"}}), "to "),
        (json!({"to": ANA, "text": {"body": "x"}}), "type "),
        (json!({"to": ANA, "type": "TEXT", "text": {"body": "x"}}), "type "),
        (json!({"to": ANA, "type": "text", "image": {"link": link}}), "text "),
        (json!({"to": ANA, "type": "text", "text": {"body": ""}}), "text.body "),
        (json!({"to": ANA, "type": "text", "text": {"body": 7}}), "text.body "),
        (json!({"to": ANA, "type": "text", "text": {"body": long(4097)}}), "text.body "),
        (
            json!({"to": ANA, "type": "image", "image": {"link": link, "caption": long(1025)}}),
            "image.caption ",
        ),
        (
            json!({"to": ANA, "type": "video", "video": {"link": link, "caption": long(1025)}}),
            "video.caption ",
        ),
        (
            json!({"to": ANA, "type": "document", "document": {"link": link, "caption": long(1025)}}),
            "document.cap",
        ),
        (
            json!({"to": ANA, "type": "document", "document": {"link": link, "filename": long(257)}}),
            "document.file",
        ),
        (json!({"to": ANA, "type": "audio", "audio": {}}), "audio.link "),
        (json!({"to": ANA, "type": "template", "template": {"name": "a"}}), "template.language "),
        (
            json!({"to": ANA, "type": "template", "template": {"name": "a", "language": {"code": "en"},
                "components": {}}}),
            "template.components ",
        ),
        (
            json!({"to": ANA, "type": "location", "location": {"latitude": 91, "longitude": 0}}),
            "location.lat",
        ),
        (
            json!({"to": ANA, "type": "location", "location": {"latitude": 1, "longitude": "2"}}),
            "location.lon",
        ),
        (json!({"to": ANA, "type": "interactive", "interactive": []}), "interactive "),
        (json!({"to": ANA, "type": "text", "text": {"body": "x"}, "replyTo": {}}), "replyTo "),
        (json!({"to": ANA, "type": "text", "text": {"body": "x"}, "replyTo": "msg_nowhere"}), "replyTo "),
    ];
    for (body, words) in cases {
        let answer = world.post("/messages/send", body.clone()).await;
        answer.refused(400, "VALIDATION_ERROR");
        assert!(answer.message().starts_with(words), "{body}: {answer:?}");
    }
    // Bounds count characters, not bytes.
    for text in ["x".repeat(4096), "👍".repeat(4096), "e\u{301}".repeat(2048)] {
        world.post("/messages/send", text_to(ANA, &text)).await.ok();
    }
    assert_eq!(world.balance().await, 997);
}

#[tokio::test]
async fn media_must_be_there() {
    let world = World::new().await;
    world.inbound("whatsapp", ANA, "hello").await;
    let image = |link: &str| json!({"to": ANA, "type": "image", "image": {"link": link}});
    let refused = MockServer::start().await;
    let empty = media("image/png", b"").await;
    for link in [
        &format!("{}/a.png", refused.uri()),
        &format!("{}/a.png", empty.uri()),
        "http://shop.example/a.png",
        "https://127.0.0.1:1/a.png",
        "https://10.0.0.1/a.png",
        "ftp://shop.example/a.png",
        "not a link",
    ] {
        world.post("/messages/send", image(link)).await.refused(400, "MEDIA_FETCH_FAILED");
    }
    let page = media("text/html", b"<p>").await;
    let audio = json!({"to": ANA, "type": "audio", "audio": {"link": format!("{}/a.wav", page.uri())}});
    world.post("/messages/send", audio).await.refused(400, "VALIDATION_ERROR");
    assert_eq!((world.balance().await, world.outbound().await.len()), (1000, 0));
}

#[tokio::test]
async fn quotes_by_either_id_within_the_conversation() {
    let world = World::new().await;
    let (_, asked) = world.inbound("whatsapp", ANA, "which?").await;
    let (_, foreign) = world.inbound("whatsapp", "+34600333444", "mine").await;
    let platform = world.get(&format!("/messages/{asked}")).await.ok()["whatsappMessageId"].clone();
    for quoted in [json!(asked), platform] {
        let mut body = text_to(ANA, "this");
        body["replyTo"] = quoted;
        let sent = world.post("/messages/send", body).await.ok();
        let id = sent["messageId"].as_str().expect("an id").to_owned();
        assert_eq!(world.get(&format!("/messages/{id}")).await.ok()["replyTo"], asked);
    }
    let mut body = text_to(ANA, "this");
    body["replyTo"] = json!(foreign);
    world.post("/messages/send", body).await.refused(400, "VALIDATION_ERROR");
    // Templates cannot quote.
    let template = json!({"to": ANA, "type": "template", "replyTo": "msg_nowhere",
                          "template": {"name": "hello_again", "language": {"code": "en"}}});
    let sent = world.post("/messages/send", template).await.ok();
    let id = sent["messageId"].as_str().expect("an id").to_owned();
    assert!(world.get(&format!("/messages/{id}")).await.ok().get("replyTo").is_none());
}

#[tokio::test]
async fn the_window_closes_a_day_after_the_customer_wrote() {
    let world = World::new().await;
    let hello = json!({"to": ANA, "type": "template",
                       "template": {"name": "hello_again", "language": {"code": "en"}}});
    world.post("/messages/send", text_to(ANA, "first")).await.refused(400, "SESSION_EXPIRED");
    // A template begins a conversation but does not open the window.
    world.post("/messages/send", hello.clone()).await.ok();
    world.post("/messages/send", text_to(ANA, "second")).await.refused(400, "SESSION_EXPIRED");
    let (id, _) = world.inbound("whatsapp", ANA, "hello").await;
    let open =
        || async { world.get(&format!("/conversations/{id}")).await.ok()["serviceWindowOpen"].clone() };
    world.advance(24 * 3600 - 1).await;
    assert_eq!(open().await, true);
    world.post("/messages/send", text_to(ANA, "third")).await.ok();
    // The message arrived some microseconds after the clock's second.
    world.advance(2).await;
    assert_eq!(open().await, false);
    for body in [
        text_to(ANA, "fourth"),
        json!({"to": ANA, "type": "interactive", "interactive": {"type": "list"}}),
        json!({"to": ANA, "type": "location", "location": {"latitude": 1, "longitude": 2}}),
    ] {
        world.post("/messages/send", body).await.refused(400, "SESSION_EXPIRED");
    }
    world.post("/messages/send", hello).await.ok();
    world.inbound("whatsapp", ANA, "again").await;
    world.post("/messages/send", text_to(ANA, "fifth")).await.ok();
    assert_eq!(world.balance().await, 1000 - 2 - 1 - 2 - 1);
}

#[tokio::test]
async fn numbers_decide_what_becomes_of_a_message() {
    let world = World::new().await;
    let cases = [
        ("+34600110006", "text", Err((502, "WHATSAPP_ERROR"))),
        ("+34600110007", "location", Err((400, "UNSUPPORTED_TYPE"))),
        ("+34600110007", "text", Ok("read")),
        ("+34600110008", "text", Err((400, "INVALID_RECIPIENT"))),
        ("+34600110009", "text", Ok("failed")),
        ("+34600110005", "text", Ok("delivered")),
        (ANA, "text", Ok("read")),
    ];
    for (to, kind, outcome) in cases {
        world.inbound("whatsapp", to, "hello").await;
        let mut body = text_to(to, "x");
        body["type"] = json!(kind);
        body["location"] = json!({"latitude": 1, "longitude": 2});
        let before = (world.balance().await, world.outbound().await.len());
        let answer = world.post("/messages/send", body).await;
        match outcome {
            Err((status, code)) => {
                answer.refused(status, code);
                assert_eq!((world.balance().await, world.outbound().await.len()), before);
            }
            Ok(last) => {
                let id = answer.ok()["messageId"].as_str().expect("an id").to_owned();
                let read = || async { world.get(&format!("/messages/{id}")).await.ok() };
                let sent = read().await;
                assert_eq!(sent["status"], "sent");
                assert!(sent["deliveredAt"].is_null() && sent["readAt"].is_null());
                world.advance(60).await;
                let done = read().await;
                assert_eq!(done["status"], last, "{to}");
                assert_eq!(done["deliveredAt"].is_string(), last != "failed", "{done}");
                assert_eq!(done["readAt"].is_string(), last == "read", "{done}");
            }
        }
    }
}
