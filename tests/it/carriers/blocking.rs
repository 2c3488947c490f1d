//! Chats that take no messages of a bot any more.

use serde_json::{Value, json};

use super::bot_server::BotServer;
use super::stand_in::Wrong;
use super::story::{shows, takes_messages};
use super::{Served, StandIn, text_to, texts};
use crate::desk::Desk;
use crate::regions::Region;
use crate::scripting;
use crate::waiting::{until, until_found};

const ANA: i64 = 77;
const GROUP: i64 = -1009;

pub(super) fn membership(chat: &Value, old: &str, new: &str) -> Value {
    let bot = |status: &str| json!({"status": status, "user": {"id": 7_000_001, "is_bot": true}});
    json!({"my_chat_member": {
        "chat": chat, "from": {"id": ANA, "first_name": "Ana"}, "date": 1,
        "old_chat_member": bot(old), "new_chat_member": bot(new),
    }})
}

pub(super) fn private_chat() -> Value {
    json!({"id": ANA, "type": "private", "first_name": "Ana", "username": "ana77"})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn send_to_a_person_who_blocked_the_bot_is_refused_before_it_is_tried() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let before = served.balance().await;
    bot.update(membership(&private_chat(), "member", "kicked"));
    let history = served.waits(ANA, "the block", |entry| entry.len() == 2).await;
    assert_eq!((texts(&history)[1], &history[1]["senderType"]), ("[blocked this bot]", &json!("customer")));
    let (status, told) = served.send(text_to(ANA, "are you there?"), None).await;
    assert_eq!((status, &told["code"]), (400, &json!("INVALID_RECIPIENT")), "{told}");
    assert!(told["message"].as_str().is_some_and(|text| text.contains("blocked")), "{told}");
    assert_eq!((bot.reached(), served.balance().await), (Vec::new(), before));
    bot.update(membership(&private_chat(), "kicked", "member"));
    served.waits(ANA, "the return", |entry| texts(entry).last() == Some(&"[unblocked this bot]")).await;
    let (_, sent) = served.send(text_to(ANA, "welcome back"), None).await;
    assert_eq!((&sent["status"], bot.waits_for("welcome").chat.as_str()), (&json!("sent"), "77"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn person_who_writes_has_not_blocked_the_bot() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.update(membership(&private_chat(), "member", "kicked"));
    served.waits(ANA, "the block", |entry| entry.len() == 1).await;
    // The report that the person unblocked the bot was lost.
    bot.says(ANA, "hi again");
    served.waits(ANA, "a message", |entry| entry.len() == 2).await;
    assert_eq!(served.send(text_to(ANA, "hello"), None).await.1["status"], "sent");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_queued_before_a_block_is_refused_after_it() {
    let bot = BotServer::start();
    let served = Served::bounded(StandIn::Bot(&bot)).await;
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let before = served.balance().await;
    let pause = (429, json!({"ok": false, "parameters": {"retry_after": 1}}));
    bot.answer(move |_| Some(pause.clone()));
    let queued = served.send(text_to(ANA, "on its way"), Some("key-1")).await;
    assert_eq!(queued.1["status"], "queued", "{queued:?}");
    bot.update(membership(&private_chat(), "member", "kicked"));
    served
        .waits(ANA, "a refusal", |entry| {
            let is_blocked = texts(entry).contains(&"[blocked this bot]");
            is_blocked && entry.iter().any(|message| message["status"] == "failed")
        })
        .await;
    assert_eq!((bot.reached(), served.balance().await), (Vec::new(), before), "nothing is sent or paid");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn group_that_removed_the_bot_is_named_in_the_refusal() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let group = json!({"id": GROUP, "type": "supergroup", "title": "Crew"});
    bot.sends(GROUP, json!({"chat": group, "text": "hi all"}));
    served.waits(GROUP, "a group", |entry| entry.len() == 1).await;
    bot.update(membership(&group, "member", "left"));
    let history = served.waits(GROUP, "the removal", |entry| entry.len() == 2).await;
    assert_eq!(texts(&history)[1], "Ana: [removed this bot]");
    let (status, told) = served.send(text_to(GROUP, "hello"), None).await;
    assert_eq!(status, 400, "{told}");
    assert!(told["message"].as_str().is_some_and(|text| text.contains("group")), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn group_that_adds_the_bot_again_is_written_to() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let group = json!({"id": GROUP, "type": "supergroup", "title": "Crew"});
    // A bot that is added to a group for the first time has nothing to show.
    bot.update(membership(&group, "left", "member"));
    bot.sends(GROUP, json!({"chat": group, "text": "hi all"}));
    served.waits(GROUP, "a group", |entry| texts(entry) == ["Ana: hi all"]).await;
    bot.update(membership(&group, "member", "kicked"));
    served.waits(GROUP, "the removal", |entry| entry.len() == 2).await;
    assert_eq!(served.send(text_to(GROUP, "hello?"), None).await.0, 400);
    bot.update(membership(&group, "left", "administrator"));
    let history = served.waits(GROUP, "the return", |entry| entry.len() == 3).await;
    assert_eq!(texts(&history)[2], "Ana: [added this bot]");
    let (_, sent) = served.send(text_to(GROUP, "hello again"), None).await;
    assert_eq!((&sent["status"], bot.waits_for("hello again").chat), (&json!("sent"), GROUP.to_string()));
}

fn connection(is_enabled: bool) -> Value {
    connection_of(5, "AbC", is_enabled)
}

pub(super) fn connection_of(owner: i64, id: &str, is_enabled: bool) -> Value {
    json!({"business_connection": {
        "id": id, "user": {"id": owner, "first_name": "Owner"}, "user_chat_id": owner, "date": 1,
        "is_enabled": is_enabled, "rights": {"can_reply": true},
    }})
}

/// A message of the same customer to a business.
pub(super) fn business_message(connection: &str, number: i64, text: &str) -> Value {
    json!({"business_message": {
        "message_id": number, "date": 1, "business_connection_id": connection, "chat": private_chat(),
        "from": {"id": ANA, "first_name": "Ana"}, "text": text,
    }})
}

/// The platform gives each connection another id.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn customer_of_a_business_that_connects_the_bot_again_continues_their_conversation() {
    const FIRST: &str = "77/business:One";
    const SECOND: &str = "77/business:Two";
    const THIRD: &str = "77/business:Three";
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let chats = async || -> Vec<String> {
        let all = served.conversations().await;
        let mut chats: Vec<_> =
            all.iter().map(|one| one["telegramChatId"].as_str().expect("a chat").to_owned()).collect();
        chats.sort();
        chats
    };
    bot.update(connection_of(5, "One", true));
    bot.update(business_message("One", 901, "hi"));
    served.waits(FIRST, "a message", |history| history.len() == 1).await;
    bot.update(connection_of(5, "One", false));
    bot.update(connection_of(5, "Two", true));
    until_found("the new address", async || {
        let chats = chats().await;
        if chats == [SECOND] { Ok(()) } else { Err(chats.join(" ")) }
    })
    .await;
    // The former address leads there, too.
    let to_former = json!({"chatId": FIRST, "type": "text", "text": "we are back"});
    assert_eq!(served.send(to_former, None).await.1["status"], "sent");
    assert_eq!(bot.waits_for("we are back").body["business_connection_id"], "Two");
    bot.update(business_message("Two", 903, "welcome back"));
    let history = served.waits(SECOND, "another message", |history| history.len() == 3).await;
    assert_eq!(texts(&history), ["hi", "we are back", "welcome back"]);
    assert_eq!(chats().await, [SECOND]);
    // The customer writes to another business, which has the same bot.
    bot.update(connection_of(6, "Three", true));
    bot.update(business_message("Three", 1, "hello"));
    let history = served.waits(THIRD, "a message", |history| history.len() == 1).await;
    assert_eq!((texts(&history), chats().await), (vec!["hello"], vec![THIRD.to_owned(), SECOND.to_owned()]));
    // The first connection comes back.
    bot.update(connection_of(5, "One", true));
    bot.update(business_message("One", 904, "again"));
    let history = served.waits(FIRST, "a message", |history| history.len() == 4).await;
    assert_eq!(texts(&history)[3], "again");
    assert_eq!(chats().await, [FIRST, THIRD]);
}

/// A message can be processed before the report of its connection, as after downtime.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_before_the_report_of_its_connection_continues_the_conversation() {
    const FIRST: &str = "77/business:One";
    const SECOND: &str = "77/business:Two";
    const OTHER: &str = "77/business:Four";
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.update(connection_of(5, "One", true));
    bot.update(business_message("One", 901, "hi"));
    served.waits(FIRST, "a message", |history| history.len() == 1).await;
    bot.has_connection(&connection_of(5, "Two", true));
    // The platform does not answer at once.
    let mut first = true;
    bot.plan(move |method| {
        (method == "getBusinessConnection" && std::mem::take(&mut first)).then_some(Wrong::CutBefore)
    });
    bot.update(business_message("Two", 902, "I am back"));
    let history = served.waits(SECOND, "another message", |history| history.len() == 2).await;
    assert_eq!(texts(&history), ["hi", "I am back"]);
    // The report comes at last.
    bot.update(connection_of(5, "One", false));
    bot.update(connection_of(5, "Two", true));
    bot.update(business_message("Two", 903, "Are you there?"));
    let history = served.waits(SECOND, "a third message", |history| history.len() == 3).await;
    assert_eq!(texts(&history)[2], "Are you there?");
    // A connection that the platform does not know is another business.
    bot.update(business_message("Four", 1, "hello"));
    served.waits(OTHER, "a message", |history| history.len() == 1).await;
    assert_eq!(served.conversations().await.len(), 2);
}

/// The owner writes on a phone, in a chat that the bot is connected to.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn first_message_of_an_owner_begins_a_conversation_of_a_person() {
    const CHAT: &str = "77/business:AbC";
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.put_file("photo-1", b"\x89PNG\r\n\x1a\nsmall");
    bot.put_file("voice-1", b"OggS of a voice");
    let own = |number: i64, content: Value| {
        let mut message = json!({
            "message_id": number, "date": 1, "business_connection_id": "AbC", "chat": private_chat(),
            "from": {"id": 5, "first_name": "Owner"},
        });
        for (name, value) in content.as_object().expect("an object") {
            message[name] = value.clone();
        }
        bot.update(json!({ "business_message": message }));
    };
    bot.update(connection(true));
    own(901, json!({"photo": [{"file_id": "photo-1", "file_size": 13}], "caption": "Your bike"}));
    own(902, json!({"voice": {"file_id": "voice-1", "mime_type": "audio/ogg", "duration": 3}}));
    let has_file = |message: &Value| message["mediaUrl"].is_string();
    let history =
        served.waits(CHAT, "both", |history| history.len() == 2 && history.iter().all(has_file)).await;
    for (message, kind) in history.iter().zip(["photo", "audio"]) {
        assert_eq!(
            (&message["contentType"], &message["senderType"], &message["status"]),
            (&json!(kind), &json!("agent"), &json!("sent"))
        );
    }
    assert_eq!((&history[0]["content"], &history[1]["voice"]), (&json!("Your bike"), &json!(true)));
    let listed = &served.conversations().await[0];
    assert_eq!(listed["customerName"], "Ana", "{listed}");
    let id = listed["id"].as_str().expect("an id");
    assert_eq!(served.automation(id, None).await.1["enabled"], false);
    bot.update(business_message("AbC", 903, "Thank you"));
    let history = served.waits(CHAT, "an answer", |history| history.len() == 3).await;
    assert_eq!((texts(&history)[2], served.conversations().await.len()), ("Thank you", 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn customers_of_a_business_that_disconnected_the_bot_are_not_written_to() {
    const CHAT: &str = "77/business:AbC";
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let to_ana = |text: &str| json!({"chatId": CHAT, "type": "text", "text": text});
    let disconnected = async || {
        until_found("a refusal", async || match served.send(to_ana("hello"), None).await {
            (400, told) => Ok(told),
            (_, told) => Err(told.to_string()),
        })
        .await
    };
    bot.update(connection(true));
    let message = json!({
        "message_id": 901, "date": 1, "business_connection_id": "AbC", "chat": private_chat(),
        "from": {"id": ANA, "first_name": "Ana"}, "text": "hi",
    });
    bot.update(json!({ "business_message": message }));
    served.waits(CHAT, "a customer", |entry| entry.len() == 1).await;
    assert_eq!(served.send(to_ana("hello"), None).await.1["status"], "sent");
    assert_eq!(bot.waits_for("hello").body["business_connection_id"], "AbC");
    bot.update(connection(false));
    let told = disconnected().await;
    assert_eq!(told["code"], "INVALID_RECIPIENT", "{told}");
    assert!(told["message"].as_str().is_some_and(|text| text.contains("disconnected")), "{told}");
    let before = bot.reached().len();
    assert_eq!(served.send(to_ana("hello?"), None).await.0, 400);
    assert_eq!(bot.reached().len(), before, "refused before it is tried");
    // Other chats of the bot are not concerned.
    bot.says(ANA, "hi, bot");
    served.waits(ANA, "a chat with the bot", |entry| entry.len() == 1).await;
    assert_eq!(served.send(text_to(ANA, "hi, Ana"), None).await.1["status"], "sent");
    bot.update(connection(true));
    until_found("a connection", async || match served.send(to_ana("welcome back"), None).await {
        (200, _) => Ok(()),
        (_, told) => Err(told.to_string()),
    })
    .await;
    // A customer who is heard shows that it is connected, should the report be lost.
    bot.update(connection(false));
    disconnected().await;
    let mut message = message;
    message["message_id"] = 902.into();
    bot.update(json!({ "business_message": message }));
    until_found("a connection", async || match served.send(to_ana("and back"), None).await {
        (200, _) => Ok(()),
        (_, told) => Err(told.to_string()),
    })
    .await;
}

async fn reasons(served: &Served) -> Vec<Value> {
    served.conversations().await.iter().map(|one| one["takesNoMessages"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listed_chat_says_why_it_takes_no_messages_until_it_is_back() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    assert_eq!(reasons(&served).await, [Value::Null]);
    bot.update(membership(&private_chat(), "member", "kicked"));
    served.waits(ANA, "the block", |entry| entry.len() == 2).await;
    assert_eq!(reasons(&served).await, ["blocked"]);
    bot.says(ANA, "hi again");
    served.waits(ANA, "another message", |entry| entry.len() == 3).await;
    assert_eq!(reasons(&served).await, [Value::Null], "who writes takes messages");
    let group = json!({"id": GROUP, "type": "supergroup", "title": "Crew"});
    bot.sends(GROUP, json!({"chat": group, "text": "hi all"}));
    served.waits(GROUP, "a group", |entry| entry.len() == 1).await;
    bot.update(membership(&group, "member", "left"));
    served.waits(GROUP, "the removal", |entry| entry.len() == 2).await;
    assert_eq!(reasons(&served).await, [json!("left"), Value::Null]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn block_that_the_platform_tells_by_a_refusal_is_kept_until_the_customer_writes() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let refusal = json!({"ok": false, "description": "Forbidden: bot was blocked by the user"});
    bot.answer(move |_| Some((403, refusal.clone())));
    assert_eq!(served.send(text_to(ANA, "hello?"), None).await.0, 400);
    assert_eq!(reasons(&served).await, ["blocked"]);
    bot.answer(|_| None);
    let (status, told) = served.send(text_to(ANA, "still there?"), None).await;
    assert_eq!((status, &told["code"]), (400, &json!("INVALID_RECIPIENT")), "{told}");
    assert_eq!(bot.reached(), Vec::new(), "refused before it is tried");
    bot.says(ANA, "I am back");
    served.waits(ANA, "another message", |entry| entry.len() == 2).await;
    assert_eq!(reasons(&served).await, [Value::Null]);
    assert_eq!(served.send(text_to(ANA, "welcome back"), None).await.1["status"], "sent");
}

#[test]
fn desk_says_before_enter_that_a_customer_blocked_the_bot() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let bot = BotServer::start();
    let served = runtime.block_on(Served::quiet(&bot));
    let key = served.keys["telegram live"].clone();
    let mut desk = Desk::with_tab("Harbor bot", &served.running.base_url, &key);
    desk.resize((160, 40));
    bot.says(ANA, "hi there");
    shows(&mut desk, "Ana 77");
    desk.keys("<Enter>");
    shows(&mut desk, "hi there");
    bot.update(membership(&private_chat(), "member", "kicked"));
    shows(&mut desk, "[blocked this bot]");
    shows(&mut desk, "Ana blocked the bot: a text would not arrive");
    let card = desk.photograph(&[Region::Card]);
    assert!(card.contains("blocked"), "{card}");
    desk.keys("i").types("Your bike is ready").keys("<Enter>").shows("the draft is kept");
    desk.hides("pause the AI and send");
    bot.update(membership(&private_chat(), "kicked", "member"));
    takes_messages(&mut desk);
    assert_eq!(bot.reached(), Vec::new(), "nothing was tried");
    desk.keys("<Enter>").shows("pause the AI and send").keys("y");
    until("the draft", || {
        desk.settle().wait(1_000_000);
        let is_sent = bot.reached().iter().any(|reached| reached.text == "Your bike is ready");
        if is_sent { Ok(()) } else { Err(desk.picture()) }
    });
}

#[test]
fn script_says_that_a_customer_blocked_the_bot_and_queues_nothing() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let bot = BotServer::start();
    let served = runtime.block_on(Served::quiet(&bot));
    bot.says(ANA, "hi");
    bot.update(membership(&private_chat(), "member", "kicked"));
    runtime.block_on(served.waits(ANA, "the block", |entry| entry.len() == 2));
    let folder = tempfile::tempdir().expect("a folder");
    let base_url = &served.running.base_url;
    let config =
        format!("[[channel]]\nname = \"Harbor bot\"\nbase_url = \"{base_url}\"\nkey_env = \"CHAT_KEY\"\n");
    std::fs::write(folder.path().join("config.toml"), config).expect("written");
    let key = &served.keys["telegram live"];
    let output = scripting::run(folder.path(), key, &["send", "77", "hello?", "--beside-ai"]);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("Ana blocked the bot: a text would not arrive; nothing was sent"), "{words}");
    assert!(!words.contains("queued"), "{words}");
}

/// The owner of a business writes in the platform's app.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answer_of_a_business_in_the_platforms_app_says_where_it_was_sent() {
    const CHAT: &str = "77/business:AbC";
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.update(connection(true));
    bot.update(business_message("AbC", 901, "hi"));
    bot.update(json!({"business_message": {
        "message_id": 902, "date": 1, "business_connection_id": "AbC", "chat": private_chat(),
        "from": {"id": 5, "first_name": "Owner"}, "text": "on my way",
    }}));
    let history = served.waits(CHAT, "the answer", |history| history.len() == 2).await;
    let answer = history.iter().find(|message| message["direction"] == "outbound").expect("an answer");
    assert_eq!((&answer["content"], &answer["sentFrom"]), (&json!("on my way"), &json!("telegram")));
    let listed = served.conversations().await;
    assert_eq!(listed[0]["automationEnabled"], false, "{listed:?}");
    assert_eq!((&listed[0]["pausedFrom"], &listed[0]["pausedBy"]), (&json!("telegram"), &Value::Null));
}
