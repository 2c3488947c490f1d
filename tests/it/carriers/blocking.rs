//! Chats that take no messages of a bot any more.

use serde_json::{Value, json};

use super::bot_server::BotServer;
use super::{Served, StandIn, text_to, texts};
use crate::waiting::until_found;

const ANA: i64 = 77;
const GROUP: i64 = -1009;

fn membership(chat: &Value, old: &str, new: &str) -> Value {
    let bot = |status: &str| json!({"status": status, "user": {"id": 7_000_001, "is_bot": true}});
    json!({"my_chat_member": {
        "chat": chat, "from": {"id": ANA, "first_name": "Ana"}, "date": 1,
        "old_chat_member": bot(old), "new_chat_member": bot(new),
    }})
}

fn private_chat() -> Value {
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
    json!({"business_connection": {
        "id": "AbC", "user": {"id": 5, "first_name": "Owner"}, "user_chat_id": 5, "date": 1,
        "is_enabled": is_enabled, "rights": {"can_reply": true},
    }})
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
