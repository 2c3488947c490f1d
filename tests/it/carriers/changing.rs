//! Edited messages, chats that are looked up, and renumbered updates.

use frontdesk::service::{AssistantChoice, start};
use serde_json::{Value, json};

use super::bot_server::BotServer;
use super::number_server::NumberServer;
use super::story::shows;
use super::{Served, text_to, texts};
use crate::desk::Desk;
use crate::waiting::{until, until_found};

const ANA: i64 = 77;
const MARIA: &str = "+34600111222";

fn chat() -> Value {
    json!({"id": ANA, "type": "private", "first_name": "Ana 77", "username": "ana77"})
}

fn edited(number: i64, text: &str) -> Value {
    let from = json!({"id": ANA, "first_name": "Ana"});
    json!({"edited_message": {
        "message_id": number, "date": 1, "edit_date": 1_790_000_000, "chat": chat(), "from": from, "text": text,
    }})
}

fn former(message: &Value) -> Vec<&str> {
    let all = message["formerContents"].as_array().map_or(&[][..], Vec::as_slice);
    all.iter().filter_map(|one| one["content"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edited_message_keeps_its_place_and_what_it_said() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let number = bot.says(ANA, "at nine");
    bot.says(ANA, "please");
    served.waits(ANA, "two messages", |history| history.len() == 2).await;
    assert_eq!(served.conversations().await[0].get("lastChange"), None);
    bot.update(edited(number, "at ten"));
    // An edit without a new text, such as a link preview, is none.
    bot.update(edited(number, "at ten"));
    bot.update(edited(number, "at eleven"));
    let history = served.waits(ANA, "the edits", |history| texts(history)[0] == "at eleven").await;
    assert_eq!(texts(&history), ["at eleven", "please"]);
    assert_eq!(former(&history[0]), ["at nine", "at ten"]);
    assert!(history[0]["editedAt"].is_string() && history[1].get("editedAt").is_none(), "{history:?}");
    let listed = &served.conversations().await[0];
    assert_eq!((&listed["lastMessagePreview"], &listed["messageCount"]), (&json!("please"), &json!(2)));
    assert_eq!(listed["lastChange"]["at"], listed["lastMessageAt"], "a change is activity");
    assert_eq!(listed["lastChange"]["messageAt"], history[0]["createdAt"]);
    // An edit of our own message is no customer message.
    served.send(text_to(ANA, "noted"), None).await;
    bot.update(edited(bot.waits_for("noted").id, "noted!"));
    // An edit of a message from before this database is stored as a new one.
    bot.update(edited(9_000, "from before"));
    let history = served.waits(ANA, "the fourth", |history| history.len() == 4).await;
    let last = history.iter().find(|message| message["content"] == "from before").expect("it is there");
    assert!(last["editedAt"].is_string() && former(last).is_empty(), "{last}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_that_is_replaced_is_brought_and_the_former_one_stays() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let photo = |id: &str, bytes: &[u8], caption: &str| {
        bot.put_file(id, bytes);
        json!({"photo": [{"file_id": id, "file_size": bytes.len()}], "caption": caption})
    };
    let number = bot.sends(ANA, photo("one", b"\xff\xd8\xff one", "the leak"));
    let history = served.waits(ANA, "the picture", |history| history.len() == 1).await;
    let first = history[0]["mediaUrl"].clone();
    let edit = |content: Value| {
        let mut update = edited(number, "");
        let message = &mut update["edited_message"];
        message.as_object_mut().expect("an object").remove("text");
        for (name, value) in content.as_object().expect("an object") {
            message[name] = value.clone();
        }
        bot.update(update);
    };
    edit(photo("one", b"\xff\xd8\xff one", "a leak"));
    let history = served.waits(ANA, "the caption", |history| history[0]["content"] == "a leak").await;
    assert_eq!(history[0]["mediaUrl"], first, "the file is as it was");
    edit(photo("two", b"\xff\xd8\xff the other", "a leak"));
    let history = served.waits(ANA, "the other picture", |history| history[0]["mediaUrl"] != first).await;
    assert_eq!(former(&history[0]), ["the leak", "a leak"]);
    assert_eq!(history[0]["formerContents"][1]["mediaUrl"], first);
    assert!(history[0]["mediaUrl"].is_string(), "{history:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn number_edits_and_withdraws_what_it_wrote_and_nothing_else() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    let first = number.says(MARIA, "at nine");
    number.says("+34600333444", "me too");
    served.waits(MARIA, "the text", |history| history.len() == 1).await;
    let body = json!({"type": "text", "text": {"body": "at ten"}});
    number.sends(MARIA, "edit", json!({"original_message_id": first, "message": body}), json!({}));
    let history = served.waits(MARIA, "the edit", |history| texts(history) == ["at ten"]).await;
    assert_eq!(former(&history[0]), ["at nine"]);
    // Another person cannot withdraw it.
    number.sends("+34600333444", "revoke", json!({ "original_message_id": first }), json!({}));
    number.sends(MARIA, "revoke", json!({ "original_message_id": first }), json!({}));
    number.says(MARIA, "behind it");
    let history = served.waits(MARIA, "the rest", |history| history.len() == 2).await;
    assert_eq!(texts(&history), ["[withdrawn]", "behind it"]);
    assert_eq!(former(&history[0]), ["at nine", "at ten"]);
    assert!(history[0]["withdrawnAt"].is_string());
    let other = served.history("+34600333444").await;
    assert_eq!(texts(&other), ["me too"], "{other:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn withdrawn_voice_note_is_named_as_one() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    number.put_file("spoken", b"OggS\0\x02......OpusHead");
    let note = number.sends(MARIA, "audio", json!({"id": "spoken", "voice": true}), json!({}));
    let is_fetched = |history: &[Value]| history.len() == 1 && history[0]["mediaUrl"].is_string();
    let history = served.waits(MARIA, "a voice note", is_fetched).await;
    assert_eq!(history[0]["voice"], true);
    let preview = async || served.conversations().await[0]["lastMessagePreview"].clone();
    assert_eq!(preview().await, "[voice note]");
    number.sends(MARIA, "revoke", json!({ "original_message_id": note }), json!({}));
    let history =
        served.waits(MARIA, "the withdrawal", |history| history[0]["withdrawnAt"].is_string()).await;
    assert_eq!(texts(&history), ["[withdrawn voice note]"]);
    assert_eq!((&history[0]["mediaUrl"], history[0].get("voice")), (&Value::Null, None));
    assert_eq!(preview().await, "[withdrawn voice note]");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn withdrawn_picture_that_could_not_be_fetched_is_named_as_one() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    let picture = number.sends(MARIA, "image", json!({"id": "gone"}), json!({}));
    let history = served.waits(MARIA, "a picture", |history| history.len() == 1).await;
    assert_eq!(history[0]["mediaUrl"], Value::Null);
    number.sends(MARIA, "revoke", json!({ "original_message_id": picture }), json!({}));
    let history =
        served.waits(MARIA, "the withdrawal", |history| history[0]["withdrawnAt"].is_string()).await;
    assert_eq!(texts(&history), ["[withdrawn image]"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reaction_that_is_taken_back_goes() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    let first = number.says(MARIA, "hello");
    let reacts = |emoji: &str| {
        number.sends(MARIA, "reaction", json!({"message_id": first, "emoji": emoji}), json!({}));
    };
    reacts("👍");
    reacts("❤");
    let history = served.waits(MARIA, "the other emoji", |history| texts(history) == ["hello", "❤"]).await;
    assert_eq!(former(&history[1]), ["👍"]);
    reacts("");
    reacts("");
    let history = served.waits(MARIA, "the end", |history| history[1]["withdrawnAt"].is_string()).await;
    assert_eq!(texts(&history), ["hello", "[withdrawn]"]);
    reacts("🎉");
    let history = served.waits(MARIA, "another", |history| texts(history)[1] == "🎉").await;
    assert_eq!((history.len(), &history[1]["withdrawnAt"]), (2, &Value::Null));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reply_or_reaction_to_what_has_no_id_is_refused_in_words() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "hello");
    let user = json!({"id": ANA, "first_name": "Ana"});
    bot.update(json!({"message_reaction": {
        "chat": chat(), "message_id": 1, "date": 1, "user": user, "old_reaction": [],
        "new_reaction": [{"type": "emoji", "emoji": "👍"}],
    }}));
    let history = served.waits(ANA, "the reaction", |history| history.len() == 2).await;
    let id = history[1]["id"].as_str().expect("an id");
    let quoting = json!({"chatId": ANA, "type": "text", "text": "thanks", "replyTo": id});
    let (status, told) = served.send(quoting, None).await;
    assert_eq!((status, &told["code"]), (400, &json!("VALIDATION_ERROR")), "{told}");
    let path = format!("/telegram/messages/{id}/react");
    let (status, told) =
        served.call("telegram live", "POST", &path, Some(json!({"emoji": "👍"})), None).await;
    assert_eq!((status, &told["code"]), (400, &json!("VALIDATION_ERROR")), "{told}");
    assert!(bot.reached().is_empty());
    // The emoji is sent in the form the platform lists.
    let path = format!("/telegram/messages/{}/react", history[0]["id"].as_str().expect("an id"));
    let emoji = Some(json!({"emoji": "❤\u{fe0f}"}));
    let (status, told) = served.call("telegram live", "POST", &path, emoji, None).await;
    assert_eq!((status, &told["emoji"]), (200, &json!("❤")), "{told}");
    let reached = bot.reached().pop().expect("a reaction");
    assert_eq!(reached.body["reaction"], json!([{"type": "emoji", "emoji": "❤"}]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chat_that_is_not_known_is_asked_for_at_the_platform() {
    const CHANNEL: i64 = -1_009_876_543_210;
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let to = |chat: Value| json!({"chatId": chat, "type": "text", "text": "hi"});
    for stranger in [json!("@strangers"), json!(5_555)] {
        let (status, told) = served.send(to(stranger), None).await;
        assert_eq!((status, &told["code"]), (400, &json!("INVALID_RECIPIENT")), "{told}");
    }
    assert!(bot.reached().is_empty() && served.conversations().await.is_empty());
    let channel =
        json!({"id": CHANNEL, "type": "channel", "title": "Harbour news", "username": "harbour_news"});
    bot.has_chat("@harbour_news", channel);
    // A customer who wrote before this database existed.
    bot.has_chat("77", chat());
    for known in [json!("@harbour_news"), json!(ANA)] {
        let (status, told) = served.send(to(known), None).await;
        assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    }
    let chats: Vec<String> = bot.reached().into_iter().map(|reached| reached.chat).collect();
    assert_eq!(chats, [CHANNEL.to_string(), ANA.to_string()]);
    let listed = served.conversations().await;
    let names: Vec<&str> = listed.iter().filter_map(|one| one["customerName"].as_str()).collect();
    assert_eq!((listed.len(), names.contains(&"Harbour news")), (2, true), "{listed:?}");
    // By its name it is the same conversation.
    assert_eq!(served.send(to(json!("@harbour_news")), None).await.0, 200);
    assert_eq!(served.conversations().await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn updates_that_are_numbered_anew_are_read() {
    let bot = BotServer::start();
    bot.renumber(900_000);
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "before the quiet week");
    served.waits(ANA, "a message", |history| history.len() == 1).await;
    let Served { running, keys, http, options, running_options, channel, _folder } = served;
    running.shutdown().await;
    bot.renumber(40);
    bot.says(ANA, "after it");
    let running = start(running_options.clone()).await.expect("it starts again");
    let served = Served { running, keys, http, options, running_options, channel, _folder };
    let history = served.waits(ANA, "the other", |history| history.len() == 2).await;
    assert_eq!(texts(&history), ["before the quiet week", "after it"]);
    bot.says(ANA, "and on");
    served.waits(ANA, "a third", |history| history.len() == 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_is_counted_as_the_platform_counts() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "hello");
    served.waits(ANA, "a message", |history| history.len() == 1).await;
    let ships = |count: usize| "🚢".repeat(count);
    let (status, told) = served.send(text_to(ANA, &ships(2_049)), None).await;
    assert_eq!((status, &told["code"]), (400, &json!("VALIDATION_ERROR")), "{told}");
    assert_eq!(served.send(text_to(ANA, &ships(2_048)), None).await.0, 200);
    assert_eq!(bot.reached().len(), 1);
}

#[test]
fn desk_shows_an_edit_with_the_former_text_one_key_away() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let bot = BotServer::start();
    let served = runtime.block_on(Served::quiet(&bot));
    let key = served.keys["telegram live"].clone();
    let mut desk = Desk::with_tab("Harbor bot", &served.running.base_url, &key);
    desk.resize((120, 40));
    let number = bot.says(ANA, "deliver on Monday");
    shows(&mut desk, "Ana 77");
    bot.says(78, "good morning");
    shows(&mut desk, "Ana 78");
    runtime.block_on(until_found("both", async || match served.conversations().await.len() {
        2 => Ok(()),
        other => Err(other),
    }));
    bot.update(edited(number, "deliver on Friday"));
    // The edit moves the conversation to the top of the list, under the cursor.
    shows(&mut desk, "deliver on Friday");
    desk.keys("<Enter>");
    shows(&mut desk, "edited");
    desk.keys("=");
    shows(&mut desk, "before     deliver on Monday");
}

#[test]
fn desk_shows_an_edit_of_a_message_far_behind_the_newest() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let bot = BotServer::start();
    let served = runtime.block_on(Served::quiet(&bot));
    let key = served.keys["telegram live"].clone();
    let first = bot.says(ANA, "line 1.");
    for number in 2..=120 {
        bot.says(ANA, &format!("line {number}."));
    }
    runtime.block_on(served.waits(ANA, "all of them", |history| history.len() == 120));
    let mut desk = Desk::with_tab("Harbor bot", &served.running.base_url, &key);
    desk.resize((120, 40));
    shows(&mut desk, "Ana 77");
    desk.keys("<Enter>");
    shows(&mut desk, "line 120.");
    until("the beginning", || {
        desk.keys("<PgUp>").settle().wait(1_000_000);
        let picture = desk.picture();
        if picture.contains("line 1.") { Ok(()) } else { Err(picture) }
    });
    // The message is not on the newest page.
    bot.update(edited(first, "the very first line"));
    shows(&mut desk, "the very first line");
    shows(&mut desk, "edited");
}
