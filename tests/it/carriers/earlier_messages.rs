//! Messages from before a business connected a number that it also uses in the platform's app.

use std::sync::Arc;
use std::time::Duration;

use frontdesk::model::ids::ChannelId;
use frontdesk::model::queries::{ConversationKey, HistoryQuery};
use frontdesk::model::secret::Secret;
use frontdesk::model::text::SafeText;
use frontdesk::service::AssistantChoice;
use frontdesk::shell::clock::SystemClock;
use frontdesk::store::{Store, StoreOptions};
use frontdesk::sync::{ChannelSpec, Engine, Polling, TeamSpec};
use serde_json::{Value, json};

use super::number_server::NumberServer;
use super::{Served, texts};
use crate::desk::Desk;
use crate::postgres::cluster;
use crate::waiting::{until, until_found};

pub(super) const OWN: &str = "15550783881";
const ANA: &str = "+34600111222";
const BEN: &str = "+34600111333";
/// 14 November 2023, 22:13:20, in seconds.
const THEN: i64 = 1_700_000_000;

pub(super) fn text(id: &str, from: &str, after: i64, body: &str) -> Value {
    json!({"id": id, "from": from.trim_start_matches('+'), "timestamp": (THEN + after).to_string(), "type": "text",
        "text": {"body": body}, "history_context": {"status": "READ"}})
}

pub(super) fn thread(of: &str, messages: &[Value]) -> Value {
    json!({"id": &of[1..], "messages": messages})
}

/// Shares a part of which the platform says that it is the last.
pub(super) fn share(number: &NumberServer, chunk: i64, threads: &[Value]) {
    share_part(number, (chunk, 100), threads);
}

