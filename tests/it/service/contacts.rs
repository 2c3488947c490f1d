//! Contacts: created, changed, found, removed; and their data in conversations.

use serde_json::{Value, json};

use super::{Desk, texts};

const LIVE: &str = "whatsapp live";
const MARIA: &str = "+34600111222";

async fn upsert(desk: &Desk, status: u16, body: Value) -> Value {
    desk.call(LIVE, "POST", "/contacts", body).await.good(status)
}

#[tokio::test]
async fn one_contact_for_each_number() {
    let desk = Desk::start().await;
    let made = upsert(
        &desk,
        201,
        json!({"phone": MARIA, "name": "María", "email": "maria@mail.example",
               "tags": ["vip", "vip", "madrid"], "metadata": {"plan": {"tier": 2}}}),
    )
    .await;
    let id = made["id"].as_str().expect("an id").to_owned();
    let now = "2026-11-20T10:00:00.000Z";
    assert_eq!(
        made,
        json!({"id": id, "phone": MARIA, "name": "María", "email": "maria@mail.example",
               "tags": ["vip", "madrid"], "metadata": {"plan": {"tier": 2}},
               "createdAt": now, "updatedAt": now, "lastActivityAt": now})
    );
    desk.advance(60.0).await;
    // Missing fields stay, given ones replace, empty texts remove.
    let changed = upsert(&desk, 200, json!({"phone": MARIA, "tags": ["new"], "email": ""})).await;
    assert_eq!(changed["id"], id.as_str());
    assert_eq!((&changed["name"], &changed["email"]), (&json!("María"), &Value::Null));
    assert_eq!((&changed["tags"], &changed["metadata"]), (&json!(["new"]), &made["metadata"]));
    assert_eq!(changed["createdAt"], now);
    assert_eq!(changed["updatedAt"], "2026-11-20T10:01:00.000Z");
    assert_eq!(desk.get(LIVE, &format!("/contacts/{id}")).await, changed);
    assert_eq!(texts(&desk.get(LIVE, "/contacts").await, "id"), [id]);
    desk.call(LIVE, "GET", "/contacts/ct_none", Value::Null).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn bounds_are_held() {
    let desk = Desk::start().await;
    let deep = |levels: usize| {
        let mut value = json!({});
        for _ in 0..levels {
            value = json!({ "a": value });
        }
        value
    };
    let tags = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>();
    let cases = [
        (json!({}), "phone is required"),
        (json!({"phone": "600"}), "phone must be a phone number"),
        (json!({"phone": MARIA, "name": "x".repeat(201)}), "name must have at most 200"),
        (json!({"phone": MARIA, "name": 5}), "name must be a string"),
        (json!({"phone": MARIA, "email": "maria"}), "email must be a mail address"),
        (json!({"phone": MARIA, "tags": "vip"}), "tags must be an array"),
        (json!({"phone": MARIA, "tags": ["vip", 1]}), "tags[1] must be a string"),
        (json!({"phone": MARIA, "tags": [""]}), "tags must hold strings"),
        (json!({"phone": MARIA, "tags": ["x".repeat(65)]}), "tags must hold strings"),
        (json!({"phone": MARIA, "tags": tags(51)}), "tags must hold at most 50"),
        (json!({"phone": MARIA, "metadata": []}), "metadata must be an object"),
        (json!({"phone": MARIA, "metadata": {"a": "x".repeat(16 * 1024)}}), "metadata must have at most"),
        (json!({"phone": MARIA, "metadata": deep(64)}), "the body is not valid JSON: nested deeper"),
    ];
    for (body, words) in cases {
        let message = desk.call(LIVE, "POST", "/contacts", body).await.refused(400, "VALIDATION_ERROR");
        assert!(message.starts_with(words), "{message}");
    }
    let full = json!({"phone": MARIA, "name": "é".repeat(200), "tags": tags(50), "metadata": deep(60)});
    upsert(&desk, 201, full).await;
    for key in ["telegram live", "email live", "voip test"] {
        desk.call(key, "GET", "/contacts", Value::Null).await.refused(403, "FORBIDDEN");
    }
}

#[tokio::test]
async fn writing_customer_becomes_a_contact() {
    let desk = Desk::start().await;
    let write = |name: Value| json!({"channel": "whatsapp", "from": MARIA, "name": name, "text": "hi"});
    desk.switch("/inbound", write(json!("Maria L"))).await;
    desk.inbound("telegram", "4711", "no number, no contact").await;
    let contacts = desk.get(LIVE, "/contacts").await;
    assert_eq!(
        (texts(&contacts, "phone"), texts(&contacts, "name")),
        (vec![MARIA.into()], vec!["Maria L".into()])
    );
    // The platform's name is used until the business sets one.
    desk.switch("/inbound", write(json!("Maria Lopez"))).await;
    assert_eq!(texts(&desk.get(LIVE, "/contacts").await, "name"), ["Maria Lopez"]);
    let changed = json!({"phone": MARIA, "name": "María López", "email": "maria@mail.example"});
    upsert(&desk, 200, changed).await;
    desk.switch("/inbound", write(json!("ml"))).await;
    let conversations = desk.get(LIVE, "/conversations").await;
    assert_eq!(texts(&conversations, "customerName"), ["María López"]);
    assert_eq!(texts(&conversations, "customerEmail"), ["maria@mail.example"]);
    assert_eq!(texts(&desk.get(LIVE, "/contacts").await, "name"), ["María López"]);
}

#[tokio::test]
async fn a_name_is_shown_in_conversations_that_begin_later() {
    let desk = Desk::start().await;
    upsert(&desk, 201, json!({"phone": MARIA, "name": "María"})).await;
    let template = desk.get(LIVE, "/templates").await["data"]
        .as_array()
        .and_then(|list| list.iter().find(|value| !value["components"].to_string().contains("{{")).cloned())
        .expect("a template without variables");
    let body = json!({"to": MARIA, "type": "template", "template": {
        "name": template["name"], "language": {"code": template["language"]}}});
    desk.post(LIVE, "/messages/send", body).await;
    assert_eq!(texts(&desk.get(LIVE, "/conversations").await, "customerName"), ["María"]);
}

#[tokio::test]
async fn newest_activity_first_and_found_by_name_or_number() {
    let desk = Desk::start().await;
    for (number, name) in [(1, "Ana Žižek"), (2, "Bruno"), (3, "ANA MARIA"), (4, "100% _sure_")] {
        upsert(&desk, 201, json!({"phone": format!("+3460000000{number}"), "name": name})).await;
        desk.advance(1.0).await;
    }
    desk.inbound("whatsapp", "+34600000002", "hi").await;
    desk.advance(1.0).await;
    upsert(&desk, 200, json!({"phone": "+34600000001", "tags": ["no activity"]})).await;
    let found = async |query: &str| {
        let list = desk.get(LIVE, &format!("/contacts{query}")).await;
        texts(&list, "phone").iter().map(|text| text.chars().last().expect("a digit")).collect::<String>()
    };
    let cases = [
        ("", "2431"),
        ("?search=ana", "31"),
        ("?search=%C5%BDI%C5%BEEK", "1"),
        ("?search=+ana+", "31"),
        ("?search=%25", "4"),
        ("?search=_sure_", "4"),
        ("?search=%2B34%20600%20000-002", "2"),
        ("?search=0000003", "3"),
        ("?search=nobody", ""),
        ("?search=", "2431"),
        ("?search=-", ""),
    ];
    for (query, order) in cases {
        assert_eq!(found(query).await, order, "{query}");
    }
    // Pages keep the order; a cursor is valid only for its search.
    let mut walked = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = desk.get(LIVE, &format!("/contacts?limit=1{cursor}")).await;
        walked.extend(texts(&page, "phone"));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(walked, texts(&desk.get(LIVE, "/contacts").await, "phone"));
    let foreign = format!("/contacts?search=ana{cursor}");
    desk.call(LIVE, "GET", &foreign, Value::Null).await.refused(400, "VALIDATION_ERROR");
    let long = format!("/contacts?search={}", "x".repeat(201));
    desk.call(LIVE, "GET", &long, Value::Null).await.refused(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn deleting_a_contact_deletes_its_history() {
    let desk = Desk::start().await;
    let conversation = desk.inbound("whatsapp", MARIA, "my secret").await;
    desk.inbound("whatsapp", "+34600000002", "hi").await;
    desk.post(LIVE, "/messages/send", json!({"to": MARIA, "type": "text", "text": {"body": "hello"}})).await;
    let listed = desk.get(LIVE, "/contacts?search=600111222").await;
    let id = texts(&listed, "id").remove(0);
    let path = format!("/contacts/{id}");
    let before = desk.dump();
    let mock = desk.call("whatsapp test", "DELETE", &path, Value::Null).await.good(200);
    assert_eq!(mock, json!({"success": true, "deleted": id, "test": true}));
    assert_eq!(desk.dump(), before);
    let gone = desk.call(LIVE, "DELETE", &path, Value::Null).await.good(200);
    assert_eq!(gone, json!({"success": true, "deleted": id}));
    for path in [path.clone(), format!("/conversations/{conversation}")] {
        desk.call(LIVE, "GET", &path, Value::Null).await.refused(404, "NOT_FOUND");
    }
    desk.call(LIVE, "DELETE", &path, Value::Null).await.refused(404, "NOT_FOUND");
    assert_eq!(texts(&desk.get(LIVE, "/messages").await, "content"), ["hi"]);
    // Pending status changes of the messages are dropped.
    desk.advance(60.0).await;
    assert_eq!(texts(&desk.get(LIVE, "/contacts").await, "phone"), ["+34600000002"]);
    desk.inbound("whatsapp", MARIA, "back again").await;
    assert_eq!(texts(&desk.get(LIVE, "/contacts?search=600111222").await, "id").len(), 1);
}

#[tokio::test]
async fn repetitions_and_test_keys() {
    let desk = Desk::start().await;
    let body = json!({"phone": MARIA, "name": "María"});
    let first = desk.keyed(LIVE, "POST", "/contacts", body.clone(), Some("k")).await;
    let again = desk.keyed(LIVE, "POST", "/contacts", body.clone(), Some("k")).await;
    assert_eq!((first.status, again.status, &again.body), (201, 201, &first.body));
    assert!(again.headers.contains_key("idempotent-replayed"));
    let other = desk.keyed(LIVE, "POST", "/contacts", json!({"phone": MARIA}), Some("k")).await;
    other.refused(409, "IDEMPOTENCY_CONFLICT");
    let before = desk.dump();
    let stranger = json!({"phone": "+34600000009", "name": "x"});
    let mock = desk.call("whatsapp test", "POST", "/contacts", stranger).await.good(201);
    assert!(mock["test"] == true && mock["id"].as_str().is_some_and(|mock| mock.starts_with("test_")));
    let known = json!({"phone": MARIA, "name": "changed"});
    desk.call("whatsapp test", "POST", "/contacts", known).await.good(200);
    desk.call("whatsapp test", "POST", "/contacts", json!({"phone": "1"}))
        .await
        .refused(400, "VALIDATION_ERROR");
    assert_eq!(desk.dump(), before);
}
