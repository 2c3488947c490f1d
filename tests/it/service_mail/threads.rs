//! Threads and contacts: assignment of mails, filters, pages, changes.

use serde_json::{Value, json};

use crate::service_mail::World;

fn id(value: &Value, name: &str) -> String {
    value[name].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn mails_of_one_topic_come_together() {
    let world = World::new().await;
    let first = world.mail_from("Maria@Mail.example", "Order 1042", "Where is it?").await;
    assert_eq!(first["conversationId"], first["threadId"]);
    let thread = id(&first, "threadId");
    // Same topic and contact, ignoring case.
    let second = world.mail_from("maria@mail.example", "RE: order  1042", "Hello?").await;
    assert_eq!(id(&second, "threadId"), thread);
    // Another contact, another topic, or a week later: another thread.
    assert_ne!(id(&world.mail_from("luis@mail.example", "Order 1042", "x").await, "threadId"), thread);
    assert_ne!(id(&world.mail_from("maria@mail.example", "Order 1043", "x").await, "threadId"), thread);
    world.advance(7.0 * 86_400.0 + 1.0).await;
    assert_ne!(id(&world.mail_from("maria@mail.example", "Order 1042", "x").await, "threadId"), thread);
    // A reference counts forever and for any subject.
    let body = json!({"channel": "email", "from": "maria@mail.example", "subject": "thanks",
                      "text": "It came.", "inReplyTo": id(&first, "messageId")});
    assert_eq!(id(&world.dev("/inbound", body).await.good(), "threadId"), thread);
    let read = world.get("email", &format!("/email/threads/{thread}")).await.good();
    let texts: Vec<_> =
        read["messages"].as_array().expect("mails").iter().map(|value| value["text"].clone()).collect();
    assert_eq!(texts, [json!("Where is it?"), json!("Hello?"), json!("It came.")]);
    assert_eq!((&read["subject"], &read["messageCount"]), (&json!("Order 1042"), &json!(3)));
    assert_eq!(read["messages"][2]["inReplyTo"], read["messages"][0]["messageId"]);
    world.get("email", "/email/threads/thread_x").await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_reply_goes_into_its_thread() {
    let world = World::new().await;
    let there = world.mail_from("maria@mail.example", "Order 1042", "Where is it?").await;
    let reply = |more: Value| {
        let mut body = json!({"to": "maria@mail.example", "subject": "Re: Order 1042", "text": "Here."});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        world.post("email", "/email/send", body)
    };
    let by_thread = reply(json!({"threadId": id(&there, "threadId")})).await.good();
    let by_reference = reply(json!({"inReplyTo": id(&there, "messageId")})).await.good();
    let alone = reply(json!({})).await.good();
    let foreign = reply(json!({"inReplyTo": "<unknown@mail.example>"})).await.good();
    assert_eq!(by_thread["threadId"], there["threadId"]);
    assert_eq!(by_reference["threadId"], there["threadId"]);
    assert_ne!(alone["threadId"], there["threadId"]);
    assert_ne!(foreign["threadId"], alone["threadId"]);
    let read = world.get("email", &format!("/email/threads/{}", id(&there, "threadId"))).await.good();
    assert_eq!((&read["isRead"], &read["messageCount"]), (&json!(true), &json!(3)));
    // A mail in a thread answers its latest one.
    assert_eq!(read["messages"][1]["inReplyTo"], read["messages"][0]["messageId"]);
    // An answer makes it unread and moves a sent thread to the inbox.
    let body = json!({"channel": "email", "from": "maria@mail.example", "subject": "Re: Order 1042",
                      "text": "Thanks", "inReplyTo": id(&alone, "messageId")});
    assert_eq!(world.dev("/inbound", body).await.good()["threadId"], alone["threadId"]);
    let read = world.get("email", &format!("/email/threads/{}", id(&alone, "threadId"))).await.good();
    assert_eq!((&read["isRead"], &read["folder"]), (&json!(false), &json!("inbox")));
}

#[tokio::test]
async fn threads_have_the_fields_of_the_interface_and_filters() {
    let world = World::new().await;
    world.mail_from("a@mail.example", "Invoice 7", "Please send it.").await;
    world.advance(1.0).await;
    let second = world.mail_from("b@mail.example", "Hello", "My brake lever is loose.").await;
    world
        .post("email", "/email/send", json!({"to": "c@mail.example", "subject": "News", "text": "x"}))
        .await
        .good();
    world.patch(&format!("/email/threads/{}", id(&second, "threadId")), json!({"isRead": true})).await.good();
    let list = world.get("email", "/email/threads").await.good();
    assert_eq!(
        list["data"][1],
        json!({
            "id": second["threadId"], "subject": "Hello", "contactEmail": "b@mail.example", "contactName": null,
            "lastMessageAt": "2026-11-20T10:00:01.000Z", "messageCount": 1, "isRead": true, "isStarred": false,
            "category": "repairs", "priority": "normal",
        })
    );
    assert_eq!((&list["hasMore"], &list["nextCursor"]), (&json!(false), &Value::Null));
    let cases = [
        ("", vec!["c", "b", "a"]),
        ("?folder=inbox", vec!["b", "a"]),
        ("?folder=sent", vec!["c"]),
        ("?folder=nowhere", vec![]),
        ("?category=billing", vec!["a"]),
        ("?category=nothing", vec![]),
        ("?isRead=false", vec!["a"]),
        ("?isRead=true&folder=inbox", vec!["b"]),
    ];
    for (query, expected) in cases {
        let found = world.walk("email", &format!("/email/threads{query}"), 1, "contactEmail").await;
        let expected: Vec<String> = expected.iter().map(|text| format!("{text}@mail.example")).collect();
        assert_eq!(found, expected, "{query}");
    }
    for query in ["isRead=yes", "limit=0", "limit=101", "cursor=forged", "limit=1&limit=2"] {
        let path = format!("/email/threads?{query}");
        world.get("email", &path).await.refused(400, "VALIDATION_ERROR");
    }
    // A cursor is valid only for its list.
    let page = world.get("email", "/email/threads?limit=1").await.good();
    let cursor = page["nextCursor"].as_str().expect("a cursor");
    for path in ["/email/threads?folder=inbox", "/email/contacts?x=1"] {
        world.get("email", &format!("{path}&cursor={cursor}")).await.refused(400, "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn a_change_names_what_it_changes() {
    let world = World::new().await;
    let there = world.mail_from("maria@mail.example", "Hi", "x").await;
    let path = format!("/email/threads/{}", id(&there, "threadId"));
    let state = |value: Value| {
        let mark = |name: &str| value[name].as_bool().expect("a mark");
        let word = |name: &str| value[name].as_str().expect("a word").to_owned();
        (mark("isRead"), mark("isStarred"), word("folder"), word("category"), word("priority"))
    };
    let now = |read, starred, folder: &str, category: &str, priority: &str| {
        (read, starred, folder.to_owned(), category.to_owned(), priority.to_owned())
    };
    let steps = [
        (json!({}), now(false, false, "inbox", "other", "normal")),
        (json!({"isRead": true, "unknown": [1]}), now(true, false, "inbox", "other", "normal")),
        (json!({"isStarred": true, "isRead": null}), now(true, true, "inbox", "other", "normal")),
        (json!({"archived": true}), now(true, true, "archive", "other", "normal")),
        (json!({"archived": false}), now(true, true, "inbox", "other", "normal")),
        (json!({"folder": "spam", "priority": "high"}), now(true, true, "spam", "other", "high")),
        (json!({"archived": false}), now(true, true, "spam", "other", "high")),
        (json!({"category": "billing", "isRead": false}), now(false, true, "spam", "billing", "high")),
    ];
    for (body, expected) in steps {
        let patched = world.patch(&path, body.clone()).await.good();
        assert_eq!(patched["id"], there["threadId"]);
        assert_eq!(state(patched), expected, "{body}");
        assert_eq!(state(world.get("email", &path).await.good()), expected, "{body}");
    }
    let wrong = [
        json!({"isRead": "yes"}),
        json!({"isStarred": 1}),
        json!({"folder": 5}),
        json!({"folder": ""}),
        json!({"category": "c".repeat(65)}),
        json!({"priority": {}}),
        json!({"archived": "true"}),
        json!({"archived": true, "folder": "inbox"}),
        json!([]),
        Value::Null,
    ];
    for body in wrong {
        world.patch(&path, body).await.refused(400, "VALIDATION_ERROR");
    }
    world.patch("/email/threads/x", json!({"isRead": true})).await.refused(404, "NOT_FOUND");
    // A thread in archive or trash returns with a new mail; spam does not.
    world.mail_from("maria@mail.example", "Hi", "again").await;
    assert_eq!(world.get("email", &path).await.good()["folder"], "spam");
    for away in [json!({"archived": true}), json!({"folder": "trash"})] {
        world.patch(&path, away.clone()).await.good();
        world.mail_from("maria@mail.example", "Hi", "again").await;
        let read = world.get("email", &path).await.good();
        assert_eq!((&read["folder"], &read["category"]), (&json!("inbox"), &json!("billing")), "{away}");
    }
}

#[tokio::test]
async fn contacts_are_one_each_over_all_threads() {
    let world = World::new().await;
    for number in 0..5 {
        world.advance(1.0).await;
        world.mail_from(&format!("c{number}@mail.example"), "Hi", "x").await;
    }
    world.advance(1.0).await;
    let named = json!({"channel": "email", "from": "C0@Mail.example", "name": "María Ólafs", "subject": "Other",
                       "html": "<p>x</p>"});
    world.dev("/inbound", named).await.good();
    world
        .post(
            "email",
            "/email/send",
            json!({"to": "c0@mail.example", "cc": ["new@mail.example"], "subject": "Yes", "text": "x"}),
        )
        .await
        .good();
    let contacts = world.get("email", "/email/contacts?search=%C3%B3LAFS").await.good();
    assert_eq!(
        contacts["data"],
        json!([{
            "email": "c0@mail.example", "name": "María Ólafs", "lastContactDate": "2026-11-20T10:00:06.000Z",
            "messageCount": 3, "linkedWhatsAppPhone": null,
        }])
    );
    let all = world.walk("email", "/email/contacts", 2, "email").await;
    assert_eq!(all.len(), 6);
    assert_eq!(all[2..], ["c4@mail.example", "c3@mail.example", "c2@mail.example", "c1@mail.example"]);
    assert_eq!(world.walk("email", "/email/contacts?search=C3@", 2, "email").await, ["c3@mail.example"]);
    assert_eq!(world.walk("email", "/email/contacts?search=zz", 2, "email").await.len(), 0);
    assert_eq!(world.walk("email", "/email/contacts?search=%25", 2, "email").await.len(), 0);
}

#[tokio::test]
async fn strangers_write_what_they_like() {
    let world = World::new().await;
    let cases = [
        json!({"from": "x", "text": "a"}),
        json!({"from": "a@mail.example"}),
        json!({"text": "a"}),
        json!({"from": "a@mail.example", "text": "a", "subject": "s".repeat(999)}),
    ];
    for mut body in cases {
        body["channel"] = json!("email");
        world.dev("/inbound", body).await.refused(400, "VALIDATION_ERROR");
    }
    let body = json!({"channel": "email", "from": "a@mail.example", "subject": "\u{1b}]52;c;x\u{7}\u{202e}",
                      "html": "<p>Hi \u{1b}[2J &lt;there&gt;</p><script>x</script>"});
    let there = world.dev("/inbound", body).await.good();
    let read = world.get("email", &format!("/email/threads/{}", id(&there, "threadId"))).await.good();
    assert_eq!(read["subject"], "\u{1b}]52;c;x\u{7}\u{202e}");
    let trigger = world.get("email", "/triggers/new-message").await.good();
    assert_eq!(trigger["data"][0]["content"], "Hi \u{1b}[2J <there>");
}

#[tokio::test]
async fn an_answer_goes_to_reply_to_and_joins_only_its_customer() {
    let world = World::new().await;
    let form = |visitor: &str, subject: &str| {
        let body = json!({"channel": "email", "from": "www@forms.example", "name": "Web form", "text": "x",
                          "subject": subject, "replyTo": [visitor]});
        async { id(&world.dev("/inbound", body).await.good(), "threadId") }
    };
    let ann = form("ann@a.example", "Order 7").await;
    assert_ne!(form("bo@b.example", "Order 7").await, ann, "another customer");
    assert_eq!(form("Ann@A.example", "Re: Order 7").await, ann, "the same customer by the same form");
    let generic = form("ann@a.example", "Website contact").await;
    assert_ne!(form("ann@a.example", "Website contact").await, generic, "a subject that says nothing");
    assert_ne!(form("ann@a.example", "").await, form("ann@a.example", "").await);
    // Another sender names the customer in Reply-To.
    let body = json!({"channel": "email", "from": "eve@evil.example", "text": "x", "subject": "Order 7",
                      "replyTo": ["ann@a.example"]});
    assert_ne!(id(&world.dev("/inbound", body).await.good(), "threadId"), ann);
    let thread = world.get("email", &format!("/email/threads/{ann}")).await.good();
    assert_eq!((&thread["contactEmail"], &thread["contactName"]), (&json!("ann@a.example"), &Value::Null));
    let mail = &thread["messages"][0];
    assert_eq!(
        (&mail["from"], &mail["fromName"], &mail["replyTo"]),
        (&json!("www@forms.example"), &json!("Web form"), &json!(["ann@a.example"]))
    );
    assert!(mail.get("canBeAnswered").is_none());
    // Her message id does not admit others to her thread.
    let body = json!({"channel": "email", "from": "bo@b.example", "text": "x", "subject": "Fwd: Order 7",
                      "inReplyTo": mail["messageId"]});
    assert_ne!(id(&world.dev("/inbound", body).await.good(), "threadId"), ann);
    let contacts = world.walk("email", "/email/contacts", 50, "email").await;
    assert!(!contacts.contains(&"www@forms.example".to_owned()), "{contacts:?}");
}