fn share_part(number: &NumberServer, (chunk, progress): (i64, i64), threads: &[Value]) {
    let metadata = json!({"phase": 1, "chunk_order": chunk, "progress": progress});
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
    assert_eq!((&history[0]["imported"], history[4].get("imported")), (&json!(true), None));
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

/// Number of customers of the first import, more than a page of the list holds.
const FIRST_CUSTOMERS: i64 = 60;
/// Time between two readings of a desk, in microseconds. Less would leave no budget for the rest of the list.
const READ_INTERVAL: i64 = 20_000_000;

/// Imports a conversation with each of [`FIRST_CUSTOMERS`]. Their messages are newer than those of
/// [`import_another`].
async fn import_first(number: &NumberServer, served: &Served) {
    let threads: Vec<Value> = (0..FIRST_CUSTOMERS)
        .map(|customer| {
            let of = format!("+3460020{customer:04}");
            thread(&of, &[text(&format!("wamid.{customer}"), &of, 100_000 + customer, "Thanks")])
        })
        .collect();
    share(number, 1, &threads);
    until_imported(served, FIRST_CUSTOMERS).await;
}

/// Imports two messages of a customer after `imported` others. Returns the id of their conversation.
async fn import_another(number: &NumberServer, served: &Served, customer: &str, imported: i64) -> String {
    let id = |message: u8| format!("wamid.{customer}.{message}");
    let messages = [text(&id(1), customer, 0, "Is it ready?"), text(&id(2), OWN, 60, "On Friday")];
    share(number, 2, &[thread(customer, &messages)]);
    until_imported(served, imported + 2).await;
    let sql = format!("SELECT id FROM conversations WHERE peer = '{customer}'");
    cluster::column(&served.options.database, &sql).remove(0)
}

async fn until_imported(served: &Served, count: i64) {
    until_found("the import", async || {
        let account = served.get("/account").await;
        let wanted = json!({"filed": count, "total": count, "finished": true});
        if account["earlier"] == wanted { Ok(()) } else { Err(account) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn import_is_finished_after_its_last_part_only() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    let one = |id: &str, of: &str| [thread(of, &[text(id, of, 0, "Thanks")])];
    share_part(&number, (1, 55), &one("wamid.1", ANA));
    served.waits(ANA, "the first part", |history| history.len() == 1).await;
    let waiting = "SELECT count(*) FROM ingress WHERE lane = 'history' AND done_at IS NULL";
    until_found("the end of the part", async || {
        let left = cluster::column(&served.options.database, waiting);
        if left == ["0"] { Ok(()) } else { Err(left.join(" ")) }
    })
    .await;
    let account = served.get("/account").await;
    assert_eq!(account["earlier"], json!({"filed": 1, "total": 0, "finished": false}));
    share_part(&number, (3, 100), &one("wamid.3", BEN));
    until_imported(&served, 2).await;
    // A part that comes late does not begin the import again.
    share_part(&number, (2, 80), &one("wamid.2", BEN));
    until_imported(&served, 3).await;
}

fn is_listed(store: &Store, channel: &ChannelId, conversation: &str) -> bool {
    let key = ConversationKey { channel: channel.clone(), conversation: conversation.into() };
    !store.reader().expect("a reader").conversation_rows(&[key]).expect("read").is_empty()
}

/// Returns the texts of a conversation that a desk has stored, in alphabetical order.
fn stored_texts(store: &Store, channel: &ChannelId, conversation: &str) -> Vec<String> {
    let query = HistoryQuery { channel: channel.clone(), conversation: conversation.into(), limit: 9 };
    let page = store.reader().expect("a reader").history(&query).expect("read");
    let mut texts: Vec<String> = page.messages.iter().map(|row| row.message.content.to_string()).collect();
    texts.sort();
    texts
}

#[test]
fn open_desk_lists_imported_conversations_and_rings_for_none() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let number = NumberServer::start();
    let served = runtime.block_on(Served::number(&number, AssistantChoice::Off));
    assert_eq!(runtime.block_on(served.get("/account")).get("earlier"), None);
    let key = served.keys["whatsapp live"].clone();
    let mut desk = Desk::with_tab("Harbor chat", &served.running.base_url, &key);
    desk.resize((120, 180));
    // The number has no messages when the desk is set up.
    desk.settle();
    runtime.block_on(import_first(&number, &served));
    wait_for_text(&mut desk, "+34600200000");
    number.says(ANA, "It is loose.");
    wait_for_text(&mut desk, "It is loose.");
    until("a ring for the new message", || {
        desk.settle().wait(READ_INTERVAL);
        if desk.bells > 0 { Ok(()) } else { Err(desk.picture()) }
    });
    let conversation = runtime.block_on(import_another(&number, &served, BEN, FIRST_CUSTOMERS));
    wait_for_text(&mut desk, "On Friday");
    until("its messages", || {
        desk.settle().wait(READ_INTERVAL);
        let texts = stored_texts(&desk.store, &ChannelId::from("whatsapp"), &conversation);
        if texts == ["Is it ready?", "On Friday"] { Ok(()) } else { Err(texts.join(" | ")) }
    });
    assert_eq!(desk.bells, 1, "{}", desk.picture());
}

fn wait_for_text(desk: &mut Desk, text: &str) {
    until(text, || {
        desk.settle().wait(READ_INTERVAL);
        let picture = desk.picture();
        if picture.contains(text) { Ok(()) } else { Err(picture) }
    });
}

/// Starts a desk of a team whose only tab is of WhatsApp. It polls once an hour.
fn join_team(served: &Served, session: &str, store: &Store) -> Engine {
    let hour = Duration::from_secs(3600);
    let tab = ChannelSpec {
        id: ChannelId::from("chats"),
        name: "Chats".to_owned(),
        base_url: served.running.base_url.clone(),
        key: Secret::new(&served.keys["whatsapp Ana"]),
        read_only: false,
        draft_only: false,
    };
    let team = TeamSpec {
        base_url: served.running.base_url.clone(),
        session: Secret::new(session),
        person: SafeText::line("Ana"),
        channels: vec![tab.id.clone()],
        new_channels: None,
    };
    let engine = Engine::start(
        tokio::runtime::Handle::current(),
        store.clone(),
        vec![tab.clone()],
        Arc::new(SystemClock),
        Arc::new(|_| ()),
        Polling { visible: hour, background: hour },
    );
    engine.join_team(Some(team)).expect("joined");
    engine.focus(Some((tab.id, None)));
    engine
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn desk_of_a_team_lists_imported_conversations() {
    let number = NumberServer::start();
    let mut served = Served::number(&number, AssistantChoice::Off).await;
    import_first(&number, &served).await;
    number.says(ANA, "It is loose.");
    served.waits(ANA, "a message", |history| history.len() == 1).await;
    let session = served.sign_in("Ana").await;
    let (folder, chats) = (tempfile::tempdir().expect("a folder"), ChannelId::from("chats"));
    let store = Store::open_with(folder.path(), StoreOptions::default()).expect("the files open");
    let engine = join_team(&served, &session, &store);
    let sql = "SELECT id FROM conversations ORDER BY last_at";
    let ids = cluster::column(&served.options.database, sql);
    let [oldest, .., newest] = &ids[..] else { panic!("{ids:?}") };
    until_found("the list and the newest history", async || {
        let is_read = is_listed(&store, &chats, oldest)
            && stored_texts(&store, &chats, newest) == ["It is loose."]
            && engine.has_live_events(&chats);
        is_read.then_some(()).ok_or("not yet")
    })
    .await;
    let conversation = import_another(&number, &served, BEN, FIRST_CUSTOMERS).await;
    assert_eq!(&import_another(&number, &served, ANA, FIRST_CUSTOMERS + 2).await, newest);
    // The team's sweep requests the account and the list in the same way.
    engine.refresh(chats.clone());
    until_found("the conversation", async || {
        is_listed(&store, &chats, &conversation).then_some(()).ok_or("not yet")
    })
    .await;
    until_found("earlier messages of a known conversation", async || {
        let texts = stored_texts(&store, &chats, newest);
        let wanted = ["Is it ready?", "It is loose.", "On Friday"];
        if texts == wanted { Ok(()) } else { Err(texts.join(" | ")) }
    })
    .await;
    engine.focus(Some((chats.clone(), Some(conversation.as_str().into()))));
    until_found("its messages", async || {
        let texts = stored_texts(&store, &chats, &conversation);
        if texts == ["Is it ready?", "On Friday"] { Ok(()) } else { Err(texts.join(" | ")) }
    })
    .await;
    engine.shutdown().await;
}
