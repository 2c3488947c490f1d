//! Test keys: nothing is sent, charged or stored.

use super::*;

/// All rows of all tables a write must not change.
fn dump(world: &World) -> Vec<String> {
    if world.place.file().is_none() {
        return cluster::dump(&world.place);
    }
    let db = rusqlite::Connection::open(world.database()).expect("opens");
    let mut tables = db
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1",
        )
        .expect("a statement");
    let names: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .expect("rows")
        .map(|query_map| query_map.expect("a name"))
        .collect();
    let mut lines = Vec::new();
    for name in names.iter().filter(|name| *name != "idempotency") {
        let mut rows = db.prepare(&format!("SELECT * FROM \"{name}\" ORDER BY 1, 2")).expect("a statement");
        let columns = rows.column_count();
        let read = rows.query_map([], |row| {
            let cells: Result<Vec<String>, _> =
                (0..columns).map(|number| row.get_ref(number).map(|cell| format!("{cell:?}"))).collect();
            Ok(format!("{name} {}", cells?.join("|")))
        });
        lines.extend(read.expect("rows").map(|result| result.expect("a row")));
    }
    lines
}

#[tokio::test]
async fn the_database_is_the_same_afterwards() {
    let world = World::new().await;
    let (conversation, message) = world.inbound("whatsapp", ANA, "hi").await;
    let (chat, bot_message) = world.inbound("telegram", "77", "/start").await;
    let before = dump(&world);
    let closed = "+34600999888";
    let writes = [
        ("whatsapp", "POST", "/messages/send".to_owned(), text_to(ANA, "x")),
        ("whatsapp", "POST", "/messages/send".to_owned(), text_to(closed, "no window is needed")),
        (
            "whatsapp",
            "POST",
            "/messages/send".to_owned(),
            json!({"to": ANA, "type": "image", "image": {"link": "https://shop.example/never-fetched.png"}}),
        ),
        ("whatsapp", "POST", format!("/messages/{message}/react"), json!({"emoji": "👍"})),
        ("whatsapp", "PATCH", format!("/conversations/{conversation}"), json!({"automationEnabled": false})),
        ("whatsapp", "POST", format!("/conversations/{conversation}/close"), Value::Null),
        ("telegram", "POST", "/telegram/send".to_owned(), json!({"chatId": 77, "text": "x"})),
        ("telegram", "POST", "/telegram/send".to_owned(), json!({"chatId": 78, "text": "x"})),
        ("telegram", "POST", format!("/telegram/messages/{bot_message}/react"), json!({"emoji": "👍"})),
    ];
    for round in 0..20 {
        for (index, (channel, method, path, body)) in writes.iter().enumerate() {
            let call = world.call(method, path).key(world.key(channel, Environment::Test));
            let call = if round % 2 == 0 { call.idem(&format!("{round}-{index}")) } else { call };
            let done = call.json(body).send().await.ok();
            assert_eq!(done["test"], true, "{done}");
            if path.ends_with("/send") {
                assert!(done["messageId"].as_str().is_some_and(|text| text.starts_with("test_")), "{done}");
                assert_eq!((&done["creditsUsed"], &done["creditsRemaining"]), (&json!(0), &json!(1000)));
            }
        }
    }
    assert_eq!(dump(&world), before);
    assert!(world.outbound().await.is_empty());
    assert!(world.get(&format!("/conversations/{conversation}")).await.ok()["status"] == "active");
    assert_eq!(ids(&world.get("/conversations").await.ok()), [conversation]);
    let bot = world.call("GET", "/telegram/conversations").key(world.live("telegram"));
    assert_eq!(ids(&bot.send().await.ok()), [chat]);
}

#[tokio::test]
async fn they_are_refused_like_live_ones() {
    let world = World::with(|_| ()).await;
    let test = || world.key("whatsapp", Environment::Test);
    let send = |body: Value| world.call("POST", "/messages/send").key(test()).json(&body);
    send(text_to("x", "x")).send().await.refused(400, "VALIDATION_ERROR");
    send(json!({"to": ANA, "type": "image", "image": {"link": "http://10.0.0.1/"}}))
        .send()
        .await
        .refused(400, "MEDIA_FETCH_FAILED");
    let absent = world.call("POST", "/conversations/nowhere/close").key(test());
    absent.send().await.refused(404, "NOT_FOUND");
    let first = send(text_to(ANA, "x")).idem("k").send().await.ok();
    let again = send(text_to(ANA, "x")).idem("k").send().await;
    assert!(again.replayed());
    assert_eq!(again.ok(), first);
    send(text_to(ANA, "y")).idem("k").send().await.refused(409, "IDEMPOTENCY_CONFLICT");
    for _ in 0..14 {
        send(text_to(ANA, "x")).send().await.ok();
    }
    send(text_to(ANA, "x")).send().await.refused(429, "RATE_LIMIT_EXCEEDED");
}
