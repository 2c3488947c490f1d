//! The demo's mail and calls: sample data, and new events.

use serde_json::json;

use crate::service_mail::World;

#[tokio::test]
async fn the_sample_shop_has_mail_and_calls() {
    let world = World::start(true).await;
    let threads = world.walk("email", "/email/threads", 100, "id").await;
    assert_eq!(threads.len(), 17);
    let archived = world.walk("email", "/email/threads?folder=archive", 5, "id").await;
    assert_eq!(archived.len(), 2);
    let urgent = world.get("email", "/email/threads?category=repairs&folder=inbox").await.good();
    let brakes = &urgent["data"][0];
    assert_eq!(
        (&brakes["priority"], &brakes["isStarred"], &brakes["isRead"]),
        (&json!("urgent"), &json!(true), &json!(false))
    );
    let path = format!("/email/threads/{}", brakes["id"].as_str().expect("an id"));
    let read = world.get("email", &path).await.good();
    assert_eq!(read["messages"].as_array().map(Vec::len), Some(3));
    assert_eq!(read["messages"][0]["attachments"][0]["filename"], "lever.jpg");
    assert_eq!(world.walk("email", "/email/contacts", 100, "email").await.len(), 17);
    let kinds = world.walk("voip", "/voip/conversations", 3, "type").await;
    assert_eq!((kinds.len(), kinds.iter().filter(|kind| *kind == "call").count()), (10, 6));
}

#[tokio::test]
async fn what_is_attached_to_the_samples_is_there() {
    let world = World::start(true).await;
    let mut files = 0;
    for id in world.walk("email", "/email/threads", 100, "id").await {
        let read = world.get("email", &format!("/email/threads/{id}")).await.good();
        let mails = read["messages"].as_array().expect("mails");
        for file in mails.iter().flat_map(|mail| mail["attachments"].as_array().expect("a list")) {
            let url = file["url"].as_str().expect("an address");
            assert!(url.starts_with(&world.running.base_url), "{url}");
            let answer = world.http.get(url).send().await.expect("an answer");
            assert_eq!(answer.headers()["content-type"], file["contentType"].as_str().expect("a type"));
            let bytes = answer.bytes().await.expect("a body");
            assert_eq!(u64::try_from(bytes.len()).ok(), file["size"].as_u64(), "{url}");
            let begins = if url.ends_with(".jpg") { &[0xff, 0xd8, 0xff][..] } else { b"%PDF-1.4" };
            assert!(bytes.starts_with(begins), "{url}");
            files += 1;
        }
    }
    assert_eq!(files, 16);
}

#[tokio::test]
async fn a_customer_answers_a_persons_mail_and_others_write() {
    let world = World::start(true).await;
    let urgent = world.get("email", "/email/threads?category=repairs&folder=inbox").await.good();
    let id = urgent["data"][0]["id"].as_str().expect("an id").to_owned();
    let path = format!("/email/threads/{id}");
    let body = json!({"to": "helen.marsden@mail.example", "subject": "Re: brakes", "text": "I will call you.",
                      "threadId": id});
    world.post("email", "/email/send", body).await.good();
    world.advance(25.0).await;
    let read = world.get("email", &path).await.good();
    let mails = read["messages"].as_array().expect("mails");
    let last = mails.last().expect("an answer");
    assert_eq!(last["direction"], "inbound");
    assert!(mails.iter().any(|mail| mail["text"]
        == "Thank you for answering so quickly. I can be at home from 16:00 if somebody can collect it."));
    // The assistant does not answer mail.
    assert_eq!(mails.iter().filter(|mail| mail["direction"] == "outbound").count(), 2);
    let before = world.get("email", "/triggers/new-message").await.good()["data"][0]["createdAt"].clone();
    world.advance(900.0).await;
    let after = world.get("email", "/triggers/new-message").await.good()["data"][0]["createdAt"].clone();
    assert!(after.as_str() > before.as_str(), "somebody has written by themselves");
}

#[tokio::test]
async fn a_business_chat_customer_is_known_by_their_address() {
    let world = World::start(true).await;
    world.mail_from("Maria.Lopez@mail.example", "Hola", "¿Está lista?").await;
    let found = world.get("email", "/email/contacts?search=maria.lopez").await.good();
    let phone = found["data"][0]["linkedWhatsAppPhone"].as_str().expect("a number").to_owned();
    let conversations = world.get("whatsapp", "/conversations?limit=100").await.good();
    let rows = conversations["data"].as_array().expect("rows");
    let maria = rows.iter().find(|row| row["customerEmail"] == "maria.lopez@mail.example").expect("there");
    assert_eq!(maria["customerPhone"], phone.as_str());
}
