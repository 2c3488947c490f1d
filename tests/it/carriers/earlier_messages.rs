//! Messages from before a business connected a number that it also uses in the platform's app.

use frontdesk::service::AssistantChoice;
use serde_json::{Value, json};

use super::number_server::NumberServer;
use super::{Served, texts};
use crate::postgres::cluster;
use crate::waiting::until_found;

const OWN: &str = "15550783881";
const ANA: &str = "+34600111222";
const BEN: &str = "+34600111333";
/// 14 November 2023, 22:13:20, in seconds.
const THEN: i64 = 1_700_000_000;

fn text(id: &str, from: &str, after: i64, body: &str) -> Value {
    json!({"id": id, "from": from.trim_start_matches('+'), "timestamp": (THEN + after).to_string(), "type": "text",
        "text": {"body": body}, "history_context": {"status": "READ"}})
}

fn thread(of: &str, messages: &[Value]) -> Value {
    json!({"id": &of[1..], "messages": messages})
}

fn share(number: &NumberServer, chunk: i64, threads: &[Value]) {
    let metadata = json!({"phase": 1, "chunk_order": chunk, "progress": 50});
    number.report("history", json!({"history": [{"metadata": metadata, "threads": threads}]}));
}

fn senders(history: &[Value]) -> Vec<&str> {
    history.iter().map(|message| message["senderType"].as_str().expect("a word")).collect()
}

async fn conversation_with(served: &Served, phone: &str) -> Value {
    let all = served.conversations().await;
    all.into_iter().find(|conversation| conversation["customerPhone"] == phone).expect("a conversation")
}

