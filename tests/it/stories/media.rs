//! The label of a file: kind, known name and size, and URL, for each kind and for unknown ones.

use serde_json::{Value, json};
use wiremock::matchers::path_regex;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::desk::{Desk, utc};

pub(super) fn file(number: usize, kind: &str, url: &str, more: Value) -> Value {
    let mut message = json!({"id": format!("m{number:02}"), "conversationId": "c1", "direction": "inbound",
        "senderType": "customer", "content": "", "contentType": kind, "mediaUrl": url, "status": "delivered",
        "createdAt": utc(&format!("2026-11-20T09:{number:02}:00"))});
    message.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    message
}

fn messages() -> Vec<Value> {
    let at = |name: &str| format!("https://files.example/{name}");
    let told = |mime: &str, size: u64, name: &str| json!({"media": {"mimeType": mime, "size": size, "filename": name}});
    vec![
        file(1, "image", &at("a1b2"), told("image/jpeg", 2_310_000, "broken handle.jpg")),
        file(2, "audio", &at("voice.ogg"), json!({"media": {"size": 48_200}})),
        file(3, "video", &at("ride.mp4"), json!({"fileSize": 19_900_000})),
        file(4, "document", &at("d/9f"), told("application/pdf", 812, "bill 1041.pdf")),
        file(5, "sticker", &at("s.webp"), json!({})),
        file(6, "hologram", &at("h.holo"), json!({"media": {"size": "big", "filename": 7}})),
        file(7, "", &at("x.gpx"), json!({"mimeType": "application/gpx+xml"})),
        file(8, "text", &at(""), json!({})),
        file(9, "image", "javascript:alert(1)", json!({})),
        file(10, "contact", "", json!({"mediaUrl": null})),
    ]
}

pub(super) fn desk_of(runtime: &tokio::runtime::Runtime, messages: Vec<Value>) -> (MockServer, Desk) {
    let conversation = json!({"id": "c1", "customerPhone": "+34600111222", "customerName": "Maria Lopez",
        "status": "active", "messageCount": 10, "lastMessagePreview": "[image]",
        "lastMessageAt": utc("2026-11-20T09:10:00"), "serviceWindowOpen": true});
    let account = json!({"id": "a", "assistantId": "s", "keyId": "k", "workspace": {"id": "w"},
        "assistant": {"id": "s", "platform": "WHATSAPP"}, "creditsBalance": 10, "environment": "live"});
    let page = |items: Vec<Value>| json!({"data": items, "hasMore": false, "nextCursor": null});
    let newest_first: Vec<Value> = messages.into_iter().rev().collect();
    let answers = [
        ("/v1/account$", account),
        ("/v1/conversations$", page(vec![conversation.clone()])),
        ("/v1/conversations/c1$", conversation),
        ("/v1/conversations/c1/messages$", page(newest_first)),
        ("/v1/triggers/new-message$", json!({"data": []})),
        ("/v1/contacts$", page(Vec::new())),
    ];
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        for (path, body) in answers {
            let answer = ResponseTemplate::new(200).set_body_raw(body.to_string(), "application/json");
            Mock::given(path_regex(path)).respond_with(answer).mount(&server).await;
        }
        server
    });
    let mut desk = Desk::on_server(&format!("{}/v1", server.uri()), "svc_live_0123456789");
    desk.resize((120, 40));
    desk.settle().settle().keys("<Enter>");
    (server, desk)
}

#[test]
fn each_kind_of_file_says_what_it_is() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (_server, mut desk) = desk_of(&runtime, messages());
    desk.shows("[image] broken handle.jpg · 2.3 MB · files.example");
    desk.shows("[hologram] h.holo · files.example · o opens").shows("[application/gpx+xml] x.gpx");
    desk.shows("[file] files.example").shows("[contact]");
    photographs!(desk, "each_kind_of_file_says_what_it_is", History);
    desk.keys("kkko").shows("Open outside?");
}

#[test]
fn voice_notes_stickers_contacts_and_forwarded_messages_are_marked() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let at = |name: &str| format!("https://files.example/{name}");
    let card = json!({"contact": {"first_name": "Bo", "phone_number": "+34600111333"}});
    let text = |number: usize, content: &str, more: Value| {
        let mut message = file(number, "text", "", more);
        (message["content"], message["mediaUrl"]) = (content.into(), Value::Null);
        message
    };
    let messages = vec![
        file(1, "audio", &at("a.ogg"), json!({"voice": true, "forwarded": true})),
        file(2, "audio", &at("b.ogg"), json!({"voice": "yes", "forwarded": "no"})),
        file(3, "photo", &at("c.webp"), json!({"sticker": true})),
        text(4, "Bo · +34600111333", json!({ "structure": card })),
        text(5, "Open again", json!({"forwarded": true})),
        file(
            6,
            "audio",
            "",
            json!({"mediaUrl": null, "voice": true, "withdrawnAt": utc("2026-11-20T09:07:00")}),
        ),
    ];
    let (_server, mut desk) = desk_of(&runtime, messages);
    desk.shows("[voice note] a.ogg").shows("[audio] b.ogg").shows("[sticker] c.webp");
    desk.shows("[withdrawn voice note]");
    desk.shows("Bo · +34600111333 [contact]").shows("Open again");
    let picture = desk.picture();
    assert_eq!(picture.matches("forwarded").count(), 2, "{picture}");
}

#[test]
fn an_album_is_one_entry_of_several_messages() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let at = |name: &str| format!("https://files.example/{name}");
    let photo = |number: usize, album: Value| {
        file(number, "image", &at(&format!("{number}.jpg")), json!({"album": album}))
    };
    let mut captioned = photo(2, json!("a7"));
    captioned["content"] = "Both sides".into();
    let messages = vec![
        photo(1, json!("alone")),
        captioned,
        photo(3, json!("a7")),
        photo(4, json!("a7")),
        photo(5, json!("b8")),
        photo(6, json!("b8")),
        photo(7, json!(null)),
    ];
    let (_server, mut desk) = desk_of(&runtime, messages);
    desk.shows("Album of 3").shows("Album of 2").shows("Both sides");
    for number in 1..=7 {
        desk.shows(&format!("{number}.jpg"));
    }
    let picture = desk.picture();
    let heads = picture.lines().filter(|line| line.contains("Maria") && line.contains("09:0")).count();
    assert_eq!(heads, 4, "one head for each entry:\n{picture}");
    // Each message is selected by itself.
    desk.keys("kko").shows("Open outside?").shows("https://files.example/6.jpg");
}
