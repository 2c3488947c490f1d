//! Polling triggers: events of other systems, and mail as messages.

use serde_json::{Value, json};

use crate::service_mail::World;

#[tokio::test]
async fn orders_and_appointments_are_told_newest_first() {
    let world = World::new().await;
    for (name, path) in [("order.created", "new-order"), ("appointment.created", "new-appointment")] {
        let path = format!("/triggers/{path}");
        assert_eq!(world.get("whatsapp", &path).await.good(), json!({"data": []}));
        let first = world.dev("/event", json!({"name": name, "data": {"total": 89}})).await.good();
        world.advance(1.0).await;
        world.dev("/event", json!({"name": name, "data": {"id": "ord_7", "total": 15}})).await.good();
        for channel in ["whatsapp", "telegram", "email", "voip", "email test"] {
            let told = world.get(channel, &path).await.good();
            assert_eq!(told["data"][0]["id"], "ord_7");
            assert_eq!((&told["data"][1]["id"], &told["data"][1]["total"]), (&first["id"], &json!(89)));
            assert!(told["data"][0]["createdAt"].as_str() > told["data"][1]["createdAt"].as_str());
        }
        for number in 0..60 {
            world.dev("/event", json!({"name": name, "data": {"id": format!("ord_{number}")}})).await.good();
        }
        let told = world.get("whatsapp", &path).await.good();
        let ids: Vec<_> =
            told["data"].as_array().expect("items").iter().map(|value| value["id"].clone()).collect();
        let expected: Vec<Value> = (10..60).rev().map(|number| json!(format!("ord_{number}"))).collect();
        assert_eq!(ids, expected);
    }
    for body in [json!({}), json!({"name": "order.deleted"}), json!({"name": "order.created", "data": []})] {
        world.dev("/event", body).await.refused(400, "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn mail_that_came_in_is_told_as_messages() {
    let world = World::new().await;
    let there = world.mail_from("maria@mail.example", "Order 1042", "Where is it?").await;
    world
        .post("email", "/email/send", json!({"to": "maria@mail.example", "subject": "x", "text": "y"}))
        .await
        .good();
    let told = world.get("email", "/triggers/new-message").await.good();
    assert_eq!(
        told["data"],
        json!([{
            "id": there["messageId"], "conversationId": there["threadId"], "direction": "inbound",
            "senderType": "customer", "content": "Where is it?", "contentType": "text", "mediaUrl": null,
            "status": "received", "createdAt": "2026-11-20T10:00:00.000Z", "deliveredAt": null, "readAt": null,
        }])
    );
    assert_eq!(world.get("whatsapp", "/triggers/new-message").await.good(), json!({"data": []}));
}

#[tokio::test]
async fn contacts_are_told_to_those_who_may_name_them() {
    let world = World::new().await;
    for number in 0..52 {
        let contact =
            json!({"phone": format!("+346001110{number:02}"), "email": format!("c{number}@mail.example")});
        assert_eq!(world.post("whatsapp", "/contacts", contact).await.status, 201);
    }
    let told = world.get("whatsapp", "/triggers/new-contact").await.good();
    let items = told["data"].as_array().expect("items");
    let phones: Vec<_> =
        items.iter().map(|item| item["phone"].as_str().expect("a number").to_owned()).collect();
    let expected: Vec<String> = (2..52).rev().map(|number| format!("+346001110{number:02}")).collect();
    assert_eq!(phones, expected);
    // A changed contact is not new.
    world.post("whatsapp", "/contacts", json!({"phone": "+34600111000", "name": "Maria"})).await.good();
    assert_eq!(world.get("whatsapp", "/triggers/new-contact").await.good(), told);
    for channel in ["telegram", "email", "voip"] {
        assert_eq!(world.get(channel, "/triggers/new-contact").await.good(), json!({"data": []}));
    }
    // A mail from the address of a contact shows their number.
    world.mail_from("C7@mail.example", "Hi", "x").await;
    let found = world.get("email", "/email/contacts").await.good();
    assert_eq!(found["data"][0]["linkedWhatsAppPhone"], "+34600111007");
}

#[tokio::test]
async fn campaigns_and_broadcasts_are_told_when_they_are_completed() {
    let world = World::new().await;
    let path = "/triggers/campaign-completed";
    world.dev("/event", json!({"name": "campaign.completed", "data": {"id": "spring"}})).await.good();
    let body = json!({"channel": "whatsapp", "from": "+34600111001", "text": "Hi"});
    world.dev("/inbound", body).await.good();
    let body = json!({"message": {"type": "text", "text": {"body": "We are open on Sunday."}}});
    let begun = world.post("whatsapp", "/broadcast", body).await;
    assert_eq!(begun.status, 202, "{}", begun.body);
    world.advance(60.0).await;
    world.dev("/event", json!({"name": "campaign.completed", "data": {"id": "summer"}})).await.good();
    let ids = |told: Value| -> Vec<Value> {
        told["data"].as_array().expect("items").iter().map(|value| value["id"].clone()).collect()
    };
    let told = world.get("whatsapp", path).await.good();
    assert_eq!(
        (&told["data"][1]["status"], &told["data"][1]["totalRecipients"]),
        (&json!("completed"), &json!(1))
    );
    assert_eq!(ids(told), [json!("summer"), begun.body["broadcastId"].clone(), json!("spring")]);
    assert_eq!(ids(world.get("email", path).await.good()), ["summer", "spring"]);
}