/// The customer of an earlier conversation writes, and the assistant answers that message only.
async fn answers_only_what_is_new(number: &NumberServer, served: &Served, (events, balance): (usize, i64)) {
    number.says(BEN, "yyy qqq");
    let history = served.waits(BEN, "an answer", |history| history.len() == 4).await;
    assert_eq!(senders(&history), ["customer", "agent", "customer", "ai"]);
    assert_eq!(served.history(ANA).await.len(), 7);
    until_found("two events more", async || {
        let now = served.events();
        if now.len() == events + 2 { Ok(()) } else { Err(format!("{now:?}")) }
    })
    .await;
    assert_eq!(number.reached().len(), 2, "one answer each");
    assert_eq!(served.balance().await, balance, "none of it has a price");
    let polled = served.get("/triggers/new-message").await;
    let polled: Vec<&str> = polled["data"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|message| message["content"].as_str())
        .collect();
    assert_eq!(polled, ["yyy qqq", "zzz qqq"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn earlier_messages_are_stored_in_order_and_quietly() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Scripted).await;
    let sql = "INSERT INTO webhooks (id, channel, url, events, created_at)
               SELECT 'wh_kept', id, 'https://127.0.0.1:9/', '[\"message.sent\", \"message.received\"]', 0
               FROM channels WHERE kind = 'whatsapp' RETURNING id";
    assert_eq!(cluster::column(&served.options.database, sql), ["wh_kept"]);
    let known = number.says(ANA, "zzz qqq");
    let history = served.waits(ANA, "an answer", |history| history.len() == 2).await;
    let today = texts(&history).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (events, balance) = (served.events(), served.balance().await);
    assert_eq!(events.len(), 2, "{events:?}");

    // The later chunk first; it repeats a message of today.
    let repeated = text(&known, ANA, 90_000, "zzz qqq");
    share(&number, 2, &[thread(ANA, &[text("wamid.H4", OWN, 300, "Ready on Friday"), repeated])]);
    let placeholder = json!({"id": "wamid.H2", "from": OWN, "to": &ANA[1..], "timestamp": (THEN + 60).to_string(),
        "type": "media_placeholder", "history_context": {"status": "PLAYED"}});
    let first = [
        thread(
            ANA,
            &[
                text("wamid.H1", ANA, 0, "Is it ready?"),
                placeholder.clone(),
                text("wamid.H3", OWN, 60, "Not yet"),
            ],
        ),
        thread(BEN, &[text("wamid.H6", OWN, 500, "You are welcome"), text("wamid.H5", BEN, 400, "Thanks")]),
    ];
    share(&number, 1, &first);
    share(&number, 1, &first);
    let before = ["Is it ready?", "[file]", "Not yet", "Ready on Friday"];
    let wanted: Vec<&str> = before.into_iter().chain(today.iter().map(String::as_str)).collect();
    let history = served.waits(ANA, "all six", |history| history.len() >= 6).await;
    assert_eq!(texts(&history), wanted);
    assert_eq!(senders(&history), ["customer", "agent", "agent", "agent", "customer", "ai"]);
    assert_eq!(history[0]["createdAt"], "2023-11-14T22:13:20.000Z");
    let history = served.waits(BEN, "both", |history| history.len() >= 2).await;
    assert_eq!(
        (texts(&history), senders(&history)),
        (vec!["Thanks", "You are welcome"], vec!["customer", "agent"])
    );
    let found = conversation_with(&served, BEN).await;
    assert_eq!(
        [
            &found["lastMessageAt"],
            &found["lastMessagePreview"],
            &found["messageCount"],
            &found["serviceWindowOpen"]
        ],
        [&json!("2023-11-14T22:21:40.000Z"), &json!("You are welcome"), &json!(2), &json!(false)],
        "{found}"
    );
    let found = conversation_with(&served, ANA).await;
    assert_eq!(
        (&found["messageCount"], &found["lastMessagePreview"], &found["serviceWindowOpen"]),
        (&json!(6), &json!(today[1]), &json!(true)),
        "{found}"
    );

    // A file follows alone. The business declines the rest. Another chunk repeats what is known.
    number.put_file("880011", b"\x89PNG\r\n\x1a\nsmall");
    let image = json!({"id": "880011", "mime_type": "image/png", "caption": "the sail"});
    let with_file = json!({"id": "wamid.H2", "from": OWN, "timestamp": (THEN + 60).to_string(), "type": "image",
        "image": image});
    number.report("history", json!({ "messages": [with_file] }));
    let refusal = json!({"code": 2_593_109, "title": "History sync is turned off"});
    number.report("history", json!({"history": [{"errors": [refusal]}]}));
    let missed = text("wamid.H7", ANA, 10, "Hello?");
    share(&number, 3, &[thread(ANA, &[text("wamid.H1", ANA, 0, "Is it ready?"), missed, placeholder])]);
    let is_complete = |history: &[Value]| history.len() >= 7 && history[2]["mediaUrl"].is_string();
    let history = served.waits(ANA, "the file and one message more", is_complete).await;
    assert_eq!(texts(&history)[..4], ["Is it ready?", "Hello?", "the sail", "Not yet"]);
    assert_eq!((history.len(), &history[2]["contentType"]), (7, &json!("image")));
    let link = history[2]["mediaUrl"].as_str().expect("a link");
    let bytes = served.http.get(link).send().await.expect("an answer").bytes().await.expect("bytes");
    assert_eq!(&bytes[..], b"\x89PNG\r\n\x1a\nsmall");

    answers_only_what_is_new(&number, &served, (events.len(), balance)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_history_does_not_delay_a_customer_of_today() {
    const CUSTOMERS: usize = 40;
    const MESSAGES: usize = 50;
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    let phone = |customer: usize| format!("+3460020{customer:04}");
    let threads: Vec<Value> = (0..CUSTOMERS)
        .map(|customer| {
            let of = phone(customer);
            let second = |place: usize| i64::try_from(place / 3).expect("a small number");
            let one = |place| text(&format!("wamid.{customer}.{place}"), &of, second(place), "then");
            thread(&of, &(0..MESSAGES).map(one).collect::<Vec<_>>())
        })
        .collect();
    share(&number, 1, &threads);
    number.says(ANA, "now");
    served.waits(ANA, "the message of today", |history| history.len() == 1).await;
    let last = phone(CUSTOMERS - 1);
    let history = served.waits(&last, "the last thread", |history| history.len() == MESSAGES).await;
    let ids: Vec<_> =
        history.iter().map(|message| message["whatsappMessageId"].as_str().expect("an id")).collect();
    let wanted: Vec<String> = (0..MESSAGES).map(|place| format!("wamid.{}.{place}", CUSTOMERS - 1)).collect();
    assert_eq!(ids, wanted);
    let count = cluster::column(&served.options.database, "SELECT count(*) FROM messages");
    assert_eq!(count, [(CUSTOMERS * MESSAGES + 1).to_string()]);
}
